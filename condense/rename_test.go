package condense

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// TestFollowRenames: work gets the names that its files have in a commit, and remembers the old
// ones.
func TestFollowRenames(t *testing.T) {
	s := newSession("a", 1)
	const content = "a line by the agent/another line by the agent"
	wrote := suffix.Change{Path: "old", After: file(content)}
	again := suffix.Change{Path: "old", Before: file(content), After: file(content + "/more")}
	in := suffix.Change{Path: "new", Before: file("x"), After: file(content)}
	inTurn, committing := Work{Session: s, InTurn: true, Changes: []suffix.Change{in}}, Work{Session: s, Committing: true, Changes: []suffix.Change{in}}
	for name, c := range map[string]struct {
		works []Work
		path  gitexec.Path
		names []gitexec.Path
	}{
		"renamed":                           {[]Work{on(s, 1, wrote)}, "new", []gitexec.Path{"old"}},
		"in two turns":                      {[]Work{on(s, 1, wrote, again)}, "new", []gitexec.Path{"old"}},
		"not renamed":                       {[]Work{on(s, 1, suffix.Change{Path: "old", After: file("something else")})}, "old", nil},
		"another stream has work in it":     {[]Work{on(s, 1, wrote), on(s, 2, in)}, "old", nil},
		"renamed in the turn in progress":   {[]Work{on(s, 1, wrote), inTurn}, "new", []gitexec.Path{"old"}},
		"renamed by the agent that commits": {[]Work{on(s, 1, wrote), committing}, "new", []gitexec.Path{"old"}},
	} {
		version := []gitexec.Change{{Path: "new", New: file(content)}}
		works, _, err := FollowRenames(c.works, suffix.Renaming{Version: version, Gone: func(path gitexec.Path) bool { return path == "old" }, Texts: lines{}})
		if err != nil || works[0].Changes[0].Path != c.path || !slices.Equal(works[0].OldNames, c.names) {
			t.Errorf("%s: %+v, %v", name, works[0], err)
		}
		if c.works[0].OldNames != nil || c.works[0].Changes[0].Path != "old" {
			t.Errorf("%s: the work itself is changed", name)
		}
	}
	q := suffix.Renaming{Version: []gitexec.Change{{Path: "new", New: file("bad")}}, Gone: func(gitexec.Path) bool { return true }, Texts: unreadable("bad")}
	if _, _, err := FollowRenames([]Work{on(s, 1, wrote)}, q); err == nil {
		t.Error("a version cannot be read, and there is no error")
	}
}
