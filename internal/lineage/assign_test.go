package lineage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestStrong: which matches make a link by themselves.
func TestStrong(t *testing.T) {
	for name, c := range map[string]struct {
		match match
		want  bool
	}{
		"many lines":                    {match{measured: measured{score: half, lines: enoughLines}}, true},
		"many lines, less than half":    {match{measured: measured{score: 0.4, lines: 100}}, false},
		"few lines":                     {match{measured: measured{score: 1, lines: enoughLines - 1}}, false},
		"few lines, the very change":    {match{measured: measured{score: 1, lines: 1}, same: true}, true},
		"no line of the very change":    {match{measured: measured{score: 1}, same: true}, false},
		"a version":                     {match{measured: measured{score: 1, versions: 1}}, true},
		"a version, less than half":     {match{measured: measured{score: 0.4, versions: 1}}, false},
		"the very change, of less":      {match{measured: measured{score: 0.4, lines: 9}, same: true}, false},
		"a file that both delete alone": {match{measured: measured{score: 0, deleted: 1}, same: true}, false},
	} {
		if got := c.match.strong(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestWeak: a match of few lines makes a link where its branch is, or, where that is nowhere, if it
// is a large part of what the commit does.
func TestWeak(t *testing.T) {
	const few, many = "f:a1 other", "f:a1 o1 o2 o3 o4 o5 o6 o7 o8 o9 o10"
	for name, c := range map[string]struct {
		measured measured
		of       []int // the commits of the branch
		commit   string
		want     bool
	}{
		"others are in the commit":          {measured{score: half, lines: 1}, []int{-1, 0}, many, true},
		"less than half of it":              {measured{score: 0.4, lines: 1}, []int{0, 0}, few, false},
		"no line that weighs":               {measured{score: 1}, []int{0, 0}, few, false},
		"others are in another commit":      {measured{score: 1, lines: 1}, []int{1, -1}, few, false},
		"the last of others is":             {measured{score: 1, lines: 1}, []int{-1, 1}, few, false},
		"others are in both":                {measured{score: half, lines: 1}, []int{1, 0}, many, true},
		"nothing is found, a large part":    {measured{score: 1, lines: 1}, []int{-1, -1}, few, true},
		"nothing is found, half of it":      {measured{score: half, lines: 1}, []int{-1, -1}, few, false},
		"nothing is found, few among many":  {measured{score: 1, lines: 1}, []int{-1, -1}, many, false},
		"among many of the branch's itself": {measured{score: 1, lines: 1}, []int{-1, -1}, "f:a1 b1 b1 b1 b1 b1 b1 b1 b1 b1 b1", true},
	} {
		checkpoints := branchOf("A", "B:A", "C:B")
		checkpoints[0].Files, checkpoints[1].Files = files("f:a1"), files("f:b1")
		r := newRelinking(checkpoints, []Unlinked{{Files: files(c.commit)}, {Files: files("g:x")}})
		r.of = append([]int{-1}, c.of...)
		if got := r.weak(match{measured: c.measured}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSameExtent: a commit that seems to make the very same change changes the same files by as
// many lines.
func TestSameExtent(t *testing.T) {
	for name, c := range map[string]struct {
		changed int
		commit  []string
		want    bool
	}{
		"the same":             {2, []string{"f:a1 a2", "g:b1"}, true},
		"with another file":    {2, []string{"f:a1 a2", "g:b1", "h:x"}, false},
		"so, of its own":       {3, []string{"f:a1 a2", "g:b1", "h:x"}, true},
		"a file less":          {2, []string{"f:a1 a2"}, false},
		"by another line":      {2, []string{"f:a1 a2 x", "g:b1"}, false},
		"by as many others":    {2, []string{"f:x y", "g:z"}, true},
		"as many other files":  {2, []string{"f:a1 a2", "h:b1"}, false},
		"so, as long":          {2, []string{"h:b1", "f:a1 a2"}, false},
		"by a line less in it": {2, []string{"f:a1 a2", "g:"}, false},
	} {
		r := newRelinking([]Checkpoint{{ID: "A", Files: files("f:a1 a2", "g:b1"), Changed: c.changed}}, []Unlinked{{Files: files(c.commit...)}})
		if got := r.sameExtent(0, 0); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSameOfMany: of a hundred lines one may be another.
func TestSameOfMany(t *testing.T) {
	for there, want := range map[int]bool{100: true, 99: true, 98: false} {
		commit := changed("f:" + numbered("a", there) + numbered("x", 100-there))
		r := newRelinking([]Checkpoint{{ID: "A", Files: files("f:" + numbered("a", 100)), Changed: 1}}, []Unlinked{{Files: []File{commit}}})
		all := r.candidates()
		if len(all) != 1 || all[0].same != want {
			t.Errorf("%d lines: %+v", there, all)
		}
		if got := r.weak(all[0]); got != (there >= 99) {
			t.Errorf("%d lines: by few lines %v", there, got)
		}
	}
}

// numbered are so many words, each with its number.
func numbered(word string, n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("%s%d ", word, i)
	}
	return text
}

// TestWeakElsewhere: a branch that is in the first commit is not nowhere.
func TestWeakElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		of   int // the commit of the branch
		want bool
	}{"in no commit": {-1, true}, "in the first one": {0, false}, "in the second one": {1, true}} {
		checkpoints := branchOf("A", "B:A")
		checkpoints[0].Files, checkpoints[1].Files = files("f:a1"), files("f:b1")
		r := newRelinking(checkpoints, []Unlinked{{Files: files("f:b1")}, {Files: files("f:a1 other")}})
		r.of[1] = c.of
		if got := r.weak(match{commit: 1, measured: measured{score: 1, lines: 1}}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestLargePart: how many lines of others, in the files of a checkpoint, make its own lines few.
func TestLargePart(t *testing.T) {
	for name, c := range map[string]struct {
		checkpoint []string
		commit     []string
		want       bool
	}{
		"all of it":                     {[]string{"f:a1"}, []string{"f:a1"}, true},
		"with nine others":              {[]string{"f:a1"}, []string{"f:a1 " + numbered("x", 9)}, true},
		"with ten others":               {[]string{"f:a1"}, []string{"f:a1 " + numbered("x", 10)}, false},
		"two lines with ten others":     {[]string{"f:a1 a2"}, []string{"f:a1 a2 " + numbered("x", 10)}, true},
		"others are in another file":    {[]string{"f:a1"}, []string{"f:a1", "g:" + numbered("x", 99)}, true},
		"others are in one of its own":  {[]string{"f:a1", "g:b1"}, []string{"f:a1", "g:b1 " + numbered("x", 20)}, false},
		"a file without lines is none":  {[]string{"f:a1", "image:"}, []string{"f:a1", "image:" + numbered("x", 99)}, true},
		"the commit has no such file":   {[]string{"f:a1"}, []string{"g:a1"}, false},
		"one file of two is in it":      {[]string{"f:a1", "h:b1"}, []string{"f:a1 " + numbered("x", 9)}, true},
		"under another name, it is new": {[]string{"f:a1 a2 a3"}, []string{"+h:a1 a2 a3 " + numbered("x", 9)}, true},
	} {
		r := newRelinking([]Checkpoint{{ID: "A", Files: files(c.checkpoint...)}}, []Unlinked{{Files: files(c.commit...)}})
		if got := r.largePart(0, 0); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestBefore: whether a commit is older than a checkpoint.
func TestBefore(t *testing.T) {
	for when, want := range map[int64]bool{99: true, 100: false, 101: false} {
		r := newRelinking([]Checkpoint{{ID: "A", Made: 100}}, []Unlinked{{When: when}})
		if got := r.before(match{}); got != want {
			t.Errorf("a commit of %d is older than a checkpoint of 100: %v", when, got)
		}
	}
}

// TestSame: that a commit makes the very same change takes all lines, and as many of them.
func TestSame(t *testing.T) {
	for commit, want := range map[string]bool{"f:a1 a2": true, "f:a1 x": false, "f:a1 a2 x": false} {
		r := newRelinking([]Checkpoint{{ID: "A", Files: files("f:a1 a2"), Changed: 1}}, []Unlinked{{When: 1000, Files: files(commit)}})
		all := r.candidates()
		if len(all) != 1 || all[0].same != want {
			t.Errorf("%s: %+v", commit, all)
		}
	}
}

// TestCandidates: which commits have something of a checkpoint.
func TestCandidates(t *testing.T) {
	image := Checkpoint{ID: "A", Files: files("image:")}
	common, every := []Unlinked{}, []int{}
	for i := range commonLine + 1 {
		common, every = append(common, Unlinked{When: 1000, Files: files("f:a1")}), append(every, i)
	}
	for name, c := range map[string]struct {
		checkpoint Checkpoint
		commits    []Unlinked
		want       []int
	}{
		"a line":                          {Checkpoint{Files: files("f:a1 a2")}, []Unlinked{{Files: files("f:x a2")}}, []int{0}},
		"a brace":                         {Checkpoint{Files: files("f:a1 }")}, []Unlinked{{Files: files("f:x }")}}, nil},
		"a line in another file":          {Checkpoint{Files: files("f:a1")}, []Unlinked{{Files: files("g:a1")}}, nil},
		"in a file that it adds":          {Checkpoint{Files: files("f:a1")}, []Unlinked{{Files: files("+g:a1")}}, []int{0}},
		"so, and it has the file":         {Checkpoint{Files: files("f:a1")}, []Unlinked{{Files: files("f:x", "+g:a1")}}, nil},
		"lines in a file that was there":  {Checkpoint{Files: files("f:a1 a2 a3")}, []Unlinked{{Files: files("g:a1 a2 a3")}, {Files: files("g:a1 a2")}}, []int{0}},
		"a line over and over":            {Checkpoint{Files: files("f:a1")}, []Unlinked{{Files: files("f:" + strings.Repeat("a1 ", commonLine+1))}}, []int{0}},
		"a version":                       {image, []Unlinked{{Files: files("image:")}, {Files: files("image:x")}}, []int{0}},
		"an older commit":                 {Checkpoint{Made: 100000, Files: files("f:a1")}, []Unlinked{{When: 1, Files: files("f:a1")}}, nil},
		"a line that very many have":      {Checkpoint{Files: files("f:a1")}, common, nil},
		"a line that so many have":        {Checkpoint{Files: files("f:a1")}, common[1:], every[:commonLine]},
		"a line that many have":           {Checkpoint{Files: files("f:a1")}, common[1:3], []int{0, 1}},
		"a file without lines or version": {deletes(Checkpoint{}, "h"), []Unlinked{deleting(Unlinked{}, "h")}, nil},
	} {
		r := newRelinking([]Checkpoint{c.checkpoint}, c.commits)
		var got []int
		for _, m := range r.candidates() {
			got = append(got, m.commit)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestBetter: the order of matches, the better one first.
func TestBetter(t *testing.T) {
	checkpoints := []Checkpoint{{ID: "A", Made: 100}, {ID: "B", Made: 200}}
	r := newRelinking(checkpoints, []Unlinked{{When: 50}, {When: 300}, {When: 400}})
	order := []match{
		{checkpoint: 1, commit: 2, same: true, measured: measured{score: 0.5, lines: 1}},
		{checkpoint: 1, commit: 2, measured: measured{score: 1, lines: 1}},
		{checkpoint: 1, commit: 2, measured: measured{score: 0.9, lines: 9}},
		{checkpoint: 0, commit: 1, measured: measured{score: 0.9, lines: 5}},
		{checkpoint: 1, commit: 1, measured: measured{score: 0.9, lines: 5}}, // made later
		{checkpoint: 0, commit: 2, measured: measured{score: 0.9, lines: 5}}, // in a later commit
		{checkpoint: 0, commit: 0, measured: measured{score: 0.9, lines: 5}}, // which is older than the checkpoint
	}
	for i, a := range order {
		for j, b := range order {
			if got := r.better(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%+v to %+v: %d", a, b, got)
			}
		}
	}
}

// TestAssign: a checkpoint goes to the commit that it matches best, with what better ones left.
func TestAssign(t *testing.T) {
	a, b := "f:a1 a2 a3 a4", "f:a1 a2 a3 a4 b1 b2"
	for name, c := range map[string]struct {
		checkpoints []Checkpoint
		commits     []Unlinked
		want        []int
	}{
		"each its own":                    {[]Checkpoint{{ID: "A", Files: files(a)}, {ID: "B", Files: files("g:c1 c2 c3")}}, []Unlinked{{Files: files("g:c1 c2 c3")}, {Files: files(a)}}, []int{1, 0}},
		"the same lines, once":            {[]Checkpoint{{ID: "A", Files: files(a), Made: 1}, {ID: "B", Files: files(a), Made: 2}}, []Unlinked{{Files: files(a)}}, []int{0, -1}},
		"the larger one first":            {[]Checkpoint{{ID: "A", Files: files(a)}, {ID: "B", Files: files(b)}}, []Unlinked{{Files: files(b)}}, []int{-1, 0}},
		"what the history has is not one": {[]Checkpoint{{ID: "A", Files: files(a), Linked: true}}, []Unlinked{{Files: files(a)}}, []int{-1}},
		"what a better one left":          {[]Checkpoint{{ID: "A", Files: files(a), Changed: 1}, {ID: "B", Files: files("f:a4 b1 b2 b3")}}, []Unlinked{{Files: files(a)}, {Files: files("f:a4 x1 x2")}, {Files: files("f:b1 b2 b3 a1 x")}}, []int{0, 2}},
		"so, of the same commit":          {[]Checkpoint{{ID: "A", Files: files(b), Changed: 1}, {ID: "B", Files: files("f:b2 c1 c2 c3")}}, []Unlinked{{Files: files(b + " c1 c2 c3")}}, []int{0, 0}},
		"of twins, each a commit": {[]Checkpoint{{ID: "A", Made: 1, Changed: 2, Files: files("f:a1", "image:")}, {ID: "B", Made: 2, Changed: 2, Files: files("f:a1", "image:")}},
			[]Unlinked{{When: 5, Files: files("f:a1", "image:")}, {When: 6, Files: append(files("image:"), changed("f:a1 x"))}}, []int{0, 1}},
		"not enough": {[]Checkpoint{{ID: "A", Files: files(a)}}, []Unlinked{{Files: files("f:a1 x")}}, []int{-1}},
	} {
		r := newRelinking(c.checkpoints, c.commits)
		r.assign(r.candidates(), match.strong)
		if !slices.Equal(r.of, c.want) {
			t.Errorf("%s: %v, want %v", name, r.of, c.want)
		}
	}
}
