package shadow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
)

// crash is a repository in which a transaction is to move the checkpoints' branch and delete a
// stream.
type crash struct {
	t          *testing.T
	repo       *gitexec.Repo
	db         *gitexec.ODB
	store      session.Store
	stream     string
	old, new   gitexec.OID // the branch before and after
	tip, other gitexec.OID // the stream's, and another program's commit
	refs       []RefChange
	state      *session.State
	now        time.Time // ages count from here, so that files of one age have one time
}

func newCrash(t *testing.T) *crash {
	t.Helper()
	dir := newRepo(t, "sha1")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	repo, err := gitexec.Discover(context.Background(), dir, &gitexec.Tracer{})
	testdir.Must(t, err)
	testdir.Must(t, os.MkdirAll(repo.SharedDir(), 0o700))
	c := &crash{t: t, now: time.Now(), repo: repo, db: repo.ODB(context.Background()), store: session.Store{Dir: filepath.Join(repo.CommonDir, "entire-sessions")}, stream: NewName(repo.Head.ID, "", 1).Ref()}
	t.Cleanup(func() { c.db.Close() })
	c.old = c.commit("old", "")
	c.new = c.commit("new", c.old)
	c.tip = c.commit("tip", "")
	c.other = c.commit("other", c.new)
	c.state = &session.State{SessionID: "s", LastCheckpointID: "0123456789ab"}
	c.refs = []RefChange{{Ref: Checkpoints, Old: c.old, New: c.new}, {Ref: c.stream, Old: c.tip}}
	c.set(Checkpoints, c.old)
	c.set(c.stream, c.tip)
	return c
}

func (c *crash) commit(message string, parent gitexec.OID) gitexec.OID {
	args := []string{"commit-tree", "-m", message, string(c.repo.Head.Tree)}
	if parent != "" {
		args = append(args, "-p", string(parent))
	}
	return gitexec.OID(git(c.t, c.repo.Top, args...))
}

func (c *crash) set(ref string, id gitexec.OID) {
	c.t.Helper()
	if id == "" {
		git(c.t, c.repo.Top, "update-ref", "-d", ref)
		return
	}
	git(c.t, c.repo.Top, "update-ref", ref, string(id))
}

// begun writes the intent, an hour ago.
func (c *crash) begun() {
	c.t.Helper()
	testdir.Must(c.t, (intent{Refs: c.refs, States: []*session.State{c.state}}).save(c.repo))
	c.age(intentFile(c.repo), time.Hour)
}

func (c *crash) age(file string, age time.Duration) {
	c.t.Helper()
	then := c.now.Add(-age)
	testdir.Must(c.t, os.Chtimes(file, then, then))
}

// lock leaves a lock file of some age.
func (c *crash) lock(name string, age time.Duration) string {
	c.t.Helper()
	file := filepath.Join(c.repo.CommonDir, filepath.FromSlash(name)+".lock")
	testdir.Must(c.t, os.MkdirAll(filepath.Dir(file), 0o755))
	testdir.Must(c.t, os.WriteFile(file, nil, 0o644))
	c.age(file, age)
	return file
}

// expect compares refs and states; "" is a missing ref.
func (c *crash) expect(branch, stream gitexec.OID, saved bool) {
	c.t.Helper()
	for ref, want := range map[string]gitexec.OID{Checkpoints: branch, c.stream: stream} {
		if got, _ := tryGit(c.repo.Top, nil, "rev-parse", "-q", "--verify", ref); got != string(want) {
			c.t.Errorf("%s is at %q, should be at %q", ref, got, want)
		}
	}
	if _, err := c.store.Load("s"); (err == nil) != saved {
		c.t.Errorf("loading the state: %v, should be saved: %v", err, saved)
	}
	if exists(intentFile(c.repo)) {
		c.t.Error("the intent is still there")
	}
}

func exists(file string) bool { _, err := os.Lstat(file); return !errors.Is(err, fs.ErrNotExist) }

func (c *crash) recover() {
	c.t.Helper()
	if !exists(intentFile(c.db.Repo())) {
		c.t.Error("there is nothing to recover")
	}
	for range 2 {
		if err := Recover(context.Background(), c.db, c.store); err != nil || exists(intentFile(c.db.Repo())) {
			c.t.Errorf("Recover: %v", err)
		}
	}
}

