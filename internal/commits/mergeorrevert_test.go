package commits

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
)

// TestSides: what git puts the commit in progress together of, beside HEAD.
func TestSides(t *testing.T) {
	p := newPlayground(t)
	first := p.commit("First", nil)
	second := p.commit("Second", nil)
	run := p.run()
	a, b := string(id("a")), string(id("b"))
	for name, c := range map[string]struct {
		texts map[string]string
		want  []gitexec.OID
	}{
		"nothing":       {nil, nil},
		"a merge":       {map[string]string{"MERGE_HEAD": a + "\n"}, []gitexec.OID{id("a")}},
		"an octopus":    {map[string]string{"MERGE_HEAD": a + "\n" + b + "\n"}, []gitexec.OID{id("a"), id("b")}},
		"a squash":      {map[string]string{"SQUASH_MSG": "commit " + b + "\n\ncommit " + a + "\n"}, []gitexec.OID{id("b")}},
		"a cherry-pick": {map[string]string{"CHERRY_PICK_HEAD": a + "\n"}, []gitexec.OID{id("a")}},
		"a rebase":      {map[string]string{"rebase-merge/head-name": "refs/heads/x\n", "REBASE_HEAD": a + "\n"}, []gitexec.OID{id("a")}},
		"a revert":      {map[string]string{"REVERT_HEAD": string(second) + "\n"}, []gitexec.OID{second, first}},
		"of the first":  {map[string]string{"REVERT_HEAD": string(first) + "\n"}, []gitexec.OID{first}},
	} {
		fake := fakeRun(t, c.texts)
		if got, err := sides(fake.Repo, run.DB); !slices.Equal(got, c.want) || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := sides(fakeRun(t, map[string]string{"REVERT_HEAD": a + "\n"}).Repo, run.DB); err == nil {
		t.Error("a missing commit was reverted")
	}
}

// TestWithoutSides: of a merge its checkpoint is about what neither side has; of another commit
// only the comparison is.
func TestWithoutSides(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", nil)
	p.git("checkout", "-q", "-b", "side")
	side := p.commit("Side", map[string]string{"side": "a line of the side\n"})
	p.git("checkout", "-q", "main")
	p.commit("Main", map[string]string{"main": "a line of the main branch\n"})
	p.git("merge", "-q", "--no-commit", "side")
	p.commit("Merge", map[string]string{"fresh": "a line that is in neither of them\n"})
	run := p.run()
	head, parent, err := withParent(run.DB, run.Head.ID)
	if err != nil {
		t.Fatal(err)
	}
	all, err := run.DB.DiffTrees(parent, head.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		parents []gitexec.OID
		changes string
	}{
		"a merge":       {head.Parents, "fresh"},
		"a cherry-pick": {head.Parents[:1], "fresh side"},
	} {
		commit := linkedCommit{Head: head, ParentTree: parent, Changes: all, sides: []gitexec.OID{side}}
		commit.Head.Parents = c.parents
		judged, err := withoutSides(run.DB, &commit)
		if changedPaths(judged) != "fresh" || changedPaths(commit.Changes) != c.changes || err != nil {
			t.Errorf("%s: %q, %q, %v", name, changedPaths(judged), changedPaths(commit.Changes), err)
		}
		since, err := run.DB.DiffTrees(commit.ParentTree, head.Tree)
		if changedPaths(since) != c.changes || err != nil {
			t.Errorf("%s: since the parent's tree %q, %v", name, changedPaths(since), err)
		}
	}
}

// TestLinkFreshOfNothing: a merge without sessions, or that git makes by itself, gets no new link.
func TestLinkFreshOfNothing(t *testing.T) {
	run := fakeRun(t, map[string]string{"MERGE_HEAD": string(id("a"))})
	if got, err := linkFresh(t.Context(), run, draft{}); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
