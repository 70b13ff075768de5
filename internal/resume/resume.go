// Package resume switches to the branch of recorded work, and restores its conversations, so that
// they can go on.
package resume

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/query"
	"entire-plumb/internal/restore"
	"entire-plumb/internal/workspace"
)

// Request is what to resume, and how.
type Request struct {
	Name    string // a branch, or a name as of query.Resolve; empty: the current branch
	Preview bool   // only report what would be done
	Force   bool   // replace newer conversations, too
}

// Resumed is what was done, or would be done.
type Resumed struct {
	Branch      string             `json:"branch,omitempty"`     // that is checked out then; empty: none
	From        string             `json:"branch_was,omitempty"` // if it is another one
	Switched    bool               `json:"switched"`
	Hint        string             `json:"hint,omitempty"` // why it was not, and how to
	Checkpoints []string           `json:"checkpoints"`    // committed, of which the conversations are
	Missing     []string           `json:"missing"`        // linked, and not here
	Sessions    []restore.Restored `json:"sessions"`       // the last one is the latest
	Uncommitted []string           `json:"uncommitted"`    // other sessions of this worktree, which have uncommitted work; without a name
	Done        bool               `json:"done"`
}

// NothingError says that a branch or a commit has no conversation.
type NothingError struct{ text string }

func (e *NothingError) Error() string { return e.text }

// Resume switches to the branch that has the work, as git switch does, and restores the
// conversations of its checkpoints, each as of the session's last one. If git refuses to switch,
// nothing is changed.
func Resume(ctx context.Context, from query.Source, q Request) (r Resumed, err error) {
	begun := time.Now()
	r = Resumed{Checkpoints: []string{}, Missing: []string{}, Sessions: []restore.Restored{}, Uncommitted: []string{}}
	t, branch, err := look(ctx, from, q.Name)
	if err != nil {
		return r, err
	}
	r.Hint, r.Checkpoints, r.Missing = t.hint, append(r.Checkpoints, t.checkpoints...), append(r.Missing, t.missing...)
	r.Branch = branch
	if t.branch != "" && t.branch != branch {
		if r.Branch, r.From = t.branch, branch; r.From == "" {
			r.From = "HEAD"
		}
		if err := switchTo(ctx, from.Env, t, q.Preview); err != nil {
			return r, err
		}
		r.Switched = !q.Preview
	}
	err = r.restore(ctx, from, q, t, begun)
	return r, err
}

// restore restores the conversations. The target's branch is checked out, unless it is a preview.
func (r *Resumed) restore(ctx context.Context, from query.Source, q Request, t target, begun time.Time) error {
	w, off, err := from.OpenToRead(ctx, from.Dir)
	if err != nil {
		return err
	}
	w.Store.ReadOnly = off != nil || q.Preview || !w.Installed()
	if q.Name == "" {
		defer r.uncommitted(w)
	}
	put := func() error {
		all, err := t.conversations(ctx, w)
		if err != nil {
			return err
		}
		r.Sessions, err = restore.Conversations(ctx, w, all, restore.Request{Preview: q.Preview, Force: q.Force})
		return err
	}
	if w.Store.ReadOnly { // also in a clone before enable: nothing of ours is written
		err = errors.Join(put(), w.DB.Close())
		r.Done = err == nil && !q.Preview
		return err
	}
	err = w.Locked(ctx, put)
	r.Done = err == nil
	return w.Finish(journal.Entry{Hook: "resume", Commit: string(w.Repo.Head.ID),
		Outcome: fmt.Sprintf("conversations: %d", len(r.Sessions))}, begun, err)
}

// uncommitted names the sessions of this worktree that have uncommitted work, and whose
// conversations are not among those of the branch's commits.
func (r *Resumed) uncommitted(w *workspace.Workspace) {
	states, err := w.Store.List()
	if err != nil {
		return // it was warned of
	}
	for _, s := range states {
		resumed := slices.ContainsFunc(r.Sessions, func(one restore.Restored) bool { return one.SessionID == s.SessionID })
		if s.In(w.Repo.WorktreeID()) && s.CheckpointCount > 0 && !resumed {
			r.Uncommitted = append(r.Uncommitted, s.SessionID)
		}
	}
}

// switchTo switches, or reports whether that would be refused.
func switchTo(ctx context.Context, e workspace.Env, t target, preview bool) error {
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return err
	}
	// git switch has no dry run: the move of the files that it makes does.
	if preview {
		if err := repo.MoveWorktree(ctx, repo.Head.ID, t.tip, true); err != nil {
			return refused(t.branch, err)
		}
		return nil
	}
	if err = repo.Switch(ctx, t.branch, t.guess); err == nil {
		return nil
	}
	// The exit code is that of a post-checkout hook, if there is one.
	if now, err2 := gitexec.Discover(ctx, e.Dir, e.Tracer); err2 == nil && now.Branch == "refs/heads/"+t.branch {
		e.Warn("the post-checkout hook failed after git switch " + t.branch)
		return nil
	}
	return refused(t.branch, err)
}

func refused(branch string, err error) error {
	var fault *gitexec.Error
	if errors.As(err, &fault) && fault.Stderr != "" {
		err = errors.New(strings.TrimPrefix(strings.TrimPrefix(fault.Stderr, "fatal: "), "error: "))
	}
	return fmt.Errorf("git does not switch to %s: %w\nhint: commit or stash what is in the way, and repeat this", branch, err)
}
