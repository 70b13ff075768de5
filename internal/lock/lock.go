// Package lock serialises processes of this program by a file lock, which the system frees when its
// holder dies; waiting for it is limited, so that a hook reports an error and git continues.
package lock

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"entire-plumb/internal/safefile"
)

// patience is the limit of waiting for a lock. Work under a lock takes milliseconds, a snapshot of
// a very large worktree a second.
const patience = 10 * time.Second

// Take locks the file, creating it if necessary, and returns the function that unlocks it.
func Take(ctx context.Context, file string) (unlock func(), err error) {
	if err := safefile.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	if err := safefile.Check(file); err != nil {
		return nil, fmt.Errorf("%w\nhint: remove it", err)
	}
	f, err := safefile.Append(file, 0o600) // with the mode that a shared repository asks for
	if err != nil {
		return nil, err
	}
	f.Close()
	type held struct {
		unlock func()
		err    error
	}
	got := make(chan held, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(file).Lock()
		got <- held{unlock, err}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case h := <-got:
		return h.unlock, h.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = fmt.Errorf("another entire-plumb has held %s for %v\nhint: check what it is waiting for, or stop it", file, patience)
	}
	go func() {
		if h := <-got; h.err == nil {
			h.unlock()
		}
	}()
	return nil, err
}
