package commits

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/idle"
	"entire-plumb/internal/journal"
)

// TestReadCommit: what is not here, and what is no commit, is not there.
func TestReadCommit(t *testing.T) {
	p := newPlayground(t)
	first := p.commit("First", map[string]string{"f": "1\n"})
	run := p.run()
	for name, c := range map[string]struct {
		id   gitexec.OID
		want bool
	}{
		"a commit": {first, true}, "a tree": {run.Head.Tree, false}, "missing": {id("1"), false}, "none": {"", false}, "zeros": {gitexec.SHA1.Zero(), false},
	} {
		got, there, err := readCommit(run.DB, c.id)
		if there != c.want || err != nil || there && (got.ID != first || got.Tree != run.Head.Tree) {
			t.Errorf("%s: %+v, %t, %v", name, got, there, err)
		}
	}
}

// TestWithParent: a root commit's parent is the empty tree.
func TestWithParent(t *testing.T) {
	p := newPlayground(t)
	first := p.commit("First", map[string]string{"f": "1\n"})
	second := p.commit("Second", map[string]string{"f": "2\n"})
	run := p.run()
	root := p.read(run, first)
	if got, tree, err := withParent(run.DB, first); got.ID != first || tree != gitexec.SHA1.EmptyTree() || err != nil {
		t.Errorf("%s, %s, %v", got.ID, tree, err)
	}
	if got, tree, err := withParent(run.DB, second); got.ID != second || tree != root.Tree || err != nil {
		t.Errorf("%s, %s, %v", got.ID, tree, err)
	}
	if got := ParentOf(run.Repo, root); got != gitexec.SHA1.Zero() {
		t.Errorf("of a root commit: %s", got)
	}
	if got := ParentOf(run.Repo, gitexec.Commit{Parents: oids("a b")}); got != "a" {
		t.Errorf("of a merge: %s", got)
	}
}

// TestRememberUnlinked: a commit without a link was decided about, unless git replayed it.
func TestRememberUnlinked(t *testing.T) {
	for outcome, want := range map[Outcome]bool{NoLink: true, NoLinkReplayed: false} {
		run := fakeRun(t, nil)
		if err := rememberUnlinked(run, gitexec.Commit{ID: id("a")}, "", outcome); err != nil {
			t.Fatal(err)
		}
		if _, got := decided.Open(run.Repo.SharedDir()).Links(id("a")); got != want {
			t.Errorf("%s: %t", Result{Outcome: outcome}, got)
		}
	}
}

// TestPostCommitUnlinked: what is said of a commit without a link, and that HEAD was seen there.
func TestPostCommitUnlinked(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want journal.Kind
	}{
		"a commit": {"Work", journal.Unlinked},
		"a revert": {"Revert \"Work\"", journal.UnlinkedReplayed},
	} {
		p := newPlayground(t)
		first := p.commit("First", nil)
		second := p.commit(c.text, nil)
		run := p.run()
		addTo(t, run, PendingLink{ID: "000000000001", Head: first})
		idle.Prepared(run.Repo.PrivateDir(), first)
		if err := (SeenHead{}).Write(run.Repo.PrivateDir(), first); err != nil {
			t.Fatal(err)
		}
		got, err := PostCommit(t.Context(), run)
		if got != c.want.String() || run.Entry.Kind != c.want || err != nil {
			t.Errorf("%s: %q, %q, %v", name, got, run.Entry.Kind, err)
		}
		if queue := ReadPending(run.Repo.PrivateDir()); len(queue) != 0 {
			t.Errorf("%s: it is still pending: %+v", name, queue)
		}
		if seen := ReadSeenHead(run.Repo.PrivateDir()); seen.Head != second {
			t.Errorf("%s: seen at %s", name, seen.Head)
		}
		if record := readHeadRecord(run.Repo.PrivateDir()); record.Declined != second {
			t.Errorf("%s: %+v", name, record)
		}
	}
}

// TestPostCommitUnprepared: a link that prepare-commit-msg did not come to write is not one that the
// user removed.
func TestPostCommitUnprepared(t *testing.T) {
	p := newPlayground(t)
	first := p.commit("First", nil)
	p.commit("Second", nil)
	run := p.run()
	addTo(t, run, PendingLink{ID: "000000000001", Head: first})
	_, err := PostCommit(t.Context(), run)
	if queue, record := ReadPending(run.Repo.PrivateDir()), readHeadRecord(run.Repo.PrivateDir()); len(queue) != 0 || record.Declined != "" || err != nil {
		t.Errorf("%+v, %+v, %v", queue, record, err)
	}
}

