// Package lock keeps processes of this program out of each other's way, by a file lock that the
// system frees when its holder dies. Nobody waits for it without end: a hook that cannot have it
// says so and lets git go on.
package lock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"entire-plumb/internal/safefile"
)

// Patience is how long a lock is waited for. What is done under one takes milliseconds, a snapshot
// of a very large worktree a second.
const Patience = 10 * time.Second

// Take locks the file, which is made if need be, and gives the function that unlocks it.
func Take(ctx context.Context, file string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	if err := safefile.Check(file); err != nil {
		return nil, fmt.Errorf("%w\nhint: remove it", err)
	}
	type held struct {
		unlock func()
		err    error
	}
	got := make(chan held, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(file).Lock()
		got <- held{unlock, err}
	}()
	patience := time.NewTimer(Patience)
	defer patience.Stop()
	select {
	case h := <-got:
		return h.unlock, h.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-patience.C:
		err = fmt.Errorf("another entire-plumb has held %s for %v\nhint: check what it is waiting for, or stop it", file, Patience)
	}
	go func() {
		if h := <-got; h.err == nil {
			h.unlock()
		}
	}()
	return nil, err
}
