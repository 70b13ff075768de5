package relink

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
)

// What the agents wrote.
const (
	human = "the human wrote zero\n"
	one   = "the agent wrote one of these\nand more of the same kind\nbut not the very same\nsince each of them differs\nas it has words of its own\nfor six lines in all\n"
	two   = "another agent wrote two of them\nwith other words than the first\nwhich are as many\n"
)

// TestSearch: which commits a search compares and links, and which it skips.
func TestSearch(t *testing.T) {
	for name, c := range map[string]struct {
		make     func(*repository)
		want     string
		compared int
	}{
		"a squash of another branch's work": {func(r *repository) { r.commit("Squash", "f", human+one) }, "Squash=" + first, 1},
		"of two checkpoints' work": {func(r *repository) {
			r.checkpoint(second, "g", two, nil)
			r.Must(os.WriteFile(r.Dir+"/g", []byte(two), 0o600))
			r.git("add", "g")
			r.commit("Squash", "f", human+one)
		}, "Squash=" + first + "+" + second, 1},
		"a commit for each checkpoint": {func(r *repository) {
			r.checkpoint(second, "g", two, nil)
			r.commit("Pick", "f", human+one)
			r.commit("Again", "g", two)
		}, "Again=" + second + " Pick=" + first, 2},
		"under another name":            {func(r *repository) { r.commit("Squash", "new", one) }, "Squash=" + first, 1},
		"half of the lines and more":    {func(r *repository) { r.commit("Some", "f", human+one[:strings.LastIndex(one, "for")]) }, "Some=" + first, 1},
		"other lines":                   {func(r *repository) { r.commit("Other", "f", human+two) }, "", 1},
		"a file that is not concerned":  {func(r *repository) { r.commit("Other", "other", "of the human\n") }, "", 1},
		"it has a link":                 {func(r *repository) { r.commit(linking("Linked", second), "f", human+one) }, "", 0},
		"hooks have decided":            {func(r *repository) { r.decided["Hooks"] = true; r.commit("Hooks", "f", human+one) }, "", 0},
		"before the checkpoint's time":  {func(r *repository) { r.now -= 5000; r.commit("Old", "f", human+one) }, "", 0},
		"a clock that differs somewhat": {func(r *repository) { r.now -= 500; r.commit("Clock", "f", human+one) }, "Clock=" + first, 1},
		"it has a link beside it": {func(r *repository) {
			commit := r.commit("Beside", "f", human+one)
			r.sideLink(checkpoints.SideLink{Commit: commit, Checkpoints: []string{second}, How: checkpoints.Content})
		}, "", 0},
		"its link was removed": {func(r *repository) {
			commit := r.commit("Removed", "f", human+one)
			r.sideLink(checkpoints.SideLink{Commit: commit, How: checkpoints.Content, Removed: []checkpoints.Removal{{Checkpoint: first}}})
		}, "", 0},
		"the history links it": {func(r *repository) {
			r.commit(linking("Linked", first), "f", human+one)
			r.commit("Undo", "f", human)
			r.commit("Copy", "g", one)
		}, "", 2},
		"the history links it, beside a commit": {func(r *repository) {
			commit := r.commit("Beside", "f", human+one)
			r.sideLink(checkpoints.SideLink{Commit: commit, Checkpoints: []string{first}, How: checkpoints.Hookless})
			r.commit("Copy", "g", one)
		}, "", 1},
		"a branch that is not merged links it": {func(r *repository) {
			r.git("checkout", "-qb", "work")
			r.commit(linking("Linked", first), "f", human+one)
			r.git("checkout", "-q", "main")
			r.commit("Squash", "f", human+one[:strings.LastIndex(one, "for")])
		}, "Squash=" + first, 1},
		"a branch that is not merged links it, beside a commit": {func(r *repository) {
			r.git("checkout", "-qb", "work")
			commit := r.commit("Beside", "f", human+one)
			r.sideLink(checkpoints.SideLink{Commit: commit, Checkpoints: []string{first}, How: checkpoints.Hookless})
			r.git("checkout", "-q", "main")
			r.commit("Squash", "f", human+one[:strings.LastIndex(one, "for")])
		}, "Squash=" + first, 1},
		"a merge, and what it brings": {func(r *repository) {
			r.git("checkout", "-qb", "work")
			r.commit("Work", "f", human+one)
			r.git("checkout", "-q", "main")
			r.commit("Main", "other", "of the human\n")
			r.now += 60
			r.git("merge", "-qm", "Merge", "work")
		}, "Work=" + first, 2},
		"a merge that changes something": {func(r *repository) {
			r.git("checkout", "-qb", "work")
			r.commit("Work", "other", "of the human\n")
			r.git("checkout", "-q", "main")
			r.now += 60
			r.git("merge", "-q", "--no-ff", "--no-commit", "work")
			r.commit("Merge", "f", human+one)
		}, "", 1},
		"more commits than are read one by one": {func(r *repository) {
			r.commits(near + 2)
			r.commit("Squash", "f", human+one)
		}, "Squash=" + first, near + 3},
		"so many that git compares them": {func(r *repository) {
			r.commits(manyCommits)
			r.commit("Squash", "f", human+one)
		}, "Squash=" + first, manyCommits + 1},
		"lines that were wrapped since": {func(r *repository) {
			r.commit("Wrapped", "f", human+strings.NewReplacer("one of", "one\n    of", "of the", "of\n    the", "very same", "very\n    same", "of them", "of\n    them", "words of", "words\n    of", "six lines", "six\n    lines").Replace(one))
		}, "Wrapped=" + first, 1},
		"the work of a commit that follows it": {func(r *repository) {
			r.commit("Old", "f", human+one)
			next := r.commit("Next", "g", two)
			r.checkpoint(first, "f", one, func(o *checkpoints.OwnedLines) { o.Commit = next })
		}, "", 2},
		"the work of a commit elsewhere, after one that follows it": {func(r *repository) {
			r.commit("Old", "f", human+one)
			next := r.commit("Next", "g", two)
			r.checkpoint(first, "f", one, func(o *checkpoints.OwnedLines) { o.Commit, o.After = id("e"), []gitexec.OID{id("d"), next} })
		}, "", 2},
		"the work of a commit elsewhere": {func(r *repository) {
			before := r.commit("Before", "g", two)
			r.commit("Squash", "f", human+one)
			r.checkpoint(first, "f", one, func(o *checkpoints.OwnedLines) { o.Commit, o.After = id("e"), []gitexec.OID{before} })
		}, "Squash=" + first, 2},
		"a merge of what began on the line": {func(r *repository) {
			r.commit("Begin", "other", "1\n")
			r.git("checkout", "-qb", "work")
			r.commit("Work", "f", human+one)
			r.git("checkout", "-q", "main")
			r.commit("Main", "other", "2\n")
			r.now += 60
			r.git("merge", "-qm", "Merge", "work")
		}, "Work=" + first, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.now += 7200
			r.checkpoint(first, "f", one, nil)
			r.now += 60
			c.make(r)
			r.fetch()
			if got := r.find(); got != c.want || r.compared != c.compared {
				t.Errorf("%q, of %d commits; want %q of %d", got, r.compared, c.want, c.compared)
			}
			if got := r.find(); got != "-" {
				t.Errorf("the next search finds %q", got)
			}
		})
	}
}

