package suffix

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// TestJudge: what is said of a stream, file by file.
func TestJudge(t *testing.T) {
	wrote := Change{Path: "a", Before: text("base"), After: text("base/" + mine)}
	brace := Change{Path: "b", Before: text("base"), After: text("base/}")}
	worktree := now(files{"a": text("base/" + mine), "b": text("base/}/x"), "c": text("x"), "d": text("bad:")})
	worktree["e"] = gitexec.Change{Path: "e", Old: text("abc/dfe/ghi/jkl"), New: text("xyz/more/jkl/rst")}
	for name, c := range map[string]struct {
		stream Stream
		reason Reason
		score  float64
		weak   bool
		files  string
	}{
		"nothing done":                  {stream(1), NoOverlap, 0, false, ""},
		"in other files":                {stream(1, Change{Path: "x", After: text(mine)}), NoOverlap, 0, false, ""},
		"all there":                     {stream(1, wrote), Present, 1, false, "a"},
		"in a later file":               {stream(1, Change{Path: "x", After: text(mine)}, wrote), Present, 0.5, false, "a"},
		"one line of two":               {stream(1, Change{Path: "a", Before: text("base"), After: text("base/" + mine + "/" + second)}), Present, 0.5, false, "a"},
		"short words, others removed":   {stream(1, Change{Path: "e", Before: text("abc/dfe/ghi/jkl"), After: text("xyz/uvw/rst/jkl")}), Present, 2. / 3, true, "e"},
		"short words, one put back":     {stream(1, Change{Path: "e", Before: text("abc/dfe/ghi/jkl"), After: text("xyz/uvw/rst")}), Present, 5. / 7, false, "e"},
		"none there, short ones gone":   {stream(1, Change{Path: "e", Before: text("abc/dfe/ghi/jkl"), After: text("mno/pqr/jkl")}), Absent, 0, false, "e"},
		"a line removed, weak":          {stream(1, Change{Path: "c", Before: text("base"), After: text("")}), Present, 1, true, "c"},
		"half of the files":             {stream(1, wrote, Change{Path: "x", After: text(mine)}), Present, 0.5, false, "a"},
		"present in one, absent in one": {stream(1, wrote, Change{Path: "c", Before: text("base"), After: text("base/" + mine)}), Present, 0.5, false, "a c"},
		"absent in one, present in one": {stream(1, Change{Path: "c", Before: text("base"), After: text("base/" + mine)}, wrote), Present, 0.5, false, "c a"},
		"absent":                        {stream(1, Change{Path: "c", Before: text("base"), After: text("base/" + mine)}), Absent, 0, false, "c"},
		"a hint alone":                  {stream(1, brace), Present, 1, true, "b"},
		"two hints":                     {stream(1, brace, Change{Path: "c", Before: text("base"), After: text("")}), Present, 1, true, "b c"},
		"a hint, and proof":             {stream(1, brace, wrote), Present, 1, false, "b a"},
		"proof, and a hint":             {stream(1, wrote, brace), Present, 1, false, "a b"},
		"proof, and an unknown file":    {stream(1, wrote, Change{Path: "d", Before: text("base"), After: text("x")}), CannotCompare, 1. / 2, false, "a"},
		"it cannot be read":             {Stream{Err: errors.New("gone"), Changes: []Change{wrote}}, Unreadable, 0, false, ""},
	} {
		v := Judge(c.stream, worktree, texts{})
		var paths []string
		for _, f := range v.Files {
			paths = append(paths, string(f.Path))
		}
		if v.Reason != c.reason || v.Score != c.score || v.Weak != c.weak || strings.Join(paths, " ") != c.files {
			t.Errorf("%s: %s, %v, weak %v, %q; want %s, %v, weak %v, %q", name, v.Reason, v.Score, v.Weak, paths, c.reason, c.score, c.weak, c.files)
		}
		if broken := v.Reason == CannotCompare || v.Reason == Unreadable; broken != (v.Err != "") {
			t.Errorf("%s: the error is %q", name, v.Err)
		}
	}
}