// TestPostCommitInMerge: while git makes commits of others, a pending link that is not of such a
// commit stays.
func TestPostCommitInMerge(t *testing.T) {
	for name, c := range map[string]struct {
		pending PendingLink
		merge   bool
		want    int
	}{
		"an own commit":           {PendingLink{}, false, 0},
		"another's link":          {PendingLink{}, true, 1},
		"of a picked one":         {PendingLink{Replaces: replaced("picked " + string(id("1")))}, true, 0},
		"of what is put together": {PendingLink{Sides: []gitexec.OID{id("1")}}, true, 0},
	} {
		p := newPlayground(t)
		c.pending.ID, c.pending.Head = "000000000001", p.commit("First", nil)
		p.commit("Second", nil)
		if c.merge {
			files(t, p.dir, map[string]string{".git/MERGE_HEAD": ""})
		}
		run := p.run()
		if err := writePrivate(pendingFile(run.Repo.PrivateDir()), []PendingLink{c.pending}); err != nil {
			t.Fatal(err)
		}
		_, err := PostCommit(t.Context(), run)
		if queue := ReadPending(run.Repo.PrivateDir()); len(queue) != c.want || err != nil {
			t.Errorf("%s: %+v, %v", name, queue, err)
		}
	}
}

// TestReplays: git's files say that it makes the commit of others, or its subject does.
func TestReplays(t *testing.T) {
	for name, c := range map[string]struct {
		texts map[string]string
		text  string
		want  bool
	}{
		"a commit":       {nil, "Work\n", false},
		"a revert":       {nil, "Revert \"Work\"\n", true},
		"a revert of it": {nil, "Reapply \"Work\"\n", true},
		"a rebase":       {map[string]string{"rebase-apply/head-name": ""}, "Work\n", true},
		"a cherry-pick":  {map[string]string{"CHERRY_PICK_HEAD": ""}, "Work\n", true},
	} {
		if got := replays(fakeRun(t, c.texts).Repo, gitexec.Commit{Message: []byte(c.text)}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWarnOver names three checkpoints at most.
func TestWarnOver(t *testing.T) {
	for ids, want := range map[string]string{
		"1 2 3":   "with 3 checkpoints, which list more lines than are read: 1, 2, 3\n",
		"1 2 3 4": "with 4 checkpoints, which list more lines than are read: 1, 2, 3, …\n",
	} {
		run := fakeRun(t, nil)
		warnOver(run, strings.Fields(ids))
		run.PrintWarnings()
		if said := run.Stderr.(*strings.Builder).String(); !strings.HasSuffix(said, want) {
			t.Errorf("%q", said)
		}
	}
}

// TestRememberMerge: a merge that git made here was made here; one that was pulled came from
// elsewhere.
func TestRememberMerge(t *testing.T) {
	p := newPlayground(t)
	p.commit("Base", nil)
	p.git("checkout", "-q", "-b", "side")
	p.commit("Side", nil)
	p.git("checkout", "-q", "main")
	p.commit("Main", nil)
	p.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
	run := p.run()
	wasMade := func() bool {
		return strings.Contains(string(decidedText(t, run.Repo.SharedDir(), run.Head.ID)), "made "+string(run.Head.ID))
	}
	if wasMade() {
		t.Error("before")
	}
	rememberMerge(t.Context(), run)
	if !wasMade() {
		t.Error("a merge is not remembered")
	}
	merge := run.Head.ID
	p.git("checkout", "-q", "-b", "behind", "main~1")
	p.git("merge", "-q", "--ff-only", string(merge))
	p.git("update-ref", "-d", "refs/heads/main")
	run = p.run()
	run.Repo.CommonDir = t.TempDir() // another record
	if rememberMerge(t.Context(), run); wasMade() {
		t.Error("a fast-forward is remembered")
	}
}

// TestSessionNamed: a session by its ID, or by the beginning of its ID alone.
func TestSessionNamed(t *testing.T) {
	run := fakeRun(t, nil)
	save(t, run, active("abc1"), active("abd2"), active("ab"))
	for name, want := range map[string]string{"abc1": "abc1", "abc": "abc1", "ab": "ab", "abd": "abd2", "a": "", "x": "", "": ""} {
		s, err := SessionNamed(run.Repo, run.Store, name)
		if (err == nil) != (want != "") || err == nil && s.SessionID != want {
			t.Errorf("%q: %+v, %v", name, s, err)
		}
	}
}

// TestJournaled: a hook has written to the journal.
func TestJournaled(t *testing.T) {
	dir := t.TempDir()
	if journaled(dir) {
		t.Error("before")
	}
	if journal.Append(dir, journal.Entry{}); !journaled(dir) {
		t.Error("after")
	}
}
