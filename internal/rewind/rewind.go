// Package rewind takes the worktree back to a checkpoint, and undoes that.
package rewind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/query"
	"entire-plumb/internal/restore"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Errors of rewinding, for errors.Is.
var (
	ErrOtherBase = errors.New("the checkpoint was made on another commit")
	ErrOverwrite = errors.New("files that no snapshot holds would be overwritten")
	ErrNotNow    = errors.New("can't rewind now")
)

// Request is what to rewind to, and how.
type Request struct {
	To      string   // a name: see query.Resolve; required without Last or Undo
	Last    bool     // instead of To: the first of query.RewindPoints
	Undo    bool     // undo the last rewind
	Preview bool     // only report what would be done
	Diff    int      // so many bytes of the diff are reported, too, of a preview; 0: none
	Logs    bool     // restore the conversation alone
	Files   []string // restore these files and directories alone; from Dir, as the user typed them; empty: all
	Force   bool     // also on another base; a newer conversation is replaced, and kept aside
}

// Rewound is what a rewind did, or would do (seed 004, RewindPreview).
type Rewound struct {
	Point    query.RewindPoint  `json:"point"`
	Restored []gitexec.Path     `json:"restored"` // files written
	Deleted  []gitexec.Path     `json:"deleted"`
	Moved    string             `json:"branch_moved,omitempty"` // the branch that was moved back
	From     gitexec.OID        `json:"branch_was,omitempty"`
	To       gitexec.OID        `json:"branch_is,omitempty"`
	Saved    gitexec.OID        `json:"saved,omitempty"`         // the worktree as it was before
	Earlier  gitexec.OID        `json:"saved_earlier,omitempty"` // likewise before the previous rewind, which --undo doesn't reach
	Logs     []restore.Restored `json:"logs"`
	Left     []session.LeftOut  `json:"left_out"` // files that no snapshot holds: untouched
	Done     bool               `json:"done"`

	// Diff is the beginning of the diff from the worktree to the checkpoint, if it was asked for.
	Diff []byte `json:"-"`
}

// Rewind takes the whole worktree back to a checkpoint: newer files are deleted, and restored by
// Undo. The user's index and ignored files are not changed. Of a committed checkpoint it restores
// only the conversations, since git has its files. But if a turn made the commit (auto-commit), and
// not on the default branch, the branch moves back to it (seed 003, Rewind). With Files all others
// stay, and those of a committed checkpoint come from its commit.
func Rewind(ctx context.Context, e workspace.Env, q Request) (r Rewound, err error) {
	begun := time.Now()
	w, off, err := e.OpenToRead(ctx, e.Dir)
	if err != nil {
		return r, err
	}
	p := &run{w, w.Repo.Head, nil}
	if p.paths, err = pathsOf(w.Repo.Top, e.Dir, q.Files); err != nil {
		return r, errors.Join(err, w.DB.Close())
	}
	p.opened.Store.ReadOnly = off != nil || q.Preview || !p.opened.Installed()
	if off != nil {
		defer p.opened.DB.Close()
		return p.restoreDisabled(ctx, q, off)
	}
	err = p.opened.Locked(ctx, func() error {
		r, err = p.rewind(ctx, q)
		return err
	})
	outcome := "rewound to " + r.Point.ID
	if !r.Done {
		outcome = "looked at " + r.Point.ID
	}
	return r, p.opened.Finish(journal.Entry{Hook: "rewind", Session: r.Point.SessionID, Commit: string(p.Head.ID), Outcome: outcome}, begun, err)
}

// run is one rewind in its workspace.
type run struct {
	opened *workspace.Workspace
	Head   gitexec.Head
	paths  []gitexec.Path // that are rewound alone; nil: all
}

// newRewound is an empty result.
func newRewound() Rewound {
	return Rewound{Restored: []gitexec.Path{}, Deleted: []gitexec.Path{}, Logs: []restore.Restored{}, Left: []session.LeftOut{}}
}

