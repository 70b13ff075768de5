package share

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// git runs git, and fails the test with it.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s in %s: %v\n%s", strings.Join(args, " "), dir, err, out)
	}
	return strings.TrimSpace(string(out))
}

// clone is one clone of a remote in which something is recorded.
type clone struct {
	dir     string
	written []string // the IDs of its checkpoints
	more    []byte   // what the next ones have beside
	pushes  int      // beside pushes of the user's
	busy    sync.Mutex
}

func newClone(t *testing.T, dir, remote string) *clone {
	git(t, filepath.Dir(dir), "init", "-q", dir)
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "First")
	git(t, dir, "remote", "add", "origin", remote)
	testdir.Must(t, os.MkdirAll(filepath.Join(dir, ".entire"), 0o700))
	testdir.Must(t, os.WriteFile(filepath.Join(dir, ".entire", "settings.json"), []byte("{}"), 0o600))
	return &clone{dir: dir}
}

// open calls a function with the clone's sharing.
func (c *clone) open(ctx context.Context, do func(*Sharing) error) error {
	e := workspace.Env{Dir: c.dir, Stderr: new(bytes.Buffer), Stdout: new(bytes.Buffer), Getenv: func(string) string { return "" }, Now: time.Now,
		NewID: workspace.RandomID}
	w, _, err := e.OpenToRead(ctx, c.dir)
	if err != nil {
		return err
	}
	defer w.DB.Close()
	repo := *w.Repo
	s, err := Open(ctx, w, &repo)
	if err != nil {
		return err
	}
	s.ByHand(time.Minute, nil, false)
	return do(s)
}

// write writes a checkpoint, as post-commit does.
func (c *clone) write(ctx context.Context, id string) error {
	return c.open(ctx, func(s *Sharing) error {
		return s.View.w.Locked(ctx, func() error {
			tip, err := shadow.CheckpointsTip(s.View.w.Repo, s.View.w.DB)
			if err != nil {
				return err
			}
			b, err := checkpoints.ReadBranch(s.View.w.DB, tip)
			if err != nil {
				return err
			}
			blob, err := s.View.w.DB.WriteBlob([]byte(`{"checkpoint_id": "` + id + `", "session_id": "s` + id + `"}`))
			if err != nil {
				return err
			}
			file := gitexec.Entry{Mode: gitexec.ModeFile, ID: blob}
			edits := gitexec.Edits{gitexec.Path(checkpoints.Dir(id) + "/metadata.json"): file, gitexec.Path(checkpoints.Dir(id) + "/0/metadata.json"): file}
			if c.more != nil {
				id2, err := s.View.w.DB.WriteBlob(c.more)
				if err != nil {
					return err
				}
				edits[gitexec.Path(checkpoints.Dir(id)+"/0/full.jsonl")] = gitexec.Entry{Mode: gitexec.ModeFile, ID: id2}
			}
			commits, err := b.Commits(s.View.w.DB, edits, s.View.w.Author(nil), "Checkpoint: "+id+"\n")
			if err != nil {
				return err
			}
			ids, err := s.View.w.DB.CommitTree(commits...)
			if err != nil {
				return err
			}
			err = shadow.Apply(ctx, s.View.w.DB, s.View.w.Store, []shadow.RefChange{{Ref: shadow.Checkpoints, Old: b.Local, New: ids[len(ids)-1]}}, nil)
			if err == nil {
				c.written = append(c.written, id)
			}
			return err
		})
	})
}

// pushWork pushes the commits of the clone, without their checkpoints.
func (c *clone) pushWork(t *testing.T) {
	git(t, c.dir, "push", "-q", "--no-verify", "origin", "HEAD:refs/heads/"+filepath.Base(c.dir))
}

// TestConverge: clones that commit, push and pull at random, several at a time, and of which some
// are stopped half-way, come to the same, and nothing is lost. A push where others were faster needs
// a few tries.
func TestConverge(t *testing.T) {
	clones, steps := testdir.Rounds(50, 8, 5), testdir.Rounds(400, 40, 15)
	for _, transport := range []string{"file", "daemon"} {
		t.Run(transport, func(t *testing.T) {
			if transport == "daemon" && os.Getenv("ENTIRE_TEST_ALL") == "" {
				t.Skip("only where all is tested")
			}
			converge(t, transport, clones, steps)
		})
	}
}

