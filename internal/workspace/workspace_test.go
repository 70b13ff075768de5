package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// enabled is an environment in a repository with settings, and what it prints on stderr.
func enabled(t *testing.T, settings string) (Env, *bytes.Buffer) {
	t.Helper()
	r, stderr := testrepo.New(t), &bytes.Buffer{}
	r.Commit("First")
	if settings != "" {
		r.Write(".entire/settings.json", settings)
	}
	return Env{Dir: r.Dir, Stderr: stderr, Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Unix(1000, 0) }, NewID: RandomID}, stderr
}

func opened(t *testing.T) (*Workspace, *bytes.Buffer) {
	t.Helper()
	e, stderr := enabled(t, `{"enabled": true}`)
	w, err := e.Open(t.Context(), e.Dir)
	testdir.Must(t, err)
	t.Cleanup(func() { w.DB.Close() })
	return w, stderr
}

// TestOpen: a hook's workspace exists only where recording is enabled; a reader's also says why it
// is not, and broken settings are an error for both.
func TestOpen(t *testing.T) {
	for name, c := range map[string]struct {
		settings string
		open     error // of Open; nil: none
		off      bool  // OpenToRead says why nothing is recorded
		broken   bool
	}{
		"enabled":  {`{"enabled": true}`, nil, false, false},
		"disabled": {`{"enabled": false}`, settings.ErrDisabled, true, false},
		"never":    {"", settings.ErrNotEnabled, true, false},
		"broken":   {`{"enabled": `, nil, false, true},
	} {
		e, _ := enabled(t, c.settings)
		w, err := e.Open(t.Context(), e.Dir)
		if (err != nil) != (c.open != nil || c.broken) || !errors.Is(err, c.open) && !c.broken || NotRecorded(err) != (c.open != nil) {
			t.Errorf("%s: %v", name, err)
		}
		if w != nil {
			w.DB.Close()
		}
		r, off, err := e.OpenToRead(t.Context(), e.Dir)
		if (err != nil) != c.broken || (off != nil) != c.off || (r == nil) != c.broken {
			t.Errorf("%s, to read: %v, %v", name, off, err)
		}
		repo, err2 := gitexec.Discover(t.Context(), e.Dir, nil)
		if err2 != nil {
			t.Fatal(err2)
		}
		if r != nil {
			r.DB.Close()
		}
		states := e.OpenStates(t.Context(), repo)
		if (states != nil) != (name == "enabled") || states != nil && (!states.Store.ReadOnly || r.Store.ReadOnly || states.Store.Dir != r.Store.Dir) {
			t.Errorf("%s, states: %+v", name, states)
		}
		if states != nil {
			states.DB.Close()
		}
		entries, err := journal.Read(repo.SharedDir())
		if err != nil || (len(entries) > 0) != c.broken {
			t.Errorf("%s: the journal has %v, %v", name, entries, err)
		}
	}
	if _, _, err := (Env{}).OpenToRead(t.Context(), t.TempDir()); err == nil {
		t.Error("a directory without a repository was opened")
	}
}

func TestNotRecorded(t *testing.T) {
	for err, want := range map[error]bool{settings.ErrNotEnabled: true, settings.ErrDisabled: true, gitexec.ErrUnborn: true, gitexec.ErrOtherRepository: true,
		gitexec.ErrBare: false, gitexec.ErrNotRepository: false, context.Canceled: false} {
		if NotRecorded(err) != want || NotRecorded(fmt.Errorf("x: %w", err)) != want {
			t.Errorf("%v", err)
		}
	}
}

