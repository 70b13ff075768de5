package upkeep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// cleanedAfter is how long what nothing needs stays before Clean deletes it.
const cleanedAfter = shadow.KeptDeleted

// Clean lists what nothing needs any more (seed 004, ListAllCleanupItems), and deletes it, or if
// preview is set only says so: streams whose work is committed, those of removed worktrees, and
// those whose work is nowhere, on a base that is on no branch; states of sessions that recorded
// nothing; checkpoints that no commit links, where there is no remote from which such a commit may
// come; and deleted streams that were kept long enough. It never deletes the last copy of what a
// link, a stash entry or a turn in progress needs.
func Clean(ctx context.Context, e workspace.Env, preview bool) (removed []Removal, err error) {
	run, err := commits.Open(ctx, e, e.Dir)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	err = run.Locked(ctx, func() error {
		c := cleaning{Run: run, now: run.Now()}
		if err := c.plan(ctx); err != nil {
			return err
		}
		if removed = c.removed; preview {
			return nil
		}
		noteRemovals(run, removed)
		if err := shadow.Apply(ctx, run.DB, run.Store, c.refs, nil); err != nil {
			return err
		}
		for _, id := range c.sessions {
			err = errors.Join(err, run.Store.Delete(id))
		}
		return err
	})
	return removed, run.Finish(journal.Entry{Hook: "clean", Outcome: plan(removed)}, begun, err)
}

// cleaning is what Clean finds.
type cleaning struct {
	*workspace.Run
	now      time.Time
	states   []*session.State
	removed  []Removal
	refs     []shadow.RefChange
	sessions []string // whose states are deleted
}

func (c *cleaning) plan(ctx context.Context) (err error) {
	if c.states, err = c.Store.All(); err != nil {
		return err
	}
	listing, err := shadow.List(ctx, c.Repo)
	if err != nil {
		return err
	}
	streams, err := listing.All(c.DB)
	if err != nil {
		return err
	}
	if err := c.planStreams(ctx, streams); err != nil {
		return err
	}
	branch, err := checkpoints.ReadBranch(c.DB, listing.Checkpoints)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, s := range streams {
		sessions, err := s.Sessions(c.DB)
		if err != nil {
			return err
		}
		for _, id := range sessions {
			known[id] = true
		}
	}
	if err := c.planCheckpoints(ctx, branch, known); err != nil {
		return err
	}
	c.planStates(known)
	return nil
}

// planStreams finds streams that nothing needs, and deleted ones that were kept long enough.
func (c *cleaning) planStreams(ctx context.Context, streams []shadow.Stream) error {
	snap, err := c.Snapshot(ctx)
	if err != nil {
		return err
	}
	stashes, err := shadow.Stashes(ctx, c.Repo, c.DB)
	if err != nil {
		return err
	}
	for _, s := range streams {
		info := streamInfo(c.Run, s, snap.Tree, snap.Head.Tree, stashes)
		why := ""
		switch {
		case info.Work == Committed:
			why = "a commit has its work"
		case info.Work == Removed && !shadow.MayReturn(c.Repo, s.Worktree):
			why = "its worktree was removed"
		case info.Work == Dismissed && c.now.Sub(info.Updated) > cleanedAfter:
			based, err := c.onBranch(ctx, info.Base)
			if err != nil {
				return err
			}
			if based {
				continue // it may be in the index, or on another branch, without a link yet
			}
			why = fmt.Sprintf("its base is on no branch, and its work nowhere, for %d days", int(c.now.Sub(info.Updated).Hours()/24))
		default:
			continue
		}
		if turns.ActiveOn(c.states, "", s) {
			continue
		}
		stashed, err := turns.StreamStashed(c.Repo, c.DB, s, stashes)
		if err != nil {
			return err
		}
		if stashed {
			continue
		}
		c.refs = append(c.refs, shadow.Delete(s, c.now)...)
		c.removed = append(c.removed, Removal{Kind: RemovesStream, Name: s.String(), Was: s.Tip.ID, Why: why})
	}
	kept, err := shadow.Deleted(ctx, c.Repo, c.DB)
	if err != nil {
		return err
	}
	expired := shadow.Expired(kept, c.now)
	for _, d := range kept {
		if slices.ContainsFunc(expired, func(r shadow.RefChange) bool { return r.Ref == d.Ref }) {
			c.removed = append(c.removed, Removal{Kind: RemovesKept, Name: d.String(), Was: d.Tip.ID,
				Why: fmt.Sprintf("it was deleted %d days ago", int(c.now.Sub(d.When).Hours()/24))})
		}
	}
	c.refs = append(c.refs, expired...)
	return nil
}

