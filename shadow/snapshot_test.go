package shadow

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

var rounds = flag.Int("rounds", 15, "random worktrees that the snapshot is compared on")

func TestMain(m *testing.M) { testdir.Main(m) }

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, nil, args...)
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func tryGit(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=U", "-c", "user.email=u@example.com", "-c", "protocol.file.allow=always", "-c", "advice.addEmbeddedRepo=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, name)
	testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	os.Remove(file)
	testdir.Must(t, os.WriteFile(file, []byte(content), 0o644))
}

func newRepo(t testing.TB, format string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	git(t, dir, "init", "-q", "-b", "main", "--object-format="+format)
	return dir
}

func snapshot(t testing.TB, dir string) (Snapshot, *gitexec.Repo) {
	t.Helper()
	ctx := context.Background()
	repo, err := gitexec.Discover(ctx, dir, &gitexec.Tracer{})
	testdir.Must(t, err)
	db := repo.ODB(ctx)
	snap, err := TakeSnapshot(ctx, repo, db, 10<<20)
	testdir.Must(t, err)
	testdir.Must(t, db.Close())
	return snap, repo
}

// oracle is what git itself makes of the worktree, on a copy of the user's index.
func oracle(t testing.TB, dir string) string {
	t.Helper()
	index := git(t, dir, "rev-parse", "--path-format=absolute", "--git-path", "index")
	scratch := filepath.Join(t.TempDir(), "index")
	content, err := os.ReadFile(index)
	info, err2 := os.Stat(index)
	if !errors.Is(err, fs.ErrNotExist) {
		testdir.Must(t, errors.Join(err, err2, os.WriteFile(scratch, content, 0o600)))
		testdir.Must(t, os.Chtimes(scratch, info.ModTime(), info.ModTime()))
	}
	env := []string{"GIT_INDEX_FILE=" + scratch}
	if out, err := tryGit(dir, env, "-c", "core.safecrlf=false", "add", "--sparse", "-A"); err != nil {
		t.Fatalf("git add -A: %v\n%s", err, out)
	}
	tree, err := tryGit(dir, env, "write-tree")
	if err != nil {
		t.Fatalf("git write-tree: %v\n%s", err, tree)
	}
	return tree
}

// compare takes a snapshot, holds it against git's own, and demands that the user's index stays as
// it was.
func compare(t testing.TB, dir, what string) Snapshot {
	t.Helper()
	index := git(t, dir, "rev-parse", "--path-format=absolute", "--git-path", "index")
	before, stat := readIndex(t, index)
	snap, repo := snapshot(t, dir)
	after, stat2 := readIndex(t, index)
	if before != after || stat != stat2 {
		t.Errorf("%s: the user's index was touched", what)
	}
	if n := repo.Processes(); n > 6 {
		t.Errorf("%s: %d git processes, want at most 6", what, n)
	}
	if want := oracle(t, dir); string(snap.Tree) != want {
		diff, _ := tryGit(dir, nil, "diff-tree", "-r", string(snap.Tree), want)
		t.Fatalf("%s: the snapshot is %s, git makes %s; from ours to git's:\n%s\nstatus:\n%s", what, snap.Tree, want, diff, git(t, dir, "status", "--porcelain=v2"))
	}
	return snap
}

func readIndex(t testing.TB, index string) (content, stat string) {
	data, err := os.ReadFile(index)
	if err != nil {
		return "", ""
	}
	info, err := os.Stat(index)
	testdir.Must(t, err)
	return string(data), info.ModTime().Format(time.RFC3339Nano)
}

