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

// TestFromOldFilesOfMany: each added file is given the removed one that it was, and no other is.
func TestFromOldFilesOfMany(t *testing.T) {
	one, two := text("one of the human/two of the human"), text("three of the human/four of the human")
	for name, c := range map[string]struct {
		work []Change
		want map[gitexec.Path]gitexec.Entry // what the files were before
	}{
		"two files":                 {[]Change{{Path: "a", Before: one}, {Path: "b", Before: two}, {Path: "c", After: two}, {Path: "d", After: one}}, map[gitexec.Path]gitexec.Entry{"c": two, "d": one}},
		"a changed file":            {[]Change{{Path: "a", Before: one}, {Path: "b", Before: two, After: one}}, map[gitexec.Path]gitexec.Entry{"b": two}},
		"content of a changed file": {[]Change{{Path: "a", Before: one, After: two}, {Path: "b", Before: text("x")}, {Path: "c", After: one}}, map[gitexec.Path]gitexec.Entry{"c": none}},
		"a removed file's content":  {[]Change{{Path: "a", Before: one}, {Path: "b", Before: two, After: one}}, map[gitexec.Path]gitexec.Entry{"b": two}},
		"nothing is removed":        {[]Change{{Path: "a", Before: two, After: one}, {Path: "c", After: one}}, map[gitexec.Path]gitexec.Entry{"c": none}},
		"nothing is added":          {[]Change{{Path: "a", Before: one}}, map[gitexec.Path]gitexec.Entry{"a": one}},
	} {
		got, err := FromOldFiles(c.work, texts{})
		if err != nil || len(got) != len(c.work) {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		for _, change := range got {
			if want, asked := c.want[change.Path]; asked && change.Before != want {
				t.Errorf("%s: %s was %v, want %v", name, change.Path, change.Before, want)
			}
		}
	}
	bad := []Change{{Path: "a", Before: text("bad:")}, {Path: "b", After: one}}
	if _, err := FromOldFiles(bad, texts{}); err == nil {
		t.Error("a version cannot be read, and there is no error")
	}
	if work := ChangesOf([]gitexec.Change{{Path: "a", Old: one, New: two}}); len(work) != 1 || work[0].Before != one || work[0].After != two {
		t.Errorf("changes of a tree: %v", work)
	}
}
