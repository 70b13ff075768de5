package hooks

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
)

// mostStack bounds how much the journal keeps of where a panic was, in bytes.
const mostStack = 8 << 10

// Guard runs what a hook does. A panic becomes an error of one line, and an entry in the journal
// that says where it was: Go itself would print a page, and end with 2, by which an agent's hook
// stops the agent.
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

// journalPanic may meet the same bug again, and then keeps nothing.
func (e Env) journalPanic(ctx context.Context, hook, what string) {
	defer func() { recover() }()
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return
	}
	journal.Append(repo.SharedDir(), journal.Entry{Time: time.Now().UTC(), Hook: hook, Worktree: repo.WorktreeID(), Outcome: "panic", Error: what})
}
