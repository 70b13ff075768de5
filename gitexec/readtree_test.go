package gitexec

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestRestoreWorktreeFails: where git has taken files away, and can't write others, as with a filter
// that fails, a full disk, or at the user's Ctrl-C, they are there again as they were, but for those
// that the error names.
func TestRestoreWorktreeFails(t *testing.T) {
	const refuses, always, slow = `sh -c 'read line; test "$line" != refused && echo "$line"'`, "false", `sh -c 'sleep 1; cat'`
	for name, test := range map[string]struct {
		smudge string
		to     func(dir string)
		stays  []string // away
		names  string   // in the error
	}{
		"a filter":             {refuses, func(string) {}, nil, "smudge"},
		"also for what it was": {always, func(string) {}, []string{"a.txt"}, "a.txt is missing"},
		"Ctrl-C":               {slow, func(string) {}, nil, "context"},
		"a file in the way":    {refuses, func(dir string) { write(t, dir, "dir", "a file\n") }, []string{"dir/b.txt", "dir/c.txt"}, "dir/c.txt is missing"},
		"a symlink in the way": {refuses, func(dir string) { os.Symlink("other", dir+"/dir") }, []string{"dir/b.txt", "dir/c.txt"}, "dir/c.txt is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			r := repository(t, SHA1)
			git(t, r.Top, "config", "filter.f.required", "true")
			git(t, r.Top, "config", "filter.f.clean", "cat")
			git(t, r.Top, "config", "filter.f.smudge", "cat")
			write(t, r.Top, ".gitattributes", "/a.txt filter=f\nz.txt filter=f\n")
			was := []Path{"a.txt", "dir/b.txt", "dir/c.txt", "e.txt", "z.txt"}
			for _, path := range was {
				write(t, r.Top, string(path), "one\n")
			}
			write(t, r.Top, "other/b.txt", "another one's\n")
			git(t, r.Top, "add", "-A")
			now := OID(git(t, r.Top, "write-tree"))
			testdir.Must(t, os.RemoveAll(r.Top+"/dir"))
			testdir.Must(t, os.Remove(r.Top+"/e.txt"))
			test.to(r.Top)
			write(t, r.Top, "a.txt", "new\n")
			write(t, r.Top, "z.txt", "refused\n")
			git(t, r.Top, "add", "-A")
			to := OID(git(t, r.Top, "write-tree"))
			os.Remove(r.Top + "/dir")
			git(t, r.Top, "read-tree", "--reset", "-u", string(now))
			git(t, r.Top, "config", "filter.f.smudge", test.smudge)
			ctx := t.Context()
			if test.smudge == slow {
				var cancel func()
				ctx, cancel = context.WithCancel(ctx)
				go func() { // as soon as a file is away
					for there := error(nil); there == nil && ctx.Err() == nil; time.Sleep(time.Millisecond) {
						_, there = os.Lstat(r.Top + "/e.txt")
					}
					cancel()
				}()
			}
			err := r.RestoreWorktree(ctx, now, to, was)
			if err == nil || !strings.Contains(err.Error(), test.names) {
				t.Errorf("%v", err)
			}
			for _, path := range was {
				got, err := os.ReadFile(filepath.Join(r.Top, string(path)))
				written := path == "a.txt" && string(got) == "new\n"
				if string(got) != "one\n" && !written && !slices.Contains(test.stays, string(path)) {
					t.Errorf("%s: %q, %v", path, got, err)
				}
			}
		})
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