func TestTemporary(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{"none": {nil, false}, "git": {&gitexec.Error{}, true}, "missing": {&gitexec.MissingError{}, true}, "pruned": {fmt.Errorf("x: %w", &gitexec.PrunedError{}), true},
		"ours": {errors.New("x"), false}, "canceled": {context.Canceled, false}} {
		if got := temporary(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestRetry: what git fails in runs again twice, without the warnings of the runs before; another
// error, and the end of the context, end it.
func TestRetry(t *testing.T) {
	w, _ := opened(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		err   error
		fails int
		runs  int
		good  bool
	}{
		"at once":        {t.Context(), &gitexec.Error{}, 0, 1, true},
		"the second":     {t.Context(), &gitexec.Error{}, 1, 2, true},
		"the third":      {t.Context(), &gitexec.Error{}, 2, 3, true},
		"never":          {t.Context(), &gitexec.Error{}, 9, 3, false},
		"another error":  {t.Context(), errors.New("x"), 9, 1, false},
		"after its time": {canceled, &gitexec.Error{}, 9, 1, false},
	} {
		runs := 0
		outcome, err := w.Retry(c.ctx, func() (string, error) {
			runs++
			if len(w.troubles)+len(w.Notices) > 0 {
				t.Errorf("%s: warnings of the run before: %q", name, w.troubles)
			}
			if runs <= c.fails {
				w.WarnLater("x")
				w.Notices = append(w.Notices, "x")
				return "failed", c.err
			}
			return "good", nil
		})
		if runs != c.runs || (err == nil) != c.good || (outcome == "good") != c.good {
			t.Errorf("%s: %d runs, %s, %v", name, runs, outcome, err)
		}
		w.troubles, w.Notices = nil, nil
	}
}

// TestRetryMoved: only a ref that another process moved is a reason to run again.
func TestRetryMoved(t *testing.T) {
	for name, c := range map[string]struct {
		errs []error // of the runs, the last one again
		runs int
		good bool
	}{
		"good":          {[]error{nil}, 1, true},
		"moved once":    {[]error{&gitexec.RefMovedError{}, nil}, 2, true},
		"moved always":  {[]error{fmt.Errorf("x: %w", &gitexec.RefMovedError{})}, 4, false},
		"another error": {[]error{errors.New("x"), nil}, 1, false},
	} {
		runs := 0
		err := retryMoved(func() error {
			runs++
			return c.errs[min(runs, len(c.errs))-1]
		})
		if runs != c.runs || (err == nil) != c.good {
			t.Errorf("%s: %d runs, %v", name, runs, err)
		}
	}
}

// TestBlocked: the user is warned when the first refs are blocked, and the journal says when all
// were moved.
func TestBlocked(t *testing.T) {
	for _, c := range []struct {
		before, now, text string
		warn              bool
	}{
		{"", "a b", "a, b cannot be moved: L is in the way. What is recorded waits until it is removed", true},
		{"a", "a b", "", false},
		{"a b", "a", "", false},
		{"a b", "", "moved: a, b", false},
		{"", "", "", false},
	} {
		if text, warn := blocked(strings.Fields(c.before), strings.Fields(c.now), func() string { return "L" }); text != c.text || warn != c.warn {
			t.Errorf("%q, then %q: %q, %v", c.before, c.now, text, warn)
		}
	}
}

// TestHere: a session concerns this worktree if it has a place here, or linked commits, which may
// be rewritten anywhere.
func TestHere(t *testing.T) {
	w := &Workspace{Repo: &gitexec.Repo{GitDir: "/r/.git", CommonDir: "/r/.git", Top: "/r"}}
	side := session.Place{WorktreeID: "side"}
	link := []session.Link{{ID: "0123456789ab"}}
	all := []*session.State{{SessionID: "here"}, {SessionID: "elsewhere", Place: side}, {SessionID: "linked", Place: side, Linked: link},
		{SessionID: "both", Place: side, Others: []session.Place{{}}}, {SessionID: "here, linked", Linked: link}}
	var got []string
	for _, s := range w.here(slices.Clone(all)) {
		got = append(got, s.SessionID)
		if s.WorktreeID != "" {
			t.Errorf("%s is in %s", s.SessionID, s.WorktreeID)
		}
	}
	if strings.Join(got, "; ") != "here; linked; both; here, linked" {
		t.Errorf("%q", got)
	}
}

// TestAuthor: the session's author comes first, then git's user as far as it is known.
func TestAuthor(t *testing.T) {
	w, _ := opened(t)
	w.Note("the directory of the files is there")
	who := func(s *session.State) string { i := w.Author(s); return i.Name + " " + i.Email }
	if got := who(nil); got != "entire-plumb entire-plumb@localhost" || User(w.Repo) != "" {
		t.Errorf("no user is known: %s, %s", got, User(w.Repo))
	}
	for _, config := range [][]string{{"user.name", "Ada"}, {"user.email", "ada@example.com"}} {
		testdir.Git(t, w.Dir, "config", config[0], config[1])
	}
	if name, email, err := AskUser(t.Context(), w.Repo); err != nil || name != "Ada" || email != "ada@example.com" {
		t.Errorf("%s, %s, %v", name, email, err)
	}
	if got := User(w.Repo); got != "Ada <ada@example.com>" {
		t.Error(got)
	}
	for _, c := range []struct {
		state *session.State
		want  string
	}{{nil, "Ada ada@example.com"}, {&session.State{}, "Ada ada@example.com"}, {&session.State{AuthorName: "B", AuthorEmail: "b@c"}, "B b@c"}, {&session.State{AuthorName: "B"}, "Ada ada@example.com"}} {
		if got := who(c.state); got != c.want {
			t.Errorf("%+v: %s", c.state, got)
		}
	}
	for _, text := range []string{`{"name":"Ada"}`, "no JSON", `{"email":"x"}`} {
		testdir.Must(t, os.WriteFile(userFile(w.Repo.SharedDir()), []byte(text), 0o600))
		if got := User(w.Repo); got != "" {
			t.Errorf("%s: %s", text, got)
		}
	}
	ForgetUser(w.Repo)
	if _, err := os.Stat(userFile(w.Repo.SharedDir())); err == nil {
		t.Error("it was not forgotten")
	}
}

func TestWhyUnsigned(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&gitexec.Error{Stderr: "error: gpg failed to sign the data\nfatal: more"}, "gpg failed to sign the data"},
		{&gitexec.NoAnswerError{After: time.Second}, (&gitexec.NoAnswerError{After: time.Second}).Error()},
		{errors.New("one\nhint: two"), "one (hint: two)"},
	} {
		if got := whyUnsigned(c.err); got != c.want {
			t.Errorf("%v: %s", c.err, got)
		}
	}
}

// TestFinish: warnings are printed unless the hook failed, and its line is in the journal with what
// was kept for it.
func TestFinish(t *testing.T) {
	for _, failed := range []error{nil, errors.New("broken")} {
		w, stderr := opened(t)
		w.WarnLater("a warning\x1b")
		w.Entry = journal.Entry{Link: "k", Made: "1", Works: []journal.Work{{Session: "s"}}}
		w.DB.Unsigned = errors.New("no key")
		if err := w.Finish(journal.Entry{Hook: "stop", Outcome: "done"}, time.Now(), failed); !errors.Is(err, failed) {
			t.Errorf("%v", err)
		}
		printed := stderr.String()
		if (failed == nil) != strings.Contains(printed, "entire-plumb: a warning") || strings.Contains(printed, "\x1b") || failed == nil != strings.Contains(printed, "without a signature: no key") {
			t.Errorf("failed %v: %q", failed, printed)
		}
		entries, err := journal.Read(w.Repo.SharedDir())
		if err != nil || len(entries) != 2 || entries[0].Hook != "note" {
			t.Fatalf("%+v, %v", entries, err)
		}
		if e := entries[1]; e.Hook != "stop" || e.Link != "k" || e.Made != "1" || len(e.Works) != 1 || !e.Time.Equal(time.Unix(1000, 0)) || (e.Error != "") != (failed != nil) {
			t.Errorf("failed %v: %+v", failed, e)
		}
	}
}

// TestLocked: work whose refs were moved meanwhile runs again, and its own error is returned.
func TestLocked(t *testing.T) {
	w, stderr := opened(t)
	runs := 0
	err := w.Locked(t.Context(), func() error {
		if runs++; runs == 1 {
			return &gitexec.RefMovedError{}
		}
		return shadow.Apply(t.Context(), w.DB, w.Store, []shadow.RefChange{{Ref: "refs/entire-plumb/x", New: w.Repo.Head.ID}}, nil)
	})
	if err != nil || runs != 2 {
		t.Errorf("%d runs, %v", runs, err)
	}
	if err := w.Locked(t.Context(), func() error { return errors.New("x") }); err == nil {
		t.Error("the error of the work is lost")
	}
	if w.PrintWarnings(); stderr.Len() > 0 {
		t.Errorf("warnings: %s", stderr)
	}
}

// TestAgentAlive: without a process in the state, or a view of processes, it is not known.
func TestAgentAlive(t *testing.T) {
	own := ancestry.Of()
	seen := &Workspace{ancestors: own}
	blind := &Workspace{Env: Env{Getenv: func(name string) string { return map[string]string{"ENTIRE_TEST_PROC": "0"}[name] }}}
	if len(blind.Ancestors()) > 0 || len(Unseen(blind.Getenv)) == 0 {
		t.Error("processes are seen")
	}
	if _, known := seen.AgentAlive(&session.State{}); known {
		t.Error("no process is known")
	}
	if len(own) == 0 {
		t.Skip("no process is shown here")
	}
	if alive, known := seen.AgentAlive(&session.State{AgentProcess: &own[0]}); !alive || !known {
		t.Errorf("alive %v, known %v", alive, known)
	}
	if _, known := blind.AgentAlive(&session.State{AgentProcess: &own[0]}); known {
		t.Error("it is known without a view of processes")
	}
	inside := own[0]
	inside.Space = "pid:[1]"
	if _, known := seen.AgentAlive(&session.State{AgentProcess: &inside}); known {
		t.Error("it is known in another PID namespace")
	}
}

func TestRandomID(t *testing.T) {
	a, b := RandomID(), RandomID()
	if len(a) != 12 || a == b || strings.Trim(a, "0123456789abcdef") != "" {
		t.Errorf("%s, %s", a, b)
	}
}
