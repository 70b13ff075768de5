package suffix

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
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
		"as much evidence as it takes": {[][]Change{{{Path: "f", After: text("abcdef")}}}, []gitexec.Change{add("g", "abcdef/x")}, "g", none},
		"a letter less":                {[][]Change{{{Path: "f", After: text("abcde")}}}, []gitexec.Change{add("g", "abcde/x")}, "f", none},
		"exactly half of its letters":  {[][]Change{{{Path: "f", After: text("abcdef/ghijkl")}}}, []gitexec.Change{add("g", "abcdef/x")}, "g", none},
		"a letter less than half":      {[][]Change{{{Path: "f", After: text("abcdef/ghijklm")}}}, []gitexec.Change{add("g", "abcdef/x")}, "f", none},
		"the first of two as alike":    {[][]Change{{wrote}}, []gitexec.Change{add("a", four+"/x"), add("g", four+"/y")}, "a", none},
		"an equal one is enough":       {[][]Change{{wrote}}, []gitexec.Change{add("a", four), add("b", "bad:")}, "a", none},
		"a line counts as often as it is there": {[][]Change{{{Path: "f", After: text("abcdef/abcdef/abcdef")}}},
			[]gitexec.Change{add("g", "abcdef/x")}, "f", none},
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

// TestRenamesBack: a file that the worktree has again as it was before the work is renamed, too.
func TestRenamesBack(t *testing.T) {
	edited := Change{Path: "f", Before: text("base"), After: text("base/" + mine)}
	later := Change{Path: "f", Before: edited.After, After: text("base/" + mine + "/" + second)}
	added := Change{Path: "f", After: edited.After}
	undone := Change{Path: "f", Before: later.Before, After: text("base")}
	for name, c := range map[string]struct {
		work  []Change
		there bool          // the worktree has the file,
		now   gitexec.Entry // in this version
		ask   bool
		want  string
	}{
		"it is gone":                       {[]Change{edited}, false, none, true, "g"},
		"as it was before":                 {[]Change{edited}, true, edited.Before, true, "g"},
		"as it was before the first turn":  {[]Change{edited, later}, true, edited.Before, true, "g g"},
		"as it was between two turns":      {[]Change{edited, later}, true, edited.After, true, "f f"},
		"as the agent wrote it":            {[]Change{edited}, true, edited.After, true, "f"},
		"it is not known which version":    {[]Change{edited}, true, edited.Before, false, "f"},
		"a new file of the agent's":        {[]Change{added}, true, none, true, "f"},
		"the agent undid its work":         {[]Change{edited, undone}, true, edited.Before, true, "f f"},
		"and it is not known, but is gone": {[]Change{edited}, false, none, false, "g"},
	} {
		q := Renaming{Works: [][]Change{c.work}, Version: []gitexec.Change{{Path: "g", New: c.work[len(c.work)-1].After}},
			Gone: func(gitexec.Path) bool { return !c.there }, Texts: texts{}}
		asked := 0
		if c.ask {
			q.Back = func(path gitexec.Path, version gitexec.Entry) bool {
				asked++
				return c.there && path == "f" && version == c.now
			}
		}
		works, _, err := FollowRenames(q)
		if got := pathsOf(works); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
		if asked > 1 {
			t.Errorf("%s: the worktree is read %d times", name, asked)
		}
	}
}

// TestRenamesReadFew: the worktree's version is read of so many files and no more.
func TestRenamesReadFew(t *testing.T) {
	var work []Change
	var version []gitexec.Change
	for i := range mostBack + 10 {
		lines := fmt.Sprintf("the file number %d", i)
		work = append(work, Change{Path: gitexec.Path(fmt.Sprint("old", i)), Before: text("base"), After: text(lines)})
		version = append(version, gitexec.Change{Path: gitexec.Path(fmt.Sprint("new", i)), New: text(lines)})
	}
	asked := 0
	works, _, err := FollowRenames(Renaming{Works: [][]Change{work}, Version: version, Texts: texts{},
		Gone: func(gitexec.Path) bool { return false }, Back: func(gitexec.Path, gitexec.Entry) bool { asked++; return true }})
	if renamed := strings.Count(pathsOf(works), "new"); err != nil || asked != mostBack || renamed != mostBack {
		t.Errorf("%d versions are read, %d files renamed, %v", asked, renamed, err)
	}
}