// restoreDisabled restores conversations where recording is off, as in a clone before enable.
// Everything else fails with off.
func (p *run) restoreDisabled(ctx context.Context, q Request, off error) (Rewound, error) {
	if q.Undo || p.paths != nil || p.Head.ID.IsZero() {
		return newRewound(), off
	}
	k, err := p.pointOf(ctx, q)
	if err != nil {
		return newRewound(), err
	}
	if !k.IsLogsOnly && !q.Logs {
		return newRewound(), off
	}
	return p.logsAlone(ctx, k, q)
}

// logsAlone restores the conversations of a checkpoint, and nothing else.
func (p *run) logsAlone(ctx context.Context, k point, q Request) (Rewound, error) {
	r := newRewound()
	r.Point = k.RewindPoint
	r.Point.IsLogsOnly = true
	var err error
	if k.stream != nil {
		r.Logs, err = p.restoreStreamLog(ctx, *k.stream, q)
	} else {
		r.Logs, err = p.restoreLogs(ctx, k.CheckpointID, q)
	}
	r.Done = err == nil && !q.Preview
	return r, err
}

func (p *run) rewind(ctx context.Context, q Request) (Rewound, error) {
	r := newRewound()
	if p.Head.ID.IsZero() {
		return r, fmt.Errorf("%w: there is no commit yet\nhint: git restore -s CHECKPOINT -- FILE restores a file, and entire-plumb rewind --limit 10 lists the checkpoints", ErrNotNow)
	}
	if q.Logs {
		k, err := p.pointOf(ctx, q)
		if err != nil {
			return r, err
		}
		return p.logsAlone(ctx, k, q)
	}
	snap, err := p.opened.Snapshot(ctx)
	if err != nil {
		return r, err
	}
	// HEAD may have moved before the lock was taken: what counts is HEAD as the snapshot found it.
	p = &run{p.opened, snap.Head, p.paths}
	r.Left = append(r.Left, snap.LeftOut...)
	if err := p.warnOfTurns(); err != nil {
		return r, err
	}
	if snap.Conflict {
		return r, fmt.Errorf("%w: the index has conflicts\nhint: resolve them, or abort the merge", ErrNotNow)
	}
	if q.Undo {
		return p.undoRewind(ctx, r, snap, q)
	}
	k, err := p.pointOf(ctx, q)
	if err != nil {
		return r, err
	}
	r.Point = k.RewindPoint
	return p.rewindTo(ctx, r, k, snap, q)
}

// warnOfTurns warns of turns in progress, unless their agents are known to have ended.
func (p *run) warnOfTurns() error {
	states, err := p.opened.Sessions()
	for _, s := range states {
		if alive, known := p.opened.AgentAlive(s); s.Phase == session.Active && (alive || !known) {
			p.opened.WarnLater(fmt.Sprintf("session %s has an active turn: its agent may change the restored files", s.SessionID))
		}
	}
	return err
}

// rewindTo rewinds to a point.
func (p *run) rewindTo(ctx context.Context, r Rewound, k point, snap shadow.Snapshot, q Request) (Rewound, error) {
	switch {
	case p.paths != nil:
		tree, err := p.filesOf(k)
		if err != nil {
			return r, err
		}
		return p.restore(ctx, r, snap, tree, q)
	case k.IsLogsOnly:
		return p.logsAlone(ctx, k, q)
	case k.CheckpointID != "":
		r, err := p.moveBack(ctx, r, k, snap, q)
		if err != nil {
			return r, err
		}
		if r.Logs, err = p.restoreLogs(ctx, k.CheckpointID, q); err != nil && r.Done {
			p.opened.WarnOf(err) // the branch has moved: that is to be saved
			err = nil
		}
		return r, err
	case k.base != p.Head.ID && !q.Force:
		return r, fmt.Errorf("%w: its base is %s, and HEAD is %s\nhint: restore single files with entire-plumb rewind %s -- FILE; --force restores all files, and deletes newer ones of HEAD",
			ErrOtherBase, k.base.Short(), p.Head.ID.Short(), k.ID[:min(12, len(k.ID))])
	}
	return p.restore(ctx, r, snap, k.tree, q)
}

