package lineage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// TestDecide: each way to replace commits, as git and the hooks name it.
func TestDecide(t *testing.T) {
	from := func(way Means, commit string, links ...string) Predecessor {
		return Predecessor{Commit: gitexec.OID(commit), By: way, Links: links}
	}
	same := func(p Predecessor) Predecessor { p.Same = true; return p }
	for name, c := range map[string]struct {
		links string
		said  []Predecessor
		from  string // the commits that are followed
		move  string // link<commit
		trim  string
		same  bool
	}{
		"an ordinary commit":                   {"new", nil, "", "", "new", true},
		"an amend":                             {"a", []Predecessor{from(Amended, "A", "a")}, "A", "a<A", "", false},
		"an amend of the message alone":        {"a", []Predecessor{same(from(Amended, "A", "a"))}, "A", "a<A", "", true},
		"an amend with more work":              {"a", []Predecessor{from(Amended, "A", "a")}, "A", "a<A", "", false},
		"what was taken for an amend":          {"a", []Predecessor{from(Amended, "parent", "a")}, "", "", "a", true},
		"an amend of a commit with two links":  {"a b", []Predecessor{from(Amended, "AB", "a", "b")}, "AB", "a<AB b<AB", "", false},
		"an amend that takes a link out":       {"b", []Predecessor{from(Amended, "AB", "a", "b")}, "AB", "b<AB", "", false},
		"reset, and committed again":           {"a", []Predecessor{from(Reset, "A", "a")}, "A", "a<A", "", false},
		"reset, and committed again as it was": {"a", []Predecessor{same(from(Reset, "A", "a"))}, "A", "a<A", "", true},
		"reset, and committed with more":       {"new a", []Predecessor{from(Reset, "A", "a")}, "A", "a<A", "new", false},
		"the second half of a split":           {"new", []Predecessor{from(Reset, "A", "a")}, "A", "", "new", true},
		"several made one by hand":             {"a b", []Predecessor{from(Reset, "A", "a"), from(Reset, "B", "b")}, "A B", "a<A b<B", "", false},
		"a rebase without a conflict":          {"a", []Predecessor{same(from(Rewritten, "A", "a"))}, "A", "a<A", "", true},
		"a rebase with one":                    {"a", []Predecessor{from(Rewritten, "A", "a")}, "A", "a<A", "", false},
		"a squash in a rebase":                 {"a b", []Predecessor{from(Rewritten, "A", "a"), from(Rewritten, "B", "b")}, "A B", "a<A b<B", "", false},
		"a fixup without a link":               {"a", []Predecessor{from(Rewritten, "A", "a"), from(Rewritten, "F")}, "A F", "a<A", "", false},
		"merge --squash":                       {"a b", []Predecessor{from(Squashed, "A", "a"), from(Squashed, "B", "b")}, "A B", "a<A b<B", "", false},
		"a pick with a conflict":               {"a", []Predecessor{from(Picked, "A", "a")}, "A", "a<A", "", false},
		"several, of which one is as it was":   {"a b", []Predecessor{same(from(Reset, "A", "a")), from(Reset, "B", "b")}, "A B", "a<A b<B", "", false},
		"one commit said twice":                {"a b", []Predecessor{from(Reset, "A", "a"), from(Reset, "A", "b")}, "A", "a<A b<A", "", false},
		"one link of two commits":              {"a", []Predecessor{from(Squashed, "A", "a"), from(Squashed, "B", "a")}, "A B", "a<A", "", false},
		"an amend that makes the same commit":  {"a", []Predecessor{same(from(Amended, "new", "a"))}, "new", "a<new", "", true},
		"nothing of ours":                      {"", []Predecessor{from(Amended, "A")}, "A", "", "", true},
	} {
		plan := Decide(gitexec.Commit{ID: "new", Parents: []gitexec.OID{"parent"}}, strings.Fields(c.links), c.said)
		var from, move []string
		for _, p := range plan.From {
			from = append(from, string(p.Commit))
		}
		for _, m := range plan.Move {
			move = append(move, m.Link+"<"+string(m.From))
		}
		got := fmt.Sprintf("from %q, move %q, trim %q, same %v", strings.Join(from, " "), strings.Join(move, " "), strings.Join(plan.Trim, " "), plan.Same)
		want := fmt.Sprintf("from %q, move %q, trim %q, same %v", c.from, c.move, c.trim, c.same)
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
		files := plan.OnlyFiles()
		sorted := slices.Sorted(slices.Values(files.Trim))
		if len(files.From)+len(files.Move) > 0 || !slices.Equal(sorted, slices.Sorted(slices.Values(strings.Fields(c.links)))) {
			t.Errorf("%s: only files: %+v", name, files)
		}
	}
}

