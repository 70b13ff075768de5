package commits

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/workspace"
)

// Foresee makes the commit that `git add -A` and `git commit -m` would make of the worktree now,
// with what the hooks would record of it: they decide, as they do for a commit. Commit, checkpoint
// and whatever else is written go to a temporary directory; the user's index is not touched, and no
// lock is taken. before is what prepare-commit-msg does before it chooses links. The caller closes
// the result.
func Foresee(
	ctx context.Context, e workspace.Env, repo *gitexec.Repo, before func(context.Context, *workspace.Run) error,
) (*checkpoints.Foreseen, error) {
	e.NewID = func() string { return checkpoints.ForeseenID }
	w, off, done, err := e.OpenAside(ctx, repo)
	if err != nil {
		return nil, err
	}
	f := &checkpoints.Foreseen{Repo: w.Repo, DB: w.DB, Edits: gitexec.Edits{}, Close: done}
	if off != nil {
		before = nil
	}
	if err := foresee(ctx, w.Run(), before, f); err != nil {
		done()
		return nil, err
	}
	return f, nil
}

// foresee fills in the commit. before is nil where nothing is recorded.
func foresee(ctx context.Context, run *workspace.Run, before func(context.Context, *workspace.Run) error, f *checkpoints.Foreseen) error {
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return err
	}
	f.Head, f.LeftOut = snap.Head, snap.LeftOut
	merged := run.Repo.Operation().Merged()
	if snap.Tree == snap.Head.Tree && len(merged) == 0 {
		return nil
	}
	run = run.On(snap.Head)
	draft := draft{file: filepath.Join(run.Repo.PrivateDir(), "COMMIT_EDITMSG"), source: "message", text: []byte("Uncommitted work\n")}
	if before != nil {
		copyPrivate(run.Repo)
		run.Foresee(snap.Tree)
		if err := before(ctx, run); err != nil {
			return err
		}
		if draft.text, f.Fault = foreseenMessage(ctx, run, draft); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	who := run.Author(nil)
	id, err := run.DB.WriteCommits(gitexec.NewCommit{Tree: snap.Tree, Parents: append([]gitexec.OID{snap.Head.ID}, merged...),
		Author: who, Committer: who, Message: string(draft.text)})
	if err != nil {
		return err
	}
	if f.Commit, err = run.DB.Commit(id); err != nil || before == nil || f.Fault != nil {
		return err
	}
	f.Fault = foreseeLinks(ctx, run.On(gitexec.Head{ID: id, Tree: snap.Tree}), f)
	return ctx.Err()
}

// foreseenMessage has the message prepared, with the links that the commit would get.
func foreseenMessage(ctx context.Context, run *workspace.Run, d draft) ([]byte, error) {
	if err := safefile.Write(d.file, d.text, 0o600); err != nil {
		return d.text, err
	}
	if _, err := prepare(ctx, run, d); err != nil {
		return d.text, err
	}
	text, err := safefile.Read(d.file, mostMessage)
	if err != nil {
		return d.text, err
	}
	return text, nil
}

// foreseeLinks fills in what would be recorded of the commit, at which HEAD would be.
func foreseeLinks(ctx context.Context, run *workspace.Run, f *checkpoints.Foreseen) error {
	// Copies: the caller's repository still is at the real HEAD.
	repo := *run.Repo
	repo.Head = run.Head
	copied := *run.Workspace
	copied.Repo = &repo
	at := copied.Run()
	pending := current(ReadPending(repo.PrivateDir()))
	outcome, err := foreseeCommit(ctx, at, Request{Way: Foreseen, Commit: f.Commit.ID, Pending: pending}, f.Edits)
	// A commit without a link may still bring lines of linked ones, which post-commit looks for.
	if err != nil || pending.ID != "" || !outcome.unlinked() {
		return err
	}
	head, parent, err := withParent(at.DB, f.Commit.ID)
	if err != nil {
		return err
	}
	request, brings, err := broughtBy(at, head, parent, gitexec.Commit{})
	if err != nil || !brings {
		return err
	}
	_, err = foreseeCommit(ctx, at, request, f.Edits)
	return err
}

// foreseeCommit decides as Reconcile does, and adds what that would write to the checkpoints'
// branch.
func foreseeCommit(ctx context.Context, run *workspace.Run, r Request, edits gitexec.Edits) (Outcome, error) {
	c := &linkedCommit{Request: r, sides: r.Pending.Sides}
	if err := c.readSessions(run); err != nil {
		return c.Outcome, err
	}
	for _, step := range []func(context.Context, *workspace.Run) error{c.begin, c.compare} {
		if err := step(ctx, run); err != nil || c.Outcome != undecided {
			return c.Outcome, err
		}
	}
	_, _, err := c.edit(ctx, run, c.checkpointRequest(run), edits)
	return c.Outcome, err
}

// mostCopied is how many private files are copied: there are some ten kinds, one file each.
const mostCopied = 64

// copyPrivate copies the private files that decisions read to where those of the run are.
func copyPrivate(to *gitexec.Repo) {
	dir := filepath.Join(to.GitDir, "entire-plumb")
	entries, _ := os.ReadDir(dir)
	copied := 0
	for _, e := range entries {
		if e.Type() != fs.FileMode(0) || !strings.HasSuffix(e.Name(), ".json") || copied == mostCopied {
			continue
		}
		copied++
		if data, err := safefile.ReadOwn(filepath.Join(dir, e.Name()), mostPrivate); err == nil {
			_ = safefile.Write(filepath.Join(to.PrivateDir(), e.Name()), data, 0o600) // as if there were none
		}
	}
}
