package suffix

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// TestMeasures: how much of what an agent added is in a version, by its lines.
func TestMeasures(t *testing.T) {
	one, two, three := []string{"1"}, []string{"1", "2"}, []string{"1", "2", "3"}
	for name, c := range map[string]struct {
		file              File
		any, partly, most bool
	}{
		"none":                        {File{Evidence: ByLines, AddedMissing: two}, false, false, false},
		"one of one":                  {File{Evidence: ByLines, AddedFound: one}, true, false, false},
		"one of two":                  {File{Evidence: ByLines, AddedFound: one, AddedMissing: one}, true, true, false},
		"two of two":                  {File{Evidence: ByLines, AddedFound: two}, true, false, true},
		"two of four":                 {File{Evidence: ByLines, AddedFound: two, AddedMissing: two}, true, true, true},
		"two of five":                 {File{Evidence: ByLines, AddedFound: two, AddedMissing: three}, true, true, false},
		"pairs of lines":              {File{Evidence: ByOrder, AddedFound: three, AddedMissing: one}, false, false, false},
		"present, without lines":      {File{Evidence: SameObject, Present: true}, true, false, true},
		"present, but for some lines": {File{Evidence: ByLines, Present: true, AddedFound: one, AddedMissing: three}, true, true, true},
		"absent, without lines":       {File{Evidence: OtherWhole}, false, false, false},
	} {
		if got := c.file.Any(); got != c.any {
			t.Errorf("%s: any %v", name, got)
		}
		if got := c.file.Partly(); got != c.partly {
			t.Errorf("%s: partly %v", name, got)
		}
		if got := c.file.Most(); got != c.most {
			t.Errorf("%s: most %v", name, got)
		}
	}
}

