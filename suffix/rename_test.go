package suffix

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

func TestFollowRenames(t *testing.T) {
	none := gitexec.Entry{}
	four := "line one/line two/line three/line four"
	wrote := Change{Path: "f", Before: none, After: text(four)}
	edited := Change{Path: "f", Before: text("base/" + four), After: text("base/" + four + "/" + mine)}
	add := func(path, lines string) gitexec.Change {
		return gitexec.Change{Path: gitexec.Path(path), New: text(lines)}
	}
	gone := gitexec.Change{Path: "f", Old: edited.Before}
	there := ""
	lacks := func(path gitexec.Path) bool { return string(path) != there }
	for name, c := range map[string]struct {
		works   [][]Change
		version []gitexec.Change
		want    string // the work's paths
		old     gitexec.Entry
	}{
		"renamed":                      {[][]Change{{wrote}}, []gitexec.Change{add("g", four)}, "g", none},
		"renamed and edited":           {[][]Change{{wrote}}, []gitexec.Change{add("g", "line one/line two/line three/x")}, "g", none},
		"less than half of it":         {[][]Change{{wrote}}, []gitexec.Change{add("g", "line one/line two")}, "f", none},
		"all of it in a larger one":    {[][]Change{{wrote}}, []gitexec.Change{add("g", "a/"+four+"/"+strings.Repeat("x", 60))}, "g", none},
		"a part of it in a larger one": {[][]Change{{wrote}}, []gitexec.Change{add("g", "line one/line two/"+strings.Repeat("x", 60))}, "f", none},
		"most of it in a larger one":   {[][]Change{{wrote}}, []gitexec.Change{add("g", "line one/  line two/line three/"+strings.Repeat("x", 60))}, "g", none},
		"only braces, in a larger one": {[][]Change{{{Path: "f", After: text("}/}")}}}, []gitexec.Change{add("g", "}/}/"+strings.Repeat("x", 60))}, "f", none},
		"another file":                 {[][]Change{{wrote}}, []gitexec.Change{add("g", "the human's own")}, "f", none},
		"still there":                  {[][]Change{{wrote}}, []gitexec.Change{add("f", four), add("g", four)}, "f", none},
		"the most alike":               {[][]Change{{wrote}}, []gitexec.Change{add("a", "line one/line two/line three/x"), add("g", four+"/x")}, "g", none},
		"equal before alike":           {[][]Change{{wrote}}, []gitexec.Change{add("a", four+"/x"), add("g", four)}, "g", none},
		"a committed file":             {[][]Change{{edited}}, []gitexec.Change{gone, add("g", "base/"+four+"/"+mine)}, "g", edited.Before},
		"its removal is not staged":    {[][]Change{{edited}}, []gitexec.Change{add("g", "base/"+four+"/"+mine)}, "g", none},
		"deleted by the agent":         {[][]Change{{{Path: "f", Before: text(four)}}}, []gitexec.Change{add("g", four)}, "f", none},
		"another session's file":       {[][]Change{{wrote}, {{Path: "g", After: text("x")}}}, []gitexec.Change{add("g", four)}, "f g", none},
		"renamed by another session": {[][]Change{{wrote}, {{Path: "f", Before: wrote.After}, {Path: "g", After: text(four)}}}, []gitexec.Change{add("g", four)},
			"g f g", none},
		"and by a third one": {[][]Change{{wrote}, {{Path: "f", Before: wrote.After}, {Path: "h", After: text(four)}},
			{{Path: "h", Before: wrote.After}, {Path: "g", After: text(four)}}}, []gitexec.Change{add("g", four)}, "g f g h g", none},
		"renamed by the human, then another session's": {[][]Change{{wrote}, {{Path: "g", Before: wrote.After, After: text(four + "/x")}}},
			[]gitexec.Change{add("g", four+"/x")}, "g g", none},
		"so, and carried forward as a new file": {[][]Change{{wrote}, {{Path: "g", After: text(four + "/x"),
			Of: []Change{{Path: "g", Before: wrote.After, After: text(four + "/x")}}}}}, []gitexec.Change{add("g", four+"/x")}, "g g", none},
		"so, but from another version": {[][]Change{{wrote}, {{Path: "g", Before: text(four + "/y"), After: text(four + "/x")}}},
			[]gitexec.Change{add("g", four+"/x")}, "f g", none},
		"two sessions' file":           {[][]Change{{wrote}, {wrote}}, []gitexec.Change{add("g", four)}, "g g", none},
		"both turns of it":             {[][]Change{{wrote, {Path: "f", Before: wrote.After, After: text(four + "/x")}}}, []gitexec.Change{add("g", four)}, "g g", none},
		"a binary file, equal":         {[][]Change{{{Path: "f", After: text("bin:1")}}}, []gitexec.Change{add("g", "bin:1")}, "g", none},
		"a binary file, another":       {[][]Change{{{Path: "f", After: text("bin:1")}}}, []gitexec.Change{add("g", "bin:2")}, "f", none},
		"an empty file is like no one": {[][]Change{{{Path: "f", After: text("")}}}, []gitexec.Change{add("g", "x")}, "f", none},
	} {
		works, version, err := FollowRenames(Renaming{Works: c.works, Version: c.version, Gone: lacks, Texts: texts{}})
		if paths := pathsOf(works); err != nil || paths != c.want {
			t.Errorf("%s: %q, %v, want %s", name, paths, err, c.want)
		}
		for _, change := range version {
			if change.Path == "g" && change.Old != c.old {
				t.Errorf("%s: the change goes from %v", name, change.Old)
			}
		}
	}
	if _, _, err := FollowRenames(Renaming{Works: [][]Change{{wrote}}, Version: []gitexec.Change{add("g", "bad:")}, Gone: lacks, Texts: texts{}}); err == nil {
		t.Error("a file that cannot be read is passed over")
	}
	modified := gitexec.Change{Path: "g", Old: edited.Before, New: edited.After}
	for _, since := range []map[gitexec.Path]bool{nil, {"g": true}} {
		works, version, err := FollowRenames(Renaming{Works: [][]Change{{edited}}, Version: []gitexec.Change{modified}, Since: since, Gone: lacks, Texts: texts{}})
		if followed := works[0][0].Path == "g"; err != nil || followed != since["g"] || version[0] != modified {
			t.Errorf("a file of the version under it, with %v added since: %v, %v, %v", since, works, version, err)
		}
	}
	there = "f"
	works, _, err := FollowRenames(Renaming{Works: [][]Change{{wrote}}, Version: []gitexec.Change{add("g", four)}, Gone: lacks, Texts: texts{}})
	if err != nil || works[0][0].Path != "f" {
		t.Errorf("a file that is still in the worktree, and like another one: %v, %v", works, err)
	}
	if wrote.Path != "f" {
		t.Error(errors.New("the work itself is changed"))
	}
}

