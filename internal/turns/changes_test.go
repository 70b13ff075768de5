package turns

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/testdir"
)

func TestWhatATurnChanged(t *testing.T) {
	for fact, test := range map[string]struct {
		do   func(w *world)
		want []gitexec.Path
	}{
		"nothing":                    {func(*world) {}, nil},
		"a new file":                 {func(w *world) { w.Write("a.txt", "1\n") }, []gitexec.Path{"a.txt"}},
		"a deleted file":             {func(w *world) { w.Git("rm", "-q", "base.txt") }, []gitexec.Path{"base.txt"}},
		"a file of the human's, too": {func(w *world) { w.Write("human.txt", "2\n") }, []gitexec.Path{"human.txt"}},
		"all is committed":           {func(w *world) { w.Write("a.txt", "1\n"); w.Commit("Second") }, nil},
		"more after a commit":        {func(w *world) { w.Write("a.txt", "1\n"); w.Commit("Second"); w.Write("a.txt", "2\n") }, []gitexec.Path{"a.txt"}},
		"a commit that was undone": {func(w *world) { w.Write("a.txt", "1\n"); w.Commit("Second"); w.Git("reset", "-q", "HEAD^") },
			[]gitexec.Path{"a.txt"}},
		"a committed change that was undone": {func(w *world) { w.Write("base.txt", "2\n"); w.Commit("Second"); w.Write("base.txt", "base\n") },
			[]gitexec.Path{"base.txt"}},
		"another branch": {func(w *world) { w.Git("switch", "-q", "other") }, nil},
	} {
		w := newWorld(t)
		w.Git("switch", "-qc", "other")
		w.Write("other.txt", "other\n")
		w.Commit("Other")
		w.Git("switch", "-q", "main")
		w.Write("human.txt", "1\n")
		w.start("one")
		test.do(w)
		got := w.changes("one")
		if !slices.Equal(got.touched, test.want) || !got.startKnown {
			t.Errorf("%s: %q, want %q; its start is known: %v", fact, got.touched, test.want, got.startKnown)
		}
	}
}

// Where the snapshot of the turn's start was pruned, all uncommitted changes count as the turn's.
func TestAPrunedStartIsNotKnown(t *testing.T) {
	w := newWorld(t)
	w.Write("human.txt", "1\n")
	w.start("one")
	s := w.state("one")
	s.StartsAt(gitexec.OID(strings.Repeat("1", 40)), s.TurnStartCommit, "")
	testdir.Must(t, w.run().Store.Save(s))
	if got := w.changes("one"); !slices.Equal(got.touched, []gitexec.Path{"human.txt"}) || got.startKnown {
		t.Errorf("%q, its start is known: %v", got.touched, got.startKnown)
	}
}

func TestInFiles(t *testing.T) {
	w := newWorld(t)
	w.start("one")
	w.Write("a.txt", "1\n")
	w.Write("b.txt", "1\n")
	w.Write("base.txt", "2\n")
	whole, run := w.changes("one"), w.run()
	got, err := inFiles(run.DB, whole, []gitexec.Path{"a.txt", "base.txt"})
	if err != nil || !slices.Equal(got.touched, []gitexec.Path{"a.txt", "base.txt"}) {
		t.Fatalf("%q, %v", got.touched, err)
	}
	diff, err := run.DB.DiffTrees(got.before, got.snap.Tree)
	if err != nil || len(diff) != 2 || diff[0].Path != "a.txt" || diff[1].Path != "base.txt" {
		t.Errorf("between its trees: %v, %v", diff, err)
	}
}

// Only where a turn ends in a commit may another turn's have moved HEAD just before.
func TestCurrentHead(t *testing.T) {
	w := newWorld(t)
	run := w.run()
	moved := w.Commit("Second")
	for strategy, want := range map[string]gitexec.OID{settings.AutoCommit: moved, settings.ManualCommit: run.Head.ID} {
		got, err := currentHead(run.DB, run.Head, strategy)
		if err != nil || got.ID != want {
			t.Errorf("%s: %s, want %s, %v", strategy, got.ID, want, err)
		}
	}
	unborn := gitexec.Head{ID: run.Repo.Format.Zero()}
	if got, err := currentHead(run.DB, unborn, settings.AutoCommit); err != nil || got != unborn {
		t.Errorf("before the first commit: %+v, %v", got, err)
	}
}

func TestReachedFrom(t *testing.T) {
	w := newWorld(t)
	first := gitexec.OID(w.Git("rev-parse", "HEAD"))
	w.Git("switch", "-qc", "side")
	side := w.Commit("Side")
	w.Git("switch", "-q", "main")
	w.Commit("Second")
	for from, want := range map[gitexec.OID]bool{first: true, side: false, gitexec.OID(w.Git("rev-parse", "HEAD")): true} {
		if got, err := reachedFrom(w.run(), from); err != nil || got != want {
			t.Errorf("from %s: %v, %v", from, got, err)
		}
	}
}

func TestStashed(t *testing.T) {
	dir := t.TempDir()
	if got := stashed(&gitexec.Repo{CommonDir: dir}); got != nil {
		t.Errorf("without a stash: %q", got)
	}
	testdir.Must(t, os.MkdirAll(filepath.Join(dir, "logs", "refs"), 0o755))
	id := func(digit string) string { return strings.Repeat(digit, 40) }
	log := id("0") + " " + id("1") + " A <a> 1 +0000\tWIP\n" + "damaged\n" + id("1") + " " + id("2") + " A <a> 2 +0000\tWIP\n"
	testdir.Must(t, os.WriteFile(filepath.Join(dir, "logs", "refs", "stash"), []byte(log), 0o644))
	if got := stashed(&gitexec.Repo{CommonDir: dir}); !slices.Equal(got, []gitexec.OID{gitexec.OID(id("2")), gitexec.OID(id("1"))}) {
		t.Errorf("%q", got)
	}
}

func TestSessionOfATurn(t *testing.T) {
	w := newWorld(t)
	w.start("one")
	if s := w.state("one"); s.Phase != session.Active || s.FirstPrompt != "Do it" || s.BaseCommit == "" {
		t.Errorf("%+v", s)
	}
	if s, err := knownSession(w.run().Store, "another"); s != nil || err != nil {
		t.Errorf("another: %+v, %v", s, err)
	}
}
