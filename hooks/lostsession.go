package hooks

import (
	"fmt"
	"slices"

	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// revive gives the sessions of this worktree's streams on HEAD that have no state any more one that
// follows from their stream, so that their work is linked, and goes where the others' goes (seed
// 003, Conflict Handling). hand is a session that is not saved yet.
func (p *recorder) revive(listing shadow.Listing, hand *session.State) error {
	streams, err := listing.Streams(p.DB, p.Head.ID, p.Repo.WorktreeID())
	if err != nil || len(streams) == 0 {
		return err
	}
	seen := []string{hand.SessionID}
	for _, stream := range slices.Backward(streams) { // the latest one says where a session is
		sessions, err := stream.Sessions(p.DB)
		if err != nil {
			continue // what cannot be read is left as it is
		}
		for _, id := range sessions {
			if slices.Contains(seen, id) || p.Store.Has(id) {
				continue
			}
			seen = append(seen, id)
			s, prompts, err := shadow.Revive(p.DB, stream, id)
			if err != nil {
				p.WarnLater(explain.OneLine(fmt.Errorf("stream %s belongs to a session without a state, and none can be restored: %w", stream.Name, err)))
				continue
			}
			if s == nil {
				continue
			}
			s.CLIVersion, s.BaseCommit, s.AttributionBaseCommit = p.Version, p.Head.ID, p.Head.ID
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

// recall takes over what this worktree's streams on HEAD hold of a session that another program
// began.
func (p *recorder) recall(listing shadow.Listing, s *session.State) error {
	if s.Recorded.Bytes > 0 || s.CheckpointCount == 0 {
		return nil
	}
	streams, err := listing.Streams(p.DB, p.Head.ID, p.Repo.WorktreeID())
	for _, stream := range slices.Backward(streams) {
		if err == nil {
			err = shadow.Recall(p.DB, p.Store, stream, s)
		}
	}
	return err
}
