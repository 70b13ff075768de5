package commits

import (
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
)

// TestChangedInTurn: the turn's part of a commit's files goes from what they were when it began.
func TestChangedInTurn(t *testing.T) {
	commit := changes("f v0 v2", "g v0 v1", "h v0 v1")
	for name, c := range map[string]struct {
		may  string
		want []gitexec.Change
	}{
		"the agent commits": {"f g h", changes("f v1 v2", "h v0 v1")}, // g was so before
		"it wrote one":      {"f", changes("f v1 v2")},
		"of before":         {"g", nil},
		"none":              {"", nil},
	} {
		may := pathList(c.may)
		got := changedInTurn(commit, []gitexec.Entry{entry("v1"), entry("v1"), entry("v0")}, func(path gitexec.Path) bool { return slices.Contains(may, path) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := gitexec.PathsOf(commit); !slices.Equal(got, pathList("f g h")) {
		t.Errorf("%v", got)
	}
}

// TestTurnsBeside: a turn is beside a session's while it is in progress, and if it was not over
// when the session's began.
func TestTurnsBeside(t *testing.T) {
	at := func(after time.Duration) *time.Time { when := noon.Add(after); return &when }
	for name, c := range map[string]struct {
		phase      session.Phase
		last       *time.Time
		transcript string
		mine       *time.Time
		want       bool
	}{
		"in progress":         {session.Active, nil, "t", at(0), true},
		"over before":         {session.Idle, at(-time.Second), "t", at(0), false},
		"over since":          {session.Idle, at(time.Second), "t", at(0), true},
		"over at that moment": {session.Idle, at(0), "t", at(0), true},
		"over, not known":     {session.Idle, nil, "t", at(0), false},
		"begun, not known":    {session.Idle, at(0), "t", nil, false},
		"no transcript":       {session.Active, nil, "", at(0), false},
		"ended since":         {session.Ended, at(time.Second), "t", at(0), true},
	} {
		s, o := active("s"), active("o")
		s.TranscriptPath, s.LastInteractionTime = "s", c.mine
		o.TranscriptPath, o.LastInteractionTime, o.Phase = c.transcript, c.last, c.phase
		want := ""
		if c.want {
			want = "o"
		}
		if got := idsOf(TurnsBeside(fakeRun(t, nil), s, []*session.State{s, o})); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestTextsBeside: what the tools of those turns were given.
func TestTextsBeside(t *testing.T) {
	run := fakeRun(t, map[string]string{"t.jsonl": promptLine + writeLine("f")})
	s, o := active("s"), active("o")
	s.TranscriptPath, o.TranscriptPath = run.Repo.Top+"/t.jsonl", run.Repo.Top+"/t.jsonl"
	if got := TextsBeside(t.Context(), run, s, []*session.State{s}); len(got) != 0 {
		t.Errorf("its own: %v", got)
	}
	broken := active("broken")
	broken.TranscriptPath = "/nonexistent/t.jsonl"
	if got := TextsBeside(t.Context(), run, s, []*session.State{s, broken, o}); len(got) != 1 || len(got["f"].Wholes) != 1 {
		t.Errorf("%v", got)
	}
}

// TestDivideTurnsOfNobody: turns without a beginning or a transcript divide nothing.
func TestDivideTurnsOfNobody(t *testing.T) {
	began, noTranscript, idle := active("a"), active("b"), ended(active("c"))
	began.TranscriptPath = "/nonexistent/t.jsonl"
	began.TurnStartTree, noTranscript.TurnStartTree, idle.TurnStartTree = "tree", "tree", "tree"
	q := workQuery{states: []*session.State{began, noTranscript, idle}, agents: []string{"a", "b", "c"}, changes: changes("f v0 v1")}
	found, sources, err := divideTurns(t.Context(), fakeRun(t, nil), q, nil)
	if len(found) != 0 || len(sources) != 0 || err != nil {
		t.Errorf("%v, %v, %v", found, sources, err)
	}
}
