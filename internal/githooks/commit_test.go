package githooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// repo is a scratch repository and a fake program that logs its arguments.
type repo struct {
	t    *testing.T
	dir  string
	exe  string
	log  string
	path string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	top := t.TempDir()
	r := &repo{t: t, dir: filepath.Join(top, "work"), exe: filepath.Join(top, `a b's "$x" \n`, "entire-plumb"),
		log: filepath.Join(top, "log"), path: "/usr/bin:/bin"}
	fake(t, r.exe, r.log)
	testdir.Must(t, os.Mkdir(r.dir, 0o755))
	r.git("init", "-q")
	return r
}

// fake writes down how it is called, and leaves something to do to commit-msg, unless there is a
// file "needless".
func fake(t *testing.T, path, log string) {
	t.Helper()
	put(t, path, "#!/bin/sh\necho ours \"$@\" >>"+quote(log)+`
[ "$3" = prepare-commit-msg ] && [ ! -e needless ] && mkdir -p "${4%/*}/entire-plumb" && : >"${4%/*}/entire-plumb/template"
exit 0
`, 0o755)
}

func (r *repo) hooks() string { return filepath.Join(r.dir, ".git", "hooks") }

func (r *repo) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + r.path, "HOME=" + r.dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true",
		"LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(r.dir, args...)
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (r *repo) commitIn(dir string) (string, error) {
	return r.try(dir, "commit", "-q", "--allow-empty", "-m", "x")
}

// logged returns the log's lines and empties it.
func (r *repo) logged() string {
	data, _ := os.ReadFile(r.log)
	os.Remove(r.log)
	return string(data)
}

func (r *repo) wantCommit(dir, log string) {
	r.t.Helper()
	out, err := r.commitIn(dir)
	if err != nil || out != "" {
		r.t.Errorf("git commit: %v, printed %q", err, out)
	}
	equal(r.t, "log", r.logged(), log)
}

const ours = "ours hooks git prepare-commit-msg .git/COMMIT_EDITMSG message\nours hooks git commit-msg .git/COMMIT_EDITMSG\nours hooks git post-commit\n"

func TestCommitRunsTheProgram(t *testing.T) {
	r := newRepo(t)
	mustInstall(t, r.hooks(), r.exe)
	r.wantCommit(r.dir, ours)
	r.git("commit", "-q", "--allow-empty", "--amend", "--no-edit")
	equal(t, "amend", r.logged(), strings.Replace(ours, "EDITMSG message", "EDITMSG commit HEAD", 1)+"ours hooks git post-rewrite amend\n")
}

func TestCommitMsgIsNeedless(t *testing.T) {
	r := newRepo(t)
	mustInstall(t, r.hooks(), r.exe)
	put(t, filepath.Join(r.dir, "needless"), "", 0o644)
	r.wantCommit(r.dir, strings.Replace(ours, "ours hooks git commit-msg .git/COMMIT_EDITMSG\n", "", 1))
}

func TestCommitWhenTheProgramIsGone(t *testing.T) {
	r := newRepo(t)
	mustInstall(t, r.hooks(), r.exe)
	testdir.Must(t, os.Chmod(r.exe, 0o644))
	r.wantCommit(r.dir, "")
	testdir.Must(t, os.Remove(r.exe))
	r.wantCommit(r.dir, "")
	testdir.Must(t, os.Mkdir(r.exe, 0o755))
	r.wantCommit(r.dir, "")
	bin := filepath.Join(filepath.Dir(r.log), "bin")
	fake(t, filepath.Join(bin, "entire-plumb"), r.log)
	r.path += ":" + bin
	r.wantCommit(r.dir, ours)
}

func TestCommitInLinkedWorktreeAndMovedRepository(t *testing.T) {
	r := newRepo(t)
	put(t, filepath.Join(r.hooks(), "commit-msg"), "#!/bin/sh\necho theirs >>"+quote(r.log)+"\n", 0o755)
	r.wantCommit(r.dir, "theirs\n")
	mustInstall(t, r.hooks(), r.exe)
	linked := filepath.Join(filepath.Dir(r.dir), "linked tree")
	r.git("worktree", "add", "-q", "-b", "linked", linked)
	if out, err := r.commitIn(linked); err != nil {
		t.Fatal(err, out)
	}
	log := r.logged()
	if strings.Count(log, "ours") != 3 || strings.Count(log, "theirs") != 1 {
		t.Errorf("log of the linked worktree:\n%s", log)
	}
	moved := r.dir + " moved"
	testdir.Must(t, os.Rename(r.dir, moved))
	r.wantCommit(moved, strings.Replace(ours, "ours hooks git commit", "theirs\nours hooks git commit", 1))
}

func TestCommitWithHooksPath(t *testing.T) {
	for _, path := range []string{".husky", "tools/git hooks"} {
		r := newRepo(t)
		r.git("config", "core.hooksPath", path)
		dir := filepath.Join(r.dir, path)
		put(t, filepath.Join(dir, "commit-msg"), "#!/bin/sh\necho theirs >>"+quote(r.log)+"\n", 0o755)
		mustInstall(t, dir, r.exe)
		r.wantCommit(r.dir, strings.Replace(ours, "ours hooks git commit", "theirs\nours hooks git commit", 1))
	}
}