// TestRenamesInTurn: that work of the turn in progress is in the new file is no reason against it.
func TestRenamesInTurn(t *testing.T) {
	work := [][]Change{{{Path: "f", After: text(mine)}}, {{Path: "g", Before: text("x"), After: text(mine)}}}
	for inTurn, want := range map[bool]string{true: "g g", false: "f g"} {
		works, _, err := FollowRenames(Renaming{Works: work, Version: []gitexec.Change{{Path: "g", New: text(mine)}}, Texts: texts{},
			Gone: func(path gitexec.Path) bool { return path == "f" }, InTurn: func(i int) bool { return inTurn && i == 1 }})
		if got := pathsOf(works); err != nil || got != want {
			t.Errorf("in a turn %v: %q, %v, want %q", inTurn, got, err, want)
		}
	}
}

// TestRenamesInWorktree: a stream's files are followed to their names in the worktree, where those
// that did not change there are as in the commit.
func TestRenamesInWorktree(t *testing.T) {
	edited := Change{Path: "f", Before: text("base"), After: text("base/" + mine)}
	added := Change{Path: "f", After: text(mine)}
	removed := gitexec.Change{Path: "f", Old: edited.Before}
	came := func(c Change) gitexec.Change { return gitexec.Change{Path: "g", New: c.After} }
	for name, c := range map[string]struct {
		stream   Stream
		worktree []gitexec.Change
		want     string
		old      gitexec.Entry // the version that the new file's change goes from
	}{
		"renamed":                         {stream(1, edited), []gitexec.Change{removed, came(edited)}, "g", edited.Before},
		"a new file of the agent's":       {stream(1, added), []gitexec.Change{came(added)}, "g", none},
		"it is in the commit still":       {stream(1, edited), []gitexec.Change{came(edited)}, "f", none},
		"a commit has removed it":         {Stream{Suffix: 1, Changes: []Change{edited}, Removed: map[gitexec.Path]bool{"f": true}}, []gitexec.Change{came(edited)}, "g", none},
		"a commit has added the new name": {Stream{Suffix: 1, Changes: []Change{added}, Added: map[gitexec.Path]bool{"g": true}}, []gitexec.Change{{Path: "g", Old: text("x"), New: added.After}}, "g", text("x")},
		"a copy":                          {stream(1, edited), []gitexec.Change{{Path: "f", Old: edited.Before, New: edited.After}, came(edited)}, "f", none},
		"nothing in the worktree":         {stream(1, edited), nil, "f", none},
	} {
		changes, worktree, err := Worktree(gitexec.ByPath(c.worktree)).renames(c.stream, texts{})
		if err != nil || string(changes[0].Path) != c.want || worktree["g"].Old != c.old {
			t.Errorf("%s: %v, %v, %v", name, changes, worktree["g"], err)
		}
	}
	bad := Worktree(gitexec.ByPath([]gitexec.Change{removed, {Path: "g", New: text("bad:")}}))
	if v := Judge(stream(1, edited), bad, texts{}); v.Reason != CannotCompare {
		t.Errorf("a version cannot be read: %s", v.Reason)
	}
}

// TestRenamesAtTheLimit: files are compared up to a thousand pairs, and not beyond.
func TestRenamesAtTheLimit(t *testing.T) {
	for added, want := range map[int]bool{mostRenames: true, mostRenames + 1: false} {
		version := []gitexec.Change{{Path: "new", New: text(mine + "/" + second)}}
		for i := 1; i < added; i++ {
			version = append(version, gitexec.Change{Path: gitexec.Path(fmt.Sprint("other", i)), New: text(fmt.Sprint(i))})
		}
		works, _, err := FollowRenames(Renaming{Works: [][]Change{{{Path: "old", After: text(mine)}}}, Version: version, Texts: texts{},
			Gone: func(gitexec.Path) bool { return true }})
		if got := pathsOf(works) == "new"; err != nil || got != want {
			t.Errorf("of %d files: %q, %v", added, pathsOf(works), err)
		}
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
	testdir.Must(t, err)
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

// TestRenamed: the changes get new names, and say where the work was done; those of before stay.
func TestRenamed(t *testing.T) {
	was := []Change{{Path: "a"}, {Path: "b", Was: "z"}, {Path: "c"}}
	for name, c := range map[string]struct {
		names map[gitexec.Path]gitexec.Path
		want  []Change
	}{
		"none":          {nil, was},
		"one":           {map[gitexec.Path]gitexec.Path{"a": "x"}, []Change{{Path: "x", Was: "a"}, was[1], was[2]}},
		"renamed twice": {map[gitexec.Path]gitexec.Path{"b": "y"}, []Change{was[0], {Path: "y", Was: "z"}, was[2]}},
		"another":       {map[gitexec.Path]gitexec.Path{"d": "y"}, was},
	} {
		if got := renamed(was, c.names); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if was[0].Path != "a" || was[1].Was != "z" {
			t.Fatalf("%s: the changes that were given are others: %v", name, was)
		}
	}
}
