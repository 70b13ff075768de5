package suffix

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// TestHeldIn: the agent's lines that a version has and lacks, beyond the version under it.
func TestHeldIn(t *testing.T) {
	third := "third line of the agent"
	wrote := Change{Before: text("base"), After: text("base/" + mine + "/" + second)}
	// It is gone before the second turn: the human took it out.
	humans := []Change{wrote, {Before: text("base/" + second), After: text("base/" + second + "/" + third)}}
	kept := []Change{wrote, {Before: text("base/" + mine + "/" + second), After: text("base/x/" + mine + "/" + second)}, {Before: text("base/" + second), After: text("base/" + second + "/" + third)}}
	// The agent takes its own line out.
	agents := []Change{wrote, {Before: wrote.After, After: text("base/" + second)}}
	for name, c := range map[string]struct {
		changes                                  []Change
		under, now                               string
		found, missing, restored, removed, again string
	}{
		"one of two":                   {[]Change{wrote}, "base", "base/" + mine, mine, second, "", "", ""},
		"one is committed":             {[]Change{wrote}, "base/" + mine, "base/" + mine + "/x", "", second, "", "", ""},
		"the human takes one out":      {humans, "base", "base/" + second, second, third, "", "", ""},
		"so, and brings it back":       {humans, "base", "base/" + mine + "/" + second, second, third, "", "", ""},
		"so, after a turn that has it": {kept, "base", "base/" + mine + "/" + second, second, third, "", "", ""},
		"the agent takes one out":      {agents, "base", "base/" + second, second, "", "", "", ""},
		"so, and it is back":           {agents, "base", "base/" + mine + "/" + second, second, "", "", "", mine},
		"a blank line taken out, back": {[]Change{{Before: text("base//old"), After: text("base")}}, "base//old", "base//x", "", "", "", "old", ""},
		"many lines taken out": {[]Change{{Before: text("base/a/b/c/d/e/f/g/h/i"), After: text("base")}}, "base/i/h/g/f/e/d/c/b/a", "base/a/b/c/d", "", "",
			"a/b/c/d", "e/f/g/h/i", ""},
	} {
		o, err := ownOf(c.changes, texts{})
		testdir.Must(t, err)
		h, ok, err := o.heldIn(gitexec.Change{Old: text(c.under), New: text(c.now)})
		if err != nil || !ok {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
		for kind, got := range map[string][2]string{"found": {strings.Join(h.found, "/"), c.found}, "missing": {strings.Join(h.missing, "/"), c.missing},
			"restored": {strings.Join(h.restored, "/"), c.restored}, "removed": {strings.Join(h.removed, "/"), c.removed}, "again": {strings.Join(h.again, "/"), c.again}} {
			if got[0] != got[1] {
				t.Errorf("%s: %s %q, want %q", name, kind, got[0], got[1])
			}
		}
	}
}

// failing are texts of which reading the nth, from 1, fails.
type failing struct{ nth *int }

var errNth = errors.New("the nth version cannot be read")

func (f failing) Lines(e gitexec.Entry) ([]string, bool, error) {
	if *f.nth--; *f.nth == 0 {
		return nil, false, errNth
	}
	return texts{}.Lines(e)
}

// TestUnreadable: whichever version cannot be read, each question returns the error.
func TestUnreadable(t *testing.T) {
	work := []Change{{Path: "a", Before: text("base/old"), After: text("base/" + mine)}, {Path: "a", Before: text("base/" + mine), After: text("base/" + mine + "/" + second)}}
	moved := []Change{{Path: "a", Before: text("one/two/" + mine), After: text(mine + "/one/two")}}
	binary := []Change{{Path: "a", After: text("bin:1")}}
	version := gitexec.Change{Path: "a", Old: text("base/old"), New: text("base/x/" + mine)}
	other := gitexec.Change{Path: "b", Old: text("x"), New: text("x/" + mine)}
	file := func(c []Change) File { return File{After: c[len(c)-1].After, Now: version.New} }
	for name, ask := range map[string]func(Texts) error{
		"AddedBy":       func(t Texts) error { _, err := AddedBy([]gitexec.Change{version}, t); return err },
		"Have":          func(t Texts) error { _, err := (Added{"x": {0}}).Have(version.New, t); return err },
		"Compare":       func(t Texts) error { _, err := Compare(work, version, t); return err },
		"Compare moved": func(t Texts) error { _, err := Compare(moved, version, t); return err },
		"Brings":        func(t Texts) error { _, err := file(work).Brings(work, version, t); return err },
		"Advances":      func(t Texts) error { _, err := file(work).Advances(work, version, t); return err },
		"Extent":        func(t Texts) error { _, _, err := Extent(work, &version, [][]Change{moved}, t); return err },
		"Extent without lines": func(t Texts) error {
			_, _, err := Extent(binary, &gitexec.Change{Path: "a", New: binary[0].After}, [][]Change{work, moved}, t)
			return err
		},
		"MovedTo": func(t Texts) error { _, err := MovedTo(work, []string{"base"}, other, t); return err },
		"FromOldFiles": func(t Texts) error {
			_, err := FromOldFiles([]Change{{Path: "a", Before: version.Old}, {Path: "b", After: version.New}}, t)
			return err
		},
		"FollowRenames": func(t Texts) error {
			_, _, err := FollowRenames(Renaming{Works: [][]Change{{{Path: "f", After: text("base/old/" + mine)}}}, Texts: t, Gone: func(gitexec.Path) bool { return true },
				Version: []gitexec.Change{{Path: "g", New: text("base/old/" + mine + "/x")}, {Path: "h", Old: text("base/old/x")}}})
			return err
		},
		"Judge": func(t Texts) error {
			if v := Judge(stream(1, Change{Path: "f", After: version.Old}), Worktree{"g": {Path: "g", New: version.New}}, t); v.Reason == CannotCompare {
				return errNth
			}
			return nil
		},
		"closed": func(t Texts) error { _, err := closed(work, version.New, t); return err },
	} {
		n := 0 // how many versions it reads
		for err := errNth; err != nil; {
			n++
			at := n
			if err = ask(failing{&at}); at > 0 && err != nil || at <= 0 && !errors.Is(err, errNth) {
				t.Fatalf("%s: at read %d: %v", name, n, err)
			}
		}
		if n < 2 {
			t.Errorf("%s reads nothing", name)
		}
	}
}

// TestFollowRenamesLeaves: what is given stays as it is, and other files of the version do.
func TestFollowRenamesLeaves(t *testing.T) {
	was := text("line one/line two")
	work := [][]Change{{{Path: "f", Before: was, After: text("line one/line two/" + mine)}}}
	version := []gitexec.Change{{Path: "e", Old: text("x"), New: text("y")}, {Path: "f", Old: was}, {Path: "g", New: work[0][0].After}}
	q := Renaming{Works: work, Version: slices.Clone(version), Texts: texts{}, Gone: func(gitexec.Path) bool { return true }}
	works, got, err := FollowRenames(q)
	want := slices.Clone(version)
	want[2].Old = was
	if err != nil || works[0][0].Path != "g" || !slices.Equal(got, want) {
		t.Errorf("%v, %v, %v", works, got, err)
	}
	if work[0][0].Path != "f" || !slices.Equal(q.Version, version) {
		t.Errorf("the request is changed: %v, %v", work, q.Version)
	}
}