// TestNextSearch: what a search remembers for the next one: how far it came, which commits have no
// link, and that there was no checkpoint yet.
func TestNextSearch(t *testing.T) {
	r := newRepository(t)
	step := func(name, want string, compared int) {
		t.Helper()
		if got := r.find(); got != want || r.compared != compared {
			t.Errorf("%s: %q, of %d commits; want %q of %d", name, got, r.compared, want, compared)
		}
	}
	r.now += 7200
	r.commit("Squash", "f", human+one)
	step("no branch", "", 0)
	step("the same", "-", 0)
	r.now -= 60
	r.checkpoint(first, "f", one, nil)
	r.now += 60
	r.fetch()
	step("the first checkpoint arrives", "Squash="+first, 1)
	r.commit("Early", "g", two)
	step("a new commit", "", 1)
	r.checkpoint(second, "g", two, nil)
	r.fetch()
	step("its checkpoint arrives later", "Early="+second, 0)
	step("nothing has changed", "-", 0)

	r.most = 1
	r.commit("One", "other", "1\n")
	r.commit("Two", "other", "2\n")
	step("over the limit", "too much", 0)
	r.most = 2
	step("as many as may be", "", 2)
	if !Compared(r.stateDir(), r.Repo.Head.ID) {
		t.Error("the commit is not compared")
	}
	r.most = 0
	r.git("reset", "-q", "--hard", "HEAD~2")
	step("an earlier tip", "-", 0)
	r.git("reset", "-q", "--hard", "ORIG_HEAD")
	step("back again", "-", 0)
}

