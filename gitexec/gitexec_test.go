package gitexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// The tests' own environment is poisoned: what is not passed on purpose must not help.
func TestMain(m *testing.M) {
	testdir.InMemory()
	testdir.NoHome()
	os.Setenv("GIT_AUTHOR_NAME", "poison")
	os.Setenv("GIT_AUTHOR_DATE", "@1 +0000")
	os.Setenv("GIT_DIFF_OPTS", "-u7")
	os.Exit(m.Run())
}

var someone = Ident{Name: "A U Thor", Email: "a@example.com", When: time.Unix(1_700_000_000, 0)}

// git runs the real git as a user would, for set-up and as the oracle.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=U", "-c", "user.email=u@example.com"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, name)
	testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	testdir.Must(t, os.WriteFile(file, []byte(content), 0o644))
}

// repository makes a repository with one commit, and finds it.
func repository(t testing.TB, format Format) *Repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	git(t, dir, "init", "-q", "-b", "main", "--object-format="+string(format))
	write(t, dir, "a.txt", "one\n")
	write(t, dir, "dir/b.txt", "two\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	return discover(t, dir)
}

func discover(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Discover(context.Background(), dir, &Tracer{})
	testdir.Must(t, err)
	return r
}

func bothFormats(t *testing.T, test func(*testing.T, *Repo)) {
	for _, f := range []Format{SHA1, SHA256} {
		t.Run(string(f), func(t *testing.T) { test(t, repository(t, f)) })
	}
}

func TestDiscover(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		if got := git(t, r.Top, "rev-parse", "HEAD"); string(r.Head.ID) != got {
			t.Errorf("Head = %s, want %s", r.Head.ID, got)
		}
		if got := git(t, r.Top, "rev-parse", "HEAD^{tree}"); string(r.Head.Tree) != got {
			t.Errorf("HeadTree = %s, want %s", r.Head.Tree, got)
		}
		if r.Branch != "refs/heads/main" || len(r.Head.ID) != r.Format.HexLen() || r.WorktreeID() != "" {
			t.Errorf("Branch %q, Head %q, WorktreeID %q", r.Branch, r.Head.ID, r.WorktreeID())
		}
		if n := r.Processes(); n != 1 {
			t.Errorf("discovery took %d processes, want 1", n)
		}
		linked := filepath.Join(t.TempDir(), "linked tree\nwith a newline")
		git(t, r.Top, "worktree", "add", "-q", "--detach", linked)
		w := discover(t, linked)
		if w.CommonDir != r.CommonDir || w.GitDir == r.GitDir || w.Branch != "" || w.HooksDir != r.HooksDir || w.WorktreeID() == "" {
			t.Errorf("linked worktree: %+v", w)
		}
		if !strings.HasSuffix(w.Top, "linked tree\nwith a newline") {
			t.Errorf("Top = %q", w.Top)
		}
	})
}

func TestDiscoverNowhere(t *testing.T) {
	ctx := context.Background()
	empty := t.TempDir()
	bare := t.TempDir()
	git(t, bare, "init", "-q", "--bare")
	unborn := t.TempDir()
	git(t, unborn, "init", "-q", "-b", "main")
	broken := repository(t, SHA1)
	ref := filepath.Join(broken.GitDir, "refs/heads/main")
	testdir.Must(t, os.WriteFile(ref, []byte("garbage\n"), 0o644))
	gone := repository(t, SHA1)
	testdir.Must(t, os.WriteFile(filepath.Join(gone.GitDir, "refs/heads/main"), []byte(strings.Repeat("12", 20)+"\n"), 0o644))
	for _, c := range []struct {
		name, dir string
		want      error
	}{
		{"none", empty, ErrNotRepository},
		{"bare", bare, ErrBare},
		{"inside git dir", filepath.Join(unborn, ".git"), ErrNotRepository},
		{"broken branch", broken.Top, ErrBrokenHead},
		{"missing commit", gone.Top, ErrBrokenHead},
	} {
		if _, err := Discover(ctx, c.dir, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		} else if !strings.Contains(err.Error(), "\nhint: ") {
			t.Errorf("%s: no hint in %v", c.name, err)
		}
	}
	r, err := Discover(ctx, unborn, nil)
	if err != nil || !r.Head.ID.IsZero() || r.Branch != "refs/heads/main" {
		t.Errorf("unborn: %+v, %v", r, err)
	}
	if !errors.Is(r.Born(), ErrUnborn) {
		t.Errorf("Born() = %v", r.Born())
	}
	t.Setenv("PATH", empty)
	if _, err := Discover(ctx, unborn, nil); !errors.Is(err, ErrNoGit) {
		t.Errorf("no git: %v", err)
	}
}