// onBranch reports whether a commit is on a branch or a tag, or in HEAD's history.
func (c *cleaning) onBranch(ctx context.Context, id gitexec.OID) (bool, error) {
	info, err := c.DB.Info(id)
	if err != nil || info[0].Type != "commit" {
		return false, err
	}
	found, err := c.Repo.Reachable(ctx, []gitexec.OID{id})
	return len(found) > 0, err
}

// planCheckpoints finds committed checkpoints that no commit links, of any ref or in a reflog, and
// adds the sessions of all to known. The branch's history keeps them.
func (c *cleaning) planCheckpoints(ctx context.Context, branch checkpoints.Branch, known map[string]bool) error {
	if branch.Local == "" {
		return nil
	}
	remotes, err := c.Repo.HasRemotes(ctx)
	if err != nil {
		return err
	}
	linked, err := c.linkedAnywhere(ctx)
	if err != nil {
		return err
	}
	var unlinked []string
	err = checkpoints.EachCommitted(c.DB, branch, func(k checkpoints.CommittedInfo) error {
		for _, m := range k.Sessions {
			known[m.SessionID] = true
		}
		if !remotes && k.Error == "" && !linked[k.ID] && !k.When.IsZero() && c.now.Sub(k.When) > cleanedAfter {
			unlinked = append(unlinked, k.ID)
		}
		return nil
	})
	if err != nil || len(unlinked) == 0 {
		return err
	}
	beside, err := branch.SideLinked(c.DB, unlinked...)
	if err != nil {
		return err
	}
	edits := gitexec.Edits{}
	for _, id := range unlinked {
		if slices.ContainsFunc(slices.Collect(maps.Values(beside)), func(ids []string) bool { return slices.Contains(ids, id) }) {
			continue
		}
		edits[gitexec.Path(checkpoints.Dir(id))] = gitexec.Entry{}
		c.removed = append(c.removed, Removal{Kind: RemovesCheckpoint, Name: id, Was: branch.Local,
			Why: "no commit links it; the branch's history keeps it"})
	}
	if len(edits) == 0 {
		return nil
	}
	commits, err := branch.Commits(c.DB, edits, c.Author(nil), fmt.Sprintf("Delete %d checkpoints that no commit links\n", len(edits)))
	if err != nil {
		return err
	}
	ids, err := c.DB.CommitTree(commits...)
	if err != nil {
		return err
	}
	c.refs = append(c.refs, shadow.RefChange{Ref: shadow.Checkpoints, Old: branch.Local, New: ids[len(ids)-1]})
	return nil
}

// linkedAnywhere are the checkpoints that a commit on any ref or in a reflog links by its message.
func (c *cleaning) linkedAnywhere(ctx context.Context) (map[string]bool, error) {
	linked := map[string]bool{}
	ids, err := c.Repo.MentioningAnywhere(ctx, message.LinkKey+": ")
	if err != nil {
		return nil, err
	}
	return linked, checkpoints.EachTrailer(c.DB, ids, func(_ gitexec.OID, link string) { linked[link] = true })
}

// planStates finds states of sessions that have nothing anywhere and no recent event. known are
// those with a checkpoint.
func (c *cleaning) planStates(known map[string]bool) {
	for _, s := range c.states {
		last := s.StartedAt
		if s.LastInteractionTime != nil {
			last = *s.LastInteractionTime
		}
		busy := slices.ContainsFunc(s.Places(), func(place session.Place) bool { return place.Phase == session.Active || place.TurnOpen })
		if busy || known[s.SessionID] || len(s.Linked)+len(s.TurnCheckpointIDs) > 0 || c.now.Sub(last) <= cleanedAfter {
			continue
		}
		c.sessions = append(c.sessions, s.SessionID)
		c.removed = append(c.removed, Removal{Kind: RemovesState, Name: s.SessionID,
			Why: fmt.Sprintf("no checkpoint, stream or commit has anything of it; its last event is %d days old", int(c.now.Sub(last).Hours()/24))})
	}
}
