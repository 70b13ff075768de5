package condense

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/suffix"
)

// reset is work that a commit had which was reset.
func reset(s *session.State, commit string, free bool, changes ...suffix.Change) Work {
	return Work{Session: s, Link: &session.Link{ID: "link-" + commit, Commit: gitexec.OID(commit)}, Free: free, Changes: changes}
}

// TestTakenLinks: a commit takes the link of one that was reset if it holds most of its work, and
// each of its lines speaks for one link alone.
func TestTakenLinks(t *testing.T) {
	one := func(n int) string { return fmt.Sprintf("the agent's line number %d", n) }
	text := func(numbers ...int) gitexec.Entry {
		lines := []string{"base"}
		for _, n := range numbers {
			lines = append(lines, one(n))
		}
		return file(strings.Join(lines, "/"))
	}
	wrote := func(path gitexec.Path, numbers ...int) suffix.Change {
		return suffix.Change{Path: path, Before: text(), After: text(numbers...)}
	}
	commit := func(path gitexec.Path, numbers ...int) gitexec.Change {
		return gitexec.Change{Path: path, Old: text(), New: text(numbers...)}
	}
	s, other := newSession("a", 1), newSession("b", 2)
	late := reset(s, "late", true, wrote("f", 1, 2))
	late.Link.Dropped = true
	for name, c := range map[string]struct {
		changes []gitexec.Change
		works   []Work
		want    string // the commits whose links are taken
	}{
		"all of it":                                       {[]gitexec.Change{commit("f", 1, 2, 3)}, []Work{reset(s, "c", true, wrote("f", 1, 2, 3))}, "c"},
		"half of it":                                      {[]gitexec.Change{commit("f", 1, 2)}, []Work{reset(s, "c", true, wrote("f", 1, 2, 3, 4))}, "c"},
		"less than half":                                  {[]gitexec.Change{commit("f", 1)}, []Work{reset(s, "c", true, wrote("f", 1, 2, 3))}, ""},
		"one file of three":                               {[]gitexec.Change{commit("f", 1)}, []Work{reset(s, "c", true, wrote("f", 1), wrote("g", 2), wrote("h", 3))}, ""},
		"nothing of it":                                   {[]gitexec.Change{commit("f", 9)}, []Work{reset(s, "c", true, wrote("f", 1))}, ""},
		"another commit has the link":                     {[]gitexec.Change{commit("f", 1, 2)}, []Work{reset(s, "c", false, wrote("f", 1, 2))}, ""},
		"two commits, squashed":                           {[]gitexec.Change{commit("f", 1, 2), commit("g", 3)}, []Work{reset(s, "c", true, wrote("f", 1, 2)), reset(s, "d", true, wrote("g", 3))}, "c d"},
		"of two alike the one with more":                  {[]gitexec.Change{commit("f", 1, 2, 3)}, []Work{reset(s, "c", true, wrote("f", 1, 2)), reset(s, "d", true, wrote("f", 1, 2, 3))}, "d"},
		"two sessions in one commit":                      {[]gitexec.Change{commit("f", 1), commit("g", 2)}, []Work{reset(s, "c", true, wrote("f", 1)), reset(other, "c", true, wrote("g", 2))}, "c c"},
		"done on a stream since":                          {[]gitexec.Change{commit("f", 1, 2)}, []Work{on(s, 1, wrote("f", 1, 2)), reset(s, "c", true, wrote("f", 1, 2))}, ""},
		"done in another file since":                      {[]gitexec.Change{commit("f", 1, 2), commit("g", 3)}, []Work{on(s, 1, wrote("g", 3)), reset(s, "c", true, wrote("f", 1, 2))}, "c"},
		"on a stream, and not in the commit":              {[]gitexec.Change{commit("f", 1, 2)}, []Work{on(s, 1, wrote("f", 9)), reset(s, "c", true, wrote("f", 1, 2))}, "c"},
		"of two alike one's link is taken":                {[]gitexec.Change{commit("f", 1, 2)}, []Work{reset(s, "c", false, wrote("f", 1, 2)), reset(s, "d", true, wrote("f", 1, 2))}, "d"},
		"the agent commits it in its turn":                {[]gitexec.Change{commit("f", 1, 2)}, []Work{{Session: s, Committing: true, Changes: []suffix.Change{wrote("f", 1, 2)}}, reset(s, "c", true, wrote("f", 1, 2))}, "c"},
		"the commit only renames a file to its name":      {[]gitexec.Change{{Path: "old", Old: text(1, 2)}, {Path: "f", New: text(1, 2)}}, []Work{reset(s, "c", true, wrote("f", 1, 2))}, ""},
		"the commit renames a file to its name, with it":  {[]gitexec.Change{{Path: "old", Old: text(8, 9)}, {Path: "f", New: text(8, 9, 1, 2)}}, []Work{reset(s, "c", true, wrote("f", 1, 2))}, "c"},
		"that very rename":                                {[]gitexec.Change{{Path: "old", Old: text(1, 2)}, {Path: "f", New: text(1, 2)}}, []Work{reset(s, "c", true, suffix.Change{Path: "old", Before: text(1, 2)}, suffix.Change{Path: "f", Before: text(1, 2), After: text(1, 2)})}, "c"},
		"a brace of it alone":                             {[]gitexec.Change{{Path: "f", Old: text(), New: file("base/}")}}, []Work{reset(s, "c", true, suffix.Change{Path: "f", Before: text(), After: file("base/a line by the agent/}")})}, ""},
		"an amend left it out, and it is committed again": {[]gitexec.Change{commit("f", 1, 2)}, []Work{late, reset(s, "c", true, wrote("f", 1, 2))}, "c"},
	} {
		matches, overlaps, err := Match(c.changes, c.works, lines{}, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "nothing of it" && len(matches) > 0 {
			t.Errorf("%s: %+v", name, matches)
		}
		var taken []string
		for _, o := range overlaps {
			if name == "done on a stream since" && o.Work.Link != nil && o.Counts {
				t.Errorf("%s: the stream accounts for every line, and it counts", name)
			}
			if o.Takes {
				taken = append(taken, string(o.Work.Link.Commit))
			}
		}
		slices.Sort(taken)
		if got := strings.Join(taken, " "); got != c.want {
			t.Errorf("%s: %q is taken, want %q", name, got, c.want)
		}
	}
}

// TestRestoredContent: discarded work counts where a commit holds it with the same content.
func TestRestoredContent(t *testing.T) {
	s := newSession("a", 1)
	s.Dismissed = []session.Dismissed{{Path: "f", Entry: file("x/y")}, {Path: "g", Entry: file("z")}}
	for name, c := range map[string]struct {
		changes []gitexec.Change
		want    int
	}{
		"the same content": {[]gitexec.Change{{Path: "f", New: file("x/y")}}, 1},
		"both":             {[]gitexec.Change{{Path: "f", New: file("x/y")}, {Path: "g", Old: file("w"), New: file("z")}}, 2},
		"in part":          {[]gitexec.Change{{Path: "f", New: file("x")}}, 0},
		"another file":     {[]gitexec.Change{{Path: "h", New: file("x/y")}}, 0},
	} {
		got := 0
		for _, w := range RestoredContent(s, c.changes) {
			got += len(w.Changes)
		}
		if got != c.want {
			t.Errorf("%s: %d changes, want %d", name, got, c.want)
		}
	}
}

// TestOriginsOfRestoredContent: the streams that discarded work was on, each once.
func TestOriginsOfRestoredContent(t *testing.T) {
	s := newSession("a", 1)
	s.Dismissed = []session.Dismissed{{Path: "f", Entry: file("x"), Tip: "t1"}, {Path: "g", Entry: file("x"), Tip: "t1"},
		{Path: "h", Entry: file("x"), Tip: "t2"}, {Path: "i", Entry: file("x")}, {Path: "j", Entry: file("x"), Tip: "t3"}}
	var changes []gitexec.Change
	for _, path := range []gitexec.Path{"f", "g", "h", "i"} {
		changes = append(changes, gitexec.Change{Path: path, Old: file("w"), New: file("x")})
	}
	works := RestoredContent(s, changes)
	if len(works) != 1 || !slices.Equal(works[0].Origins, []gitexec.OID{"t1", "t2"}) || works[0].Changes[0].Before != file("w") {
		t.Errorf("%+v", works)
	}
}

// TestRenameOfResetWork: a reset commit's file that a commit only renames is no work in it.
func TestRenameOfResetWork(t *testing.T) {
	s := newSession("a", 1)
	whole, line := file("a line by the agent"), file("another one")
	work := reset(s, "c", false, suffix.Change{Path: "f", After: line}, suffix.Change{Path: "g", After: whole})
	matches, _, err := Match([]gitexec.Change{{Path: "f", New: line}, {Path: "g", Old: whole, New: whole}}, []Work{work}, lines{}, nil, nil)
	if err != nil || len(matches) != 1 || !slices.Equal(matches[0].Files, []gitexec.Path{"f"}) {
		t.Errorf("%+v, %v", matches, err)
	}
}

// TestResetInPlace: half of a reset commit's lines are evidence on the same parent, however short
// they are.
func TestResetInPlace(t *testing.T) {
	s := newSession("a", 1)
	for inPlace, want := range map[bool]int{true: 1, false: 0} {
		work := reset(s, "c", true, suffix.Change{Path: "f", Before: file("old"), After: file("old/db/dc/dd/de")})
		work.InPlace = inPlace
		matches, _, err := Match([]gitexec.Change{{Path: "f", Old: file("old"), New: file("old/x0/db/x1/dc/x2")}}, []Work{work}, lines{}, nil, nil)
		if err != nil || len(matches) != want {
			t.Errorf("in place %v: %+v, %v", inPlace, matches, err)
		}
	}
}