// TestHalf: half of the lines that the agent added, by weight.
func TestHalf(t *testing.T) {
	for name, c := range map[string]struct {
		file File
		want bool
	}{
		"all":                    {File{Evidence: ByLines, AddedFound: []string{mine}}, true},
		"one of two":             {File{Evidence: ByLines, AddedFound: []string{mine}, AddedMissing: []string{second}}, true},
		"one of two and a brace": {File{Evidence: ByLines, AddedFound: []string{mine}, AddedMissing: []string{second, "}"}}, true},
		"a third and braces":     {File{Evidence: ByLines, AddedFound: []string{mine, "}", ")"}, AddedMissing: []string{second, human}}, false},
		"too short":              {File{Evidence: ByLines, AddedFound: []string{"ab"}}, false},
		"what has no lines":      {File{Evidence: SameObject, Present: true}, false},
		"pairs of lines":         {File{Evidence: ByOrder, Present: true, AddedFound: []string{mine}}, false},
	} {
		if got := c.file.Half(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWhole: whether all that the agent did to a file's lines is in a version of it.
func TestWhole(t *testing.T) {
	wrote := Change{Before: text("base/old"), After: text("base/" + mine + "/" + second)}
	moved := Change{Before: text("one/two/" + mine), After: text(mine + "/one/two")}
	for name, c := range map[string]struct {
		change Change
		now    gitexec.Entry
		want   bool
	}{
		"all of it, and the human's":          {wrote, text("base/" + mine + "/" + second + "/" + human), true},
		"one of two lines":                    {wrote, text("base/" + mine + "/" + human), false},
		"what it removed is back":             {wrote, text("base/old/" + mine + "/" + second), false},
		"none of it":                          {wrote, text("base/old/" + human), false},
		"the very version, without its lines": {wrote, wrote.After, false},
		"lines moved":                         {moved, text(mine + "/one/two/" + human), false},
		"a binary file":                       {Change{After: text("bin:1")}, text("bin:1"), false},
		"nothing of a short line's":           {Change{Before: text("base"), After: text("base/}")}, text("base/" + human), false},
	} {
		if got, err := Whole([]Change{c.change}, c.now, texts{}); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestBrings: whether a version has lines of the agent's that the one under it hasn't.
func TestBrings(t *testing.T) {
	wrote := Change{Path: "a", Before: text("base/old"), After: text("base/" + mine)}
	gone := Change{Path: "a", Before: text("base/" + second), After: text("base/ab")}
	short := Change{Path: "a", Before: text("base/old"), After: text("base/ab")}
	two := Change{Path: "a", Before: text("base/old"), After: text("base/ab/cd")}
	for name, c := range map[string]struct {
		change     Change
		under, now gitexec.Entry
		want       bool
	}{
		"its line":                     {wrote, text("base/old"), text("base/old/" + mine), true},
		"its line was there":           {wrote, text("base/" + mine), text("base/" + mine + "/" + human), false},
		"its version":                  {wrote, text("base/old"), wrote.After, true},
		"what it removed is gone":      {wrote, text("base/old"), text("base/" + human), false},
		"a line of weight is gone":     {gone, text("base/" + second), text("base/" + human), false},
		"its line of two":              {Change{Path: "a", Before: text("base"), After: text("base/" + mine + "/" + second)}, text("base"), text("base/" + mine), true},
		"a short line, which is all":   {short, text("base/old"), text("base/old/ab"), true},
		"a short line of two":          {two, text("base/old"), text("base/old/ab/" + human), false},
		"a binary file, the same":      {Change{Path: "a", After: text("bin:1")}, none, text("bin:1"), true},
		"a binary file, another":       {Change{Path: "a", After: text("bin:1")}, none, text("bin:2"), false},
		"a deletion":                   {Change{Path: "a", Before: text("base")}, text("base"), none, true},
		"a file deleted by the human":  {wrote, text("base/old"), none, false},
		"a file whose lines are moved": {Change{Path: "a", Before: text("one/two/" + mine), After: text(mine + "/one/two")}, text("one/two/" + mine), text(mine + "/one/two/x"), true},
	} {
		version := gitexec.Change{Path: "a", Old: c.under, New: c.now}
		f, err := Compare([]Change{c.change}, version, texts{})
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err := f.Brings([]Change{c.change}, version, texts{}); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	moved := Change{Path: "a", Before: text("one/two/" + mine), After: text(mine + "/one/two")}
	for _, c := range []struct {
		file   File
		change Change
		under  gitexec.Entry
	}{
		{File{After: text("bad:"), Now: text("x")}, wrote, none},
		{File{After: wrote.After, Now: text("x")}, wrote, text("bad:")},
		{File{After: moved.After, Now: text("x")}, moved, text("bad:")},
	} {
		if _, err := c.file.Brings([]Change{c.change}, gitexec.Change{Old: c.under, New: text("x")}, texts{}); err == nil {
			t.Errorf("%+v: a version cannot be read, and there is no error", c.file)
		}
	}
}

// TestCompareFile: the evidence of one file, and how much of the change it shows.
func TestCompareFile(t *testing.T) {
	wrote := Change{Path: "a", Before: text("base"), After: text("base/" + mine)}
	for name, c := range map[string]struct {
		changes       []Change
		under, now    gitexec.Entry
		evidence      Evidence
		present, weak bool
		score         float64
	}{
		"the mode": {[]Change{{Path: "a", Before: text("base"), After: exe("base")}}, text("base"), exe("base/" + human),
			ModeOnly, true, true, 1},
		"the mode, undone": {[]Change{{Path: "a", Before: text("base"), After: exe("base")}}, text("base"), text("base/" + human),
			ModeOnly, false, false, 0},
		"the mode, which is committed": {[]Change{{Path: "a", Before: text("base"), After: exe("base")}}, exe("base"), exe("base/" + human),
			ModeOnly, false, false, 0},
		"lines taken out, of which a blank one is back": {[]Change{{Path: "a", Before: text("base//" + second), After: text("base")}}, text("base//" + second), text("base//x"),
			ByLines, true, true, 1},
		"the mode; the file is gone": {[]Change{{Path: "a", Before: text("base"), After: exe("base")}}, exe("base"), none,
			OtherWhole, false, false, 0},
		"the mode and lines; the mode is undone": {[]Change{{Path: "a", Before: text("base"), After: exe("base/" + mine)}}, exe("base"), text("base/" + human),
			ByLines, false, false, 0},
		"the mode and lines, both there": {[]Change{{Path: "a", Before: text("base"), After: exe("base/" + mine)}}, text("base"), exe("base/" + mine + "/" + human),
			ByLines, true, false, 1},
		"the mode and lines; the lines are replaced": {[]Change{{Path: "a", Before: text("base"), After: exe("base/" + mine)}}, text("base"), exe("base/" + human),
			ByLines, true, true, 0},
		"the mode of a binary file, with other content": {[]Change{{Path: "a", Before: text("bin:1"), After: exe("bin:2")}}, text("bin:1"), exe("bin:3"),
			OtherWhole, false, false, 0},
		"a little of what it added, and all that it removed is out": {[]Change{{Path: "a", Before: text("base/ab"), After: text("base/x y/" + mine)}}, text("base/ab"), text("base/x y/" + human),
			ByLines, false, false, 0},
		"lines, and a mode that the human gives it": {[]Change{wrote}, exe("base"), text("base/" + human),
			ByLines, false, false, 0},
		"deleted, and written again; it is absent": {[]Change{{Path: "a", Before: text("base")}, {Path: "a", After: text(mine)}}, text("base"), none,
			OtherWhole, false, false, 0},
		"deleted; it is absent": {[]Change{{Path: "a", Before: text("base")}}, text("base"), none,
			SameObject, true, true, 1},
		"the version of an earlier turn": {[]Change{wrote, {Path: "a", Before: wrote.After, After: text("base")}}, text("base"), wrote.After,
			SameObject, true, false, 1},
		"one line of two": {[]Change{{Path: "a", Before: text("base"), After: text("base/" + mine + "/" + second)}}, text("base"), text("base/" + mine),
			ByLines, true, false, 0.5},
		"a line taken out, which is back; the other one is committed": {[]Change{
			{Path: "a", Before: text("base"), After: text("base/" + mine)},
			{Path: "a", Before: text("base/" + mine), After: text("base/" + second)},
		}, text("base/" + second), text("base/" + second + "/" + mine), ByLines, true, false, 0},
		"a line taken out and written again, and lost; it is back": {[]Change{
			{Path: "a", Before: text("base"), After: text("base/" + mine)},
			{Path: "a", Before: text("base/" + mine), After: text("base")},
			{Path: "a", Before: text("base"), After: text("base/" + mine + "/x")},
			{Path: "a", Before: text("base/" + mine + "/x"), After: text("base/" + mine + "/y")},
			{Path: "a", Before: text("base/y"), After: text("base/y/z")},
		}, text("base"), text("base/" + mine + "/" + human), ByLines, true, false, 0},
	} {
		f, err := Compare(c.changes, gitexec.Change{Path: "a", Old: c.under, New: c.now}, texts{})
		if err != nil || f.Evidence != c.evidence || f.Present != c.present || f.Weak != c.weak || f.Score != c.score {
			t.Errorf("%s: %s, present %v, weak %v, %v, %v", name, f.Evidence, f.Present, f.Weak, f.Score, err)
		}
	}
}

// TestCompareMoved: where the agent only moved lines, pairs of neighbours are the evidence.
func TestCompareMoved(t *testing.T) {
	moved := Change{Path: "a", Before: text("one/two/three/four, a longer line"), After: text("four, a longer line/one/two/three")}
	long := func(lines string) string { return strings.ReplaceAll(lines, "four", "four, a longer line") }
	for name, c := range map[string]struct {
		under, now string
		found      string
		removed    string
		restored   string
	}{
		"as it wrote":             {"one/two/three/four", "four/one/two/three/x", "four one", "three four", ""},
		"as it was":               {"one/two/three/four", "one/two/three/four/x", "", "", "three four"},
		"with blank lines":        {"one/two/three/four", "four// /one/x", "four one", "three four", ""},
		"it was so under it":      {"four/one/two/three", "four/one/x/two/three", "", "", ""},
		"the pair was not there":  {"one/two/x/four", "four/one/x", "four one", "", ""},
		"neighbours before, too":  {"one/x/two/three/four", "one/two/x/three/four", "", "", "three four"},
		"others' neighbours, too": {"one/two/three/four", "two/one/four/three/x", "", "three four", ""},
	} {
		f, err := Compare([]Change{moved}, gitexec.Change{Path: "a", Old: text(long(c.under)), New: text(long(c.now))}, texts{})
		if err != nil || f.Evidence != ByOrder || pairs(f.AddedFound) != long(c.found) || pairs(f.RemovedAbsent) != long(c.removed) || pairs(f.RemovedRestored) != long(c.restored) {
			t.Errorf("%s: %s %q %q %q, %v", name, f.Evidence, f.AddedFound, f.RemovedAbsent, f.RemovedRestored, err)
		}
	}
	version := gitexec.Change{Path: "a", Old: text("bad:"), New: text("x/one")}
	if _, err := shape([]Change{moved}, version, texts{}); err == nil {
		t.Error("a version cannot be read, and there is no error")
	}
}

// pairs are pairs of lines in one line.
func pairs(all []string) string {
	return strings.ReplaceAll(strings.Join(all, ", "), "\n", " ")
}

// TestByRemovalOfPairs: where lines were moved, half of the pairs are more than a removal shows.
func TestByRemovalOfPairs(t *testing.T) {
	for name, c := range map[string]struct {
		file File
		want bool
	}{
		"one of three pairs":     {File{Present: true, Evidence: ByOrder, AddedFound: []string{"1"}, AddedMissing: []string{"2", "3"}}, true},
		"one of two":             {File{Present: true, Evidence: ByOrder, AddedFound: []string{"1"}, AddedMissing: []string{"2"}}, false},
		"none of them":           {File{Evidence: ByOrder, AddedMissing: []string{"2"}}, false},
		"a brace, and a removal": {File{Present: true, Evidence: ByLines, AddedFound: []string{"}"}, RemovedAbsent: []string{mine}}, true},
		"a line, and a removal":  {File{Present: true, Evidence: ByLines, AddedFound: []string{"x"}, RemovedAbsent: []string{mine}}, false},
		"the very version":       {File{Present: true, Evidence: SameObject, Now: text("x")}, false},
		"a deletion":             {File{Present: true, Evidence: SameObject}, true},
		"a mode":                 {File{Present: true, Evidence: ModeOnly}, false},
	} {
		if got := c.file.ByRemoval(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAdvances: whether a version goes on from the one under it with something that the agent did.
func TestAdvances(t *testing.T) {
	wrote := Change{Path: "a", Before: text("base/old"), After: text("base/" + mine + "/" + human)}
	removed := Change{Path: "a", Before: text("base/old"), After: text("base/" + human)}
	for name, c := range map[string]struct {
		change     Change
		under, now gitexec.Entry
		want       bool
	}{
		"its line":                              {wrote, text("base/old"), wrote.After, true},
		"its lines were there, the mode is new": {wrote, wrote.After, exe("base/" + mine + "/" + human + "/more"), true},
		"a binary file":                         {Change{Path: "a", Before: text("bin:1"), After: text("bin:2")}, text("bin:1"), text("bin:2"), true},
		"its lines were there":                  {wrote, wrote.After, text("base/" + mine + "/" + human + "/more"), false},
		"what it removed is gone":               {removed, text("base/old/" + human), removed.After, true},
		"it was gone":                           {removed, text("base/" + human), text("base/more/" + human), false},
		"a new file":                            {Change{Path: "a", After: text("")}, gitexec.Entry{}, text(""), true},
	} {
		f := File{Present: true, After: c.change.After, Now: c.now}
		if got, err := f.Advances([]Change{c.change}, gitexec.Change{Path: "a", Old: c.under, New: c.now}, texts{}); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
