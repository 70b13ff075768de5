package condense

import (
	"maps"
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/suffix"
)

// TestInProgressAt: a session was in its turn at a time if it has work of a turn in progress that
// had begun, in the same second at the latest.
func TestInProgressAt(t *testing.T) {
	began := time.Unix(100, 700)
	inTurn := []gitexec.Path{"f"}
	for name, c := range map[string]struct {
		matched Matched
		began   *time.Time
		when    int64
		want    bool
	}{
		"its agent commits":           {Matched{Commits: true}, &began, 200, true},
		"the human does in its turn":  {Matched{InTurn: inTurn}, &began, 200, true},
		"in the second that it began": {Matched{Commits: true}, &began, 100, true},
		"before it began":             {Matched{Commits: true}, &began, 99, false},
		"no turn is in progress":      {Matched{}, &began, 200, false},
		"it is not known since when":  {Matched{InTurn: inTurn}, nil, 200, false},
	} {
		c.matched.Session = &session.State{LastInteractionTime: c.began}
		if got := c.matched.InProgressAt(time.Unix(c.when, 0)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestMatchedFiles: a match has the files of all of the session's works that count, by their kinds.
func TestMatchedFiles(t *testing.T) {
	a, b := newSession("a", 2), newSession("b", 1)
	work := func(path gitexec.Path, kind Work) Overlap {
		kind.Session = a
		return Overlap{Work: kind, Counts: true, Reason: ContentMatches, Files: []FileOverlap{{Path: path, Verdict: Held}}}
	}
	missed := work("missed", Work{Origins: []gitexec.OID{"o9"}})
	missed.Counts = false
	other := work("other", Work{InTurn: true})
	other.Work.Session = b
	matches := merge([]Overlap{
		work("turn", Work{InTurn: true, Began: gitexec.Edits{"turn": file("then")}, OldNames: []gitexec.Path{"old"}}),
		work("early", Work{InTurn: true, Early: true, Began: gitexec.Edits{"early": file("before")}}),
		work("ignored", Work{InTurn: true, Ignored: &session.Ignored{}}),
		work("discarded", Work{Origins: []gitexec.OID{"o1"}}),
		missed, other,
	})
	if len(matches) != 2 || matches[0].Session != b || matches[1].Session != a {
		t.Fatalf("not the oldest session first: %+v", matches)
	}
	m := matches[1]
	for name, c := range map[string]struct{ got, want []gitexec.Path }{
		"files":                  {m.Files, []gitexec.Path{"discarded", "early", "ignored", "turn"}},
		"of the turn":            {m.InTurn, []gitexec.Path{"turn"}},
		"early":                  {m.Early, []gitexec.Path{"early"}},
		"old names":              {m.OldNames, []gitexec.Path{"old"}},
		"on streams, or without": {m.Unlinked, nil},
		"began":                  {slices.Sorted(maps.Keys(m.Began)), []gitexec.Path{"early", "turn"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	if len(m.Ignored) != 1 || m.Commits || !slices.Equal(m.Origins, []gitexec.OID{"o1"}) || m.Began["turn"] != file("then") {
		t.Errorf("%+v", m)
	}
}

// TestFilesOfVerdicts: which files a match lists, by their verdicts.
func TestFilesOfVerdicts(t *testing.T) {
	s := newSession("a", 1)
	all := []FileOverlap{{Path: "held", Verdict: Held}, {Path: "modified", Verdict: Modified}, {Path: "undone", Verdict: Undone},
		{Path: "replaced", Verdict: Replaced}, {Path: "deleted", Verdict: Deleted}, {Path: "since", Verdict: Since}, {Path: "others", Verdict: Others}}
	away := on(s, 1)
	away.Elsewhere = true
	for name, c := range map[string]struct {
		work   Work
		reason Reason
		want   []gitexec.Path
	}{
		"on a stream, by content":       {on(s, 1), ContentMatches, []gitexec.Path{"held", "modified"}},
		"on a stream, by its files":     {on(s, 1), FileModified, []gitexec.Path{"held", "modified", "deleted"}},
		"on a stream, and not counted":  {on(s, 1), "", []gitexec.Path{"held", "modified", "deleted"}},
		"on a stream of another base":   {away, ContentMatches, []gitexec.Path{"held"}},
		"a turn's":                      {Work{Session: s, InTurn: true}, TurnInProgress, []gitexec.Path{"held", "modified"}},
		"its agent makes the commit":    {Work{Session: s, Committing: true}, AgentCommits, []gitexec.Path{"held", "modified"}},
		"of a reset commit":             {reset(s, "c", true), ResetBefore, []gitexec.Path{"held"}},
		"of a reset commit, by removal": {reset(s, "c", true), "", []gitexec.Path{"held", "deleted"}},
	} {
		if got := (Overlap{Work: c.work, Reason: c.reason, Files: all}).files(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestLinkOfSeveralCommits: where several commits have one link, those of them that count have it
// taken with the others.
func TestLinkOfSeveralCommits(t *testing.T) {
	s := newSession("a", 1)
	had := func(commit, line string) Work {
		w := reset(s, commit, true, suffix.Change{Path: gitexec.Path(commit), After: file(line)})
		w.Link.ID = "one"
		return w
	}
	works := []Work{had("x", "a line by the agent"), had("y", "another line by the agent"), had("z", "a third line by the agent")}
	works[2].Free = false
	changes := []gitexec.Change{{Path: "x", New: file("a line by the agent")}, {Path: "y", New: file("something else")}, {Path: "z", New: file("a third line by the agent")}}
	_, overlaps, err := Match(changes, works, lines{}, nil, nil)
	testdir.Must(t, err)
	for i, want := range []struct{ counts, takes bool }{{true, true}, {false, false}, {true, true}} {
		if overlaps[i].Counts != want.counts || overlaps[i].Takes != want.takes {
			t.Errorf("%s: counts %v, takes %v", overlaps[i].Work.Link.Commit, overlaps[i].Counts, overlaps[i].Takes)
		}
	}
}
