package share

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestPause(t *testing.T) {
	for _, c := range []struct {
		fault    Fault
		failures int
		want     time.Duration
	}{
		{Slow, -1, 0}, {Slow, 0, 0}, {Slow, 1, 0}, {Slow, 2, 5 * time.Minute}, {Unreachable, 3, 15 * time.Minute}, {Unauthorized, 4, time.Hour},
		{Otherwise, 5, 4 * time.Hour}, {Slow, 6, 24 * time.Hour}, {Slow, 1000, 24 * time.Hour}, {Refused, 0, 0}, {Refused, 1, 24 * time.Hour},
	} {
		if got := pause(c.fault, c.failures); got != c.want {
			t.Errorf("%s %d: %s", c.fault, c.failures, got)
		}
	}
}

// TestFailed: what is said of failures in a row, and when the next push tries.
func TestFailed(t *testing.T) {
	says := map[Saying]string{SayNothing: "-", SayLater: "later", SayPause: "pause", SayRemedy: "remedy"}
	for _, c := range []struct{ faults, want string }{
		{"timeout timeout timeout", "later pause -"},
		{"refused refused", "remedy -"},
		{"authentication authentication authentication", "remedy - -"},
		{"unreachable timeout timeout refused unreachable", "later pause - remedy pause"},
	} {
		a := Attempts{Succeeded: noon}
		var said []string
		for i, f := range strings.Fields(c.faults) {
			var say Saying
			a, say = a.failed(Fault(f), "words", noon.Add(time.Duration(i)*time.Hour))
			said = append(said, says[say])
		}
		if got := strings.Join(said, " "); got != c.want || !a.Since.Equal(noon) || a.Failures != len(said) {
			t.Errorf("%s: %s; %+v", c.faults, got, a)
		}
		if now := a.succeeded(noon); now.Failures != 0 || now.waits(noon) {
			t.Errorf("%+v", now)
		}
	}
	a, _ := Attempts{}.failed(Refused, "", noon)
	for at, want := range map[time.Duration]bool{0: true, time.Hour: true, 25 * time.Hour: false, -time.Hour: false} {
		if a.waits(noon.Add(at)) != want {
			t.Errorf("after %s", at)
		}
	}
	for n, want := range map[int]string{2: "5 minutes", 4: "1 hour", 5: "4 hours", 7: "1 day"} {
		if got := (Attempts{Failures: n}).Pause(); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// TestArrivedLate: a server that takes each time what a push didn't wait for costs two pushes their
// time, and then one in five minutes. It says so twice.
func TestArrivedLate(t *testing.T) {
	a, says, now := Attempts{}, []Saying{}, noon
	for range 4 {
		var say Saying
		a, say = a.failed(Slow, "words", now)
		says = append(says, say)
		if late := len(says) > 1; a.waits(now.Add(4*time.Minute)) != late || a.waits(now.Add(6*time.Minute)) {
			t.Errorf("after %d: %+v", len(says), a)
		}
		now = now.Add(6 * time.Minute)
		if a = a.arrivedLate(now); a.waits(now) || !a.Since.Equal(now) {
			t.Errorf("%+v", a)
		}
	}
	if !slices.Equal(says, []Saying{SayLater, SayPause, SayNothing, SayNothing}) {
		t.Errorf("%v", says)
	}
}

// TestAttemptsFile: what others may have put there counts for nothing, and it does not grow.
func TestAttemptsFile(t *testing.T) {
	p := Place{Top: t.TempDir(), Shared: filepath.Join(t.TempDir(), "entire-plumb")}
	testdir.Must(t, os.Mkdir(p.Shared, 0o700))
	for _, text := range []string{"", "null", "[]", `{"a": {"failures": "x"}}`, strings.Repeat("x", mostAttempts+1)} {
		testdir.Must(t, os.WriteFile(filepath.Join(p.Shared, attemptsFile), []byte(text), 0o600))
		if all := p.readAttempts(); len(all) != 0 || p.Waits("origin", Sent{}, noon) {
			t.Errorf("%.20s: %v", text, all)
		}
	}
	all := map[string]Attempts{}
	for i := range 2 * mostTargets {
		all[fmt.Sprint(i)] = Attempts{Succeeded: noon.Add(time.Duration(i) * time.Minute)}
	}
	p.writeAttempts(all)
	if all = p.readAttempts(); len(all) != mostTargets || all["39"].Succeeded.IsZero() {
		t.Errorf("%v", all)
	}
	failed, _ := Attempts{Pushed: []string{hashed("origin")}, Files: p.deciding()}.failed(Refused, "", noon)
	p.writeAttempts(map[string]Attempts{"a": {Failures: 3, Last: noon, Pushed: []string{hashed("origin")}, Files: "others"}, "b": failed})
	if !p.Waits("origin", Sent{}, noon.Add(time.Minute)) || p.Waits("fork", Sent{}, noon.Add(time.Minute)) {
		t.Error("the remote of the push counts")
	}
	testdir.Must(t, os.WriteFile(filepath.Join(filepath.Dir(p.Shared), "config"), nil, 0o600))
	if p.Waits("origin", Sent{}, noon.Add(time.Minute)) {
		t.Error("a configuration that has changed is looked at")
	}
}

// TestNoPassword: a push to an address leaves no password in a file.
func TestNoPassword(t *testing.T) {
	const pushed = "https://ada:secret@example.com/r.git"
	p := Place{Top: t.TempDir(), Shared: filepath.Join(t.TempDir(), ".git", "entire-plumb")}
	testdir.Must(t, os.MkdirAll(p.Shared, 0o700))
	writeHeld(p.Shared, "origin 1", held{Stays: []gitexec.Path{"aa/aaaaaaaaaa"}})
	if p.Files() == "" {
		t.Skip("no stat data here")
	}
	p.Settle(pushed, p.Files())
	p.settleStays("origin 1", pushed, "origin", p.Files())
	p.Announce(pushed, Target{})
	if !p.Settled(pushed) || !p.Stays(pushed, Sent{}) {
		t.Error("the address is known again")
	}
	files, err := os.ReadDir(p.Shared)
	testdir.Must(t, err)
	for _, f := range files {
		if data, err := os.ReadFile(filepath.Join(p.Shared, f.Name())); err != nil || strings.Contains(string(data), "secret") {
			t.Errorf("%s: %s %v", f.Name(), data, err)
		}
	}
	if len(files) != 3 {
		t.Errorf("%v", files)
	}
}

func TestFaults(t *testing.T) {
	for said, want := range map[string]Fault{
		"fatal: could not read Username for 'https://h': terminal prompts disabled": Unauthorized, "git@h: Permission denied (publickey).": Unauthorized,
		"fatal: repository 'https://h/x/' not found": NoRepository, "fatal: unable to access 'https://h/': Could not resolve host: h": Unreachable,
		"ssh: connect to host h port 22: Connection refused": Unreachable, "fatal: the remote end hung up": Otherwise, "": Otherwise,
	} {
		if got, _ := faultIn(said); got != want {
			t.Errorf("%s: %s", said, got)
		}
		if _, ok := errors.AsType[*TargetError](ofTarget(&gitexec.Error{Stderr: said})); !ok {
			t.Errorf("%s: no error of the target", said)
		}
	}
	for err, want := range map[error]bool{nil: false, ErrBusy: false, &gitexec.NoAnswerError{}: true} {
		if errors.As(ofTarget(err), new(*TargetError)) != want {
			t.Errorf("%v", err)
		}
	}
	for why, want := range map[string]Fault{"hook declined": Refused, "protected branch hook declined": Refused, "push declined due to repository rule violations": Refused,
		"unpacker error": Otherwise, "Internal Server Error": Otherwise} {
		if err, _ := errors.AsType[*TargetError](refusal(gitexec.Pushed{Why: why}, "it refuses x: ")); err.Fault != want || err.Error() != "it refuses x: "+why {
			t.Errorf("%s: %v", why, err)
		}
	}
	for line, want := range map[string]string{"no 'https://tom:secret@h/x'": "no 'https://h/x'", "a@b: no": "a@b: no", "https://h/a@b": "https://h/a@b",
		"no 'https://tom:s@e'c@h/x'": "no 'https://h/x'"} {
		if got := withoutPasswords(line); got != want {
			t.Errorf("%s", got)
		}
	}
	for _, f := range []Fault{Slow, Unauthorized, Refused, NoRepository, Unreachable, Otherwise} {
		if len(f.Hints("")) == 0 || f == Unauthorized && f.Hints("Permission denied (publickey).")[0] == f.Hints("")[0] {
			t.Errorf("%s: %v", f, f.Hints(""))
		}
	}
}