func converge(t *testing.T, transport string, clones, steps int) {
	top := t.TempDir()
	server := filepath.Join(top, "server.git")
	git(t, top, "init", "-q", "--bare", server)
	remote := server
	if transport == "daemon" {
		remote = daemon(t, top) + "/server.git"
	}
	random := rand.New(rand.NewSource(1))
	var all []*clone
	for i := range clones {
		all = append(all, newClone(t, filepath.Join(top, strconv.Itoa(i)), remote))
	}
	var lock sync.Mutex
	pushes, tries, stopped := 0, 0, 0
	work := make(chan func(), 4)
	var done sync.WaitGroup
	for range 3 {
		done.Add(1)
		go func() {
			defer done.Done()
			for f := range work {
				f()
			}
		}()
	}
	for i := range steps {
		c, what, patience := all[random.Intn(len(all))], random.Intn(10), time.Duration(random.Intn(300))*time.Millisecond
		kill := random.Intn(8) == 0
		work <- func() {
			c.busy.Lock()
			defer c.busy.Unlock()
			ctx := t.Context()
			if what < 7 {
				id := fmt.Sprintf("%012x", 0x100000000000+int64(i)*0x1357913579)
				git(t, c.dir, "commit", "-q", "--allow-empty", "-m", "Work\n\nEntire-Checkpoint: "+id)
				if err := c.write(ctx, id); err != nil {
					t.Errorf("write: %v", err)
				}
			}
			switch {
			case what < 2:
			case what < 7:
				if kill {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, patience)
					defer stop()
				}
				c.pushWork(t)
				err := c.open(ctx, func(s *Sharing) error {
					r, err := s.Push(ctx)
					lock.Lock()
					defer lock.Unlock()
					if err == nil && r.Tries > 0 {
						pushes++
						tries += r.Tries
					}
					return err
				})
				lock.Lock()
				if err != nil && ctx.Err() != nil {
					stopped++
				} else if err != nil {
					t.Errorf("push: %v", err)
				}
				lock.Unlock()
			default:
				if out, err := exec.Command("git", "-C", c.dir, "fetch", "-q", "origin").CombinedOutput(); err != nil && !bytes.Contains(out, []byte("cannot lock ref")) {
					t.Errorf("fetch: %s", out)
				}
			}
		}
	}
	close(work)
	done.Wait()
	if t.Failed() {
		return
	}
	for range 2 {
		for _, c := range all {
			c.pushWork(t)
			if err := c.open(t.Context(), func(s *Sharing) error { _, err := s.Sync(t.Context()); return err }); err != nil {
				t.Fatalf("sync: %v", err)
			}
		}
	}
	want := git(t, server, "rev-parse", shadow.Checkpoints+"^{tree}")
	names := git(t, server, "ls-tree", "-r", "--name-only", shadow.Checkpoints)
	written := 0
	for _, c := range all {
		if got := git(t, c.dir, "rev-parse", shadow.Checkpoints+"^{tree}"); got != want {
			t.Errorf("%s has %s, and the remote %s", c.dir, got, want)
		}
		for _, id := range c.written {
			written++
			if !strings.Contains(names, checkpoints.Dir(id)+"/0/metadata.json") {
				t.Errorf("%s is lost", id)
			}
		}
	}
	if left := git(t, server, "for-each-ref", "--format=x", inbox); len(left) > 2*clones {
		t.Errorf("inboxes are left: %s", left)
	}
	git(t, server, "fsck", "--strict")
	t.Logf("%d checkpoints of %d clones; %d pushes, %.2f tries each; %d stopped half-way", written, clones, pushes, float64(tries)/float64(pushes), stopped)
	if tries > 4*pushes {
		t.Errorf("%d tries of %d pushes", tries, pushes)
	}
}

// daemon starts a git daemon on loopback, and returns its address.
func daemon(t *testing.T, top string) string {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	cmd := exec.Command("git", "daemon", "--reuseaddr", "--listen=127.0.0.1", "--port="+strconv.Itoa(port), "--base-path="+top, "--export-all",
		"--enable=receive-pack", "--max-connections=0")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 100 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			c.Close()
			return "git://127.0.0.1:" + strconv.Itoa(port)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Skip("git daemon doesn't answer")
	return ""
}
