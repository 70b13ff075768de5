//go:build unix

package testserver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// world is a repository with a commit, and a server with an empty one.
type world struct {
	*testing.T
	dir    string
	server *Server
}

func newWorld(t *testing.T) world {
	root := t.TempDir()
	w := world{t, filepath.Join(root, "repo"), nil}
	testdir.Git(t, root, "init", "-q", "--bare", "server.git")
	testdir.Git(t, root, "init", "-q", "-b", "main", "repo")
	testdir.Write(t, w.dir, "a.txt", strings.Repeat("a line of text\n", 100))
	testdir.Git(t, w.dir, "add", "-A")
	testdir.Git(t, w.dir, "commit", "-qm", "First")
	var err error
	w.server, err = Start(root)
	testdir.Must(t, err)
	t.Cleanup(w.server.Close)
	testdir.Git(t, w.dir, "remote", "add", "origin", w.server.URL+"/server.git")
	return w
}

// push pushes, for so long, and returns what git says where it fails.
func (w world) push(patience time.Duration, spec string, options ...string) string {
	w.Helper()
	ctx, stop := context.WithTimeout(w.Context(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, "git", append(options, "push", "-q", "origin", spec)...)
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "no_proxy=*")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "no answer"
	}
	if err != nil && len(out) == 0 {
		return err.Error()
	}
	return string(out)
}

func (w world) set(words string) {
	w.Helper()
	m, err := Parse(strings.Fields(words))
	testdir.Must(w, err)
	w.server.Set(m)
}

func TestModes(t *testing.T) {
	w := newWorld(t)
	const long, header = time.Minute, "http.extraHeader=Authorization: "
	for _, c := range []struct{ mode, spec, option, says string }{
		{"", "main", "", ""},
		{"password=tom:secret", "main:b", "", "could not read Username"},
		{"password=tom:secret", "main:b", header + "Basic dG9tOnNlY3JldA==", ""},
		{"password=token", "main:c", header + "Bearer token", ""},
		{"status=403", "main:d", "", "403"},
		{"refuse of=refs/heads/e", "main:e", "", "hook declined"},
		{"refuse of=refs/heads/e", "main:f", "", ""},
		{"hook=10ms of=g", "main:g", "", ""},
		{"rate=50000", "main:h", "", ""},
		{"cut=10 of=refs/heads/i", "main:i", "", "RPC failed"},
		{"cut=10 of=refs/heads/i", "main:j", "", ""},
	} {
		w.set(c.mode)
		var options []string
		if c.option != "" {
			options = []string{"-c", c.option}
		}
		if got := w.push(long, c.spec, options...); c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s %s: %q", c.mode, c.spec, got)
		}
	}
	if _, err := Parse([]string{"unknown"}); err == nil {
		t.Error("any word is a mode")
	}
	w.server.Counts()
	w.set("")
	w.push(long, "main:counted")
	if requests, connections := w.server.Counts(); requests != 2 || connections != 1 {
		t.Errorf("%d requests, %d connections", requests, connections)
	}
}

// TestGoesOn: a hook that is held goes on when the client is gone, and the refs are updated.
func TestGoesOn(t *testing.T) {
	w := newWorld(t)
	w.set("hold")
	if got := w.push(time.Second/2, "main"); got != "no answer" {
		t.Errorf("%q", got)
	}
	server := filepath.Join(filepath.Dir(w.dir), "server.git")
	if got := testdir.Git(t, server, "for-each-ref"); got != "" {
		t.Errorf("%q", got)
	}
	w.set("")
	w.server.Wait()
	if got := testdir.Git(t, server, "for-each-ref"); !strings.Contains(got, "refs/heads/main") {
		t.Errorf("%q", got)
	}
	w.set("hang of=refs/heads/x")
	if got := w.push(time.Second/2, "main:x"); got != "no answer" {
		t.Errorf("%q", got)
	}
}

// TestSlow: a client that gives up on a slow server has not sent much more than was read.
func TestSlow(t *testing.T) {
	w := newWorld(t)
	big := make([]byte, 2<<20)
	for i, x := 0, uint32(1); i < len(big); i++ { // nothing that is compressed
		x = x*1664525 + 1013904223
		big[i] = byte(x >> 24)
	}
	testdir.Must(t, os.WriteFile(filepath.Join(w.dir, "big"), big, 0o644))
	testdir.Git(t, w.dir, "add", "-A")
	testdir.Git(t, w.dir, "commit", "-qm", "Big")
	w.set("rate=500000 of=refs/heads/")
	if got := w.push(time.Second, "main"); got != "no answer" {
		t.Errorf("%q", got)
	}
	begun := time.Now()
	w.server.Wait()
	if took := time.Since(begun); runtime.GOOS == "linux" && took > 2*time.Second {
		t.Errorf("what the client had sent takes %s", took)
	}
}
