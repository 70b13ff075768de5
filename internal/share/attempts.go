package share

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/workspace"
)

// Attempts is what became of the attempts to bring the checkpoints to a target. It is a memory that
// is never needed: without it a push tries.
type Attempts struct {
	Succeeded time.Time `json:"succeeded,omitzero"`
	Failures  int       `json:"failures,omitempty"` // in a row
	Since     time.Time `json:"since,omitzero"`     // the first of them
	Last      time.Time `json:"last,omitzero"`      // the last one
	Fault     Fault     `json:"fault,omitempty"`
	Words     string    `json:"words,omitempty"` // git's of it
	Said      Fault     `json:"said,omitempty"`  // the fault that the user has read what to do about

	Portion int64       `json:"portion,omitempty"` // how many bytes the first portion of a push has; 0: all
	Tried   gitexec.OID `json:"tried,omitempty"`   // the commit of the branch that it did not take in time

	Pushed  []string `json:"pushed,omitempty"`  // the remote of the pushes, as git names it to the hook, hashed
	Files   string   `json:"files,omitempty"`   // what Place.deciding was
	Decides string   `json:"decides,omitempty"` // what Sharing.deciding was
}

// Saying is what the user has to read of an attempt.
type Saying int

// The sayings.
const (
	SayNothing Saying = iota
	SayLater          // it failed, and the next push tries again
	SayPause          // it failed again, and pushes do not try for a time
	SayRemedy         // it fails until the user does something
)

// pause is how long no push tries after so many failures in a row.
func pause(f Fault, failures int) time.Duration {
	const day = 24 * time.Hour
	// The first failure may be anything, so the next push tries. From the second on each attempt
	// may cost a push push_timeout_seconds: a server that is gone costs that once a day. A server's
	// rule stays until its administrator changes it: one refusal is enough for a day.
	// docs/sharing.md has the times.
	growing := []time.Duration{0, 0, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour}
	if f == Refused && failures > 0 || failures >= len(growing) {
		return day
	}
	return growing[max(0, failures)]
}

// Next is when a push tries again.
func (a Attempts) Next() time.Time { return a.Last.Add(pause(a.Fault, a.Failures)) }

// Pause is how long it is until then, in words.
func (a Attempts) Pause() string {
	d := pause(a.Fault, a.Failures)
	switch {
	case d >= 24*time.Hour:
		return amount.Of(int(d/(24*time.Hour)), "day")
	case d >= time.Hour:
		return amount.Of(int(d/time.Hour), "hour")
	}
	return amount.Of(int(d/time.Minute), "minute")
}

// waits reports whether a push does not try. Who sets the clock back does not wait longer.
func (a Attempts) waits(now time.Time) bool {
	return a.Failures > 0 && now.Before(a.Next()) && !now.Before(a.Last)
}

// failed is what is known after another failure, and what the user has to read of it.
func (a Attempts) failed(f Fault, words string, now time.Time) (Attempts, Saying) {
	if a.Failures == 0 {
		a.Since, a.Said = now, ""
	}
	a.Failures, a.Last, a.Fault, a.Words = min(a.Failures+1, 1000), now, f, words
	// These do not pass by themselves, so the way out is said at once.
	remedy := f == Refused || f == Unauthorized
	switch {
	// Each kind of fault is said once in a row of failures.
	case a.Said == f:
		return a, SayNothing
	case a.Failures == 1 && !remedy:
		return a, SayLater
	}
	if a.Said = f; remedy {
		return a, SayRemedy
	}
	return a, SayPause
}

// succeeded is what is known after a success.
func (a Attempts) succeeded(now time.Time) Attempts {
	a.Failures, a.Since, a.Last, a.Fault, a.Words, a.Said = 0, time.Time{}, time.Time{}, "", "", ""
	a.Succeeded = now
	return a
}

// arrivedLate is what is known where the target took what a push did not wait for. It is slow all
// the same: the next time is the second in a row, so that not each push waits for it.
func (a Attempts) arrivedLate(now time.Time) Attempts {
	a.Failures, a.Since = 1, now
	return a
}

// Limits of the file: its bytes, targets in it (those of which something was known last), the
// remotes of pushes of each, and the bytes of git's words, which are shown in one line. An entry
// has some 700 bytes, so that 20 of them need a quarter. What is forgotten is tried again by the
// next push.
const (
	attemptsFile = "attempts.json"
	mostAttempts = 64 << 10
	mostTargets  = 20
	mostPushed   = 10
	mostWords    = 300
)

// readAttempts reads all attempts, by target. What cannot be read is forgotten.
func (p Place) readAttempts() map[string]Attempts {
	if all, err := safefile.ReadPrivate[map[string]Attempts](filepath.Join(p.Shared, attemptsFile), mostAttempts); err == nil && all != nil {
		return all
	}
	return map[string]Attempts{}
}

func (p Place) writeAttempts(all map[string]Attempts) {
	for len(all) > mostTargets {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(all)), func(a, b string) int { return latest(all[a]).Compare(latest(all[b])) })
		delete(all, oldest)
	}
	_ = safefile.WritePrivate(filepath.Join(p.Shared, attemptsFile), all) // else the next push tries
}

