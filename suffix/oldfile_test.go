package suffix

import (
	"testing"

	"entire-plumb/gitexec"
)

// TestFollowEarlierRenames: a file of a reset commit has the name that later reset commits gave it.
func TestFollowEarlierRenames(t *testing.T) {
	one, two := text("line one/line two/"+mine), text("other/words/line one/line two/"+mine)
	three := text("all/of/it/is/other/words/line two/" + mine)
	wrote := Change{Path: "f", Before: text("line one/line two"), After: one}
	change := func(path string, old, new gitexec.Entry) gitexec.Change {
		return gitexec.Change{Path: gitexec.Path(path), Old: old, New: new}
	}
	none := gitexec.Entry{}
	first := []gitexec.Change{change("f", one, none), change("g", none, two)}
	edit := []gitexec.Change{change("g", two, three)}
	for name, c := range map[string]struct {
		commits [][]gitexec.Change
		version []gitexec.Change
		there   gitexec.Path
		want    string
	}{
		"renamed and edited":              {[][]gitexec.Change{first}, []gitexec.Change{change("g", none, two)}, "g", "g"},
		"and edited again":                {[][]gitexec.Change{first, edit}, []gitexec.Change{change("g", none, three)}, "g", "g"},
		"renamed twice":                   {[][]gitexec.Change{{change("g", two, none), change("h", none, two)}, first}, []gitexec.Change{change("h", none, three)}, "h", "h"},
		"and in the worktree":             {[][]gitexec.Change{first}, []gitexec.Change{change("h", none, two)}, "h", "h"},
		"there, back and to another name": {[][]gitexec.Change{first, {change("g", two, none), change("f", none, two)}}, []gitexec.Change{change("h", none, three)}, "h", "h"},
		"not committed, but still there":  {[][]gitexec.Change{first}, []gitexec.Change{change("h", none, two)}, "g", "f"},
		"another file":                    {[][]gitexec.Change{{change("f", one, none), change("g", none, text("x/y/z"))}}, []gitexec.Change{change("g", none, three)}, "g", "f"},
	} {
		var earlier []Rename
		for _, commit := range c.commits {
			renames, err := RenamesIn(commit, texts{})
			if err != nil {
				t.Fatal(err)
			}
			earlier = append(earlier, renames...)
		}
		// Work on the new file is no reason against it.
		works, _, err := FollowRenames(Renaming{Works: [][]Change{{wrote}, {{Path: "g", After: two}}}, Version: c.version, Earlier: earlier,
			Reset: func(int) bool { return true }, Gone: func(path gitexec.Path) bool { return path != c.there }, Texts: texts{}})
		if err != nil || string(works[0][0].Path) != c.want {
			t.Errorf("%s: %s, %v, want %s", name, works[0][0].Path, err, c.want)
		}
	}
}

// TestRenameOfTheVersionItself: where a file was renamed before, and the version renames it again,
// it goes from the version that it had.
func TestRenameOfTheVersionItself(t *testing.T) {
	one, two := text("line one/line two/"+mine), text("line one/line two/"+mine+"/x")
	work := [][]Change{{{Path: "f", Before: text("line one/line two"), After: one}}}
	for name, c := range map[string]struct{ removed, want gitexec.Entry }{
		"renamed":      {one, one},
		"and edited":   {text("line one/" + mine), text("line one/" + mine)},
		"another file": {text("not/like/it/at/all/in/any/of/its/lines"), gitexec.Entry{}},
	} {
		version := []gitexec.Change{{Path: "g", Old: c.removed}, {Path: "h", New: two}}
		works, got, err := FollowRenames(Renaming{Works: work, Version: version, Gone: func(gitexec.Path) bool { return true }, Texts: texts{}})
		if err != nil || works[0][0].Path != "h" || got[1].Old != c.want {
			t.Errorf("%s: %+v, %+v, %v", name, works, got, err)
		}
	}
}

// TestSinceRename: what a commit renames and edits, it adds only in part.
func TestSinceRename(t *testing.T) {
	commit := []Rename{{From: "f", To: "g", Old: text("old"), New: text("old/new")}}
	got := SinceRename([]Change{{Path: "now", After: text("old/new")}, {Path: "x", Before: text("a"), After: text("old/new")}, {Path: "y", After: text("b")}}, commit)
	if got[0].Before != text("old") || got[1].Before != text("a") || got[2].Before.Exists() {
		t.Errorf("%+v", got)
	}
}