// TestDamagedFiles: a search does without what it remembers where that is damaged.
func TestDamagedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		damage   func(r *repository)
		want     string
		compared int
	}{
		"none":      {func(*repository) {}, "-", 0},
		"the state": {func(r *repository) { r.Must(os.WriteFile(stateFile(r.stateDir()), []byte("{"), 0o600)) }, "Squash=" + first, 1},
		"no state":  {func(r *repository) { r.Must(os.Remove(stateFile(r.stateDir()))) }, "Squash=" + first, 1},
		"the index": {func(r *repository) {
			r.Must(os.WriteFile(index.Fingerprints(r.stateDir())+"/manifest", []byte("x"), 0o600))
		}, "-", 0},
		"both": {func(r *repository) { r.Must(os.RemoveAll(r.stateDir())) }, "Squash=" + first, 1},
		"a tip of rubbish": {func(r *repository) {
			r.Must(os.WriteFile(stateFile(r.stateDir()), []byte(`{"tips":["--all"]}`), 0o600))
		}, "Squash=" + first, 1},
		"a tip not there": {func(r *repository) { r.Must(state{Tips: []gitexec.OID{id("e")}}.write(r.stateDir())) }, "Squash=" + first, 2},
		"an open one is no commit": {func(r *repository) {
			r.Must(state{Tips: []gitexec.OID{r.Repo.Head.ID}, Open: []gitexec.OID{id("e"), r.Repo.Head.Tree, r.Repo.Head.ID}}.write(r.stateDir()))
		}, "Squash=" + first, 0},
	} {
		r := newRepository(t)
		r.now += 7200
		r.checkpoint(first, "f", one, nil)
		r.commit("Squash", "f", human+one)
		r.fetch()
		if got := r.find(); got != "Squash="+first {
			t.Fatalf("%q", got)
		}
		c.damage(r)
		if got := r.find(); got != c.want || r.compared != c.compared {
			t.Errorf("%s: %q, of %d commits; want %q of %d", name, got, r.compared, c.want, c.compared)
		}
	}
}

// TestOverLimit: a checkpoint whose lines are over a limit is named once, and not compared.
func TestOverLimit(t *testing.T) {
	r := newRepository(t)
	r.now += 7200
	r.checkpoint(first, "f", strings.Repeat("the agent wrote this line\n", 100_001), nil)
	r.checkpoint(second, "g", two, nil)
	r.commit("Squash", "g", two)
	r.fetch()
	if got := r.find(); got != "Squash="+second || strings.Join(r.over, " ") != first {
		t.Errorf("%q, over the limit %q", got, r.over)
	}
	r.commit("More", "f", human+"the agent wrote this line\n")
	r.checkpoint("ac0000000003", "h", one, nil)
	r.fetch()
	if got := r.find(); got != "" || len(r.over) != 1 {
		t.Errorf("again: %q, over the limit %q", got, r.over)
	}
}

