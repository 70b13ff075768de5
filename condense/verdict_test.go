package condense

import (
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// TestVerdict: what one file of a session's work is evidence of, by the commit's change of it.
func TestVerdict(t *testing.T) {
	s := newSession("a", 1)
	changes := []suffix.Change{{Path: "f", Before: file("old/base"), After: file("base/ab/cd/ef/gh")}}
	half := suffix.File{Evidence: suffix.ByLines, AddedFound: []string{"ab", "cd"}, AddedMissing: []string{"ef", "gh"}}
	less := suffix.File{Evidence: suffix.ByLines, AddedFound: []string{"ab"}, AddedMissing: []string{"cd", "ef", "gh"}}
	back := suffix.File{Evidence: suffix.ByLines, AddedMissing: []string{"ab"}, RemovedRestored: []string{"old"}}
	added := gitexec.Change{Path: "f", New: file("x")}
	edited := gitexec.Change{Path: "f", Old: file("base"), New: file("x")}
	deleted := gitexec.Change{Path: "f", Old: file("base")}
	away, left, then := on(s, 1), on(s, 1), on(s, 1)
	away.Elsewhere, left.Left, then.Since = true, true, map[gitexec.Path]bool{"f": true}
	before := reset(s, "c", true)
	inPlace := before
	inPlace.InPlace = true
	for name, c := range map[string]struct {
		work   Work
		found  suffix.File
		change gitexec.Change
		want   Verdict
	}{
		"its content":                            {away, suffix.File{Present: true}, edited, Held},
		"half of its lines in a new file":        {on(s, 1), half, added, Held},
		"so, on another base":                    {away, half, added, Replaced},
		"so, on a base that HEAD has left":       {left, half, added, Replaced},
		"less than half in a new file":           {on(s, 1), less, added, Replaced},
		"half of its lines in an old file":       {on(s, 1), half, edited, Modified},
		"of a reset commit":                      {before, half, edited, Modified},
		"of one that was reset on the parent":    {inPlace, half, edited, Held},
		"so, less than half":                     {inPlace, less, edited, Modified},
		"a commit has changed it since":          {then, less, edited, Since},
		"so, and this one deletes it":            {then, less, deleted, Since},
		"so, and this one adds it":               {then, less, added, Replaced},
		"deleted":                                {on(s, 1), suffix.File{}, deleted, Deleted},
		"as it was before":                       {on(s, 1), back, edited, Undone},
		"some lines of it, and some that it had": {on(s, 1), suffix.File{Evidence: suffix.ByLines, AddedFound: []string{"ab"}, RemovedRestored: []string{"old"}}, edited, Modified},
	} {
		got, err := c.work.verdict(FileOverlap{Path: "f", changes: changes, found: c.found}, c.change, lines{})
		if got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// TestCountFew: a few short lines are evidence where something else is, too: for another of the
// session's works, or, half of what it wrote, for a stream of the parent.
func TestCountFew(t *testing.T) {
	a, b := newSession("a", 1), newSession("b", 2)
	one := suffix.File{Evidence: suffix.ByLines, AddedFound: []string{"ab"}, AddedMissing: []string{"cd", "ef"}}
	half := suffix.File{Evidence: suffix.ByLines, AddedFound: []string{"ab", "cd"}, AddedMissing: []string{"ef", "gh"}}
	none := suffix.File{Evidence: suffix.ByLines, AddedMissing: []string{"ab"}}
	counts := func(w Work) Overlap { return Overlap{Work: w, Counts: true, Reason: AgentCommits} }
	has := func(w Work, found suffix.File) Overlap {
		return Overlap{Work: w, Files: []FileOverlap{{Path: "f", Verdict: Modified, found: found}}}
	}
	away := on(a, 2)
	away.Elsewhere = true
	for name, c := range map[string]struct {
		others  []Overlap
		overlap Overlap
		reason  Reason
	}{
		"one line, and its session counts":             {[]Overlap{counts(on(a, 1))}, has(on(a, 2), one), ContentMatches},
		"one line, and another session counts":         {[]Overlap{counts(on(b, 1))}, has(on(a, 2), one), ""},
		"one line, and nothing counts":                 {nil, has(on(a, 2), one), ""},
		"none, and its session counts":                 {[]Overlap{counts(on(a, 1))}, has(on(a, 2), none), ""},
		"half, and another session counts":             {[]Overlap{counts(on(b, 1))}, has(on(a, 2), half), ContentMatches},
		"half, on another base, and another counts":    {[]Overlap{counts(on(b, 1))}, has(away, half), ""},
		"one line, on another base, and it counts":     {[]Overlap{counts(on(a, 1))}, has(away, one), ContentMatches},
		"one line of a reset commit, and it counts":    {[]Overlap{counts(on(a, 1))}, has(reset(a, "c", true), one), ResetBefore},
		"half of a reset commit, and another counts":   {[]Overlap{counts(on(b, 1))}, has(reset(a, "c", true), half), ""},
		"one line of discarded work, and it counts":    {[]Overlap{counts(on(a, 1))}, has(Work{Session: a}, one), ""},
		"one line that its agent commits, beside more": {[]Overlap{counts(on(a, 1))}, has(Work{Session: a, Committing: true, Stream: on(a, 1).Stream}, one), ""},
	} {
		judged := append(c.others, c.overlap)
		countFew(judged)
		got, held := judged[len(judged)-1], Modified
		if c.reason != "" {
			held = Held
		}
		if got.Reason != c.reason || got.Counts != (c.reason != "") || got.Files[0].Verdict != held {
			t.Errorf("%s: %q, %v, %q", name, got.Reason, got.Counts, got.Files[0].Verdict)
		}
	}
	had := []Overlap{counts(on(a, 1)), {Work: reset(a, "c", true), Files: []FileOverlap{{Path: "f", Verdict: Had, found: suffix.File{Present: true}}}}}
	if countFew(had); had[1].Counts || had[1].Files[0].Verdict != Had {
		t.Errorf("what the parent has: %+v", had[1])
	}
	counted := []Overlap{has(on(a, 1), one)}
	counted[0].Counts, counted[0].Reason = true, TurnInProgress
	if countFew(counted); counted[0].Reason != TurnInProgress || counted[0].Files[0].Verdict != Held {
		t.Errorf("what counts already: %+v", counted[0])
	}
}

// TestMatchForeign: two agents may have been given the same task in two worktrees.
func TestMatchForeign(t *testing.T) {
	here, there := newSession("here", 1), newSession("there", 2)
	const one, two = "a line by an agent", "another line by an agent"
	wrote := suffix.Change{Path: "f", Before: file("base"), After: file("base/" + one)}
	more := suffix.Change{Path: "f", Before: file("base"), After: file("base/" + one + "/" + two)}
	foreign := func(c suffix.Change) Work {
		w := on(there, 1, c)
		w.Foreign, w.Origins, w.Elsewhere = true, []gitexec.OID{"tip"}, true
		return w
	}
	away := on(here, 1, wrote)
	away.Elsewhere = true
	commit := func(content string) []gitexec.Change {
		return []gitexec.Change{{Path: "f", Old: file("base"), New: file(content)}}
	}
	for name, c := range map[string]struct {
		changes []gitexec.Change
		works   []Work
		want    string // the sessions that count
		verdict Verdict
	}{
		"work here accounts for all":            {commit("base/" + one), []Work{on(here, 1, wrote), foreign(wrote)}, "here", Others},
		"the other worktree's alone":            {commit("base/" + one), []Work{foreign(wrote)}, "there", Held},
		"work here has less":                    {commit("base/" + one + "/" + two), []Work{on(here, 1, wrote), foreign(more)}, "here there", Held},
		"work here is on another base":          {commit("base/" + one), []Work{away, foreign(wrote)}, "here there", Held},
		"the commit has nothing of either":      {commit("base/x"), []Work{away, foreign(wrote)}, "", Modified},
		"work here that the commit has none of": {commit("base/" + one), []Work{on(here, 1, suffix.Change{Path: "g", After: file(one)}), foreign(wrote)}, "there", Held},
	} {
		matches, overlaps, err := Match(c.changes, c.works, lines{}, nil, nil)
		got := ""
		for i, m := range matches {
			if i > 0 {
				got += " "
			}
			got += m.Session.SessionID
		}
		if last := overlaps[len(overlaps)-1]; err != nil || got != c.want || last.Files[0].Verdict != c.verdict {
			t.Errorf("%s: %q, %q, %v; want %q and %q", name, got, last.Files[0].Verdict, err, c.want, c.verdict)
		}
	}
	if _, _, err := Match(commit("base/"+one), []Work{on(here, 1, wrote), foreign(wrote)}, unreadable("base/"+one), nil, nil); err == nil {
		t.Error("a version cannot be read, and there is no error")
	}
}

// TestDiscount: the verdicts of files that spoke for the work say why they don't; others stay.
func TestDiscount(t *testing.T) {
	o := Overlap{Counts: true, Reason: ContentMatches, Files: []FileOverlap{{Path: "f", Verdict: Held}, {Path: "g", Verdict: Undone}}}
	if o.discount(Others); o.Counts || o.Reason != "" || o.Files[0].Verdict != Others || o.Files[1].Verdict != Undone {
		t.Errorf("%+v", o)
	}
}

// TestMatchBrought: of a linked commit that is still in the history, only lines that the commit
// adds are evidence, not that it removes the same ones.
func TestMatchBrought(t *testing.T) {
	s := newSession("a", 1)
	const mine, old = "a line by the agent", "an old line of the file"
	removed := suffix.Change{Path: "f", Before: file("base/" + old), After: file("base")}
	wrote := suffix.Change{Path: "f", Before: file("base/" + old), After: file("base/" + mine)}
	for name, c := range map[string]struct {
		wrote   suffix.Change
		was     string
		now     string
		verdict Verdict
	}{
		"its line":                     {wrote, "base/" + old, "base/" + mine, Held},
		"it removes the same line":     {removed, "base/" + old, "base", Since},
		"and adds the human's":         {wrote, "base/" + old, "base/something else altogether", Since},
		"the human's, and none of it":  {wrote, "base/" + old, "base/" + old + "/something else altogether", Undone},
		"it takes out what came since": {wrote, "base/" + mine + "/something else altogether", "base/" + mine, Had},
		"it sorts lines":               {wrote, mine + "/base", "base/" + mine, Had},
	} {
		work := reset(s, "c", false, c.wrote)
		work.Brought = true
		_, overlaps, err := Match([]gitexec.Change{{Path: "f", Old: file(c.was), New: file(c.now)}}, []Work{work}, lines{}, nil, nil)
		if err != nil || overlaps[0].Files[0].Verdict != c.verdict {
			t.Errorf("%s: %q, %v, want %q", name, overlaps[0].Files[0].Verdict, err, c.verdict)
		}
	}
}
