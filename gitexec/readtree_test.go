package gitexec

import (
	"context"
	"os"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestRestoreWorktree: the files become those of the other tree, the user's index stays, and nothing
// is written over a change.
func TestRestoreWorktree(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ctx := context.Background()
		first := r.Head.Tree
		write(t, r.Top, "a.txt", "changed\n")
		write(t, r.Top, "new/file", "new\n")
		git(t, r.Top, "add", "-A")
		second := OID(git(t, r.Top, "write-tree"))
		git(t, r.Top, "reset", "-q")
		git(t, r.Top, "add", "-N", "new/file")
		index := git(t, r.Top, "ls-files", "-s")
		testdir.Must(t, r.RestoreWorktree(ctx, second, first, nil))
		if got, _ := os.ReadFile(r.Top + "/a.txt"); string(got) != "one\n" {
			t.Errorf("%q", got)
		}
		if _, err := os.Lstat(r.Top + "/new"); err == nil {
			t.Error("a file that the tree has not got is there")
		}
		if now := git(t, r.Top, "ls-files", "-s"); now != index {
			t.Errorf("the index is\n%s\nand was\n%s", now, index)
		}
		write(t, r.Top, "a.txt", "mine\n")
		if err := r.RestoreWorktree(ctx, first, second, nil); err == nil {
			t.Error("a changed file was overwritten")
		}
		if got, _ := os.ReadFile(r.Top + "/a.txt"); string(got) != "mine\n" {
			t.Errorf("%q", got)
		}
	})
}

// TestRestoreWorktreeFails: where git has taken a file away, and can't write it, as with a filter
// that fails or a full disk, it is there again as it was.
func TestRestoreWorktreeFails(t *testing.T) {
	r := repository(t, SHA1)
	ctx := context.Background()
	git(t, r.Top, "config", "filter.f.required", "true")
	git(t, r.Top, "config", "filter.f.clean", "cat")
	git(t, r.Top, "config", "filter.f.smudge", `sh -c 'read line; test "$line" != refused && echo "$line"'`)
	write(t, r.Top, ".gitattributes", "a.txt filter=f\n")
	git(t, r.Top, "add", "-A")
	now := OID(git(t, r.Top, "write-tree"))
	write(t, r.Top, "a.txt", "refused\n")
	os.Remove(r.Top + "/dir/b.txt")
	git(t, r.Top, "add", "-A")
	to := OID(git(t, r.Top, "write-tree"))
	git(t, r.Top, "read-tree", "--reset", "-u", string(now))
	changed := []Path{"a.txt", "dir/b.txt"}
	if err := r.RestoreWorktree(ctx, now, to, changed); err == nil || !strings.Contains(err.Error(), "smudge") {
		t.Errorf("%v", err)
	}
	for name, want := range map[string]string{"a.txt": "one\n", "dir/b.txt": "two\n"} {
		if got, err := os.ReadFile(r.Top + "/" + name); string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestMoveWorktree: changes stay in files that the trees have in common, others refuse, and a dry
// run writes nothing.
func TestMoveWorktree(t *testing.T) {
	r := repository(t, SHA1)
	ctx := context.Background()
	git(t, r.Top, "checkout", "-q", "-b", "other")
	write(t, r.Top, "dir/b.txt", "other\n")
	git(t, r.Top, "commit", "-qam", "other")
	tree := OID(git(t, r.Top, "rev-parse", "HEAD^{tree}"))
	git(t, r.Top, "checkout", "-q", "main")
	write(t, r.Top, "a.txt", "mine\n")
	read := func(name string) string {
		text, _ := os.ReadFile(r.Top + "/" + name)
		return string(text)
	}
	if err := r.MoveWorktree(ctx, r.Head.Tree, tree, true); err != nil || read("dir/b.txt") != "two\n" {
		t.Errorf("dry: %v, %q", err, read("dir/b.txt"))
	}
	if err := r.MoveWorktree(ctx, r.Head.Tree, tree, false); err != nil || read("dir/b.txt") != "other\n" || read("a.txt") != "mine\n" {
		t.Errorf("%v, %q, %q", err, read("dir/b.txt"), read("a.txt"))
	}
	write(t, r.Top, "dir/b.txt", "mine\n")
	for _, dry := range []bool{true, false} {
		if err := r.MoveWorktree(ctx, tree, r.Head.Tree, dry); err == nil || read("dir/b.txt") != "mine\n" {
			t.Errorf("dry %v: %v, %q", dry, err, read("dir/b.txt"))
		}
	}
}

// TestSwitch: uncommitted changes are kept or refuse, and a remote's branch is made only by a guess.
func TestSwitch(t *testing.T) {
	r := repository(t, SHA1)
	ctx := context.Background()
	git(t, r.Top, "branch", "here")
	git(t, r.Top, "remote", "add", "origin", r.Top)
	git(t, r.Top, "update-ref", "refs/remotes/origin/there", "HEAD")
	for _, c := range []struct {
		branch string
		guess  bool
		ok     bool
	}{{"here", false, true}, {"there", false, false}, {"there", true, true}, {"nowhere", true, false}} {
		if err := r.Switch(ctx, c.branch, c.guess); (err == nil) != c.ok {
			t.Errorf("%s, %v: %v", c.branch, c.guess, err)
		}
	}
	for _, c := range []struct{ branch, ref, want string }{
		{"", "", "main"}, {"refs/remotes/origin/HEAD", "refs/remotes/origin/there", "there"},
	} {
		if c.branch != "" {
			git(t, r.Top, "symbolic-ref", c.branch, c.ref)
		}
		if got, err := r.DefaultBranch(ctx); err != nil || got != c.want {
			t.Errorf("%q, %v, want %q", got, err, c.want)
		}
	}
}