var snapshotCases = []struct {
	name string
	do   func(t *testing.T, dir string)
}{
	{"clean", func(t *testing.T, dir string) {}},
	{"modified, added, deleted, renamed", func(t *testing.T, dir string) {
		write(t, dir, "a", "changed\n")
		write(t, dir, "new/deep/er", "n\n")
		os.Remove(filepath.Join(dir, "b"))
		os.Rename(filepath.Join(dir, "d/e"), filepath.Join(dir, "d/renamed"))
	}},
	{"staged, then changed again, and staged only", func(t *testing.T, dir string) {
		write(t, dir, "a", "staged\n")
		write(t, dir, "b", "staged too\n")
		write(t, dir, "staged new", "x\n")
		git(t, dir, "add", "-A")
		write(t, dir, "a", "and changed\n")
		os.Remove(filepath.Join(dir, "staged new"))
		git(t, dir, "rm", "-q", "--cached", "d/e")
	}},
	{"removed from the index, and there again", func(t *testing.T, dir string) {
		git(t, dir, "rm", "-q", "a", "d/e")
		write(t, dir, "a", "again\n")
	}},
	{"empty and binary files", func(t *testing.T, dir string) {
		write(t, dir, "empty", "")
		write(t, dir, "binary", "\x00\x01\xff\r\n")
		write(t, dir, "a", "")
	}},
	{"symlinks, dangling too", func(t *testing.T, dir string) {
		os.Symlink("a", filepath.Join(dir, "link"))
		os.Symlink("no such file", filepath.Join(dir, "dangling"))
		os.Symlink("d", filepath.Join(dir, "to a directory"))
		os.Remove(filepath.Join(dir, "b"))
		os.Symlink("a", filepath.Join(dir, "b"))
	}},
	{"executable bits", func(t *testing.T, dir string) {
		os.Chmod(filepath.Join(dir, "a"), 0o755)
		write(t, dir, "tool", "#!/bin/sh\n")
		os.Chmod(filepath.Join(dir, "tool"), 0o755)
	}},
	{"core.fileMode=false", func(t *testing.T, dir string) {
		git(t, dir, "update-index", "--chmod=+x", "b")
		git(t, dir, "config", "core.fileMode", "false")
		os.Chmod(filepath.Join(dir, "a"), 0o755)
		write(t, dir, "a", "x\n")
		write(t, dir, "b", "y\n")
		write(t, dir, "tool", "z")
		os.Chmod(filepath.Join(dir, "tool"), 0o755)
	}},
	{"a file becomes a directory", func(t *testing.T, dir string) {
		os.Remove(filepath.Join(dir, "a"))
		write(t, dir, "a/b/c", "x")
		write(t, dir, "a/d", "x")
	}},
	{"a directory becomes a file", func(t *testing.T, dir string) {
		os.RemoveAll(filepath.Join(dir, "d"))
		write(t, dir, "d", "x")
	}},
	{"a directory becomes a symlink", func(t *testing.T, dir string) {
		os.RemoveAll(filepath.Join(dir, "d"))
		os.Symlink("elsewhere", filepath.Join(dir, "d"))
	}},
	{"odd names", func(t *testing.T, dir string) {
		for _, name := range []string{"a b", "tab\tname", "new\nline", `quo"te`, `back\slash`, "-dash", "caf\xe9", "ünï", "trailing cr\r", "'", ":(top)x", "*", "--", " lead", "trail "} {
			write(t, dir, name, name)
			write(t, dir, "sub "+name+"/"+name, name)
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "odd")
		for _, name := range []string{"a b", "new\nline", "caf\xe9", "-dash", "*"} {
			write(t, dir, name, "changed")
			os.Remove(filepath.Join(dir, "sub "+name, name))
		}
	}},
	{"ignored, nested and excluded", func(t *testing.T, dir string) {
		write(t, dir, ".gitignore", "*.log\n/build/\n!keep.log\n")
		write(t, dir, "d/.gitignore", "local\n!x.log\n")
		for _, f := range []string{"x.log", "keep.log", "build/out", "d/local", "d/x.log", "local", "secret", "global"} {
			write(t, dir, f, f)
		}
		write(t, dir, ".git/info/exclude", "secret\n")
		write(t, dir, ".git/excludes", "global\n")
		git(t, dir, "config", "core.excludesFile", filepath.Join(dir, ".git/excludes"))
	}},
	{"a tracked file that is ignored", func(t *testing.T, dir string) {
		write(t, dir, ".gitignore", "a\nd/\n")
		write(t, dir, "a", "changed\n")
		write(t, dir, "d/e", "changed\n")
		write(t, dir, "d/untracked", "ignored\n")
	}},
	{"autocrlf", func(t *testing.T, dir string) {
		write(t, dir, "crlf", "one\r\ntwo\r\n")
		git(t, dir, "add", "crlf")
		git(t, dir, "commit", "-qm", "crlf")
		git(t, dir, "config", "core.autocrlf", "true")
		write(t, dir, "crlf", "one\r\ntwo\r\nthree\r\n") // CRLF is in the index already: git keeps it
		write(t, dir, "a", "was\r\nlf\r\n")
		write(t, dir, "new", "new\r\nfile\r\n")
	}},
	{"autocrlf=input with safecrlf", func(t *testing.T, dir string) {
		git(t, dir, "config", "core.autocrlf", "input")
		git(t, dir, "config", "core.safecrlf", "true")
		write(t, dir, "a", "mixed\r\nends\n")
		write(t, dir, "new", "new\r\nfile\r\n")
	}},
	{"text=auto and eol in attributes", func(t *testing.T, dir string) {
		write(t, dir, "old.txt", "in\r\nthe index\r\n")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "x")
		write(t, dir, ".gitattributes", "* text=auto\n*.sh text eol=lf\n*.bat text eol=crlf\n")
		for _, f := range []string{"x.sh", "x.bat", "x.txt", "old.txt"} {
			write(t, dir, f, "some\r\nlines\r\nhere\r\n")
		}
	}},
	{"clean filters", func(t *testing.T, dir string) {
		write(t, dir, ".gitattributes", "*.up filter=upper\n*.id ident\n")
		git(t, dir, "config", "filter.upper.clean", "tr a-z A-Z")
		write(t, dir, "x.up", "shout\n")
		write(t, dir, "x.id", "$Id: whatever $\n")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "x")
		write(t, dir, "x.up", "shout louder\n")
		write(t, dir, "y.up", "new\n")
	}},
	{"intent to add", func(t *testing.T, dir string) {
		write(t, dir, "intended", "x\n")
		write(t, dir, "intended and gone", "x\n")
		git(t, dir, "add", "-N", "intended", "intended and gone")
		os.Remove(filepath.Join(dir, "intended and gone"))
	}},
	{"conflict", func(t *testing.T, dir string) {
		for branch, text := range map[string]string{"one": "1\n", "two": "2\n"} {
			git(t, dir, "checkout", "-q", "-b", branch, "main")
			write(t, dir, "a", text)
			write(t, dir, "both added", text)
			write(t, dir, "b", text)
			if branch == "two" {
				os.Remove(filepath.Join(dir, "b"))
			}
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-qm", branch)
		}
		if _, err := tryGit(dir, nil, "merge", "one", "two"); err == nil {
			t.Fatal("no conflict")
		}
		write(t, dir, "b", "resolved\n")
	}},
	{"conflict with a file removed", func(t *testing.T, dir string) {
		for branch, text := range map[string]string{"one": "1\n", "two": "2\n"} {
			git(t, dir, "checkout", "-q", "-b", branch, "main")
			write(t, dir, "a", text)
			git(t, dir, "commit", "-qam", branch)
		}
		git(t, dir, "checkout", "-q", "one")
		if _, err := tryGit(dir, nil, "merge", "two"); err == nil {
			t.Fatal("no conflict")
		}
		os.Remove(filepath.Join(dir, "a"))
	}},
	{"assume-unchanged and skip-worktree", func(t *testing.T, dir string) {
		git(t, dir, "update-index", "--assume-unchanged", "a")
		git(t, dir, "update-index", "--skip-worktree", "b")
		write(t, dir, "a", "not seen\n")
		write(t, dir, "d/e", "seen\n")
	}},
	{"sparse checkout, cone", func(t *testing.T, dir string) {
		write(t, dir, "out/side", "x\n")
		write(t, dir, "in/side", "x\n")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "x")
		git(t, dir, "sparse-checkout", "set", "in")
		write(t, dir, "in/side", "changed\n")
		write(t, dir, "in/new", "new\n")
		write(t, dir, "out/new", "outside the cone, and there all the same\n")
	}},
	{"sparse checkout, attributes not in the worktree", func(t *testing.T, dir string) {
		write(t, dir, ".gitattributes", "*.txt text\n")
		write(t, dir, "in/x.txt", "x\n")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "x")
		git(t, dir, "sparse-checkout", "set", "--no-cone", "/in/*")
		write(t, dir, "in/x.txt", "with\r\ncrlf\r\n")
		write(t, dir, "in/y.txt", "with\r\ncrlf\r\n")
	}},
	{"sparse index", func(t *testing.T, dir string) {
		write(t, dir, "out/side", "x\n")
		write(t, dir, "in/side", "x\n")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "x")
		git(t, dir, "sparse-checkout", "set", "--sparse-index", "in")
		write(t, dir, "in/side", "changed\n")
	}},
	{"split index", func(t *testing.T, dir string) {
		git(t, dir, "config", "core.splitIndex", "true")
		git(t, dir, "update-index", "--split-index")
		write(t, dir, "a", "x\n")
		git(t, dir, "add", "a")
		write(t, dir, "b", "y\n")
	}},
	{"submodules", func(t *testing.T, dir string) {
		sub := newRepo(t, git(t, dir, "rev-parse", "--show-object-format"))
		write(t, sub, "s", "1\n")
		git(t, sub, "add", "-A")
		git(t, sub, "commit", "-qm", "s1")
		git(t, dir, "submodule", "--quiet", "add", sub, "moved")
		git(t, dir, "submodule", "--quiet", "add", sub, "dirty")
		git(t, dir, "submodule", "--quiet", "add", sub, "gone")
		git(t, dir, "submodule", "--quiet", "add", sub, "ignored")
		git(t, dir, "config", "submodule.ignored.ignore", "all")
		git(t, dir, "commit", "-qm", "subs")
		git(t, dir+"/moved", "commit", "-q", "--allow-empty", "-m", "s2")
		write(t, dir, "dirty/s", "2\n")
		os.RemoveAll(filepath.Join(dir, "gone"))
		git(t, dir, "clone", "-q", sub, "nested repository")
	}},
	{"nothing in the index", func(t *testing.T, dir string) {
		os.Remove(filepath.Join(dir, ".git/index"))
	}},
	{"stale time stamps", func(t *testing.T, dir string) {
		old := time.Now().Add(-time.Hour)
		os.Chtimes(filepath.Join(dir, "a"), old, old)
		write(t, dir, "b", "new\n")
	}},
}

