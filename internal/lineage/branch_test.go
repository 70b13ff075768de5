package lineage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// branchOf are checkpoints, each of which comes after those that its text names: "B:A".
func branchOf(texts ...string) (all []Checkpoint) {
	for _, text := range texts {
		id, before, _ := strings.Cut(text, ":")
		all = append(all, Checkpoint{ID: id, Before: strings.Fields(before)})
	}
	return all
}

// TestBranches: which checkpoints are of one branch, and in which order.
func TestBranches(t *testing.T) {
	for name, c := range map[string]struct {
		checkpoints []Checkpoint
		line        string // of the first one
		depths      string
	}{
		"alone":                  {branchOf("A", "B"), "", "1 1"},
		"one after the other":    {branchOf("A", "B:A", "C:B"), "B C", "1 2 3"},
		"in another order":       {branchOf("C:B", "A", "B:A"), "B A", "3 1 2"},
		"two after one":          {branchOf("A", "B:A", "C:A"), "B C", "1 2 2"},
		"one after two":          {branchOf("A", "B", "C:A B", "D:C"), "C B D", "1 1 2 3"},
		"after a longer way":     {branchOf("A", "B:A", "C:A B"), "B C", "1 2 3"},
		"after one of elsewhere": {branchOf("A:x", "B:A y"), "B", "1 2"},
		"after two, one unknown": {branchOf("A", "B:x"), "", "1 1"},
		"after itself":           {branchOf("A:A", "B:A"), "B", "1 2"},
		"a ring":                 {branchOf("A:B", "B:A"), "B", "2 1"},
	} {
		r := newRelinking(c.checkpoints, nil)
		var ids, depths []string
		for _, i := range r.line(0) {
			ids = append(ids, c.checkpoints[i].ID)
		}
		for _, depth := range r.depth {
			depths = append(depths, fmt.Sprint(depth))
		}
		if strings.Join(ids, " ") != c.line || strings.Join(depths, " ") != c.depths {
			t.Errorf("%s: %q with the depths %q, want %q with %q", name, ids, depths, c.line, c.depths)
		}
	}
	long := []Checkpoint{{ID: "0"}}
	for i := 1; i < mostOnBranch+50; i++ {
		long = append(long, branchOf(fmt.Sprintf("%d:%d", i, i-1))...)
	}
	if got := len(newRelinking(long, nil).line(0)); got != mostOnBranch {
		t.Errorf("of a long branch %d are looked at", got)
	}
}