// TestStays: the checkpoint of a commit that was picked stays at it.
func TestStays(t *testing.T) {
	for _, means := range []Means{Amended, Picked, Squashed, Rewritten, Dropped, Reset} {
		plan := Decide(gitexec.Commit{ID: "new"}, []string{"a"}, []Predecessor{{Commit: "A", By: means, Links: []string{"a"}}})
		if len(plan.Move) != 1 || plan.Move[0].Stays != (means == Picked) {
			t.Errorf("%s: %+v", means, plan.Move)
		}
	}
}

// TestAny: whether a commit was replaced by one of some means.
func TestAny(t *testing.T) {
	all := []Predecessor{{Commit: "A", By: Amended}, {Commit: "B", By: Reset}}
	for name, c := range map[string]struct {
		all   []Predecessor
		means []Means
		want  bool
	}{
		"the first":      {all, []Means{Amended}, true},
		"the last":       {all, []Means{Reset}, true},
		"one of several": {all, []Means{Picked, Reset}, true},
		"another":        {all, []Means{Picked, Squashed}, false},
		"none is asked":  {all, nil, false},
		"no predecessor": {nil, []Means{Amended}, false},
	} {
		if got := Any(c.all, c.means...); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// lines are texts whose IDs are their lines, divided by slashes.
type lines struct{}

func (lines) Lines(e gitexec.Entry) ([]string, bool, error) {
	switch {
	case !e.Exists() || e.ID == "binary":
		return nil, false, nil
	case e.ID == "lost":
		return nil, false, &gitexec.MissingError{}
	}
	return strings.Split(string(e.ID), "/"), true, nil
}

func file(text string) gitexec.Entry {
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(text)}
}

// TestReplaces: a commit takes the links of those of whose work it does at least half again, and
// each line speaks for one of them.
func TestReplaces(t *testing.T) {
	text := func(numbers ...int) gitexec.Entry {
		all := []string{"base"}
		for _, n := range numbers {
			all = append(all, fmt.Sprintf("the agent's line number %d", n))
		}
		return file(strings.Join(all, "/"))
	}
	did := func(path gitexec.Path, numbers ...int) suffix.Change {
		return suffix.Change{Path: path, Before: text(), After: text(numbers...)}
	}
	was := func(commit string, free bool, changes ...suffix.Change) Candidate {
		return Candidate{Commit: gitexec.OID(commit), Changes: changes, Free: free, Found: true}
	}
	dropped := was("dropped", true, did("f", 1, 2))
	dropped.Dropped = true
	unfound := func(commit string, changes ...suffix.Change) Candidate {
		k := was(commit, true, changes...)
		k.Found = false
		return k
	}
	unlike := was("unlike", true, did("f", 1))
	unlike.Found = false
	for name, c := range map[string]struct {
		commit     []int // the numbers of the lines of f
		claimed    []suffix.Change
		candidates []Candidate
		some, link string
	}{
		"all":                            {[]int{1, 2}, nil, []Candidate{was("A", true, did("f", 1, 2))}, "A", "A"},
		"half":                           {[]int{1}, nil, []Candidate{was("A", true, did("f", 1, 2))}, "A", "A"},
		"less":                           {[]int{1}, nil, []Candidate{was("A", true, did("f", 1, 2, 3))}, "A", ""},
		"a third, the rest is elsewhere": {[]int{1}, nil, []Candidate{was("A", true, did("f", 1), did("g", 2, 3))}, "A", ""},
		"the link is taken":              {[]int{1, 2}, nil, []Candidate{was("A", false, did("f", 1, 2))}, "A", ""},
		"a stream has done it since":     {[]int{1, 2}, []suffix.Change{did("f", 1, 2)}, []Candidate{was("A", true, did("f", 1, 2))}, "", ""},
		"a stream has done half":         {[]int{1, 2}, []suffix.Change{did("f", 1)}, []Candidate{was("A", true, did("f", 1, 2))}, "A", "A"},
		"nothing is found of it":         {[]int{2}, nil, []Candidate{unlike}, "", ""},
		"two that did the same":          {[]int{1, 2}, nil, []Candidate{was("A", true, did("f", 1, 2)), was("B", true, did("f", 1, 2))}, "A", "A"},
		"the one with more comes first":  {[]int{1, 2}, nil, []Candidate{was("A", true, did("f", 1)), was("B", true, did("f", 1, 2))}, "B", "B"},
		"what an amend left out, last":   {[]int{1, 2}, nil, []Candidate{dropped, was("B", true, did("f", 1, 2))}, "B", "B"},
		"two sessions of one commit":     {[]int{1, 2}, nil, []Candidate{was("A", true, did("f", 1, 2)), was("A", true, did("g", 3))}, "A", "A"},
		"so, each with its part":         {[]int{1, 2}, nil, []Candidate{was("A", true, did("f", 1)), was("A", true, did("f", 2))}, "A A", "A A"},
		"so, one whose link is taken":    {[]int{1, 2}, nil, []Candidate{was("A", true, did("f", 1)), was("A", false, did("f", 2))}, "A A", "A"},
		"so, one that is not found":      {[]int{1, 2}, nil, []Candidate{was("A", true, did("f", 1)), unfound("A", did("f", 2))}, "A", "A"},
		"the link is taken, and another": {[]int{1, 2}, nil, []Candidate{was("A", false, did("f", 1, 2)), was("B", true, did("f", 2))}, "A B", "B"},
		"only what is not found is free": {[]int{1, 2}, nil, []Candidate{was("A", false, did("f", 1)), unfound("A", did("f", 2)), was("B", true, did("f", 1))}, "B", "B"},
		"a deletion that it has not":     {[]int{1}, nil, []Candidate{was("A", true, suffix.Change{Path: "g", Before: text()})}, "", ""},
		"streams have done both":         {[]int{1, 2}, []suffix.Change{did("f", 1), did("g", 1)}, []Candidate{was("A", true, did("f", 1))}, "", ""},
		"two, each with its part":        {[]int{1, 2}, nil, []Candidate{was("A", true, did("f", 1)), was("B", true, did("f", 2))}, "A B", "A B"},
	} {
		content := Content{Changes: map[gitexec.Path]gitexec.Change{"f": {Path: "f", Old: text(), New: text(c.commit...)}}, Texts: lines{}}
		for _, change := range c.claimed {
			content.Attribute([]suffix.Change{change})
		}
		shares, err := content.Replaces(c.candidates)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var some, link []string
		for i, s := range shares {
			if s.Some {
				some = append(some, string(c.candidates[i].Commit))
			}
			if s.Link {
				link = append(link, string(c.candidates[i].Commit))
			}
		}
		if strings.Join(some, " ") != c.some || strings.Join(link, " ") != c.link {
			t.Errorf("%s: some %q, link %q; want %q and %q", name, some, link, c.some, c.link)
		}
	}
	content := Content{Changes: map[gitexec.Path]gitexec.Change{"f": {Path: "f", Old: file("lost"), New: text(1)}}, Texts: lines{}}
	if _, err := content.Replaces([]Candidate{was("A", true, did("f", 1))}); err == nil {
		t.Error("a version that is lost is no error")
	}
}

// TestReplacesBrought: the link of a commit that is still in the history is taken with the work of
// all of its sessions only.
func TestReplacesBrought(t *testing.T) {
	did := func(path gitexec.Path, line string) Candidate {
		return Candidate{Commit: "A", Changes: []suffix.Change{{Path: path, Before: file("base"), After: file("base/" + line)}}, Free: true, Found: true, Brought: true}
	}
	replaced := func(k Candidate) Candidate { k.Commit, k.Brought = "B", false; return k }
	for name, c := range map[string]struct {
		commit     map[gitexec.Path]string
		candidates []Candidate
		some, link string
	}{
		"all of both sessions'": {map[gitexec.Path]string{"f": "the first agent's line", "g": "the second agent's line"},
			[]Candidate{did("f", "the first agent's line"), did("g", "the second agent's line")}, "true true", "true true"},
		"one session's, twice": {map[gitexec.Path]string{"f": "the first agent's line"},
			[]Candidate{did("f", "the first agent's line"), did("g", "the second agent's line"), replaced(did("f", "the first agent's line"))}, "false false true", "false false true"},
		"one session's": {map[gitexec.Path]string{"f": "the first agent's line"},
			[]Candidate{did("f", "the first agent's line"), did("g", "the second agent's line")}, "true false", "false false"},
	} {
		content := Content{Changes: map[gitexec.Path]gitexec.Change{}, Texts: lines{}}
		for path, line := range c.commit {
			content.Changes[path] = gitexec.Change{Path: path, Old: file("base"), New: file("base/" + line)}
		}
		shares, err := content.Replaces(c.candidates)
		var some, link []string
		for _, s := range shares {
			some, link = append(some, strconv.FormatBool(s.Some)), append(link, strconv.FormatBool(s.Link))
		}
		if err != nil || strings.Join(some, " ") != c.some || strings.Join(link, " ") != c.link {
			t.Errorf("%s: some %v, link %v, %v", name, some, link, err)
		}
	}
}