func TestSnapshotIsWhatGitMakes(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		for _, c := range snapshotCases {
			t.Run(format+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				dir := newRepo(t, format)
				write(t, dir, "a", "one\n")
				write(t, dir, "b", "two\n")
				write(t, dir, "d/e", "three\n")
				git(t, dir, "add", "-A")
				git(t, dir, "commit", "-qm", "first")
				c.do(t, dir)
				compare(t, dir, c.name)
				compare(t, dir, c.name+", a second time")
			})
		}
	}
}

// One bad path must not cost the snapshot: what git cannot add is omitted, and listed with the
// reason.
func TestSnapshotLeavesOut(t *testing.T) {
	dir := newRepo(t, "sha1")
	for i := range 40 {
		write(t, dir, fmt.Sprintf("f%02d", i), "x\n")
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "first")
	for i := range 40 {
		write(t, dir, fmt.Sprintf("f%02d", i), "changed\n")
	}
	git(t, dir, "config", "filter.bad.clean", "exit 1")
	git(t, dir, "config", "filter.bad.required", "true")
	write(t, dir, ".gitattributes", "f17 filter=bad\n")
	git(t, dir, "init", "-q", "nested without a commit")
	write(t, dir, "nested without a commit/file", "x")
	write(t, dir, "big", strings.Repeat("x", 11<<20))
	snap, _ := snapshot(t, dir)
	got := ""
	for _, l := range snap.LeftOut {
		got += string(l.Path) + ": " + l.Reason + "\n"
	}
	for _, want := range []string{"big: untracked and 11534336 bytes long", "f17: git cannot add it: ", "nested without a commit: git cannot add it: "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if len(snap.LeftOut) != 3 {
		t.Errorf("left out:\n%s", got)
	}
	diff := git(t, dir, "diff-tree", "-r", "--name-status", "HEAD", string(snap.Tree))
	if n := strings.Count(diff, "M\t"); n != 39 || !strings.Contains(diff, "A\t.gitattributes") || strings.Contains(diff, "f17") {
		t.Errorf("%d modified:\n%s", n, diff)
	}
}

// Random worktrees: whatever a person, an agent, or both do to files and index, the snapshot is
// git's own.
func TestSnapshotOfRandomWorktrees(t *testing.T) {
	if testing.Short() {
		t.Skip("random worktrees take a while")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 0))
			dir := newRepo(t, format)
			git(t, dir, "commit", "-q", "--allow-empty", "-m", "root")
			var done []string
			for round := range *rounds {
				for range 1 + rng.IntN(6) {
					done = append(done, mutate(t, rng, dir))
				}
				compare(t, dir, fmt.Sprintf("round %d of seed %d after %q", round, seed, done[max(0, len(done)-12):]))
			}
		})
	}
}