// Each line of the environment that commands get is there for a reason; this shows each at work.
func TestEnvironment(t *testing.T) {
	r := repository(t, SHA1)
	other := repository(t, SHA1)
	for _, name := range locationVars {
		t.Setenv(name, filepath.Join(other.GitDir, "nowhere"))
	}
	t.Setenv("GIT_DIR", r.GitDir)
	t.Setenv("GIT_WORK_TREE", r.Top)
	for _, name := range []string{"GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX",
		"GIT_QUARANTINE_PATH"} {
		os.Unsetenv(name)
	}
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other.GitDir, "index"))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "user.name")
	t.Setenv("GIT_CONFIG_VALUE_0", "by -c")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	found, err := Discover(context.Background(), other.Top, &Tracer{})
	testdir.Must(t, err)
	if found.Top != r.Top || found.IndexFile != filepath.Join(other.GitDir, "index") {
		t.Errorf("discovery must follow GIT_DIR and GIT_INDEX_FILE: %s, %s", found.Top, found.IndexFile)
	}
	env := strings.Join(found.runner.env, "\n") + "\n"
	for _, want := range append(fixedVars, "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+r.Top, "GIT_CONFIG_VALUE_0=by -c") {
		if strings.Count(env, want+"\n") != 1 {
			t.Errorf("%s is not there exactly once", want)
		}
	}
	for _, name := range append(append([]string{}, locationVars[2:]...), behaviourVars...) {
		if strings.Contains(env, "\n"+name+"=") {
			t.Errorf("%s leaks into commands", name)
		}
	}
}

func TestErrorsSayEverything(t *testing.T) {
	r := repository(t, SHA1)
	_, err := r.output(context.Background(), command{args: []string{"cat-file", "-p", "nothing"}})
	var fault *Error
	if !errors.As(err, &fault) {
		t.Fatalf("%T", err)
	}
	if fault.Code != 128 || fault.Dir != r.Top || !strings.Contains(fault.Stderr, "nothing") ||
		!strings.Contains(err.Error(), "cat-file -p nothing") {
		t.Errorf("%v", err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than a line: %q", err.Error())
	}
}

func TestTraceCanBePasted(t *testing.T) {
	r := repository(t, SHA1)
	var out bytes.Buffer
	r.tracer = NewTracer("1", &out)
	if _, err := r.DiffStaged(context.Background(), r.IndexFile, r.Head.ID, "it's a\nfile", "caf\xe9", "$(rm -rf x)"); err != nil {
		t.Fatal(err)
	}
	line := strings.TrimSuffix(out.String(), "\n")
	if strings.Contains(line, "\n") || !strings.Contains(line, " # ") || r.Processes() != 1 {
		t.Fatalf("%d processes: %q", r.Processes(), line)
	}
	back, err := exec.Command("bash", "-c", strings.Replace(line, " git diff-index", " printf '%s\\0'", 1)).Output()
	if err != nil || !bytes.HasSuffix(back, []byte("--\x00it's a\nfile\x00caf\xe9\x00$(rm -rf x)\x00")) {
		t.Errorf("%v: %q from %s", err, back, line)
	}
}

func TestObjects(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		db := r.ODB(context.Background())
		defer db.Close()
		contents := [][]byte{{}, []byte("x"), []byte("a\nb\r\n\x00c"), bytes.Repeat([]byte("long line\n"), 300_000)}
		var ids []OID
		for _, c := range contents {
			id, err := db.WriteBlob(c)
			testdir.Must(t, err)
			ids = append(ids, id)
		}
		testdir.Must(t, db.Flush())
		// Thousands of requests at once: neither side may wait for the other.
		many := make([]OID, 5_000)
		for i := range many {
			many[i] = ids[i%3]
		}
		many = append(many, ids...)
		read, err := db.contents(many...)
		testdir.Must(t, err)
		for i, c := range contents {
			if got := read[len(many)-len(ids)+i]; !bytes.Equal(got.Data, c) || got.Type != "blob" || got.ID != ids[i] {
				t.Errorf("object %d came back as %s of %d bytes", i, got.Type, len(got.Data))
			}
		}
		var missing *MissingError
		if _, err := db.contents(ids[0], r.Format.Zero(), ids[1]); !errors.As(err, &missing) || missing.Name != string(r.Format.Zero()) {
			t.Errorf("missing: %v", err)
		}
		info, err := db.Info(ids[3], r.Format.Zero(), "HEAD", "refs/heads/nope")
		if err != nil || info[0].Size != 3_000_000 || info[1].Type != "" || info[2].ID != r.Head.ID || info[3].Type != "" {
			t.Errorf("info: %+v, %v", info, err)
		}
		if _, err := db.Info("HEAD\ninfo HEAD"); !errors.As(err, &missing) {
			t.Errorf("two requests in a name: %v", err)
		}
		if info, err := db.Info(ids[1]); err != nil || info[0].ID != ids[1] {
			t.Errorf("after that: %+v, %v", info, err)
		}
		if _, err := db.Blob(r.Head.ID, 1<<30); err == nil {
			t.Error("a commit passed for a blob")
		}
		if r.Processes() != 3 {
			t.Errorf("%d processes, want rev-parse, unpack-objects, cat-file", r.Processes())
		}
	})
}

