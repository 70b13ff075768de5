package hooks

import (
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// restoreSessions restores the states of sessions that have work on this worktree's streams on HEAD
// and lost their state, so that the work is linked and carried forward like others' (seed 003,
// Conflict Handling). base is HEAD, or was before the commit. current is a session that is not
// saved yet; nil: none.
func (p *hook) restoreSessions(listing shadow.Listing, base gitexec.OID, current *session.State) error {
	streams, err := listing.Streams(p.DB, base, p.Repo.WorktreeID())
	if err != nil || len(streams) == 0 {
		return err
	}
	var seen []string
	if current != nil {
		seen = append(seen, current.SessionID)
	}
	for _, stream := range slices.Backward(streams) { // the latest stream says where a session is
		sessions, err := stream.Sessions(p.DB)
		if err != nil {
			continue // an unreadable stream is skipped
		}
		for _, id := range sessions {
			if slices.Contains(seen, id) || p.Store.Has(id) {
				continue
			}
			seen = append(seen, id)
			s, prompts, err := shadow.RestoreSession(p.DB, stream, id)
			if err != nil {
				err = fmt.Errorf("stream %s belongs to a session without a state, and none can be restored: %w", stream.Name, err)
				p.WarnLater(explain.OneLine(err))
				continue
			}
			if s == nil {
				continue
			}
			s.CLIVersion, s.BaseCommit, s.AttributionBaseCommit = p.Version, base, base
			s.WorktreePath, s.WorktreeID = p.Repo.Top, p.Repo.WorktreeID()
			if err := p.Store.SavePrompts(s.SessionID, prompts); err != nil {
				return err
			}
			if err := p.Store.Save(s); err != nil {
				return err
			}
			p.Note(fmt.Sprintf("session %s had lost its state: restored from %s", s.SessionID, stream.Name))
		}
	}
	return nil
}

// restoreLost restores such sessions where a session's prompts are there without its state: the
// entire CLI's hooks and its rewind delete the states of sessions whose streams it doesn't know.
// The lock is held.
func (p *hook) restoreLost(base gitexec.OID) error {
	lost, err := p.Store.LostState()
	if err != nil || !lost {
		return err
	}
	listing, err := shadow.Probe(p.Repo, p.DB, base)
	if err != nil {
		return err
	}
	return p.restoreSessions(listing, base, nil)
}

// importConversation takes a session's conversation from this worktree's streams on HEAD if another
// program began the session.
func (p *recorder) importConversation(listing shadow.Listing, s *session.State) error {
	if s.Recorded.Bytes > 0 || s.CheckpointCount == 0 {
		return nil
	}
	streams, err := listing.Streams(p.DB, p.Head.ID, p.Repo.WorktreeID())
	for _, stream := range slices.Backward(streams) {
		if err == nil {
			err = shadow.ImportConversation(p.DB, p.Store, stream, s)
		}
	}
	return err
}