// mutate does one random thing to the worktree or the index.
func mutate(t *testing.T, rng *rand.Rand, dir string) string {
	names := []string{"a", "b", "c d", "e\nf", "g\xe9", "-h", "x.txt", "y.log"}
	name := names[rng.IntN(len(names))]
	for range rng.IntN(3) {
		name = names[rng.IntN(4)] + "/" + name
	}
	file := filepath.Join(dir, name)
	clear := func() { // whatever stands in the way
		os.RemoveAll(file)
		for up := filepath.Dir(file); up != dir; up = filepath.Dir(up) {
			if info, err := os.Lstat(up); err == nil && !info.IsDir() {
				os.Remove(up)
			}
		}
		os.MkdirAll(filepath.Dir(file), 0o755)
	}
	switch n := rng.IntN(16); n {
	case 0, 1, 2, 3:
		clear()
		content := strings.Repeat("line\n", rng.IntN(4)) + strings.Repeat("crlf\r\n", rng.IntN(3)) + fmt.Sprint(rng.IntN(5))
		os.WriteFile(file, []byte(content), fs.FileMode([]int{0o644, 0o755}[rng.IntN(2)]))
		return "write " + name
	case 4:
		clear()
		os.Symlink(names[rng.IntN(len(names))], file)
		return "link " + name
	case 5, 6:
		os.RemoveAll(file)
		return "remove " + name
	case 7:
		os.Chmod(file, fs.FileMode([]int{0o644, 0o755}[rng.IntN(2)]))
		return "chmod " + name
	case 8:
		tryGit(dir, nil, "add", "--", ":(literal)"+name)
		return "add " + name
	case 9:
		tryGit(dir, nil, "add", "-N", "--", ":(literal)"+name)
		return "add -N " + name
	case 10:
		tryGit(dir, nil, "rm", "-q", "-r", "--cached", "--", ":(literal)"+name)
		return "rm --cached " + name
	case 11:
		tryGit(dir, nil, "add", "-A")
		tryGit(dir, nil, "commit", "-qm", "x")
		return "commit"
	case 12:
		tryGit(dir, nil, "update-index", []string{"--assume-unchanged", "--no-assume-unchanged"}[rng.IntN(2)], "--", name)
		return "assume " + name
	case 13:
		write(t, dir, ".gitignore", strings.Join([]string{"*.log", "b/", "/a", "!c d"}[rng.IntN(4):], "\n")+"\n")
		return "ignore"
	case 14:
		tryGit(dir, nil, "config", "core.autocrlf", []string{"true", "input", "false"}[rng.IntN(3)])
		// git looks again only at files whose stat data is another, in seconds, or as young as its
		// index: which files these are would be chance.
		touched := time.Now().Add(-time.Duration(rng.IntN(1e6)) * time.Second)
		filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case entry.IsDir() && entry.Name() == ".git":
				return fs.SkipDir
			case entry.Type().IsRegular():
				os.Chtimes(file, time.Time{}, touched)
			}
			return nil
		})
		return "autocrlf"
	default:
		tryGit(dir, nil, "stash", "-q")
		return "stash"
	}
}

// Somebody commits between discovery and the snapshot: what the commit holds is in the worktree,
// and so in the snapshot.
func TestSnapshotBesideCommit(t *testing.T) {
	for name, change := range map[string]func(dir string){
		"all of it": func(dir string) {},
		"not all":   func(dir string) { write(t, dir, "other.txt", "changed, too") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t, "sha1")
			write(t, dir, "user.txt", "old")
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-qm", "old")
			repo, err := gitexec.Discover(t.Context(), dir, nil)
			testdir.Must(t, err)
			write(t, dir, "user.txt", "new")
			git(t, dir, "commit", "-qam", "new")
			change(dir)
			db := repo.ODB(t.Context())
			defer db.Close()
			snap, err := TakeSnapshot(t.Context(), repo, db, 1<<20)
			testdir.Must(t, err)
			if want := oracle(t, dir); string(snap.Tree) != want {
				t.Errorf("the snapshot is %s, git makes %s", snap.Tree, want)
			}
		})
	}
}