// latest is when something was last known.
func latest(a Attempts) time.Time {
	if a.Last.After(a.Succeeded) {
		return a.Last
	}
	return a.Succeeded
}

// Waits reports whether a push to a remote does not try to bring the checkpoints to their target,
// since that failed lately, and nothing has changed. It looks at one file and at stat data: no
// process. What the push sends is owed then.
func (p Place) Waits(pushed string, sent Sent, now time.Time) bool {
	for target, a := range p.readAttempts() {
		if a.waits(now) && slices.Contains(a.Pushed, hashed(pushed)) && a.Files == p.deciding() {
			p.owe(target, sent)
			return true
		}
	}
	return false
}

// deciding is the stat data of the files, and the variables, that say where the checkpoints go and
// with which credentials.
func (p Place) deciding() string {
	home, _ := os.UserHomeDir()
	names := []string{filepath.Join(filepath.Dir(p.Shared), "config"), filepath.Join(home, ".gitconfig"),
		filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git", "config"), os.Getenv("GIT_CONFIG_GLOBAL")}
	all := ""
	for _, name := range append(names, p.settings()...) {
		data, _ := safefile.StatData(name)
		all += data + "\n"
	}
	return hashed(all + answering() + configured())
}

// configured is the configuration of this call alone, as git -c gives it; it may hold secrets.
func configured() (all string) {
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GIT_CONFIG_") {
			all += v + "\n"
		}
	}
	return all
}

// answering are the variables by which programs answer git's questions for credentials.
func answering() (all string) {
	for _, name := range []string{"GIT_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "SSH_AUTH_SOCK"} {
		all += os.Getenv(name) + "\n"
	}
	return all
}

// Memory is what is remembered of the attempts to bring the checkpoints to one target.
type Memory struct {
	Attempts
	place  Place
	target string // its name in the file
	w      *workspace.Workspace
}

// MemoryOf reads what is remembered of the target.
func MemoryOf(s *Sharing) *Memory {
	m := &Memory{place: Place{Top: s.View.w.Repo.Top, Shared: s.View.w.Repo.SharedDir()}, w: s.View.w, target: s.View.place()}
	m.Attempts = m.place.readAttempts()[m.target]
	return m
}

// place names the target at its present address, which may be another repository than at an
// earlier one.
func (s *View) place() string { return s.Target.place() }

func (t Target) place() string {
	if t.Apart { // what is known of it has other grounds
		return t.key() + " %" + hashed(t.At)
	}
	return t.key() + " " + hashed(t.At)
}

// deciding is what the configuration says of where the checkpoints go, and with which credentials.
// One process.
func (m *Memory) deciding(ctx context.Context) (string, error) {
	all, err := m.w.Repo.ConfigOf(ctx, `^((remote|url|credential|http|ssh|entire-plumb)\..*|core\.(askpass|sshcommand))$`)
	if err != nil {
		return "", err
	}
	text := answering()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text += name + "\n" + strings.Join(all[name], "\n") + "\n"
	}
	own, err := json.Marshal(m.w.Settings.StrategyOptions)
	return hashed(text + string(own)), err
}

// Waits is Place.Waits where files have changed: it looks at what they say of the target. One
// process, none where nothing failed lately.
func (m *Memory) Waits(ctx context.Context, now time.Time) bool {
	if !m.waits(now) {
		return false
	}
	decides, err := m.deciding(ctx)
	if err != nil || decides != m.Decides {
		return false
	}
	m.Files = m.place.deciding()
	m.keep()
	return true
}

func (m *Memory) keep() {
	// Read again: another push of this clone may have noted its own meanwhile.
	all := m.place.readAttempts()
	all[m.target] = m.Attempts
	m.place.writeAttempts(all)
}

// Succeed notes that the target took what was pushed.
func (m *Memory) Succeed(now time.Time) {
	m.Attempts = m.succeeded(now)
	m.keep()
}

// Fail notes that an attempt beside a push failed, and says what the user has to read of it. pushed
// is the remote of that push. One process.
func (m *Memory) Fail(ctx context.Context, pushed string, err *TargetError, now time.Time) (say Saying) {
	decides, _ := m.deciding(ctx)
	// Failures with other credentials or at another address do not count for these.
	if decides != m.Decides {
		m.Attempts = m.succeeded(m.Attempts.Succeeded)
	}
	m.Attempts, say = m.failed(err.Fault, firstBytes(Reason(ctx, err), mostWords), now)
	m.Files, m.Decides = m.place.deciding(), decides
	if name := hashed(pushed); !slices.Contains(m.Pushed, name) {
		m.Pushed = append(m.Pushed[max(0, len(m.Pushed)-mostPushed+1):], name)
	}
	m.keep()
	return say
}

func firstBytes(text string, most int) string {
	return strings.ToValidUTF8(text[:min(most, len(text))], "")
}
