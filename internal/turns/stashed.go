package turns

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// stashed are the user's stash entries, newest first. No process: in reftables they are not known.
func stashed(repo *gitexec.Repo) (ids []gitexec.OID) {
	// A turn's start names the newest ten in the state: what an agent pops is mostly the last. A
	// reflog of 1 MiB has some 6,000 entries.
	const most, largest = 10, 1 << 20
	data, err := safefile.Read(filepath.Join(repo.CommonDir, "logs", "refs", "stash"), largest)
	if err != nil || len(data) == 0 {
		return nil
	}
	// The reflog of refs/stash is the list of entries, oldest first:
	// `<before> <entry> <who> <when>\t<message>`.
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && gitexec.ValidOID(f[1]) {
			ids = append(ids, gitexec.OID(f[1]))
		}
	}
	slices.Reverse(ids)
	return ids[:min(most, len(ids))]
}

// stashedInTurn are the stash entries that were made since the turn began and are still there,
// oldest first. One process where there are any.
func stashedInTurn(ctx context.Context, run *workspace.Run, s *session.State) ([]shadow.Stash, error) {
	now := stashed(run.Repo)
	// The newest entry was there when the turn began: none was made since.
	if len(now) == 0 || slices.Contains(s.TurnStartStashes, now[0]) {
		return nil, nil
	}
	all, err := shadow.Stashes(ctx, run.Repo, run.DB)
	// All entries above the first known one are newer.
	if before := slices.IndexFunc(all, func(e shadow.Stash) bool { return slices.Contains(s.TurnStartStashes, e.ID) }); before >= 0 {
		all = all[:before]
	}
	slices.Reverse(all)
	return all, err
}

// recordStashed records what the turn's stash entries have of it, each as a checkpoint ahead of the
// turn's end: the worktree there doesn't have it any more, and whoever pops it commits the agent's
// work.
func recordStashed(ctx context.Context, run *workspace.Run, snap shadow.Snapshot, p stopped) error {
	s, err := knownSession(run.Store, p.SessionID)
	if err != nil || s == nil || s.Phase != session.Active || run.Settings.Strategy == settings.AutoCommit {
		return err
	}
	entries, err := stashedInTurn(ctx, run, s)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		at := snap
		edits, err := stashEdits(run, snap, entry)
		if err != nil {
			return err
		}
		if at.Tree, err = run.DB.EditTree(snap.Tree, edits); err != nil {
			return err
		}
		// The turn popped it again, or the worktree has the same.
		if at.Tree == snap.Tree {
			continue
		}
		if _, err := recordPart(ctx, run, at, stashPart{p, edits}); err != nil {
			return err
		}
	}
	return nil
}

// stashEdits are the files that a stash entry changes, as git stash apply would leave them in the
// worktree of a snapshot, but for those that HEAD has in another version than the commit below the
// entry.
func stashEdits(run *workspace.Run, snap shadow.Snapshot, entry shadow.Stash) (gitexec.Edits, error) {
	changes, err := entry.Changes(run.DB)
	if err != nil {
		return nil, err
	}
	heads, err := run.DB.Files(snap.Head.Tree, gitexec.PathsOf(changes)...)
	if err != nil {
		return nil, err
	}
	edits := gitexec.Edits{}
	for i, c := range changes {
		// The entry goes from its own base: on another HEAD a file can't be put together here.
		if heads[i] == c.Old {
			edits[c.Path] = c.New
		}
	}
	return edits, nil
}

// stashPart is what a turn that has stopped stashed before.
type stashPart struct {
	stopped
	edits gitexec.Edits // what the entry brings
}

func (part stashPart) own(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, bool, error) {
	t, err := ownPart(ctx, run, s, t, evidenceAtStop(s.TurnOpen, t.startKnown, part.Continues, part.ends)...)
	if err == nil && len(shadow.ReadWorktrees(run.Repo).IDs) > 0 { // the entry may have been made in another one
		wrote := writtenInTurn(ctx, s, t.prompted)
		named := commits.PathsInWorktree(run.Repo, wrote.Files)
		t, err = inFiles(run.DB, t, slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool {
			_, stashed := part.edits[path]
			return stashed && !slices.Contains(named, path)
		}))
	}
	return t, len(t.touched) > 0, err
}

func (part stashPart) finish(ctx context.Context, run *workspace.Run, s *session.State, t turn, done outcome) (outcome, error) {
	kept, err := checkpointTask(ctx, run, s, t)
	return append(done, kept), err
}
