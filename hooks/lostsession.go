package hooks

import (
	"context"
	"fmt"
	"slices"

	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// restoreSessions restores the states of sessions that have work on this worktree's streams on HEAD
// and lost their state, so that the work is linked and carried forward like others' (seed 003,
// Conflict Handling). current is a session that is not saved yet; nil: none.
func (p *linker) restoreSessions(listing shadow.Listing, current *session.State) error {
	streams, err := listing.Streams(p.DB, p.Head.ID, p.Repo.WorktreeID())
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

// restoreLost restores such sessions before a commit if a session's prompts are there without its
// state: the entire CLI's rewind deletes the states of sessions whose streams it doesn't know.
func (p *linker) restoreLost(ctx context.Context) error {
	lost, err := p.Store.LostState()
	if err != nil || !lost {
		return err
	}
	return p.Locked(ctx, func() error {
		listing, err := shadow.Probe(p.Repo, p.DB, p.Head.ID)
		if err != nil {
			return err
		}
		return p.restoreSessions(listing, nil)
	})
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