// restore moves the worktree to a tree, and saves its state before.
func (p *run) restore(ctx context.Context, r Rewound, snap shadow.Snapshot, to gitexec.OID, q Request) (Rewound, error) {
	diff, to, err := p.planned(&r, snap.Tree, to)
	if err != nil {
		return r, err
	}
	if q.Preview && q.Diff > 0 && len(diff) > 0 {
		if r.Diff, err = p.opened.DB.DiffText(snap.Tree, to, q.Diff); err != nil {
			return r, err
		}
	}
	if err := p.checkOverwrite(diff); err != nil || q.Preview {
		return r, err
	}
	if len(diff) == 0 {
		r.Done = true
		// It is saved, too, unless it repeats the last one: else --undo would take back an earlier
		// one, and the work since.
		if again, err := p.repeats(ctx, r.Point); err != nil || again {
			return r, err
		}
	}
	if r.Saved, err = p.saveBefore(ctx, r.Point, snap.Tree, ""); err != nil || len(diff) == 0 {
		return r, err
	}
	was := slices.DeleteFunc(slices.Clone(diff), func(c gitexec.Change) bool { return !c.Old.Exists() })
	if err := p.opened.Repo.RestoreWorktree(ctx, snap.Tree, to, gitexec.PathsOf(was)); err != nil {
		return r, fmt.Errorf("%w\nhint: the previous worktree is saved in %s", err, r.Saved.Short())
	}
	r.Done = true
	if !q.Undo {
		r.Earlier, err = p.savedEarlier(r.Saved, snap.Tree, to)
	}
	return r, err
}

// planned are the changes from one tree to another that are made, and the tree that they lead to.
func (p *run) planned(r *Rewound, now, to gitexec.OID) ([]gitexec.Change, gitexec.OID, error) {
	diff, err := p.opened.DB.DiffTrees(now, to)
	if err == nil && p.paths != nil {
		diff, to, err = p.onlyPaths(diff, now, to)
	}
	if err != nil {
		return nil, "", err
	}
	diff, to, err = p.withoutRepositories(r, diff, to)
	r.list(diff)
	return diff, to, err
}

// list adds the files that changes write and delete.
func (r *Rewound) list(diff []gitexec.Change) {
	for _, c := range diff {
		if c.New.Exists() {
			r.Restored = append(r.Restored, c.Path)
		} else {
			r.Deleted = append(r.Deleted, c.Path)
		}
	}
}

// withoutRepositories excludes submodules and nested repositories, which have their own files.
func (p *run) withoutRepositories(r *Rewound, diff []gitexec.Change, to gitexec.OID) ([]gitexec.Change, gitexec.OID, error) {
	as := gitexec.Edits{}
	files := slices.DeleteFunc(slices.Clone(diff), func(c gitexec.Change) bool {
		inside := c.Old.Mode == gitexec.ModeGitlink || c.New.Mode == gitexec.ModeGitlink
		if inside {
			as[c.Path] = c.Old
			r.Left = append(r.Left, session.LeftOut{Path: c.Path, Reason: "a nested repository; use git -C to change it"})
		}
		return inside
	})
	to, err := p.opened.DB.EditTree(to, as)
	return files, to, err
}

// checkOverwrite refuses to overwrite files that no snapshot holds: ignored and too large ones.
func (p *run) checkOverwrite(diff []gitexec.Change) error {
	var found []gitexec.Path
	for _, c := range diff {
		if !mayOverwrite(c, diff) {
			continue
		}
		there, err := p.beyond(c.Path, diff)
		if err != nil {
			return err
		}
		found = append(found, there...)
	}
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s\nhint: move them away; they are ignored by git, or larger than max_untracked_bytes", ErrOverwrite,
		strings.Join(gitexec.DisplayFew(found), ", "))
}