func TestRecover(t *testing.T) {
	for _, test := range []struct {
		name           string
		crashed        func(c *crash)
		branch, stream func(c *crash) gitexec.OID // afterwards; nil: none
		saved          bool
	}{
		{"nothing moved", func(c *crash) {}, (*crash).oldID, (*crash).tipID, false},
		{"updated, not deleted", func(c *crash) { c.set(Checkpoints, c.new) }, (*crash).newID, nil, true},
		{"all moved, states not saved", func(c *crash) { c.set(Checkpoints, c.new); c.set(c.stream, "") }, (*crash).newID, nil, true},
		{"updated, and another program moved the stream", func(c *crash) { c.set(Checkpoints, c.new); c.set(c.stream, c.other) },
			(*crash).newID, (*crash).otherID, true},
		{"updated, and another program moved the branch", func(c *crash) { c.set(Checkpoints, c.other) }, (*crash).otherID, nil, true},
		{"another program was first", func(c *crash) { c.set(Checkpoints, c.tip) }, (*crash).tipID, (*crash).tipID, false},
		{"packed meanwhile", func(c *crash) { c.set(Checkpoints, c.new); git(c.t, c.repo.Top, "pack-refs", "--all") }, (*crash).newID, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCrash(t)
			c.begun()
			test.crashed(c)
			c.recover()
			var branch, stream gitexec.OID
			if test.branch != nil {
				branch = test.branch(c)
			}
			if test.stream != nil {
				stream = test.stream(c)
			}
			c.expect(branch, stream, test.saved)
		})
	}
}

func (c *crash) oldID() gitexec.OID   { return c.old }
func (c *crash) newID() gitexec.OID   { return c.new }
func (c *crash) tipID() gitexec.OID   { return c.tip }
func (c *crash) otherID() gitexec.OID { return c.other }

func TestRecoverDamagedIntent(t *testing.T) {
	c := newCrash(t)
	testdir.Must(t, os.WriteFile(intentFile(c.repo), []byte("{"), 0o600))
	c.recover()
	c.expect(c.old, c.tip, false)
}

func TestApply(t *testing.T) {
	ctx := context.Background()
	t.Run("done", func(t *testing.T) {
		c := newCrash(t)
		testdir.Must(t, Apply(ctx, c.db, c.store, c.refs, []*session.State{c.state}))
		c.expect(c.new, "", true)
	})
	t.Run("lost race", func(t *testing.T) {
		c := newCrash(t)
		c.set(c.stream, c.other)
		var moved *gitexec.RefMovedError
		if err := Apply(ctx, c.db, c.store, c.refs, []*session.State{c.state}); !errors.As(err, &moved) {
			t.Errorf("%v", err)
		}
		c.expect(c.old, c.other, false)
	})
	t.Run("failed otherwise", func(t *testing.T) {
		c := newCrash(t)
		c.refs = append(c.refs, RefChange{Ref: Prefix + "..", New: c.new})
		if err := Apply(ctx, c.db, c.store, c.refs, []*session.State{c.state}); err == nil {
			t.Error("it should have failed")
		}
		c.recover() // how far it came is for Recover to find out
		c.expect(c.old, c.tip, false)
	})
}

// TestStaleLocks leaves lock files behind, as git does when it is killed.
func TestStaleLocks(t *testing.T) {
	const late, long = 30 * time.Minute, 2 * time.Hour // after the intent, and before it
	for _, test := range []struct {
		name               string
		branch, deleted    time.Duration // how old the refs' locks are; 0: none
		packed             time.Duration
		branchStays, stays bool // the lock of the branch, and that of the packed refs
	}{
		{"all ours", late, late, late, false, false},
		{"the packed refs' is taken last", late, late, late - time.Minute, false, false},
		{"no deletion is locked", late, 0, late, false, true},
		{"the packed refs were locked before", 0, late, late + time.Minute, false, true},
		{"all are from before", long, long, long, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCrash(t)
			c.begun()
			files := map[string]string{}
			for name, age := range map[string]time.Duration{Checkpoints: test.branch, c.stream: test.deleted, "packed-refs": test.packed} {
				if age > 0 {
					files[name] = c.lock(name, age)
				}
			}
			c.recover()
			c.expect(c.old, c.tip, false)
			for name, stays := range map[string]bool{Checkpoints: test.branchStays, c.stream: test.branchStays, "packed-refs": test.stays} {
				if file := files[name]; file != "" && exists(file) != stays {
					t.Errorf("the lock of %s is there: %v", name, !stays)
				}
			}
		})
	}
}

// TestLockReleasedLast leaves packed-refs.lock alone behind: git releases it after the locks of the
// refs that it has deleted. A lock that was taken after these is another process's.
func TestLockReleasedLast(t *testing.T) {
	for name, test := range map[string]struct {
		packed, released time.Duration // how long ago the one was taken, and the others released
		stays            bool
	}{
		"ours":                     {30 * time.Minute, 20 * time.Minute, false},
		"taken after the deletion": {20 * time.Minute, 30 * time.Minute, true},
		"taken before the intent":  {2 * time.Hour, 20 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrash(t)
			c.begun()
			c.set(Checkpoints, c.new)
			c.set(c.stream, "")
			lock := c.lock("packed-refs", test.packed)
			c.age(filepath.Dir(refLock(c.repo, c.refs[1])), test.released)
			c.recover()
			c.expect(c.new, "", true)
			if exists(lock) != test.stays {
				t.Errorf("packed-refs.lock is there: %v", !test.stays)
			}
		})
	}
}