// TestManyRenames: beyond a thousand pairs only equal files are renames.
func TestManyRenames(t *testing.T) {
	var work []Change
	var version []gitexec.Change
	for i := range 100 {
		lines := fmt.Sprintf("the file number %d/of those/of many/lines", i)
		work = append(work, Change{Path: gitexec.Path(fmt.Sprint("old", i)), After: text(lines)})
		version = append(version, gitexec.Change{Path: gitexec.Path(fmt.Sprint("new", i)), New: text(lines)})
	}
	works, _, err := FollowRenames(Renaming{Works: [][]Change{work}, Version: version, Gone: func(gitexec.Path) bool { return true }, Texts: texts{}})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range works[0] {
		if string(c.Path) != fmt.Sprint("new", i) {
			t.Fatalf("%d is %s", i, c.Path)
		}
	}
}

// pathsOf lists the paths of all changes, with blanks between them.
func pathsOf(works [][]Change) string {
	var paths []string
	for _, w := range works {
		for _, change := range w {
			paths = append(paths, string(change.Path))
		}
	}
	return strings.Join(paths, " ")
}

func TestFromOldFiles(t *testing.T) {
	old, big := text("one of the human/two of the human"), text("one of the human/two of the human/"+strings.Repeat("x", 99))
	for name, c := range map[string]struct {
		removed, added gitexec.Entry
		want           bool
	}{
		"the same content":             {old, old, true},
		"in a larger file":             {old, big, true},
		"a small part of a larger one": {big, old, false},
		"another file":                 {old, text("the agent's own"), false},
	} {
		work := []Change{{Path: "f", Before: c.removed}, {Path: "g", After: c.added}}
		got, err := FromOldFiles(work, texts{})
		if err != nil || (got[1].Before == c.removed) != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