// TestUndone: the absence of the agent's lines alone does not show that the change was undone.
func TestUndone(t *testing.T) {
	edit := Change{Path: "a", Before: text("base/old"), After: text("base/" + mine)}
	for name, c := range map[string]struct {
		change Change
		now    gitexec.Entry
		want   bool
	}{
		"undone":                   {edit, text("base/old/" + human), true},
		"as it was":                {edit, edit.Before, true},
		"replaced":                 {edit, text("base/" + human), false},
		"there":                    {edit, text("base/" + mine + "/old"), false},
		"some is restored":         {Change{Path: "a", Before: text("base/one/two"), After: text("base/" + mine)}, text("base/one"), false},
		"lines added only, absent": {Change{Path: "a", Before: text("base"), After: text("base/" + mine)}, text("base/" + human), false},
		"lines added, and gone; the human's are elsewhere": {Change{Path: "a", Before: text("one/two/three"), After: text("one/" + mine + "/two/three")},
			text("one/two/" + human + "/three"), true},
		"lines added, replaced in their place": {Change{Path: "a", Before: text("one/two/three"), After: text("one/" + mine + "/two/three")},
			text("one/" + human + "/two/three"), false},
		"lines undone, and the mode there":  {Change{Path: "a", Before: text("base/old"), After: exe("base/" + mine)}, exe("base/old/" + human), false},
		"lines moved, restored":             {Change{Path: "a", Before: text("base/two/" + mine), After: text(mine + "/base/two")}, text("base/two/" + mine + "/x"), false},
		"a binary file":                     {Change{Path: "a", Before: text("bin:1"), After: text("bin:2")}, text("bin:1"), false},
		"common lines, one of them present": {Change{Path: "a", Before: text("base/old"), After: text("base/" + mine + "/}")}, text("base/old/}"), false},
	} {
		f, err := Compare([]Change{c.change}, gitexec.Change{Old: c.change.Before, New: c.now}, texts{})
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err := f.Undone([]Change{c.change}, texts{}); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

// TestCarriedOn: of the lines that a checkpoint adds and removes, only those that it carries
// forward are the agent's.
func TestCarriedOn(t *testing.T) {
	carries := func(of ...Change) []Change {
		return []Change{{Path: "a", Before: text("base/old"), After: text("base/" + mine + "/" + human), Of: of}}
	}
	wrote := Change{Before: text("base"), After: text("base/" + mine)}
	for name, c := range map[string]struct {
		changes []Change
		now     string
		want    bool
	}{
		"nothing, and so all is":         {carries(), "x/" + human, true},
		"the agent's line":               {carries(wrote), "x/" + mine, true},
		"the human's line":               {carries(wrote), "x/" + human, false},
		"a line of an earlier turn":      {carries(wrote, Change{Before: text("base"), After: text(human)}), "x/" + human, true},
		"the human's removals":           {carries(wrote), "x", false},
		"the agent's removals":           {carries(Change{Before: text("old"), After: text("new")}), "x", true},
		"its removals, restored":         {carries(Change{Before: text("old"), After: text("new")}), "x/old", false},
		"what was a line before already": {carries(Change{Before: text(human), After: text(human + "/" + mine)}), "x/" + human, false},
	} {
		got, err := InEffect(c.changes, gitexec.Change{Old: text("base/old"), New: text(c.now)}, texts{})
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
	for _, bad := range []Change{{Before: text("bad:"), After: text("x")}, {Before: text("x"), After: text("bad:")}} {
		if _, err := InEffect(carries(bad), gitexec.Change{New: text("x")}, texts{}); err == nil {
			t.Errorf("%+v cannot be read, and there is no error", bad)
		}
	}
}

// TestLines: each line counts once, and blank ones not at all.
func TestLines(t *testing.T) {
	for name, c := range map[string]struct {
		changes        []Change
		added, removed string
	}{
		"twice the same":             {[]Change{{After: text(mine + "/" + mine)}}, mine, ""},
		"removed twice":              {[]Change{{Before: text(mine + "/x/" + mine), After: text("x")}}, "", mine},
		"added, and removed":         {[]Change{{After: text(mine + "/x")}, {Before: text(mine + "/x"), After: text("x")}}, "x", ""},
		"blank":                      {[]Change{{Before: text("//x"), After: text("  //x/ ")}}, "", ""},
		"removed, and added":         {[]Change{{Before: text("x/" + mine), After: text("x")}, {Before: text("x"), After: text("x/" + mine)}}, "", ""},
		"carried, with the human's":  {[]Change{{Before: text("x"), After: text("x/" + mine + "/" + human), Of: []Change{{Before: text("x"), After: text("x/" + mine)}}}}, mine, ""},
		"the human's, between turns": {[]Change{{Before: text("x/y"), After: text("x/y/" + mine)}, {Before: text("x/" + mine), After: text("x/" + mine + "/z")}}, mine + "/z", ""},
		"carried, lacking a line":    {[]Change{{Before: text("x/y"), After: text("x/" + mine), Of: []Change{{Before: text("x/y"), After: text("x/y/" + mine)}}}}, mine, ""},
		"kept in two turns":          {[]Change{{Before: text("x/y"), After: text("x/y/z")}, {Before: text("x/y/z"), After: text("y/z")}}, "z", "x"},
		"in two turns":               {[]Change{{Before: text("x/y"), After: text("x")}, {Before: text("x/z"), After: text(mine)}}, mine, "x/y/z"},
		"a new file without lines":   {[]Change{{After: text("")}}, "", ""},
		"a symlink to a name":        {[]Change{{After: text(mine)}, {Before: link(mine), After: text("x")}}, "x", ""},
	} {
		o, err := ownOf(c.changes, texts{})
		if err != nil {
			t.Fatal(name, err)
		}
		added, removed := o.added(), slices.Sorted(maps.Values(o.removed))
		if strings.Join(added, "/") != c.added || strings.Join(removed, "/") != c.removed {
			t.Errorf("%s: %q and %q, want %q and %q", name, added, removed, c.added, c.removed)
		}
	}
}

func TestByFile(t *testing.T) {
	var got []string
	for _, changes := range ByFile([]Change{{Path: "b", After: text("1")}, {Path: "a", After: text("2")}, {Path: "b", After: text("3")}}) {
		var versions []string
		for _, c := range changes {
			versions = append(versions, string(c.Path)+string(c.After.ID))
		}
		got = append(got, strings.Join(versions, " "))
	}
	if want := []string{"b1 b3", "a2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSignificant(t *testing.T) {
	for line, want := range map[string]bool{
		"": false, "}": false, "return nil, err": false, "if err != nil {": false, "x := 12": false, "  // ----": false,
		"abcde": false, "abcdef": true, "ab cd ef": true, "return parseHeader(x)": true, "RETURN NIL": false, "größe": true, "return 1234567": true,
	} {
		if got := significant(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

// TestByRemoval: what is gone may be another's doing, and so may lines that are neighbours.
func TestByRemoval(t *testing.T) {
	base := text("line one/line two/line three/line four/line five/line six")
	moved := Change{Path: "a", Before: base, After: text("line one/line two/line five/line three/line four/line six")}
	added := Change{Path: "a", Before: base, After: text("line one/line two/line three/line four/line five/" + mine)}
	brace := Change{Path: "a", Before: base, After: text("line one/}")}
	for name, c := range map[string]struct {
		change Change
		now    gitexec.Entry
		want   bool
	}{
		"lines moved":                       {moved, text("line one/line two/line five/line three/x/line four/line six"), false},
		"a line between two others removed": {moved, text("line one/line two/line three/line four/line six"), true},
		"not in effect":                     {moved, base, false},
		"lines added":                       {added, text("line one/" + mine), false},
		"lines that the agent removed":      {added, text("line one/line two/line three/x"), true},
		"and a brace that it added":         {brace, text("line one/line two/}"), true},
		"a file that the agent deleted":     {Change{Path: "a", Before: base}, gitexec.Entry{}, true},
		"a file as the agent left it":       {added, added.After, false},
	} {
		got, err := Compare([]Change{c.change}, gitexec.Change{Old: base, New: c.now}, texts{})
		if err != nil || got.ByRemoval() != c.want {
			t.Errorf("%s: %+v, %v, want %v", name, got, err, c.want)
		}
	}
	if _, err := Compare([]Change{added}, gitexec.Change{Old: base, New: text("bad:")}, texts{}); err == nil {
		t.Error("a file that cannot be read is passed over")
	}
}

// TestMovedTo: the agent's lines that another file gets, and that its own has no more, were moved.
func TestMovedTo(t *testing.T) {
	third := "third line of the agent"
	block := mine + "/" + second + "/" + third
	wrote := []Change{{Path: "a", Before: text("base/old"), After: text("base/" + block + "/old")}}
	other := func(old, now string) gitexec.Change {
		return gitexec.Change{Path: "b", Old: text(old), New: text(now)}
	}
	for name, c := range map[string]struct {
		changes []Change
		left    string
		other   gitexec.Change
		want    bool
	}{
		"moved":                        {wrote, "base/old", other("x/y", "x/"+block+"/y"), true},
		"moved and indented":           {wrote, "base/old", other("x/y", "x/\t"+mine+"/\t"+second+"/\t"+third+"/y"), true},
		"moved to a new file":          {wrote, "base/old", gitexec.Change{Path: "b", New: text(block)}, true},
		"copied":                       {wrote, "base/" + block + "/old", other("x/y", "x/"+block+"/y"), false},
		"copied to a file named file":  {wrote, "base/" + block + "/old", gitexec.Change{Path: "file", New: text("x/" + block)}, false},
		"moved to a file named file":   {wrote, "base/old", gitexec.Change{Path: "file", Old: text("x/y"), New: text("x/" + block + "/y")}, true},
		"one line, which is all":       {[]Change{{Path: "a", Before: text("base"), After: text("base/" + mine)}}, "base", other("x/y", "x/"+mine+"/y"), true},
		"one line, twice":              {wrote, "base/" + second + "/" + third + "/old", other("x/y", mine+"/x/y/"+mine), false},
		"one line that it wrote twice": {[]Change{{Path: "a", Before: text("base"), After: text("base/" + mine + "/" + mine + "/" + second)}}, "base/" + second, other("x/y", mine+"/x/"+mine+"/y"), false},
		"its file is gone":             {wrote, "", other("x/y", "x/"+block+"/y"), true},
		"two lines of three":           {wrote, "base/" + third + "/old", other("x/y", "x/"+mine+"/"+second+"/y"), true},
		"one line that says much":      {wrote, "base/" + second + "/" + third + "/old", other("x/y", "x/"+mine+"/y"), false},
		"one that says little":         {[]Change{{Path: "a", Before: text("base"), After: text("base/a b c")}}, "base", other("x/y", "x/a b c/y"), false},
		"lines that were there before": {wrote, "base/old", other("x/"+block, "x/"+block+"/y"), false},
		"other lines":                  {wrote, "base/old", other("x/y", "x/"+human+"/y"), false},
		"lines that stood before the agent's turn": {[]Change{{Path: "a", Before: text(block), After: text(block + "/z")}}, "z",
			other("x/y", "x/"+block+"/y"), false},
		"lines that it took out itself": {append(slices.Clone(wrote), Change{Path: "a", Before: wrote[0].After, After: text("base/old")}), "base/old",
			other("x/y", "x/"+block+"/y"), false},
		"a file without lines":          {[]Change{{Path: "a", After: text("bin:1")}}, "", other("x/y", "x/"+block+"/y"), false},
		"to a file without lines":       {wrote, "base/old", gitexec.Change{Path: "b", New: text("bin:1")}, false},
		"to a file that is deleted":     {wrote, "base/old", gitexec.Change{Path: "b", Old: text(block)}, false},
		"a file that the agent deletes": {[]Change{{Path: "a", Before: text(block)}}, "", other("x/y", "x/"+block+"/y"), false},
	} {
		got, err := MovedTo(c.changes, strings.Split(c.left, "/"), c.other, texts{})
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
	for _, bad := range []gitexec.Change{{Path: "b", Old: text("bad:"), New: text(block)}, {Path: "b", New: text("bad:")}} {
		if _, err := MovedTo(wrote, []string{"base", "old"}, bad, texts{}); err == nil {
			t.Errorf("%+v cannot be read, and there is no error", bad)
		}
	}
	if _, err := MovedTo([]Change{{Path: "a", After: text("bad:")}}, nil, other("x", block), texts{}); err == nil {
		t.Error("the agent's version cannot be read, and there is no error")
	}
}