// EditTree against the index as oracle: random edits, among them files that become directories and
// the reverse.
func TestEditTree(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ctx := context.Background()
		db := r.ODB(ctx)
		defer db.Close()
		blob, err := db.WriteBlob([]byte("content"))
		testdir.Must(t, err)
		rng := rand.New(rand.NewPCG(1, 2))
		names := []string{"a", "b", "a b", "new\nline", "-dash", "caf\xe9", "x.y", "x"}
		path := func() Path {
			parts := make([]string, 1+rng.IntN(3))
			for i := range parts {
				parts[i] = names[rng.IntN(len(names))]
			}
			return Path(strings.Join(parts, "/"))
		}
		root := r.Head.Tree
		for round := range 20 {
			old, err := db.DiffTrees("", root)
			testdir.Must(t, err)
			want := map[Path]Entry{}
			for _, c := range old {
				want[c.Path] = c.New
			}
			edits := Edits{}
			for range 1 + rng.IntN(6) {
				p := path()
				if conflicts(p, edits) {
					continue
				}
				if rng.IntN(3) == 0 && len(old) > 0 {
					if p = old[rng.IntN(len(old))].Path; conflicts(p, edits) {
						continue
					}
					edits[p] = Entry{}
					delete(want, p)
					continue
				}
				edits[p] = Entry{Mode: ModeExec, ID: blob}
				for q := range want {
					if strings.HasPrefix(string(p), string(q)+"/") {
						delete(want, q)
						edits[q] = Entry{}
					}
					if strings.HasPrefix(string(q), string(p)+"/") {
						delete(want, q)
					}
				}
				want[p] = edits[p]
			}
			root, err = db.EditTree(root, edits)
			testdir.Must(t, err)
			testdir.Must(t, db.Flush())
			if oracle := indexTree(t, r, want); string(root) != oracle {
				t.Fatalf("round %d: EditTree gives %s, git %s\nedits %q\nwant %q", round, root, oracle, edits, want)
			}
		}
	})
}

// conflicts reports whether a path is above or below one that is edited already.
func conflicts(p Path, edits Edits) bool {
	for q := range edits {
		if p == q || strings.HasPrefix(string(p), string(q)+"/") || strings.HasPrefix(string(q), string(p)+"/") {
			return true
		}
	}
	return false
}

