package lineage

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// TestWeight: a line weighs less the more often the checkpoints have it, and next to nothing if it
// says nothing.
func TestWeight(t *testing.T) {
	r := newRelinking([]Checkpoint{{ID: "A", Files: files("f:once twice }")}, {ID: "B", Files: files("g:twice")}}, nil)
	for line, want := range map[string]float64{"once": 1, "twice": 0.5, "}": 0.02, "never": 1} {
		if got := r.weight(HashLine(line)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s weighs %v, want %v", line, got, want)
		}
	}
}

// TestRenamed: the file of a commit that is a checkpoint's under another name.
func TestRenamed(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		commit []string
		want   int
	}{
		"all of it":                         {"f:a1 a2 a3", []string{"+h:a1 a2 a3"}, 0},
		"few lines":                         {"f:a1 a2", []string{"+h:a1 a2"}, -1},
		"half of it":                        {"f:a1 a2 a3 a4 a5 a6", []string{"+h:a1 a2 a3"}, 0},
		"less than half":                    {"f:a1 a2 a3 a4 a5 a6 a7", []string{"+h:a1 a2 a3"}, -1},
		"half, but for braces":              {"f:a1 a2 a3 a4 a5 a6 { }", []string{"+h:a1 a2 a3"}, 0},
		"braces alone":                      {"f:{ } ( )", []string{"+h:{ } ( )"}, -1},
		"a file that was there":             {"f:a1 a2 a3", []string{"h:a1 a2 a3"}, -1},
		"the one with more":                 {"f:a1 a2 a3 a4", []string{"+g:a1 a2 a3", "+h:a1 a2 a3 a4"}, 1},
		"the one with more, first":          {"f:a1 a2 a3 a4", []string{"+g:a1 a2 a3 a4", "+h:a2 a3 a4"}, 0},
		"of two alike the first":            {"f:a1 a2 a3", []string{"+g:a1 a2 a3", "+h:a1 a2 a3"}, 0},
		"of two alike that is found second": {"f:a1 a2 a3 a4", []string{"+g:a2 a3 a4", "+h:a1 a2 a3"}, 0},
		"a few of very many":                {"f:a1 a2 a3", []string{"+h:a1 a2 a3" + strings.Repeat(" x", 28)}, -1},
		"a few of many":                     {"f:a1 a2 a3", []string{"+h:a1 a2 a3" + strings.Repeat(" x", 27)}, 0},
		"a line of the second, at last":     {"f:a1 a2 a3 b1", []string{"+g:a1 a2 a3", "+h:b1"}, 0},
		"the most in the second":            {"f:a1 b1 b2 b3 a2", []string{"+g:a1 a2", "+h:b1 b2 b3"}, 1},
		"the same line over and over":       {"f:a1 a2 a3", []string{"+h:a1 a1 a1"}, -1},
	} {
		r := newRelinking(nil, []Unlinked{{Files: files(c.commit...)}})
		if got := r.renamed(changed(c.file), 0); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		if got := r.in(changed(c.file), 0); got != c.want {
			t.Errorf("%s: it is compared with %d", name, got)
		}
	}
	deleted := File{Path: "f"}
	for name, c := range map[string]struct {
		commit Unlinked
		want   int
	}{
		"it keeps the old name":           {keeping(Unlinked{Files: files("h:a1 a2 a3")}, "f"), -1},
		"it lacks the old name":           {keeping(Unlinked{Files: files("h:a1 a2 a3")}, "g"), 0},
		"it deletes the old name":         {Unlinked{Files: append(files("+h:a1 a2 a3"), deleted)}, 0},
		"it deletes it, and has no other": {Unlinked{Files: append(files("+h:a1 a2"), deleted)}, 1},
		"it adds a long one":              {Unlinked{Files: append(files("+h:a1 a2 a3"+strings.Repeat(" x", 28)), deleted)}, 1},
	} {
		if got := newRelinking(nil, []Unlinked{c.commit}).in(changed("f:a1 a2 a3"), 0); got != c.want {
			t.Errorf("%s: it is compared with %d, want %d", name, got, c.want)
		}
	}
	r := newRelinking(nil, []Unlinked{{Files: files("f:x", "+h:a1 a2 a3")}})
	if got := r.in(changed("f:a1 a2 a3"), 0); got != 0 {
		t.Errorf("a file that the commit changes is compared with %d", got)
	}
}

