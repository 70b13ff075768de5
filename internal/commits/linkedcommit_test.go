package commits

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/suffix"
)

const ownRef = "01JD3Y7Z8Q9WERTY0123456789" // another program's link: nothing can be added to its checkpoint

// TestLinkToFill: the pending link is filled once, a link without a checkpoint always.
func TestLinkToFill(t *testing.T) {
	work := PendingLink{ID: "2", Sessions: []string{"s"}}
	for name, c := range map[string]struct {
		links, held string
		pending     PendingLink
		want        string
	}{
		"the pending one":                     {"1 2 3", "", work, "2"},
		"it has a checkpoint":                 {"2", "2", work, ""},
		"it has, and another hasn't":          {"1 2", "2", work, "1"},
		"of an amended commit":                {"1 2", "1 2", PendingLink{ID: "2"}, "2"},
		"of an amend, and one without":        {"1 2 3", "2 3", PendingLink{ID: "2"}, "2"},
		"the first without a checkpoint":      {"1 2 3", "1", PendingLink{}, "2"},
		"all have one":                        {"1 2", "1 2", PendingLink{}, ""},
		"the pending one is of another":       {"1", "1", work, ""},
		"another program's":                   {ownRef, "", PendingLink{}, ""},
		"another program's, and ours":         {ownRef + " 1", "", PendingLink{}, "1"},
		"pending, though another is earlier":  {"1 2", "", work, "2"},
		"none":                                {"", "", work, ""},
		"pending, and not among the commit's": {"1", "", work, "1"},
	} {
		held := map[string]bool{}
		for _, link := range strings.Fields(c.held) {
			held[link] = true
		}
		if got := linkToFill(strings.Fields(c.links), held, c.pending); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestKeepsLinks: a commit keeps the links of what it replaces if it makes the same change, and no
// session has work in it.
func TestKeepsLinks(t *testing.T) {
	matches := []condense.Matched{{}}
	for name, c := range map[string]struct {
		commit linkedCommit
		want   bool
	}{
		"the same change":       {linkedCommit{plan: lineage.Plan{Same: true}}, true},
		"another change":        {linkedCommit{}, false},
		"the same, and a match": {linkedCommit{plan: lineage.Plan{Same: true}, matches: matches}, false},
	} {
		if got := c.commit.keepsLinks(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestPaths: a commit's files, and those of the sessions' that are not in the worktree, are named
// to git, unless they are too many.
func TestPaths(t *testing.T) {
	numbered := func(format string, n int) (list []gitexec.Change) {
		for i := range n {
			list = append(list, gitexec.Change{Path: gitexec.Path(fmt.Sprintf(format, i))})
		}
		return list
	}
	work := func(oldNames string, changed ...string) condense.Work {
		w := condense.Work{OldNames: pathList(oldNames)}
		for _, path := range changed {
			w.Changes = append(w.Changes, suffix.Change{Path: gitexec.Path(path)})
		}
		return w
	}
	long := strings.Repeat("x", longestPaths/2-2)
	for name, c := range map[string]struct {
		commit linkedCommit
		want   string // or the number of paths
	}{
		"its own":                        {linkedCommit{Changes: changes("b", "a")}, "b a"},
		"each once":                      {linkedCommit{Changes: changes("a"), works: []condense.Work{work("a", "gone"), work("", "gone")}}, "a gone"},
		"a session's in the worktree":    {linkedCommit{Changes: changes("a"), works: []condense.Work{work("", "here")}}, "a"},
		"of an old name":                 {linkedCommit{Changes: changes("a"), works: []condense.Work{work("here", "here")}}, "a here"},
		"of an amended commit":           {linkedCommit{Changes: changes("a"), plan: lineage.Plan{From: replaced("amended x")}}, "a"},
		"of a reset one":                 {linkedCommit{Changes: changes("a"), plan: lineage.Plan{From: replaced("amended x", "reset y")}}, "0"},
		"none":                           {linkedCommit{}, "0"},
		"as many as may be":              {linkedCommit{Changes: numbered("f%d", mostPaths)}, "200"},
		"one more":                       {linkedCommit{Changes: numbered("f%d", mostPaths+1)}, "0"},
		"one more of a session's":        {linkedCommit{Changes: numbered("f%d", mostPaths), works: []condense.Work{work("old")}}, "0"},
		"as long as they may be":         {linkedCommit{Changes: numbered(long+"%02d", 2)}, "2"},
		"longer":                         {linkedCommit{Changes: numbered(long+"%03d", 2)}, "0"},
		"a session's make them too long": {linkedCommit{Changes: numbered(long+"%02d", 2), works: []condense.Work{work("x"), work("")}}, "0"},
	} {
		got := paths(c.commit, func(path gitexec.Path) bool { return path == "gone" })
		var names []string
		for _, path := range got {
			names = append(names, string(path))
		}
		if text := strings.Join(names, " "); text != c.want && fmt.Sprint(len(got)) != c.want {
			t.Errorf("%s: %d paths, want %q", name, len(got), c.want)
		}
	}
}

// TestManyFiles: it pays from 31 files of one session on.
func TestManyFiles(t *testing.T) {
	with := func(n int) *session.State {
		return &session.State{Place: session.Place{FilesTouched: make([]gitexec.Path, n)}}
	}
	for n, want := range map[int]bool{0: false, 30: false, 31: true} {
		if got := manyFiles([]*session.State{with(1), with(n)}); got != want {
			t.Errorf("%d: %t", n, got)
		}
	}
}

// TestAmendedTree: the tree that an amend began from; empty where git has pruned it.
func TestAmendedTree(t *testing.T) {
	p := newPlayground(t)
	first := p.commit("First", map[string]string{"f": "1\n"})
	run := p.run()
	for name, c := range map[string]struct {
		pending PendingLink
		want    gitexec.OID
	}{
		"an amend":  {PendingLink{Head: first, Amends: true}, run.Head.Tree},
		"no amend":  {PendingLink{Head: first}, ""},
		"no commit": {PendingLink{Head: gitexec.SHA1.Zero(), Amends: true}, ""},
		"pruned":    {PendingLink{Head: gitexec.OID(strings.Repeat("1", 40)), Amends: true}, ""},
	} {
		if got, err := amendedTree(run.DB, c.pending); got != c.want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestDecideReplayed: a commit that git replays is compared with no session's work, and takes the
// links of what it replaces.
func TestDecideReplayed(t *testing.T) {
	p := newPlayground(t)
	base := p.commit("Base", nil)
	old := p.commit("Work\n\nEntire-Checkpoint: 000000000001", map[string]string{"f": "1\n"})
	p.git("checkout", "-q", "-b", "side", string(base))
	picked := p.commit("Work\n\nEntire-Checkpoint: 000000000001", map[string]string{"f": "1\n", "g": "2\n"})
	run := p.run()
	head, parent, err := withParent(run.DB, picked)
	if err != nil {
		t.Fatal(err)
	}
	c := linkedCommit{Head: head, ParentTree: parent, Result: Result{ID: "000000000001", Links: []string{"000000000001"}}}
	c.Pending = PendingLink{ID: "000000000001", Head: base, Replaces: []lineage.Predecessor{{Commit: old, By: lineage.Picked}}}
	if err := c.compare(t.Context(), run); err != nil || c.Outcome != undecided {
		t.Fatal(c.Outcome, err)
	}
	want := []lineage.Move{{Link: "000000000001", From: old, Stays: true}}
	if !slices.Equal(c.plan.Move, want) || c.plan.Same || len(c.matches) > 0 {
		t.Errorf("%+v", c.plan)
	}
}
