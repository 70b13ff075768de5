package commits

import (
	"slices"
	"strings"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
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