// TestMeasure: how much of a checkpoint a commit has.
func TestMeasure(t *testing.T) {
	for name, c := range map[string]struct {
		checkpoint []string
		commit     []string
		score      float64
		lines      int
		versions   int
		files      string // found of sought
	}{
		"all":                         {[]string{"f:a1 a2"}, []string{"f:a1 a2 x"}, 1, 2, 0, "f 2/2"},
		"half":                        {[]string{"f:a1 a2"}, []string{"f:a1 x"}, 0.5, 1, 0, "f 1/2"},
		"each line once":              {[]string{"f:a1 a1"}, []string{"f:a1"}, 0.5, 1, 0, "f 1/2"},
		"as often as it is there":     {[]string{"f:a1 a1"}, []string{"f:a1 a1"}, 1, 2, 0, "f 2/2"},
		"braces are no line":          {[]string{"f:a1 }"}, []string{"f:a1 }"}, 1, 1, 0, "f 2/2"},
		"another file":                {[]string{"f:a1"}, []string{"g:a1"}, 0, 0, 0, "f 0/1"},
		"under another name":          {[]string{"f:a1 a2 a3"}, []string{"+h:a1 a2 a3"}, 1, 3, 0, "h 3/3"},
		"one of two files":            {[]string{"f:a1", "g:b1"}, []string{"f:a1"}, 0.5, 1, 0, "f 1/1, g 0/1"},
		"the same version":            {[]string{"image:"}, []string{"image:"}, 1, 0, 1, "image whole"},
		"another version":             {[]string{"image:"}, []string{"image:x"}, 0, 0, 0, ""},
		"a version, and no such file": {[]string{"image:"}, []string{"f:a1"}, 0, 0, 0, ""},
		"a line, and no such file":    {[]string{"f:a1", "image:"}, []string{"f:a1"}, 1, 1, 0, "f 1/1"},
		"a line, and another version": {[]string{"f:a1", "image:"}, []string{"f:a1", "image:x"}, 0.5, 1, 0, "f 1/1"},
	} {
		r := newRelinking([]Checkpoint{{ID: "A", Files: files(c.checkpoint...)}}, []Unlinked{{Files: files(c.commit...)}})
		m := r.measure(0, 0)
		if m.score != c.score || m.lines != c.lines || m.versions != c.versions || evidence(m.files) != c.files {
			t.Errorf("%s: %v, %d lines, %d versions, %q", name, m.score, m.lines, m.versions, evidence(m.files))
		}
		if evident := c.lines+c.versions > 0; m.evident() != evident {
			t.Errorf("%s: evident %v", name, m.evident())
		}
	}
}

// TestMeasureDeletion: that a commit deletes the same file is evidence of the branch alone.
func TestMeasureDeletion(t *testing.T) {
	checkpoint := deletes(Checkpoint{ID: "A", Files: files("f:a1")}, "h")
	for name, c := range map[string]struct {
		commit  Unlinked
		deleted int
		files   string
	}{
		"deleted, too":      {deleting(Unlinked{Files: files("f:a1")}, "h"), 1, "f 1/1, h whole"},
		"another one":       {deleting(Unlinked{Files: files("f:a1")}, "i"), 0, "f 1/1"},
		"changed":           {Unlinked{Files: files("f:a1", "h:x")}, 0, "f 1/1"},
		"nothing like that": {Unlinked{Files: files("f:a1")}, 0, "f 1/1"},
	} {
		m := newRelinking([]Checkpoint{checkpoint}, []Unlinked{c.commit}).measure(0, 0)
		if m.deleted != c.deleted || m.score != 1 || evidence(m.files) != c.files {
			t.Errorf("%s: %d deleted, %v, %q", name, m.deleted, m.score, evidence(m.files))
		}
	}
}

// TestTake: what a checkpoint takes of a commit is not there for the next one.
func TestTake(t *testing.T) {
	r := newRelinking([]Checkpoint{{ID: "A", Files: files("f:a1 a2", "gone:b1")}, {ID: "B", Files: files("f:a1 a3")}},
		[]Unlinked{{Files: files("f:a1 a2 a3 a1")}})
	for _, want := range []int{2, 2, 1, 1} { // a1 is there twice
		if m := r.measure(1, 0); m.lines != want {
			t.Errorf("%d lines, want %d", m.lines, want)
		}
		r.take(0, 0)
	}
}

// evidence is the evidence of files in words.
func evidence(all []FileEvidence) string {
	var texts []string
	for _, e := range all {
		text := fmt.Sprintf("%s %d/%d", e.Path, e.Found, e.Sought)
		if e.Whole {
			text = string(e.Path) + " whole"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// TestRenamedReadsFewTrees: a commit is asked for a file's name where it shares enough lines.
func TestRenamedReadsFewTrees(t *testing.T) {
	for lines, want := range map[string]bool{"h:a1 a2": false, "h:a1 a2 a3": true} {
		asked := false
		commit := Unlinked{Files: files(lines), Keeps: func(gitexec.Path) bool { asked = true; return true }}
		if Relink([]Checkpoint{{ID: "1", Files: files("f:a1 a2 a3")}}, []Unlinked{commit}); asked != want {
			t.Errorf("%s: %t", lines, asked)
		}
	}
}