// indexTree is git's own tree of a list of files.
func indexTree(t *testing.T, r *Repo, files map[Path]Entry) string {
	t.Helper()
	index := filepath.Join(t.TempDir(), "index")
	var in bytes.Buffer
	for p, e := range files {
		fmt.Fprintf(&in, "%s %s\t%s\x00", e.Mode, e.ID, p)
	}
	env := append(os.Environ(), "GIT_INDEX_FILE="+index)
	update := exec.Command("git", "update-index", "--add", "-z", "--index-info")
	update.Dir, update.Env, update.Stdin = r.Top, env, &in
	if out, err := update.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tree := exec.Command("git", "write-tree")
	tree.Dir, tree.Env = r.Top, env
	out, err := tree.Output()
	testdir.Must(t, err)
	return strings.TrimSpace(string(out))
}

// DiffTrees is what git diff-tree says.
func TestDiffTrees(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ctx := context.Background()
		write(t, r.Top, "dir/b.txt", "changed\n")
		write(t, r.Top, "new dir/tab\tand\nnewline", "x")
		write(t, r.Top, "caf\xe9", "x")
		os.Remove(filepath.Join(r.Top, "a.txt"))
		write(t, r.Top, "a.txt/now a directory", "x")
		git(t, r.Top, "add", "-A")
		git(t, r.Top, "commit", "-qm", "second")
		db := r.ODB(ctx)
		defer db.Close()
		after := discover(t, r.Top)
		mine, err := db.DiffTrees(r.Head.Tree, after.Head.Tree)
		testdir.Must(t, err)
		gits, err := r.rawDiff(ctx, "", []string{"diff-tree", "-r"}, []string{string(r.Head.Tree), string(after.Head.Tree)}, nil)
		testdir.Must(t, err)
		staged, err := r.DiffStaged(ctx, r.IndexFile, r.Head.ID)
		testdir.Must(t, err)
		if len(mine) != 5 || fmt.Sprint(mine) != fmt.Sprint(sameZero(gits)) || fmt.Sprint(mine) != fmt.Sprint(sameZero(staged)) {
			t.Errorf("\nours %v\ngit  %v\nstaged %v", mine, gits, staged)
		}
		found, err := db.Lookup(after.Head.Tree, "a.txt/now a directory", "nope/x", "dir", "caf\xe9")
		if err != nil || !found[0].Exists() || found[1].Exists() || !found[2].IsTree() || found[3].Mode != ModeFile {
			t.Errorf("%v %v", found, err)
		}
	})
}

func sameZero(changes []Change) []Change {
	sorted := append([]Change{}, changes...)
	for i := range sorted {
		for j := i; j > 0 && sorted[j].Path < sorted[j-1].Path; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	return sorted
}

// A commit is the one that commit-tree makes of the same.
func TestCommitTree(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ctx := context.Background()
		odd := someone
		odd.Name, odd.Email = " J. <Doe>\n;", "j@x.org."
		first := NewCommit{Tree: r.Head.Tree, Parents: []OID{r.Head.ID}, Author: odd, Committer: someone, Message: "Über\n\nKey: value\n"}
		second := NewCommit{Tree: r.Head.Tree, Parents: []OID{Previous}, Author: someone, Committer: someone, Message: "next\n"}
		db := r.ODB(ctx)
		defer db.Close()
		one, err := db.CommitTree(first)
		testdir.Must(t, err)
		chain, err := db.CommitTree(first, second)
		testdir.Must(t, err)
		again, err := commitID(r.output(ctx, first.command("--no-gpg-sign")))
		testdir.Must(t, err)
		if one[0] != chain[0] || one[0] != again {
			t.Errorf("commit-tree made %s, unpack-objects %s and %s", again, one[0], chain[0])
		}
		read, err := db.Commits(chain...)
		testdir.Must(t, err)
		if read[1].Parents[0] != chain[0] || read[0].Trailer("Key") != "value" || !read[0].When.Equal(someone.When) ||
			read[0].Author != "J. Doe <j@x.org>" {
			t.Errorf("%+v", read)
		}
		git(t, r.Top, "fsck", "--strict")
		if r.Processes() != 4 {
			t.Errorf("%d processes, want rev-parse, commit-tree, unpack-objects, cat-file", r.Processes())
		}
	})
}