// Each foreign hook, before and after ours is put in front, gives git the same answer.
func TestCommitWithForeignHook(t *testing.T) {
	theirs := func(r *repo, end string) string {
		return "#!/bin/sh\necho theirs \"${0##*/}\" \"$@\" \"$(cat)\" >>" + quote(r.log) + "\n" + end + "\n"
	}
	cases := []struct {
		name  string
		put   func(r *repo, path string)
		runs  bool
		fails bool
	}{
		{"succeeds", func(r *repo, p string) { put(r.t, p, theirs(r, "exit 0"), 0o755) }, true, false},
		{"fails", func(r *repo, p string) { put(r.t, p, theirs(r, "exit 3"), 0o755) }, true, true},
		{"killed", func(r *repo, p string) { put(r.t, p, theirs(r, "kill -9 $$"), 0o755) }, true, true},
		{"not executable", func(r *repo, p string) { put(r.t, p, theirs(r, "exit 3"), 0o644) }, false, false},
		{"relative link", func(r *repo, p string) {
			put(r.t, filepath.Join(filepath.Dir(p), "target"), theirs(r, "exit 3"), 0o755)
			link(r.t, "target", p)
		}, true, true},
		{"dangling link", func(r *repo, p string) { link(r.t, "target", p) }, false, false},
		{"no interpreter line", func(r *repo, p string) { put(r.t, p, strings.TrimPrefix(theirs(r, "exit 0"), "#!/bin/sh\n"), 0o755) },
			true, false},
	}
	for _, name := range Names {
		if readsInput(name) || name == "post-merge" {
			continue // see TestInputIsShared; git commit does not run the other one
		}
		for _, c := range cases {
			t.Run(name+" "+c.name, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t)
				r.git("config", "advice.ignoredHook", "false")
				c.put(r, filepath.Join(r.hooks(), name))
				_, before := r.commitIn(r.dir)
				r.logged()
				mustInstall(t, r.hooks(), r.exe)
				out, after := r.commitIn(r.dir)
				if (before == nil) != (after == nil) {
					t.Errorf("git commit before: %v, after: %v\n%s", before, after, out)
				}
				log := r.logged()
				at, mine := strings.Index(log, "theirs "+name+keptSuffix), strings.Index(log, "ours hooks git "+name)
				if (at >= 0) != c.runs || at > mine && mine >= 0 {
					t.Errorf("the foreign hook's run, log:\n%s", log)
				}
				stopped := c.fails && name != "post-commit"
				if (mine >= 0) == stopped {
					t.Errorf("our run after it, log:\n%s", log)
				}
			})
		}
	}
}

func TestKeptHookRunsWhenTheStubIsRenamed(t *testing.T) {
	r := newRepo(t)
	put(t, filepath.Join(r.hooks(), "commit-msg"), "#!/bin/sh\necho theirs >>"+quote(r.log)+"\n", 0o755)
	mustInstall(t, r.hooks(), r.exe)
	path := filepath.Join(r.hooks(), "commit-msg")
	testdir.Must(t, os.Rename(path, path+".legacy"))
	put(t, path, "#!/bin/sh\n\"$0.legacy\" \"$@\"\n", 0o755)
	r.wantCommit(r.dir, strings.Replace(ours, "ours hooks git commit", "theirs\nours hooks git commit", 1))
}

func TestStubIsExecutableUnderAnyUmask(t *testing.T) {
	dir := t.TempDir()
	sh := exec.Command("sh", "-c", `umask 0777; exec "$0" -test.run '^TestUmaskChild$'`, os.Args[0])
	sh.Env = append(os.Environ(), "GITHOOKS_UMASK_DIR="+dir)
	if out, err := sh.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(filepath.Join(dir, "commit-msg"))
	if err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("mode under umask 0777: %v, %v", info, err)
	}
}

// TestUmaskChild is the other half of the test above.
func TestUmaskChild(t *testing.T) {
	if dir := os.Getenv("GITHOOKS_UMASK_DIR"); dir != "" {
		mustInstall(t, dir, exe)
	}
}

// What git gives a hook on standard input reaches the kept hook and ours, byte for byte.
func TestInputIsShared(t *testing.T) {
	for _, end := range []string{"exit 0", "exit 3", "kill -9 $$"} {
		r := newRepo(t)
		r.wantCommit(r.dir, "")
		put(t, r.exe, "#!/bin/sh\ncat >"+quote(r.log+".ours")+"\necho ours \"$@\" >>"+quote(r.log)+"\n", 0o755)
		put(t, filepath.Join(r.hooks(),
			"post-rewrite"), "#!/bin/sh\ncat >"+quote(r.log+".theirs")+"\necho theirs \"$@\" >>"+quote(r.log)+"\n"+end+"\n", 0o755)
		mustInstall(t, r.hooks(), r.exe)
		r.git("commit", "-q", "--allow-empty", "--amend", "-m", "other")
		log := r.logged()
		if !strings.HasSuffix(log, "theirs amend\nours hooks git post-rewrite amend\n") {
			t.Errorf("%s: log:\n%s", end, log)
		}
		theirs, _ := os.ReadFile(r.log + ".theirs")
		mine, _ := os.ReadFile(r.log + ".ours")
		if len(theirs) < 82 || string(theirs) != string(mine) {
			t.Errorf("%s: theirs read %q, ours %q", end, theirs, mine)
		}
	}
}