// mayOverwrite reports whether a change writes a new file, and none of the others removes what is
// in its way: what a symbolic link leads to is not in the way of what takes the link's place.
func mayOverwrite(c gitexec.Change, diff []gitexec.Change) bool {
	removed := func(d gitexec.Change) bool { return d.Old.Exists() && d.Path != c.Path && within(c.Path, d.Path) }
	return !c.Old.Exists() && c.New.Exists() && !slices.ContainsFunc(diff, removed)
}

// beyond lists the files at a path or below it that the diff doesn't delete: ignored files, which
// git would overwrite.
func (p *run) beyond(path gitexec.Path, diff []gitexec.Change) (found []gitexec.Path, err error) {
	at := filepath.Join(p.opened.Repo.Top, filepath.FromSlash(string(path)))
	err = filepath.WalkDir(at, func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if errors.Is(err, syscall.ENOTDIR) { // a file instead of a directory
			found = append(found, path)
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(p.opened.Repo.Top, file)
		if err != nil {
			return err
		}
		here := gitexec.Path(filepath.ToSlash(name))
		if !slices.ContainsFunc(diff, func(d gitexec.Change) bool { return d.Path == here && d.Old.Exists() }) {
			found = append(found, here)
		}
		if len(found) > 100 { // the error names a few
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// moveBack moves the branch, the index and the worktree back to a commit of a turn. It keeps
// uncommitted work, or fails.
func (p *run) moveBack(ctx context.Context, r Rewound, k point, snap shadow.Snapshot, q Request) (Rewound, error) {
	why, _ := p.opened.Repo.Operation().UnderWay()
	if why = cmp.Or(why, p.opened.ConcurrentGit()); why != "" {
		return r, fmt.Errorf("%w: %s\nhint: finish or abort it first", ErrNotNow, why)
	}
	diff, err := p.opened.DB.DiffTrees(p.Head.Tree, k.tree)
	if err != nil {
		return r, err
	}
	r.list(diff)
	r.Moved, r.From, r.To = strings.TrimPrefix(p.opened.Repo.Branch, "refs/heads/"), p.Head.ID, k.commit
	if err := p.checkOverwrite(diff); err != nil {
		return r, err
	}
	if k.commit == p.Head.ID {
		r.Moved, r.From, r.To, r.Done = "", "", "", !q.Preview
		return r, nil
	}
	// git says whether it would refuse, before anything is saved or moved.
	if err := p.moveWorktree(ctx, k.commit, true); err != nil || q.Preview {
		return r, err
	}
	if r.Saved, err = p.saveBefore(ctx, r.Point, snap.Tree, k.commit); err != nil {
		return r, err
	}
	if err := p.moveWorktree(ctx, k.commit, false); err != nil {
		return r, err
	}
	change := []shadow.RefChange{{Ref: p.opened.Repo.Branch, Old: p.Head.ID, New: k.commit}}
	if err := shadow.ApplyCommit(ctx, p.opened.DB, p.opened.Store, "rewind (entire-plumb): to "+cmp.Or(k.CheckpointID, string(k.commit.Short())),
		change, nil, nil); err != nil {
		// The branch has not moved, as where another process was faster: the files go back to it,
		// also if the user has pressed ^C meanwhile.
		return r, errors.Join(err, p.opened.Repo.MoveWorktree(context.WithoutCancel(ctx), k.commit, p.Head.ID, false))
	}
	r.Done = true
	return r, nil
}

// moveWorktree moves the index and the worktree from HEAD to a commit, or reports whether git would
// refuse that.
func (p *run) moveWorktree(ctx context.Context, to gitexec.OID, preview bool) error {
	if err := p.opened.Repo.MoveWorktree(ctx, p.Head.ID, to, preview); err != nil {
		return fmt.Errorf("%w: changes that are not committed are in the way: %w\nhint: commit them, or git stash", ErrNotNow, err)
	}
	return nil
}