// TestLockOfALivingGit: a lock that git packs refs under, slowly, is not taken for one that was left
// behind, whatever its time says.
func TestLockOfALivingGit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only /proc shows where a git runs")
	}
	shell, err := exec.LookPath("sh")
	testdir.Must(t, err)
	program := filepath.Join(t.TempDir(), "git")
	testdir.Must(t, os.Symlink(shell, program))
	for name, crashed := range map[string]func(c *crash){
		"before it locks the packed refs": func(c *crash) { c.lock(Checkpoints, 30*time.Minute); c.lock(c.stream, 30*time.Minute) },
		"when all are deleted":            func(c *crash) { c.set(Checkpoints, c.new); c.set(c.stream, "") },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrash(t)
			c.begun()
			crashed(c)
			lock := c.lock("packed-refs", 20*time.Minute)
			c.age(filepath.Dir(refLock(c.repo, c.refs[1])), 10*time.Minute)
			pack := exec.Command(program, "pack-refs") // the shell runs the script of that name
			pack.Dir = c.repo.Top
			testdir.Must(t, os.WriteFile(filepath.Join(pack.Dir, "pack-refs"), []byte("read line\n"), 0o644))
			stdin, err := pack.StdinPipe()
			testdir.Must(t, err)
			testdir.Must(t, pack.Start())
			c.recover()
			if !exists(lock) {
				t.Error("the lock of a living git was removed")
			}
			testdir.Must(t, stdin.Close())
			_ = pack.Wait() // read fails at the end of its input
		})
	}
}

// TestKilledUpdateRef kills git itself while it holds all locks. Recover waits until it can be sure
// of them.
func TestKilledUpdateRef(t *testing.T) {
	if testing.Short() {
		t.Skip("waits two seconds")
	}
	c := newCrash(t)
	testdir.Must(t, (intent{Refs: c.refs, States: []*session.State{c.state}}).save(c.repo))
	cmd := exec.Command("git", "update-ref", "--stdin")
	cmd.Dir = c.repo.Top
	in, err := cmd.StdinPipe()
	testdir.Must(t, err)
	out, err := cmd.StdoutPipe()
	testdir.Must(t, err)
	testdir.Must(t, cmd.Start())
	fmt.Fprintf(in, "start\nupdate %s %s %s\ndelete %s %s\nprepare\n", Checkpoints, c.new, c.old, c.stream, c.tip)
	for answers := bufio.NewScanner(out); answers.Scan() && !strings.HasPrefix(answers.Text(), "prepare"); {
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, err := tryGit(c.repo.Top, nil, "update-ref", "-d", c.stream); err == nil {
		t.Fatal("the killed git left no lock: this test tests nothing")
	}
	c.recover()
	c.expect(c.old, c.tip, false)
	git(t, c.repo.Top, "pack-refs", "--all")
	git(t, c.repo.Top, "update-ref", "-d", c.stream)
}

// slowGit is a git in PATH that keeps back that a transaction's refs moved, and has asked for it.
func slowGit(t *testing.T) (moved string) {
	t.Helper()
	real, err := exec.LookPath("git")
	testdir.Must(t, err)
	dir := t.TempDir()
	moved = filepath.Join(dir, "moved")
	script := fmt.Sprintf(`#!/bin/sh
case " $* " in *" update-ref "*) ;; *) exec %q "$@" ;; esac
exec 3<&0 # a job in the background has no input of its own
trap 'kill $!; exit 143' TERM
%q "$@" <&3 | while read -r said; do
	if [ "$said" = "commit: ok" ]; then : >%q; sleep 10 >/dev/null 2>&1; fi
	echo "$said"
done &
wait
`, real, real, moved)
	testdir.Must(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return moved
}

// TestEndedAsRefsMove: a transaction whose git is ended when its refs have moved leaves the index of
// the new commit, and Recover finishes it.
func TestEndedAsRefsMove(t *testing.T) {
	c := newCrash(t)
	blob := gitexec.OID(git(t, c.repo.Top, "hash-object", "-w", os.Args[0]))
	index := &IndexChange{Check: func() error { return nil },
		New: gitexec.Edits{"f": {Mode: gitexec.ModeFile, ID: blob}}, Old: gitexec.Edits{"f": {}}}
	moved := slowGit(t)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for !exists(moved) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if err := ApplyCommit(ctx, c.db, c.store, "commit", c.refs, []*session.State{c.state}, index); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := git(t, c.repo.Top, "ls-files"); got != "f" {
		t.Errorf("the index has %q", got)
	}
	c.recover()
	c.expect(c.new, "", true)
}
