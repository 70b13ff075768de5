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
	"entire-plumb/internal/sets"
	"entire-plumb/internal/share"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// cleanedAfter is how long what nothing needs stays before Clean deletes it.
const cleanedAfter = shadow.KeptDeleted

// Clean lists what nothing needs any more (seed 004, ListAllCleanupItems), and deletes it, or if
// preview is set only says so: streams whose work is committed, those of removed worktrees, and
// those whose work is nowhere, on a base that is on no branch; states of sessions that recorded
// nothing; checkpoints that no commit links, and that no remote has; and deleted streams that were
// kept long enough. It never deletes the last copy of what a link, a stash entry or a turn in
// progress needs.
func Clean(ctx context.Context, e workspace.Env, preview bool) (removed []Removal, err error) {
	run, err := commits.Open(ctx, e, e.Dir)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	err = run.Locked(ctx, func() error {
		found, err := planClean(ctx, run)
		if err != nil {
			return err
		}
		if removed = found.removed; preview {
			return nil
		}
		noteRemovals(run.Workspace, removed)
		if err := shadow.Apply(ctx, run.DB, run.Store, found.refs, nil); err != nil {
			return err
		}
		for _, id := range found.sessions {
			err = errors.Join(err, run.Store.Delete(id))
		}
		return err
	})
	return removed, run.Finish(journal.Entry{Hook: "clean", Outcome: plan(removed)}, begun, err)
}

// cleaning is what Clean deletes.
type cleaning struct {
	removed  []Removal
	refs     []shadow.RefChange
	sessions []string // whose states are deleted
}

func planClean(ctx context.Context, run *workspace.Run) (c cleaning, err error) {
	states, err := run.Store.All()
	if err != nil {
		return c, err
	}
	listing, err := shadow.List(ctx, run.Repo)
	if err != nil {
		return c, err
	}
	streams, err := listing.All(run.DB)
	if err != nil {
		return c, err
	}
	known, err := sessionsOn(run.DB, streams)
	if err != nil {
		return c, err
	}
	if err := c.addStreams(ctx, run, states, streams); err != nil {
		return c, err
	}
	if err := c.addKept(ctx, run.Repo, run.DB, run.Now()); err != nil {
		return c, err
	}
	branch, err := checkpoints.ReadBranch(run.DB, listing.Checkpoints)
	if err != nil {
		return c, err
	}
	if err := c.addCheckpoints(ctx, run.Workspace, branch, known); err != nil {
		return c, err
	}
	// Last: known has the sessions of the checkpoints now, too.
	c.addStates(states, known, run.Now())
	return c, nil
}

// sessionsOn are the sessions with work on streams.
func sessionsOn(db *gitexec.ODB, streams []shadow.Stream) (map[string]bool, error) {
	known := map[string]bool{}
	for _, s := range streams {
		sessions, err := s.Sessions(db)
		if err != nil {
			return nil, err
		}
		for _, id := range sessions {
			known[id] = true
		}
	}
	return known, nil
}

// addStreams finds streams that nothing needs.
func (c *cleaning) addStreams(ctx context.Context, run *workspace.Run, states []*session.State, streams []shadow.Stream) error {
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return err
	}
	stashes, err := shadow.Stashes(ctx, run.Repo, run.DB)
	if err != nil {
		return err
	}
	now := run.Now()
	for _, s := range streams {
		info := streamInfo(run, s, snap.Tree, snap.Head.Tree, stashes)
		why := whyUnneeded(info, func() bool { return shadow.MayReturn(run.Repo, s.Worktree) }, now)
		if why == "" || turns.ActiveOn(states, "", s) {
			continue
		}
		held, err := mayBeHeld(ctx, run.Repo, run.DB, s, info, stashes)
		if err != nil {
			return err
		}
		if !held {
			c.refs = append(c.refs, shadow.Delete(s, now)...)
			c.removed = append(c.removed, Removal{Kind: RemovesStream, Name: s.String(), Was: s.Tip.ID, Why: why})
		}
	}
	return nil
}

// mayBeHeld reports whether a stash entry holds a stream's work, or, where it is nowhere in sight,
// the index or another branch may, without a link yet.
func mayBeHeld(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, s shadow.Stream, info StreamInfo, stashes []shadow.Stash) (bool, error) {
	if info.Work == Dismissed {
		if based, err := onBranch(ctx, repo, db, info.Base); based || err != nil {
			return based, err
		}
	}
	return turns.StreamStashed(repo, db, s, stashes)
}

// whyUnneeded says why nothing needs a stream, if its base is on no branch where its work is
// nowhere; empty: something may.
func whyUnneeded(info StreamInfo, mayReturn func() bool, now time.Time) string {
	switch {
	case info.Work == Committed:
		return "a commit has its work"
	case info.Work == Removed && !mayReturn():
		return "its worktree was removed"
	case info.Work == Dismissed && now.Sub(info.Updated) > cleanedAfter:
		return fmt.Sprintf("its base is on no branch, and its work nowhere, for %d days", days(now.Sub(info.Updated)))
	}
	return ""
}

func days(d time.Duration) int { return int(d.Hours() / 24) }