func TestRefUpdate(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ctx := context.Background()
		update := func(build func(*RefUpdate) error) error {
			u, err := r.StartRefUpdate(ctx, "test")
			if err != nil {
				return err
			}
			defer u.Abort()
			if err := build(u); err != nil {
				return err
			}
			return u.Commit()
		}
		db := r.ODB(ctx)
		defer db.Close()
		two, err := db.CommitTree(NewCommit{Tree: r.Head.Tree, Author: someone, Committer: someone, Message: "x\n"})
		testdir.Must(t, err)
		const a, b = "refs/heads/entire/aaaaaaa-1", "refs/heads/entire/bbbbbbb-1"
		testdir.Must(t, update(func(u *RefUpdate) error { return u.Create(a, r.Head.ID) }))
		var moved *RefMovedError
		for name, build := range map[string]func(*RefUpdate) error{
			"create of one that exists": func(u *RefUpdate) error { return u.Create(a, two[0]) },
			"update from another value": func(u *RefUpdate) error { return u.Update(a, two[0], two[0]) },
			"delete from another value": func(u *RefUpdate) error { return u.Delete(a, two[0]) },
			"update of one that's gone": func(u *RefUpdate) error { return u.Update(b, two[0], r.Head.ID) },
			"delete of one that's gone": func(u *RefUpdate) error { return u.Delete(b, r.Head.ID) },
			"all or nothing": func(u *RefUpdate) error {
				return errors.Join(u.Delete(a, r.Head.ID), u.Create(b, r.Head.ID), u.Update("refs/heads/main", r.Head.ID, two[0]))
			},
		} {
			if err := update(build); !errors.As(err, &moved) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := update(func(u *RefUpdate) error { return u.Create("refs/heads/x", r.Format.Zero()[:4]+"1") }); err == nil ||
			errors.As(err, &moved) {
			t.Errorf("nonsense is no lost race: %v", err)
		}
		refs, err := r.Refs(ctx, "refs/heads/entire/")
		if err != nil || len(refs) != 1 || refs[0] != (Ref{a, r.Head.ID, "commit"}) {
			t.Errorf("%v %v", refs, err)
		}
		if err := update(func(u *RefUpdate) error { return errors.Join(u.Update(a, two[0], r.Head.ID)) }); err != nil {
			t.Error(err)
		}
		if err := update(func(u *RefUpdate) error { return errors.Join(u.Delete(a, two[0])) }); err != nil {
			t.Error(err)
		}
	})
}

