package commits

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/session"
)

// below is an active session whose turn a process began.
func below(id string, pid int) *session.State {
	s := active(id)
	s.AgentProcess = &ancestry.Process{ID: pid, Started: strconv.Itoa(pid)}
	return s
}

func ended(s *session.State) *session.State {
	s.Phase = session.Idle
	return s
}

// TestCommittersBelow: git runs below the agent that commits; where that is not known, a mark or a
// missing terminal tells.
func TestCommittersBelow(t *testing.T) {
	above := []ancestry.Process{{ID: 7, Started: "7", Name: "git"}, {ID: 5, Started: "5"}, {ID: 1}}
	for name, c := range map[string]struct {
		above  []ancestry.Process
		marked bool
		states []*session.State
		want   string
	}{
		"below it":                              {above, false, []*session.State{below("a", 5)}, "a"},
		"a graphical client":                    {above, false, []*session.State{below("a", 6)}, ""},
		"another process with its number":       {[]ancestry.Process{{ID: 5, Started: "99"}}, false, []*session.State{below("a", 5)}, ""},
		"marked, but not below it":              {above, true, []*session.State{below("a", 6)}, "a"},
		"no process can be seen":                {nil, false, []*session.State{below("a", 5)}, ""},
		"no process can be seen, but it's said": {nil, true, []*session.State{below("a", 5)}, "a"},
		"of unknown process":                    {above, false, []*session.State{active("a")}, "a"},
		"one of two":                            {above, false, []*session.State{below("a", 6), below("b", 5)}, "b"},
		"rather than of unknown process":        {above, false, []*session.State{active("a"), below("b", 5)}, "b"},
		"marked, rather of unknown process":     {above, true, []*session.State{active("a"), below("b", 6)}, "a"},
		"two below":                             {above, true, []*session.State{below("a", 7), below("b", 5)}, "a b"},
		"marked, and none is below":             {above, true, []*session.State{below("a", 6), below("b", 8)}, "a b"},
		"its turn is over":                      {above, true, []*session.State{ended(below("a", 5))}, ""},
		"no session":                            {above, true, nil, ""},
	} {
		if got := strings.Join(committersBelow(c.above, c.marked, c.states), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestCommitters: the environment names the session, unless it names two whose turn is in progress.
func TestCommitters(t *testing.T) {
	states := []*session.State{active("a"), active("b"), ended(active("c"))}
	for name, c := range map[string]struct {
		variables []string
		want      string
	}{
		"a terminal":                  {[]string{"ENTIRE_TEST_TTY=1"}, ""},
		"no terminal, and no process": {[]string{"ENTIRE_TEST_TTY=0"}, ""},
		"an agent's mark":             {[]string{"ENTIRE_TEST_TTY=1", "CLAUDECODE=1"}, "a b"},
		"a mark that is off":          {[]string{"ENTIRE_TEST_TTY=1", "CLAUDECODE=0"}, ""},
		"named":                       {[]string{"ENTIRE_TEST_TTY=1", "CODEX_SESSION_ID=b"}, "b"},
		"two are named":               {[]string{"ENTIRE_TEST_TTY=1", "CODEX_SESSION_ID=b", "COPILOT_AGENT_SESSION_ID=a"}, ""},
		"named, but its turn is over": {[]string{"ENTIRE_TEST_TTY=1", "CODEX_SESSION_ID=c"}, ""},
	} {
		if got := strings.Join(committers(fakeRun(t, nil, c.variables...), states), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := activeIn(states, []string{"b", "c", "d", "a"}); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("in progress: %q", got)
	}
}

// TestReplaying: git's files say that it makes the commit of others, where no process can be seen.
func TestReplaying(t *testing.T) {
	for name, c := range map[string]struct {
		texts map[string]string
		want  bool
	}{
		"nothing":                  {nil, false},
		"a merge":                  {map[string]string{"MERGE_HEAD": "x"}, true},
		"a cherry-pick":            {map[string]string{"CHERRY_PICK_HEAD": "x"}, true},
		"a rebase":                 {map[string]string{"rebase-merge/done": "pick 1 x\n"}, true},
		"a rebase that runs make":  {map[string]string{"rebase-merge/done": "pick 1 x\nexec make\n"}, false},
		"a merge that make begins": {map[string]string{"rebase-merge/done": "exec make\n", "MERGE_HEAD": "x"}, true},
		"a squash":                 {map[string]string{"SQUASH_MSG": "x"}, false},
	} {
		if got := replaying(fakeRun(t, c.texts)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestAmending: where the command cannot be seen, HEAD's message or its author date tells.
func TestAmending(t *testing.T) {
	p := newPlayground(t)
	p.commit("First", nil)
	run := p.run()
	old := p.read(run, run.Head.ID)
	run.Now = func() time.Time { return old.When.Add(time.Hour) }
	for name, c := range map[string]struct {
		source, object, date string
		want                 bool
	}{
		"an editor":             {"", "", "", false},
		"HEAD's message":        {"commit", "HEAD", "", true},
		"another's message":     {"commit", "HEAD~2", "", false},
		"a message":             {"message", "", "", false},
		"of HEAD's author date": {"message", "", "@" + old.AuthorDate, true},
		"of another date":       {"message", "", "@1700000000 +0000", false},
		"a template":            {"template", "", "@" + old.AuthorDate, false},
	} {
		run.Getenv = env("GIT_AUTHOR_DATE=" + c.date).Getenv
		if got, err := amending(run, c.source, c.object); got != c.want || err != nil {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
	run.Getenv = env("GIT_AUTHOR_DATE=@" + old.AuthorDate).Getenv
	run.Now = func() time.Time { return old.When }
	if got, err := amending(run, "message", ""); got || err != nil {
		t.Errorf("both are of this moment: %t, %v", got, err)
	}
}

// TestJustNow: two commits within seconds have the same author date, and neither is an amend.
func TestJustNow(t *testing.T) {
	now := time.Unix(1_800_000_000, 900_000_000)
	for date, want := range map[string]bool{
		"@1800000000 +0100": true,
		"@1799999999 -0800": true, // begun a second ago
		"@1800000001 +0000": true,
		"@1799999998 +0000": true,
		"@1799999997 +0000": false,
		"@1800000004 +0000": false,
		"@1700000000 +0000": false,
		"":                  false,
		"yesterday":         false,
	} {
		if got := justNow(date, now); got != want {
			t.Errorf("%q: %t", date, got)
		}
	}
	if justNow("@1800000000 +0000", time.Unix(1_800_000_003, 0)) {
		t.Error("three seconds ago is not now")
	}
}
