package hooks

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
)

// mostStack is the most bytes of a panic's stack that the journal keeps.
const mostStack = 8 << 10

// Guard runs a hook's work. A panic becomes an error of one line and an entry in the journal with
// its stack. Go itself would print a page and exit with 2, at which an agent stops.
func (e Env) Guard(ctx context.Context, hook string, work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a bug of this program, please report it: %v", r)
			stack := debug.Stack()
			e.journalPanic(ctx, hook, fmt.Sprintf("%v\n%s", r, stack[:min(len(stack), mostStack)]))
		}
	}()
	return work()
}

// journalPanic may panic for the same reason, and then writes nothing.
func (e Env) journalPanic(ctx context.Context, hook, what string) {
	defer func() { recover() }()
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return
	}
	journal.Append(repo.SharedDir(), journal.Entry{
		Time: time.Now().UTC(), Hook: hook, Worktree: repo.WorktreeID(), Outcome: "panic", Error: what,
	})
}