// TestHasMost: whether a commit has a file of a checkpoint, at least half of its lines by weight.
func TestHasMost(t *testing.T) {
	renamedBlob := changed("f:a1 a2 a3")
	renamedBlob.Blob = "same"
	same := changed("f:x")
	same.Blob = "same"
	for name, c := range map[string]struct {
		file   File
		commit File
		want   bool
	}{
		"all lines":              {changed("f:a1 a2"), changed("f:a1 a2 x"), true},
		"half of them":           {changed("f:a1 a2"), changed("f:a1 x"), true},
		"less":                   {changed("f:a1 a2 a3"), changed("f:a1 x"), false},
		"none":                   {changed("f:a1 a2"), changed("f:x"), false},
		"braces are not half":    {changed("f:a1 } { )"), changed("f:} { )"), false},
		"braces are not missed":  {changed("f:a1 } { )"), changed("f:a1"), true},
		"another file":           {changed("f:a1 a2"), changed("g:a1 a2"), false},
		"it removed lines alone": {changed("f:"), changed("f:x"), true},
		"of another file":        {changed("f:"), changed("g:x"), false},
		"the very version":       {renamedBlob, same, true},
	} {
		r := newRelinking([]Checkpoint{{ID: "A", Files: []File{c.file}}}, []Unlinked{{Files: []File{c.commit}}})
		if got := r.hasMost(c.file, 0); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestHasLast: whether a commit has what the branch made of a checkpoint's file.
func TestHasLast(t *testing.T) {
	of := func(text string, all ...string) Checkpoint {
		k := branchOf(text)[0]
		k.Files = files(all...)
		return k
	}
	for name, c := range map[string]struct {
		checkpoints []Checkpoint
		commit      Unlinked
		want        bool // for the first one's file f
	}{
		"the last one's lines":          {[]Checkpoint{of("A", "f:a1 a2"), of("B:A", "f:b1 b2")}, Unlinked{Files: files("f:b1 b2")}, true},
		"its own are replaced, too":     {[]Checkpoint{of("A", "f:a1 a2"), of("B:A", "f:b1 b2"), of("C:B", "f:c1 c2")}, Unlinked{Files: files("f:b1 b2")}, false},
		"the last one's, in a row":      {[]Checkpoint{of("A", "f:a1 a2"), of("B:A", "f:b1 b2"), of("C:B", "f:c1 c2")}, Unlinked{Files: files("f:c1 c2")}, true},
		"it is the last one":            {[]Checkpoint{of("B:A", "f:b1 b2"), of("A", "f:a1 a2")}, Unlinked{Files: files("f:a1 a2")}, false},
		"one of it, and one of another": {[]Checkpoint{of("A", "f:a1 a2"), of("B:A", "f:b1 b2"), of("C:B", "g:c1")}, Unlinked{Files: files("f:b1 b2")}, true},
		"no other changed the file":     {[]Checkpoint{of("A", "f:a1 a2"), of("B:A", "g:b1")}, Unlinked{Files: files("f:a1 a2")}, false},
		"the branch deleted it":         {[]Checkpoint{of("A", "f:a1 a2"), deletes(of("B:A"), "f")}, Unlinked{Files: files("g:x")}, true},
		"so, and the commit changes it": {[]Checkpoint{of("A", "f:a1 a2"), deletes(of("B:A"), "f")}, Unlinked{Files: files("+f:x")}, true},
		"so, and the commit deletes it": {[]Checkpoint{of("A", "f:a1 a2"), deletes(of("B:A"), "f")}, deleting(Unlinked{}, "f"), true},
		"the commit has no such file":   {[]Checkpoint{of("A", "f:a1 a2"), of("B:A", "f:b1 b2")}, Unlinked{Files: files("g:x")}, false},
		"the first of two after it":     {[]Checkpoint{of("A", "f:a1 a2"), of("B:A", "f:b1 b2"), of("C:A", "f:c1 c2")}, Unlinked{Files: files("f:b1 b2")}, true},
		"the second of two after it":    {[]Checkpoint{of("A", "f:a1 a2"), of("B:A", "f:b1 b2"), of("C:A", "f:c1 c2")}, Unlinked{Files: files("f:c1 c2")}, false},
		"another branch's":              {[]Checkpoint{of("A", "f:a1 a2"), of("B", "f:b1 b2")}, Unlinked{Files: files("f:b1 b2")}, false},
	} {
		r := newRelinking(c.checkpoints, []Unlinked{c.commit})
		if got := r.hasLast("f", 0, r.line(0), 0); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestJoins: a checkpoint joins the commit of its branch that accounts for all of its files.
func TestJoins(t *testing.T) {
	checkpoints := branchOf("A", "B:A", "C:B")
	checkpoints[0].Files = files("f:a1 a2 a3 a4", "g:b1 b2")
	checkpoints[1].Files, checkpoints[2].Files = files("f:c1"), files("g:d1")
	commits := []Unlinked{{Commit: "1", When: 100, Files: files("f:a1 a2 a3", "h:x")}, {Commit: "2", When: 100, Files: files("f:a1 a2 a3", "g:b1")}}
	for name, c := range map[string]struct {
		of   []int // the commits of B and C
		made int64
		want int
	}{
		"one has all files":      {[]int{0, 1}, 0, 1},
		"it has one of two":      {[]int{0, 0}, 0, -1},
		"none is found anywhere": {[]int{-1, -1}, 0, -1},
		"it has all, the first":  {[]int{1, 0}, 0, 1},
		"it is older":            {[]int{1, 1}, 100000, -1},
	} {
		checkpoints[0].Made = c.made
		r := newRelinking(checkpoints, commits)
		r.of = append([]int{-1}, c.of...)
		if got := r.joins(0); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestJoin: what is found in a commit, or linked, joins no other one; what joins takes its lines.
func TestJoin(t *testing.T) {
	for name, c := range map[string]struct {
		first  int // the commit in which the first checkpoint is found
		linked bool
		files  []File // of the first one
		want   int
	}{
		"it joins its branch":       {-1, false, files("f:a1 a2"), 1},
		"it is in the first commit": {0, false, files("f:a1 a2"), 0},
		"the history has it":        {-1, true, files("f:a1 a2"), -1},
		"it has no file":            {-1, false, nil, -1},
		"a part of it is there":     {-1, false, files("f:a1 a3"), 1},
		"a small part of it":        {-1, false, files("f:a1 a3 a4"), -1},
		"a file is nowhere":         {-1, false, files("f:a1 a2", "h:c1"), -1},
	} {
		checkpoints := branchOf("A", "B:A")
		checkpoints[0].Files, checkpoints[0].Linked, checkpoints[1].Files = c.files, c.linked, files("g:b1")
		r := newRelinking(checkpoints, []Unlinked{{Files: files("f:a1 a2")}, {Files: files("f:a1 a2", "g:b1")}})
		r.of = []int{c.first, 1}
		if r.join(); !slices.Equal(r.of, []int{c.want, 1}) {
			t.Errorf("%s: %v, want it in %d", name, r.of, c.want)
		}
		if m := r.measure(0, 1); c.want == 1 && m.evident() {
			t.Errorf("%s: its lines are evidence again: %+v", name, m)
		}
	}
}

// TestBringBack: which commits have all of a linked checkpoint again.
func TestBringBack(t *testing.T) {
	for name, c := range map[string]struct {
		checkpoint string
		commit     string
		had        string // lines that the commit's files had before
		want       bool
	}{
		"three lines":               {"f:a1 a2 a3", "f:a1 a2 a3", "f:", true},
		"two lines":                 {"f:a1 a2", "f:a1 a2", "f:", false},
		"two lines and braces":      {"f:a1 a2 { }", "f:a1 a2 { }", "f:", false},
		"not all of them":           {"f:a1 a2 a3", "f:a1 a2 x", "f:", false},
		"99 of 100":                 {"f:" + numbered("a", 100), "f:x " + numbered("a", 99), "f:", true},
		"98 of 100":                 {"f:" + numbered("a", 100), "f:x y " + numbered("a", 98), "f:", false},
		"half of it stood there":    {"f:a1 a2 a3 a4", "f:a1 a2 a3 a4", "f:a1 a2", true},
		"more of it stood there":    {"f:a1 a2 a3 a4 a5", "f:a1 a2 a3 a4 a5", "f:a1 a2 a3", false},
		"three are new":             {"f:a1 a2 a3 a4 a5 a6 a7", "f:a1 a2 a3 a4 a5 a6 a7", "f:a1 a2 a3 a4", true},
		"all of it stood there":     {"f:a1 a2 a3", "f:a1 a2 a3", "f:a1 a2 a3", false},
		"in a file of another name": {"f:a1 a2 a3", "+h:a1 a2 a3", "f:", true},
	} {
		commit := removing(Unlinked{Files: files(c.commit)}, c.had)
		r := newRelinking([]Checkpoint{{ID: "A", Files: files(c.checkpoint), Linked: true}}, []Unlinked{commit})
		r.bringBack(r.candidates())
		if _, got := r.again[0][0]; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestNewLines: what a commit brings, and neither moves nor copies.
func TestNewLines(t *testing.T) {
	checkpoint := Checkpoint{ID: "A", Files: files("f:a1 a2 a3 }")}
	for name, c := range map[string]struct {
		commit Unlinked
		want   int
	}{
		"all are new":                   {Unlinked{Files: files("f:a1 a2 a3 }")}, 3},
		"one stood there":               {removing(Unlinked{Files: files("f:a1 a2 a3")}, "f:a1"), 2},
		"renamed":                       {Unlinked{Files: files("+h:a1 a2 a3")}, 3},
		"renamed, and not known":        {keeping(Unlinked{Files: files("+h:a1 a2 a3")}, "x"), 3},
		"a copy of the file":            {keeping(Unlinked{Files: files("+h:a1 a2 a3")}, "f"), 0},
		"the file itself, which it has": {keeping(Unlinked{Files: files("f:a1 a2 a3")}, "f"), 3},
	} {
		r := newRelinking([]Checkpoint{checkpoint}, []Unlinked{c.commit})
		if got := r.newLines(0, 0); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestFoundOrder: what is found in a commit is listed in the order in which it was made, and what
// was made at one time in that of its branch.
func TestFoundOrder(t *testing.T) {
	checkpoints := branchOf("late", "second:first", "first", "third:second")
	checkpoints[0].Made = 2
	r := newRelinking(checkpoints, []Unlinked{{Commit: "1"}, {Commit: "2"}})
	r.of = []int{0, 0, -1, 0}
	r.again[2] = map[int]measured{0: {score: 0.5}}
	var got []string
	for _, f := range r.found()[0] {
		got = append(got, f.ID)
	}
	if want := []string{"first", "second", "third", "late"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if other := r.found()[1]; len(other) != 0 {
		t.Errorf("in the other commit: %v", other)
	}
}

// TestPrecedes: a commit that is older than a checkpoint's work holds none of it.
func TestPrecedes(t *testing.T) {
	for name, c := range map[string]struct {
		checkpoint Checkpoint
		when       int64
		want       bool
	}{
		"newer":                         {Checkpoint{Made: 1000}, 2000, false},
		"older by minutes":              {Checkpoint{Made: 1000}, 1000 - MostSkew, false},
		"older by more":                 {Checkpoint{Made: 1000}, 999 - MostSkew, true},
		"since its turn began":          {Checkpoint{Made: 9000, Began: 1000}, 1000 - MostSkew, false},
		"before its turn began":         {Checkpoint{Made: 9000, Began: 1000}, 999 - MostSkew, true},
		"a turn that began later":       {Checkpoint{Made: 1000, Began: 9000}, 1000, false},
		"a turn at the same time":       {Checkpoint{Made: 1000, Began: 1000}, 1000 - MostSkew, false},
		"so, and before it":             {Checkpoint{Made: 1000, Began: 1000}, 999 - MostSkew, true},
		"no turn is known":              {Checkpoint{Made: 1000, Began: 0}, 999 - MostSkew, true},
		"before a turn that is later":   {Checkpoint{Made: 1000, Began: 9000}, 999 - MostSkew, true},
		"in the history of its commits": {Checkpoint{Older: map[gitexec.OID]bool{"c": true}}, 2000, true},
		"its commits follow it":         {Checkpoint{After: []gitexec.OID{"b", "c"}}, 2000, true},
		"they follow others":            {Checkpoint{After: []gitexec.OID{"b"}, Older: map[gitexec.OID]bool{"a": true}}, 2000, false},
	} {
		if got := c.checkpoint.Precedes("c", c.when); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestJoinOnce: of two checkpoints of a branch that join a commit for the same line the first does.
func TestJoinOnce(t *testing.T) {
	checkpoints := branchOf("A", "B:A", "C:B")
	for i, lines := range []string{"f:a1", "f:a1", "g:b1"} {
		checkpoints[i].Files = files(lines)
	}
	r := newRelinking(checkpoints, []Unlinked{{Files: files("f:a1", "g:b1")}})
	r.of = []int{-1, -1, 0}
	if r.join(); !slices.Equal(r.of, []int{0, -1, 0}) {
		t.Errorf("%v", r.of)
	}
}

// TestJoinsEvident: a commit that a checkpoint joins has a line of it, not only what the branch made
// of its files.
func TestJoinsEvident(t *testing.T) {
	checkpoints := branchOf("A", "B:A", "C:B")
	for i, lines := range []string{"f:a1 a2", "f:b1 b2", "g:c1"} {
		checkpoints[i].Files = files(lines)
	}
	r := newRelinking(checkpoints, []Unlinked{{Files: files("f:b1 b2")}, {Files: files("f:a1 a2", "g:c1")}})
	if r.of = []int{-1, 0, 1}; r.joins(0) != 1 {
		t.Errorf("it joins %d", r.joins(0))
	}
}

// TestBringBackAgain: what is found once is in another commit, or two, if all of it is there again;
// in its own it is found once.
func TestBringBackAgain(t *testing.T) {
	lines := "f:a1 a2 a3"
	commits := []Unlinked{{When: 1, Files: files(lines + " a1 a2 a3")}, {When: 2, Files: files(lines)}, {When: 3, Files: files(lines)}}
	for i, found := range Relink([]Checkpoint{{ID: "A", Files: files(lines)}}, commits) {
		if len(found) != 1 {
			t.Errorf("commit %d: %v", i, found)
		}
	}
}
