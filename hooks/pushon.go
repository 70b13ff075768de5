package hooks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lock"
	"entire-plumb/internal/share"
)

// PushOnName is the name of the entry point of PushOn.
const PushOnName = "push-on"

// mostPushOn is how long a push goes on in the background.
const mostPushOn = 10 * time.Minute

// goesOn starts a process that goes on with what did not fit into the time of this push, if the
// user lets it, and reports whether it did. Where the last one has failed, too, this push says so
// instead.
func (b *besidePush) goesOn(report share.Report, err error, failures int) bool {
	fault, _ := errors.AsType[*share.TargetError](err)
	slow := fault != nil && fault.Fault == share.Slow
	waits := err == nil && report.Portions > 0 && !report.Sent
	if !b.w.Settings.StrategyOptions.PushInBackground || !slow && !waits || failures > 0 {
		return false
	}
	program, err := os.Executable()
	return err == nil && b.w.Repo.StartDetached(program, "entire-plumb", "hooks", "git", PushOnName, b.out.remote) == nil
}

// PushOn goes on with a push to a remote in the background, at all of its addresses. Only one
// process does at a time. The journal says what became of it.
func (e Env) PushOn(ctx context.Context, remote string) {
	ctx, stop := context.WithTimeout(ctx, mostPushOn)
	defer stop()
	_ = e.Guard(ctx, "pre-push", func() error {
		repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
		if err != nil {
			return err
		}
		b := besidePush{Env: e, out: &outgoing{remote: remote}}
		if b.w = e.OpenStates(ctx, repo); b.w == nil || !b.w.Installed() {
			return nil
		}
		defer b.w.DB.Close()
		if !b.w.Settings.StrategyOptions.PushInBackground {
			return nil
		}
		b.w.Store.ReadOnly, b.begun = false, time.Now()
		return b.pushOn(ctx, repo)
	})
}

// alreadyOn is how long it waits for another process of its kind.
const alreadyOn = time.Second / 10

func (b *besidePush) pushOn(ctx context.Context, repo *gitexec.Repo) error {
	short, stop := context.WithTimeout(ctx, alreadyOn)
	defer stop()
	unlock, err := lock.Take(short, filepath.Join(repo.SharedDir(), "push-on.lock"))
	if err != nil {
		return nil // another one is at it
	}
	defer unlock()
	if b.s, err = share.Open(ctx, b.w, repo); err != nil {
		return err
	}
	b.s.Background = mostPushOn
	for _, one := range b.s.AtEach() {
		report, err := one.Push(ctx)
		m := share.MemoryOf(one)
		if fault, ok := errors.AsType[*share.TargetError](err); ok {
			b.out.address = one.View.Target.At
			m.Fail(ctx, b.out.to(), fault, b.Now())
		} else if err == nil {
			m.Succeed(b.Now())
		}
		b.w.Journal(journal.Entry{Hook: PushOnName, Outcome: report.Text()}, b.begun, err)
	}
	return nil
}
