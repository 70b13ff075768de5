package lineage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// words are lines of a file, as the tests write them.
func words(text string) (lines []Line) {
	for _, word := range strings.Fields(text) {
		lines = append(lines, HashLine(word))
	}
	return lines
}

// changed is a commit's file: its name, whether it is new (+), and its lines.
func changed(text string) File {
	name, rest, _ := strings.Cut(text, ":")
	path, isNew := strings.CutPrefix(name, "+")
	f := File{Path: gitexec.Path(path), Blob: gitexec.OID(text), Lines: words(rest), New: isNew}
	f.All = len(f.Lines)
	return f
}

func files(all ...string) (list []File) {
	for _, one := range all {
		list = append(list, changed(one))
	}
	return list
}

// TestRelink: what servers, and people on them, make of linked commits.
func TestRelink(t *testing.T) {
	was := func(id string, made int64, before string, all ...string) Checkpoint {
		return Checkpoint{ID: id, Made: made, Before: strings.Fields(before), Files: files(all...), Changed: len(all)}
	}
	linked := func(k Checkpoint) Checkpoint { k.Linked = true; return k }
	is := func(when int64, all ...string) Unlinked { return Unlinked{When: when, Files: files(all...)} }
	const day = 24 * 60 * 60
	a := "f:alpha1 alpha2 alpha3 alpha4"
	b := "g:beta1 beta2 beta3 beta4"
	for name, c := range map[string]struct {
		checkpoints []Checkpoint
		commits     []Unlinked
		want        string // for each commit the links, commits divided by slashes
	}{
		"a squash of two": {[]Checkpoint{was("A", 1, "", a), was("B", 2, "A", b)}, []Unlinked{is(9, a, b)}, "A B"},
		"a rebase-merge":  {[]Checkpoint{was("A", 1, "", a), was("B", 2, "A", b)}, []Unlinked{is(8, a), is(9, b)}, "A/B"},
		"a draft beside a few lines": {[]Checkpoint{was("A", 1, "", "h:few1 few2"), was("B", 2, "A", "h:few1", "f:draft1 draft2 draft3 kept1"), was("C", 3, "B", "f:last1 last2 kept2")},
			[]Unlinked{is(9, "h:few1 few2", "f:kept1 last1 last2 kept2")}, "A B C"},
		"with a human's commit":      {[]Checkpoint{was("A", 1, "", a)}, []Unlinked{is(8, "f:human1 human2 human3"), is(9, a)}, "/A"},
		"nothing in common":          {[]Checkpoint{was("A", 1, "", a)}, []Unlinked{is(9, b)}, ""},
		"the lines in another file":  {[]Checkpoint{was("A", 1, "", a)}, []Unlinked{is(9, "h:alpha1 alpha2 alpha3 alpha4")}, ""},
		"a renamed file":             {[]Checkpoint{was("A", 1, "", a)}, []Unlinked{is(9, "+h:alpha1 alpha2 alpha3 alpha4")}, "A"},
		"edited":                     {[]Checkpoint{was("A", 1, "", a)}, []Unlinked{is(9, "f:alpha1 other1 alpha3 alpha4 other2")}, "A"},
		"too much of it edited":      {[]Checkpoint{was("A", 1, "", a)}, []Unlinked{is(9, "f:alpha1 other1 other2 other3")}, ""},
		"an abandoned twin":          {[]Checkpoint{was("A", 1, "", a), was("T", 1, "", "f:alpha1 alpha2 alpha3 twin1 twin2")}, []Unlinked{is(9, a)}, "A"},
		"a twin that is all of it":   {[]Checkpoint{was("A", 1, "", a), was("T", 2, "", a)}, []Unlinked{is(9, a)}, "A"},
		"each line counts once":      {[]Checkpoint{was("A", 1, "", a), was("T", 2, "", a)}, []Unlinked{is(9, a), is(10, a)}, "A/T"},
		"older than the work":        {[]Checkpoint{was("A", 3*day, "", a)}, []Unlinked{is(1, a)}, ""},
		"clocks differ by minutes":   {[]Checkpoint{was("A", 300, "", a)}, []Unlinked{is(1, a)}, "A"},
		"an hour older":              {[]Checkpoint{was("A", 3600, "", a)}, []Unlinked{is(1, a)}, ""},
		"since the turn began":       {[]Checkpoint{began(was("A", 3*day, "", a), 1)}, []Unlinked{is(2, a)}, "A"},
		"began after it was made":    {[]Checkpoint{began(was("A", 1, "", a), 3*day)}, []Unlinked{is(2, a)}, "A"},
		"in the history of the work": {[]Checkpoint{follows(was("A", 1, "", a), "9")}, []Unlinked{named(is(9, a), "9")}, ""},
		"of it, and brought back":    {[]Checkpoint{follows(linked(was("A", 1, "", a)), "9")}, []Unlinked{named(is(9, a), "9"), named(is(9, a), "8")}, "/A"},
		"joins no older commit":      {[]Checkpoint{was("A", 1, "", a), follows(was("B", 2, "A", "f:alpha1"), "9")}, []Unlinked{named(is(9, a), "9")}, "A"},
		"braces":                     {[]Checkpoint{was("A", 1, "", "f:{ } { } } }")}, []Unlinked{is(9, "f:{ } { } } } else")}, ""},
		"one line":                   {[]Checkpoint{was("A", 1, "", "f:version=2")}, []Unlinked{is(9, "f:version=2", b)}, "A"},
		"one line, among others":     {[]Checkpoint{was("A", 1, "", "f:import_json")}, []Unlinked{is(9, "f:import_json human1 human2 human3 human4 human5 human6 human7 human8 human9 human10")}, ""},
		"one line, in two commits":   {[]Checkpoint{was("A", 1, "", "f:version=2")}, []Unlinked{is(9, "f:version=2", b), is(8, "f:version=2", "h:x")}, "/A"},
		"one line, elsewhere":        {[]Checkpoint{was("A", 1, "", "f:version=2"), was("B", 2, "A", b)}, []Unlinked{is(8, "f:version=2", "h:x"), is(9, b)}, "/B"},
		"replaced on the branch":     {[]Checkpoint{was("A", 1, "", "f:old1 old2 old3"), was("B", 2, "A", a)}, []Unlinked{is(9, a)}, "B"},
		"mostly replaced on it":      {[]Checkpoint{was("A", 1, "", "f:old1 old2 old3 alpha9"), was("B", 2, "A", a)}, []Unlinked{is(9, a+" alpha9")}, "A B"},
		"a line of the other's":      {[]Checkpoint{was("A", 1, "", "f:old1 old2 old3 alpha1"), was("B", 2, "A", a)}, []Unlinked{is(9, a)}, "B"},
		"replaced on another branch": {[]Checkpoint{was("A", 1, "", "f:old1 old2 old3"), was("B", 2, "", a)}, []Unlinked{is(9, a)}, "B"},
		"part of a branch":           {[]Checkpoint{was("A", 1, "", a), was("B", 2, "A", b), was("C", 3, "B", "h:gamma1 gamma2 gamma3")}, []Unlinked{is(9, a, b)}, "A B"},
		"removed on the branch":      {[]Checkpoint{was("A", 1, "", "h:old1 old2 old3"), was("B", 2, "A", a), deletes(was("C", 3, "B"), "h")}, []Unlinked{is(9, a)}, "B"},
		"a deletion on the branch":   {[]Checkpoint{was("A", 1, "", a), deletes(was("B", 2, "A"), "h")}, []Unlinked{deleting(is(9, a), "h")}, "A B"},
		"of another file":            {[]Checkpoint{was("A", 1, "", a), deletes(was("B", 2, "A"), "h")}, []Unlinked{deleting(is(9, a), "i")}, "A"},
		"a deletion alone":           {[]Checkpoint{deletes(was("B", 2, ""), "h")}, []Unlinked{deleting(is(9, a), "h")}, ""},
		"in the history":             {[]Checkpoint{linked(was("A", 1, "", a))}, []Unlinked{is(9, "f:alpha1 alpha2 alpha3")}, ""},
		"a revert that is reverted":  {[]Checkpoint{linked(was("A", 1, "", a))}, []Unlinked{is(9, a)}, "A"},
		"few lines of a large file":  {[]Checkpoint{was("A", 1, "", "f:import1 import2 import3")}, []Unlinked{is(9, "+h:import1 import2 import3"+strings.Repeat(" other", 40))}, ""},
		"a copy of a file":           {[]Checkpoint{linked(was("A", 1, "", a))}, []Unlinked{keeping(is(9, "+h:alpha1 alpha2 alpha3 alpha4"), "f")}, ""},
		"renamed, and reverted back": {[]Checkpoint{linked(was("A", 1, "", a))}, []Unlinked{keeping(is(9, "+h:alpha1 alpha2 alpha3 alpha4"), "g")}, "A"},
		"a copy of a squashed file":  {[]Checkpoint{was("A", 1, "", a)}, []Unlinked{is(8, a), keeping(is(9, "+h:alpha1 alpha2 alpha3 alpha4"), "f")}, "A/"},
		"a move of what is there":    {[]Checkpoint{linked(was("A", 1, "", a))}, []Unlinked{removing(is(9, a), a)}, ""},
		"landed, and landed again":   {[]Checkpoint{was("A", 1, "", a)}, []Unlinked{is(8, a), is(9, a, b)}, "A/A"},
		"a binary file":              {[]Checkpoint{was("A", 1, "", "image:")}, []Unlinked{is(9, "image:")}, "A"},
		"another binary file":        {[]Checkpoint{was("A", 1, "", "image:")}, []Unlinked{is(9, "+image:")}, ""},
		"nothing to compare":         {nil, []Unlinked{is(9, a)}, ""},
		"no commit":                  {[]Checkpoint{was("A", 1, "", a)}, nil, ""},
		"a ring of branches":         {[]Checkpoint{was("A", 1, "B", a), was("B", 1, "A", b)}, []Unlinked{is(9, a, b)}, "B A"},
	} {
		var got []string
		for _, found := range Relink(c.checkpoints, c.commits) {
			var ids []string
			for _, f := range found {
				ids = append(ids, f.ID)
				if f.Score < 0 || f.Score > 1 {
					t.Errorf("%s: a score of %v", name, f.Score)
				}
			}
			got = append(got, strings.Join(ids, " "))
		}
		if text := strings.Join(got, "/"); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

func began(k Checkpoint, when int64) Checkpoint { k.Began = when; return k }

// follows makes the checkpoint's commits follow another one, which its ID need not show.
func follows(k Checkpoint, commit gitexec.OID) Checkpoint {
	k.Older = map[gitexec.OID]bool{commit: true}
	return k
}

func named(c Unlinked, id gitexec.OID) Unlinked { c.Commit = id; return c }

func deletes(k Checkpoint, path gitexec.Path) Checkpoint {
	k.Files = append(k.Files, File{Path: path})
	return k
}

func deleting(c Unlinked, path gitexec.Path) Unlinked {
	c.Files = append(c.Files, File{Path: path})
	return c
}

func keeping(c Unlinked, path gitexec.Path) Unlinked {
	c.Keeps = func(p gitexec.Path) bool { return p == path }
	return c
}

func removing(c Unlinked, text string) Unlinked {
	c.Had = map[Line]bool{}
	for _, line := range changed(text).Lines {
		c.Had[line] = true
	}
	return c
}

// TestRelinkOrder: neither the order of the checkpoints nor that of the commits decides.
func TestRelinkOrder(t *testing.T) {
	var checkpoints []Checkpoint
	var commits []Unlinked
	for i := range 12 {
		text := fmt.Sprintf("f:a%d b%d c%d shared shared2", i, i, i)
		checkpoints = append(checkpoints, Checkpoint{ID: string(rune('A' + i)), Made: int64(i), Files: files(text), Changed: 1})
		commits = append(commits, Unlinked{Commit: gitexec.OID(rune('A' + i)), When: int64(100 + i), Files: files(text)})
	}
	for range 3 {
		for i, found := range Relink(checkpoints, commits) {
			if len(found) != 1 || found[0].ID != string(commits[i].Commit) || found[0].Score != 1 {
				t.Errorf("%s: %v", commits[i].Commit, found)
			}
		}
		slices.Reverse(checkpoints)
		commits = append(commits[5:], commits[:5]...)
	}
}

// TestHashLine: white space is no difference, and what weighs nothing says so.
func TestHashLine(t *testing.T) {
	if HashLine("\tif x  {\r\n") != HashLine("if x{") || HashLine("if x {") == HashLine("if y {") {
		t.Error("white space")
	}
	for text, light := range map[string]bool{"}": true, "": true, "return nil, err": true, "x := 1": false, "名": false, "42,17": false} {
		if HashLine(text).Light() != light {
			t.Errorf("%q", text)
		}
	}
}

// TestFilesOf: what is in the old version already is not new.
func TestFilesOf(t *testing.T) {
	got, had, err := FilesOf([]gitexec.Change{
		{Path: "f", Old: file("a/b/}"), New: file("b/a/}/}/c/b")},
		{Path: "g", New: file("d")},
		{Path: "h", Old: file("gone")},
		{Path: "i", Old: file("x"), New: file("binary")},
	}, lines{})
	want := []File{{Path: "f", Blob: "b/a/}/}/c/b", Lines: words("} c b"), All: 3}, {Path: "g", Blob: "d", Lines: words("d"), All: 1, New: true},
		{Path: "h"}, {Path: "i", Blob: "binary"}}
	if fmt.Sprint(got) != fmt.Sprint(want) || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if !had[HashLine("gone")] || !had[HashLine("b")] || had[HashLine("a")] || len(had) != 4 {
		t.Errorf("had: %v", had)
	}
	if _, _, err := FilesOf([]gitexec.Change{{Path: "f", Old: file("lost"), New: file("a")}}, lines{}); err == nil {
		t.Error("a version that is lost is no error")
	}
}

// TestNewLinesOfVersion: the lines that a version has beyond the one before it, and those of that
// one that it moves, has more often, or has no more.
func TestNewLinesOfVersion(t *testing.T) {
	for name, c := range map[string]struct{ was, now, added, had string }{
		"a new file":              {"", "a b", "a b", ""},
		"a line is added":         {"a", "a b", "b", ""},
		"a line is moved":         {"a b", "b a", "", ""},
		"a line is deleted":       {"a b", "a", "", "b"},
		"a line is there twice":   {"a", "a a", "a", "a"},
		"a line is there once":    {"a a", "a", "", "a"},
		"one in place of another": {"a", "b", "b", "a"},
		"another white space":     {"a", "\ta", "a", "a"},
		"a file is deleted":       {"a b", "", "", "a b"},
	} {
		had := map[Line]bool{}
		split := func(text string) []string { return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }) }
		if got := newLines(split(c.was), split(c.now), had); !slices.Equal(got, words(c.added)) {
			t.Errorf("%s: %v is added, want %s", name, got, c.added)
		}
		want := map[Line]bool{}
		for _, line := range words(c.had) {
			want[line] = true
		}
		if !maps.Equal(had, want) {
			t.Errorf("%s: it had %v, want %s", name, had, c.had)
		}
	}
}