// TestManyCheckpoints: hooks read so many checkpoints at most, and compare nothing before all are
// read; then they, or a command before that, find what a search without a limit finds.
func TestManyCheckpoints(t *testing.T) {
	for name, c := range map[string]struct {
		hooks int // that find too much to do
		most  int // of the search after them
	}{
		"a command alone":        {0, 0},
		"a hook, then a command": {1, 0},
		"three hooks":            {2, 500},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.now += 7200
			r.checkpoint(first, "f", one, nil)
			r.checkpoint(second, "g", two, nil)
			r.commit("Squash", "f", human+one)
			r.commit("Another", "g", two)
			other := gitexec.Entry{Mode: gitexec.ModeTree, ID: r.EditTree("", gitexec.Edits{"metadata.json": r.JSON(map[string]any{})})}
			for i := range 10_000 {
				r.written[gitexec.Path(checkpoints.Dir(fmt.Sprintf("0%d%010x", i%3, i)))] = other
			}
			r.fetch()
			r.most = 500
			for i := range c.hooks {
				asked := r.Repo.ObjectsAsked()
				if got := r.find(); got != "too much" || len(readState(r.stateDir()).Tips) > 0 {
					t.Fatalf("hook %d: %q", i, got)
				}
				if asked = r.Repo.ObjectsAsked() - asked; i == 0 && asked == 0 || asked > 5*4096 {
					t.Errorf("hook %d asks for %d objects", i, asked)
				}
			}
			r.most = c.most
			if got, want := r.find(), "Another="+second+" Squash="+first; got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if got := r.find(); got != "-" {
				t.Errorf("again: %q", got)
			}
		})
	}
}

// TestShallow: a search ends where a shallow clone does.
func TestShallow(t *testing.T) {
	r := newRepository(t)
	r.now += 7200
	r.checkpoint(first, "f", one, nil)
	r.commit("Old", "other", "1\n")
	r.git("checkout", "-qb", "work")
	r.commit("Work", "f", human+one)
	r.git("checkout", "-q", "main")
	r.commit("Main", "other", "2\n")
	r.now += 60
	r.git("merge", "-qm", "Merge", "work")
	r.fetch()
	clone := t.TempDir()
	r.Git("clone", "-q", "--depth=2", "file://"+r.Dir, clone)
	r.Dir = clone
	r.git("fetch", "-q", "origin", "refs/remotes/origin/entire/checkpoints/v1:refs/remotes/origin/entire/checkpoints/v1")
	if got := r.find(); got != "" {
		t.Errorf("%q", got)
	}
	r.commit("Squash", "new", one)
	if got := r.find(); got != "Squash="+first {
		t.Errorf("of a new commit: %q", got)
	}
}

// TestLink: a link has its commit's time, and what it has of each checkpoint.
func TestLink(t *testing.T) {
	r := newRepository(t)
	r.now += 7200
	r.checkpoint(first, "f", one, nil)
	r.checkpoint(second, "g", two, func(o *checkpoints.OwnedLines) {
		o.Others = []checkpoints.OtherFile{{Path: "image", Blob: r.Blob("\x00").ID}}
	})
	r.Must(os.WriteFile(r.Dir+"/image", []byte("\x00"), 0o600))
	r.Must(os.WriteFile(r.Dir+"/g", []byte(two), 0o600))
	r.git("add", ".")
	commit := r.commit("Squash", "f", human+one[:strings.LastIndex(one, "for")])
	r.fetch()
	s := r.search()
	if !s.Needed() {
		t.Fatal("not needed")
	}
	r.Must(s.Begin(t.Context()))
	links, _, more, err := s.Next(t.Context())
	if r.Must(err); more || len(links) != 1 {
		t.Fatalf("%+v", links)
	}
	l := links[0]
	if l.Commit != commit || !l.CreatedAt.Equal(time.Unix(r.now, 0)) || fmt.Sprint(l.Checkpoints, l.Evidence) != fmt.Sprint([]string{first, second}, checkpoints.Evidence{"f": {5, 6}, "g": {3, 3}}) {
		t.Errorf("%+v", l)
	}
	if len(l.Parts) != 2 || l.Parts[0].Score >= 1 || l.Parts[1].Score != 1 || fmt.Sprint(l.Parts[1].Files) != "[image]" || l.Score <= l.Parts[0].Score || l.Score >= 1 {
		t.Errorf("%+v", l)
	}
	if l.Score != rounded(l.Score) || rounded(0.12345) != 0.123 {
		t.Errorf("not rounded: %v", l.Score)
	}
}