// addKept finds deleted streams that were kept long enough.
func (c *cleaning) addKept(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, now time.Time) error {
	kept, err := shadow.Deleted(ctx, repo, db)
	if err != nil {
		return err
	}
	expired := shadow.Expired(kept, now)
	for _, d := range kept {
		if slices.ContainsFunc(expired, func(r shadow.RefChange) bool { return r.Ref == d.Ref }) {
			c.removed = append(c.removed, Removal{Kind: RemovesKept, Name: d.String(), Was: d.Tip.ID,
				Why: fmt.Sprintf("it was deleted %d days ago", days(now.Sub(d.When)))})
		}
	}
	c.refs = append(c.refs, expired...)
	return nil
}

// onBranch reports whether a commit is on a branch or a tag, or in HEAD's history.
func onBranch(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, id gitexec.OID) (bool, error) {
	info, err := db.Info(id)
	if err != nil || info[0].Type != "commit" {
		return false, err
	}
	found, err := repo.Reachable(ctx, []gitexec.OID{id})
	return len(found) > 0, err
}

// addCheckpoints finds committed checkpoints that no commit links, of any ref or in a reflog, and
// that no remote has as far as it is known here, and adds the sessions of all to known. They leave
// the branch's history, too. A shallow clone lacks commits that may link them.
func (c *cleaning) addCheckpoints(ctx context.Context, w *workspace.Workspace, branch checkpoints.Branch, known map[string]bool) error {
	if branch.Local == "" {
		return nil
	}
	linked, err := linkedAnywhere(ctx, w.Repo, w.DB)
	if err != nil {
		return err
	}
	var unlinked []string
	err = checkpoints.EachCommitted(w.DB, branch, func(k checkpoints.CommittedInfo) error {
		for _, m := range k.Sessions {
			known[m.SessionID] = true
		}
		if !linked[k.ID] && longReadable(k, w.Now()) {
			unlinked = append(unlinked, k.ID)
		}
		return nil
	})
	if err != nil || len(unlinked) == 0 || w.Repo.Shallow() {
		return err
	}
	beside, err := branch.SideLinked(w.DB, unlinked...)
	if err != nil {
		return err
	}
	nowhere, err := w.Repo.Unreferenced(ctx, slices.Sorted(maps.Keys(beside)))
	if err != nil {
		return err
	}
	// In sets: others may have pushed thousands of links, each beside a commit of its own.
	gone, needed := sets.Of(nowhere), map[string]bool{}
	for commit, ids := range beside {
		for _, id := range ids {
			needed[id] = needed[id] || !gone[commit]
		}
	}
	unlinked = slices.DeleteFunc(unlinked, func(id string) bool { return needed[id] })
	return c.dropCheckpoints(ctx, w, branch, unlinked, nowhere)
}

// longReadable reports whether a checkpoint is old enough to be deleted, and is known to be.
func longReadable(k checkpoints.CommittedInfo, now time.Time) bool {
	return k.Error == "" && !k.When.IsZero() && now.Sub(k.When) > cleanedAfter
}

// dropCheckpoints takes checkpoints, and the links beside commits that are nowhere, out of the
// branch.
func (c *cleaning) dropCheckpoints(ctx context.Context, w *workspace.Workspace, branch checkpoints.Branch, ids []string, nowhere []gitexec.OID) error {
	dropped, refs, err := share.Drop(ctx, w, ids, nowhere)
	for _, id := range dropped {
		c.removed = append(c.removed, Removal{Kind: RemovesCheckpoint, Name: id, Was: branch.Local,
			Why: "no commit links it, and no remote has it; git's reflog of the branch keeps it"})
	}
	c.refs = append(c.refs, refs...)
	return err
}

// linkedAnywhere are the checkpoints that a commit on any ref or in a reflog links by its message.
func linkedAnywhere(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB) (map[string]bool, error) {
	linked := map[string]bool{}
	ids, err := repo.MentioningAnywhere(ctx, message.LinkKey+": ")
	if err != nil {
		return nil, err
	}
	return linked, checkpoints.EachTrailer(db, ids, func(_ gitexec.OID, link string) { linked[link] = true })
}

// addStates finds states of sessions that have nothing anywhere and no recent event. known are
// those of which something is recorded.
func (c *cleaning) addStates(states []*session.State, known map[string]bool, now time.Time) {
	for _, s := range states {
		last := s.StartedAt
		if s.LastInteractionTime != nil {
			last = *s.LastInteractionTime
		}
		if known[s.SessionID] || inUse(s) || now.Sub(last) <= cleanedAfter {
			continue
		}
		c.sessions = append(c.sessions, s.SessionID)
		c.removed = append(c.removed, Removal{Kind: RemovesState, Name: s.SessionID,
			Why: fmt.Sprintf("no checkpoint, stream or commit has anything of it; its last event is %d days old", days(now.Sub(last)))})
	}
}

// inUse reports whether a session's turn is in progress, or commits are linked to it.
func inUse(s *session.State) bool {
	return len(s.Linked)+len(s.TurnCheckpointIDs) > 0 ||
		slices.ContainsFunc(s.Places(), func(place session.Place) bool { return place.Phase == session.Active || place.TurnOpen })
}
