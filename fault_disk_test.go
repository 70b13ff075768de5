//go:build linux

package main

import (
	"crypto/rand"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"entire-plumb/internal/testdir"
)

// noise is text of some size that does not compress well.
func noise(size int) string {
	data := make([]byte, size*3/4)
	rand.Read(data)
	return base64.StdEncoding.EncodeToString(data)
}

// onTmpfs makes a world whose repository is on a small file system of its own, its home elsewhere.
func onTmpfs(t *testing.T) where {
	t.Helper()
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=32m"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(mount, syscall.MNT_DETACH) }) // git may look after its garbage still
	return worldIn(t, t.TempDir(), filepath.Join(mount, "repo"))
}

// oneLine checks what a hook that failed said: a line of ours, and no more of us.
func oneLine(t *testing.T, said string) {
	t.Helper()
	if n := strings.Count(said, "entire-plumb:"); n != 1 || strings.Contains(said, "goroutine") {
		t.Errorf("%d lines are ours in:\n%s", n, said)
	}
}

// TestReadOnlyDisk lets hooks run where nothing can be written: they say so, and git's go on.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	w := onTmpfs(t)
	w.agent(nil, "user-prompt-submit", "s", "Go on.")
	w.write("file.txt", "by the agent")
	mount := filepath.Dir(w.dir)
	if err := syscall.Mount("", mount, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	err := w.agent(nil, "stop", "s", "Done.")
	said, err2 := w.run(nil, nil, "sh", "-c", "exec entire-plumb hooks git post-commit 2>&1")
	if err3 := syscall.Mount("", mount, "", syscall.MS_REMOUNT, "size=32m"); err3 != nil {
		t.Fatal(err3)
	}
	if err == nil || err2 != nil {
		t.Errorf("stop: %v; post-commit: %v", err, err2)
	} else {
		oneLine(t, err.Error()[strings.Index(err.Error(), errHookFailed.Error()):])
		oneLine(t, said)
	}
	testdir.Must(t, w.agent(nil, "stop", "s", "Done."))
	acked := acknowledged{}
	acked.stopped(w, "file.txt")
	if err := acked.lost(w); err != nil {
		t.Error(err)
	}
}

// TestSpoiltPrivateIndex damages the copy of the index that snapshots are taken with, as a git may
// that outlives its killed hook: that costs no snapshot.
func TestSpoiltPrivateIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, damage := range []string{"", "DIRC", "DIRC\x00\x00\x00\x02\x00\x00\x00\x09" + noise(400)} {
		w.agent(nil, "user-prompt-submit", "s", "Go on.")
		copies, _ := filepath.Glob(filepath.Join(w.dir, ".git/entire-plumb/index-*"))
		if len(copies) != 1 {
			t.Fatalf("private indexes: %q", copies)
		}
		testdir.Must(t, os.WriteFile(copies[0], []byte(damage), 0o600))
		w.write("file.txt", "by the agent", noise(40))
		testdir.Must(t, w.agent(nil, "stop", "s", "Done."))
		acked := acknowledged{}
		acked.stopped(w, "file.txt")
		if err := acked.lost(w); err != nil {
			t.Errorf("%q: %v", damage, err)
		}
	}
}

// TestFileSizeLimit lets no file grow beyond 8 KiB: the commit is made, and what its hook could not
// write is made up for.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(nil, "user-prompt-submit", "s", "Go on.")
	w.write("file.txt", "by the agent")
	testdir.Must(t, w.agent(nil, "stop", "s", "Done."))
	acked := acknowledged{}
	acked.stopped(w, "file.txt")
	w.git("add", "-A")
	w.record(filepath.Join(w.home, "s.jsonl"), map[string]any{"type": "user",
		"message": map[string]any{"role": "user", "content": noise(100 << 10)}})
	said, err := w.run(nil, nil, "sh", "-c", "ulimit -f 16 && exec git commit -qm Commit 2>&1")
	testdir.Must(t, err)
	oneLine(t, said)
	testdir.Must(t, w.agent(nil, "user-prompt-submit", "s", "Go on"))
	testdir.Must(t, w.promises())
	testdir.Must(t, acked.committed(w, "HEAD"))
}
