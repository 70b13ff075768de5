package gitexec

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
)

// RefUpdate is an atomic transaction of refs. Start → Create, Update, Delete → Prepare (all
// locks are held, all old values match) → Commit, or Abort at any time before. Any error closes it.
// It is update-ref --stdin -z: one process.
type RefUpdate struct {
	repo   *Repo
	ctx    context.Context
	proc   *process
	in     *bufio.Writer
	out    *bufio.Reader
	locked bool
}

// StartRefUpdate opens a transaction, in the process of WarmRefUpdate, if there is one. reason is
// for the reflogs.
func (r *Repo) StartRefUpdate(ctx context.Context, reason string) (*RefUpdate, error) {
	return r.refs.take(func() (*RefUpdate, error) { return r.startRefUpdate(ctx, reason) })
}

// WarmRefUpdate starts the process of the next transaction in the background. The caller must call
// discard, which ends an unused process.
func (r *Repo) WarmRefUpdate(ctx context.Context, reason string) (discard func() error) {
	return r.refs.warm(func() (*RefUpdate, error) { return r.startRefUpdate(ctx, reason) }, (*RefUpdate).Abort)
}

func (r *Repo) startRefUpdate(ctx context.Context, reason string) (*RefUpdate, error) {
	// Git's own defaults of both times, whatever the configuration says: a hook must not wait for
	// ever. --no-deref: a symbolic ref in our place must not move what it names.
	proc, err := r.start(ctx, command{args: []string{"-c", "core.filesRefLockTimeout=100", "-c", "core.packedRefsTimeout=1000",
		"update-ref", "-m", reason, "--no-deref", "--stdin", "-z"}, later: true})
	if err != nil {
		return nil, err
	}
	u := &RefUpdate{repo: r, ctx: ctx, proc: proc, in: bufio.NewWriter(proc.in), out: bufio.NewReader(proc.out)}
	if err := u.talk("start", "start: ok\n"); err != nil {
		return nil, err
	}
	return u, nil
}

// Create creates a ref that must not exist yet.
func (u *RefUpdate) Create(name string, id OID) error {
	return u.say("create " + name + "\x00" + string(id) + "\x00")
}

// Update moves a ref that must be at old, unless old is empty.
func (u *RefUpdate) Update(name string, id, old OID) error {
	return u.say("update " + name + "\x00" + string(id) + "\x00" + string(old) + "\x00")
}

// Delete deletes a ref that must be at old.
func (u *RefUpdate) Delete(name string, old OID) error {
	return u.say("delete " + name + "\x00" + string(old) + "\x00")
}

// Prepare locks the refs and checks their old values. RefMovedError means that another process was
// faster.
func (u *RefUpdate) Prepare() error {
	// update-ref takes no ID of an object that is not there.
	if err := u.repo.writer.flush(u.ctx); err != nil {
		u.Abort()
		return err
	}
	u.locked = true
	return u.talk("prepare", "prepare: ok\n")
}

// Commit makes the changes, unless the context has ended. After an error of git's none, some or all
// may be made: git may have been ended as it made them.
func (u *RefUpdate) Commit() error {
	if !u.locked {
		if err := u.Prepare(); err != nil {
			return err
		}
	}
	if err := u.ctx.Err(); err != nil {
		return u.fail(err)
	}
	if err := u.talk("commit", "commit: ok\n"); err != nil {
		return err
	}
	u.close() // the changes are made, however it ends
	return nil
}

// Abort ends the transaction without changes. After Commit or an error, it does nothing.
func (u *RefUpdate) Abort() error {
	if u.proc == nil {
		return nil
	}
	if err := u.talk("abort", "abort: ok\n"); err != nil {
		return err
	}
	return u.close()
}

func (u *RefUpdate) say(words string) error {
	if u.proc == nil {
		return errors.New("the ref transaction is closed")
	}
	if _, err := u.in.WriteString(words); err != nil {
		return u.fail(err)
	}
	return nil
}

func (u *RefUpdate) talk(verb, want string) error {
	if err := u.say(verb + "\x00"); err != nil {
		return err
	}
	if err := u.in.Flush(); err != nil {
		return u.fail(err)
	}
	got, err := u.out.ReadString('\n')
	if err != nil {
		return u.fail(err)
	}
	if got != want {
		return u.fail(fmt.Errorf("update-ref answered %q to %s", got, verb))
	}
	return nil
}

func (u *RefUpdate) close() error {
	proc := u.proc
	u.proc = nil
	return proc.wait()
}

func (u *RefUpdate) fail(cause error) error {
	proc := u.proc
	u.proc = nil
	err := proc.broken(cause)
	var fault *Error
	if !errors.As(err, &fault) {
		return err
	}
	if name := conflictingRef(fault.Stderr); name != "" {
		return &RefConflictError{Ref: name, Cause: fault}
	}
	if _, id, ok := strings.Cut(fault.Stderr, "with nonexistent object "); ok {
		return &PrunedError{OID(strings.TrimSpace(id))}
	}
	if lostRace(fault.Stderr) {
		return &RefMovedError{Cause: fault, Lock: existingLock(fault.Stderr)}
	}
	return err
}

// existingLock parses the lock file in update-ref's message "Unable to create
// '…/packed-refs.lock': File exists". It is empty for other messages.
func existingLock(said string) string {
	_, after, _ := strings.Cut(said, "Unable to create '")
	file, _, ok := strings.Cut(after, "': File exists")
	if !ok {
		return ""
	}
	return file
}

// conflictingRef parses the existing ref in update-ref's message "… 'refs/heads/a' exists; cannot
// create 'refs/heads/a/b'". It is empty for other messages.
func conflictingRef(said string) string {
	before, _, ok := strings.Cut(said, "' exists; cannot create '")
	if !ok {
		return ""
	}
	return before[strings.LastIndexByte(before, '\'')+1:]
}

// lostRace reports whether update-ref failed because a ref had another value, or was locked.
func lostRace(said string) bool {
	for _, sign := range []string{"but expected", "reference already exists", "unable to resolve reference", "File exists",
		"reference is missing"} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}
