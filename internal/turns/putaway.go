package turns

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// recordPutAway writes checkpoints of what was put into the stash during a turn, by the agent or by
// the user, and is still there at its stop: no snapshot of the worktree has it. The next changes
// are compared with the turn's start all the same. No process where the stash has nothing new.
func recordPutAway(ctx context.Context, run *workspace.Run, e Event, snap shadow.Snapshot) error {
	if run.Settings.Strategy == settings.AutoCommit || len(stashed(run.Repo)) == 0 {
		return nil
	}
	run = run.On(snap.Head)
	return run.Locked(ctx, func() error {
		s, err := loadSession(run, e)
		if err != nil || s.TurnOpen || !slices.ContainsFunc(stashed(run.Repo), sinceTurnStart(s)) {
			return err
		}
		now, err := readChanges(run, s, snap)
		if err != nil || !now.startKnown {
			return err
		}
		entries, err := shadow.Stashes(ctx, run.Repo, run.DB)
		for _, entry := range slices.Backward(entries) {
			if err == nil && sinceTurnStart(s)(entry.Commit) {
				err = recordEntry(ctx, run, s, now, entry)
			}
		}
		return err
	})
}

// sinceTurnStart tells of a stash entry whether it was made since the turn began.
func sinceTurnStart(s *session.State) func(gitexec.OID) bool {
	return func(entry gitexec.OID) bool { return !slices.Contains(s.TurnStartStashes, entry) }
}

// recordEntry writes the checkpoint of one entry, as a part of the turn that is over now.
func recordEntry(ctx context.Context, run *workspace.Run, s *session.State, now turn, entry shadow.Stash) error {
	t, err := partIn(run.DB, now, entry)
	if err != nil || len(t.touched) == 0 {
		return err
	}
	wrote, err := writtenSoFar(ctx, s)
	if err == nil && wrote.Prompt != "" {
		t.wrote = &wrote
	}
	if len(s.TurnStartWorktrees) > 1 { // the stash is shared by all: it may be another's
		if t, err = inFiles(run.DB, t, namedFiles(t.touched, commits.PathsInWorktree(run.Repo, wrote.Files))); err != nil {
			return err
		}
	}
	return checkpointPutAway(ctx, run, s, t)
}

// partIn is what an entry holds of a turn.
func partIn(db *gitexec.ODB, now turn, entry shadow.Stash) (turn, error) {
	changes, err := entry.Changes(db)
	if err != nil {
		return turn{}, err
	}
	versions, err := db.Versions(now.before, now.snap.Tree, gitexec.PathsOf(changes)...)
	if err != nil {
		return turn{}, err
	}
	part := turn{snap: now.snap, before: now.before, startKnown: true}
	held := gitexec.Edits{}
	for i, c := range changes {
		if putAway(c.New, versions[i]) {
			held[c.Path], part.touched = c.New, append(part.touched, c.Path)
		}
	}
	part.snap.Tree, err = db.EditTree(now.before, held)
	return part, err
}

// putAway decides whether a version that a stash entry holds was made in a turn, and is seen at
// neither end of it.
func putAway(held gitexec.Entry, turn gitexec.Change) bool {
	return held != turn.Old && held != turn.New
}

// checkpointPutAway writes a checkpoint after which the turn's start is what it was.
func checkpointPutAway(ctx context.Context, run *workspace.Run, s *session.State, t turn) error {
	listing, meta, err := beginCheckpoint(ctx, run, s)
	if err != nil {
		return err
	}
	if t, err = withoutOthers(ctx, run, s, t, listing); err != nil || len(t.touched) == 0 {
		return err
	}
	refs, _, err := writeParts(ctx, run, s, t, listing, meta)
	if err != nil || len(refs) == 0 {
		return err
	}
	return shadow.Apply(ctx, run.DB, run.Store, refs, []*session.State{s})
}
