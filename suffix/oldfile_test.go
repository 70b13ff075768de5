package suffix

import (
	"testing"

	"entire-plumb/gitexec"
)

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
