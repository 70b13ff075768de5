package commits

import (
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// RestoreSessions restores the states of sessions that have work on this worktree's streams on HEAD
// and lost their state, so that the work is linked and carried forward like others' (seed 003,
// Conflict Handling). base is HEAD, or was before the commit. current is a session that is not
// saved yet; nil: none.
func RestoreSessions(run *workspace.Run, listing shadow.Listing, base gitexec.OID, current *session.State) error {
	streams, err := listing.Streams(run.DB, base, run.Repo.WorktreeID())
	if err != nil || len(streams) == 0 {
		return err
	}
	var seen []string
	if current != nil {
		seen = append(seen, current.SessionID)
	}
	for _, stream := range slices.Backward(streams) { // the latest stream says where a session is
		sessions, err := stream.Sessions(run.DB)
		if err != nil {
			continue // an unreadable stream is skipped
		}
		for _, id := range sessions {
			if slices.Contains(seen, id) || run.Store.Has(id) {
				continue
			}
			seen = append(seen, id)
			if err := restoreSession(run, stream, base, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// restoreSession restores the state of a session from a stream, if the stream has what it takes.
func restoreSession(run *workspace.Run, stream shadow.Stream, base gitexec.OID, id string) error {
	s, prompts, err := shadow.RestoreSession(run.DB, stream, id)
	if err != nil {
		err = fmt.Errorf("stream %s belongs to a session without a state, and none can be restored: %w", stream.Name, err)
		run.WarnOf(err)
		return nil
	}
	if s == nil {
		return nil
	}
	s.Learn(session.Known{Version: run.Version})
	s.RestoredIn(run.Repo.WorktreeID(), run.Repo.Top, base)
	if err := run.Store.SavePrompts(s.SessionID, prompts); err != nil {
		return err
	}
	if err := run.Store.Save(s); err != nil {
		return err
	}
	run.Note(fmt.Sprintf("session %s had lost its state: restored from %s", s.SessionID, stream.Name))
	return nil
}

// restoreLost restores such sessions where a session's prompts are there without its state: the
// entire CLI's hooks and its rewind delete the states of sessions whose streams it doesn't know.
// The lock is held.
func restoreLost(run *workspace.Run, base gitexec.OID) error {
	lost, err := run.Store.LostState()
	if err != nil || !lost {
		return err
	}
	listing, err := shadow.Probe(run.Repo, run.DB, base)
	if err != nil {
		return err
	}
	return RestoreSessions(run, listing, base, nil)
}

// ImportConversation takes a session's conversation from this worktree's streams on HEAD if another
// program began the session.
func ImportConversation(run *workspace.Run, listing shadow.Listing, s *session.State) error {
	if s.Recorded.Bytes > 0 || s.CheckpointCount == 0 {
		return nil
	}
	streams, err := listing.Streams(run.DB, run.Head.ID, run.Repo.WorktreeID())
	for _, stream := range slices.Backward(streams) {
		if err == nil {
			err = shadow.ImportConversation(run.DB, run.Store, stream, s)
		}
	}
	return err
}