// A transaction opened beforehand costs no second process, and leaves none when it isn't needed.
func TestWarmRefUpdate(t *testing.T) {
	r := repository(t, SHA1)
	ctx := context.Background()
	const ref = "refs/heads/entire/aaaaaaa-1"
	for _, test := range []struct {
		used      bool
		processes int
	}{{true, 1}, {false, 1}} {
		before := r.Processes()
		discard := r.WarmRefUpdate(ctx, "test")
		if test.used {
			u, err := r.StartRefUpdate(ctx, "test")
			testdir.Must(t, err)
			if err := errors.Join(u.Create(ref, r.Head.ID), u.Commit()); err != nil {
				t.Error(err)
			}
		}
		if err := discard(); err != nil || r.Processes()-before != test.processes {
			t.Errorf("%+v: %v, %d processes", test, err, r.Processes()-before)
		}
	}
	if refs, err := r.Refs(ctx, "refs/heads/entire/"); err != nil || len(refs) != 1 {
		t.Errorf("%v %v", refs, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	discard := r.WarmRefUpdate(cancelled, "test")
	if u, err := r.StartRefUpdate(ctx, "test"); err == nil {
		t.Errorf("a transaction that couldn't be opened: %v", u)
	}
	if err := discard(); err != nil {
		t.Error(err)
	}
}

// A transaction that is cancelled between prepare and commit leaves no lock behind.
func TestCancelledTransactionLeavesNoLock(t *testing.T) {
	r := repository(t, SHA1)
	for range 20 { // git may be faster than what ends it
		ctx, cancel := context.WithCancel(context.Background())
		u, err := r.StartRefUpdate(ctx, "test")
		testdir.Must(t, err)
		testdir.Must(t, errors.Join(u.Create("refs/heads/entire/aaaaaaa-1", r.Head.ID), u.Prepare()))
		lock := filepath.Join(r.GitDir, "refs/heads/entire/aaaaaaa-1.lock")
		if _, err := os.Stat(lock); err != nil {
			t.Fatalf("prepare took no lock: %v", err)
		}
		cancel()
		if err := u.Commit(); !errors.Is(err, context.Canceled) {
			t.Errorf("commit after cancel: %v", err)
		}
		if _, err := os.Stat(lock); err == nil {
			t.Fatal("the lock is still there")
		}
		if refs, _ := r.Refs(context.Background(), "refs/heads/entire/"); len(refs) != 0 {
			t.Fatalf("the ref was made: %v", refs)
		}
	}
}

func TestConfigUserVersion(t *testing.T) {
	r := repository(t, SHA1)
	ctx := context.Background()
	git(t, r.Top, "config", "core.commentChar", ";")
	git(t, r.Top, "config", "user.name", "Ada")
	git(t, r.Top, "config", "user.email", "ada@example.com")
	values, err := discover(t, r.Top).Config(ctx, "core.commentchar", "commit.cleanup")
	if err != nil || len(values) != 1 || values["core.commentchar"] != ";" {
		t.Errorf("%v %v", values, err)
	}
	os.Unsetenv("GIT_AUTHOR_NAME")
	name, email, err := r.User(ctx)
	if err != nil || name != "Ada" || email != "ada@example.com" {
		t.Errorf("%q %q %v", name, email, err)
	}
	old := t.TempDir()
	os.WriteFile(filepath.Join(old, "git"), []byte("#!/bin/sh\necho git version 2.37.9\n"), 0o755)
	t.Setenv("PATH", old)
	if _, err := CheckVersion(ctx, nil); !errors.As(err, new(*OldGitError)) {
		t.Errorf("%v", err)
	}
}

func TestPathKeepsEveryByte(t *testing.T) {
	for _, s := range []string{"a/b c", "caf\xe9", `"quoted"`, "tab\tnl\n\x01", `\`, "ünïcode", "", `"`, "\\303\\244"} {
		data, err := Path(s).MarshalJSON()
		testdir.Must(t, err)
		var back Path
		if err := back.UnmarshalJSON(data); err != nil || string(back) != s {
			t.Errorf("%q came back as %q (%v) by %s", s, back, err, data)
		}
		if strings.ContainsAny(Path(s).Display(), "\n\t\x01") {
			t.Errorf("%q is not one clean line", Path(s).Display())
		}
	}
}

// TestSettleStoresTheRest: where one object can't be stored again, all others are.
func TestSettleStoresTheRest(t *testing.T) {
	r := repository(t, SHA1)
	db := r.ODB(context.Background())
	defer db.Close()
	relied := OID(git(t, r.Top, "hash-object", "-w", "--stdin")) // the empty blob
	db.Rely(relied)
	var stored []OID
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		id, err := db.WriteBlob([]byte(text))
		testdir.Must(t, err)
		stored = append(stored, id)
	}
	if err := db.Relies(); err != nil { // they are written now
		t.Fatal(err)
	}
	for _, id := range append(stored, relied) {
		testdir.Must(t, os.Remove(filepath.Join(r.GitDir, "objects", string(id[:2]), string(id[2:]))))
	}
	var pruned *PrunedError
	if err := db.Settle(); !errors.As(err, &pruned) || pruned.ID != relied {
		t.Errorf("%v", err)
	}
	for _, id := range stored {
		git(t, r.Top, "cat-file", "-e", string(id))
	}
}
