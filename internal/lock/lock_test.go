package lock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestTake: a second one waits for the first, as long as its context lasts.
func TestTake(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dir", "lock")
	unlock, err := Take(t.Context(), file)
	testdir.Must(t, err)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Take(short, file); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it is held: %v", err)
	}
	unlock()
	again, err := Take(t.Context(), file) // also what gave up has not kept it
	testdir.Must(t, err)
	again()
}

// TestTakeRefuses: a link in the place of the lock is not followed.
func TestTakeRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "lock")
	testdir.Must(t, os.Symlink(filepath.Join(dir, "elsewhere"), file))
	if _, err := Take(t.Context(), file); err == nil || !strings.HasSuffix(err.Error(), "hint: remove it") {
		t.Errorf("a link: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("the link was followed")
	}
}
