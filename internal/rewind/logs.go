package rewind

import (
	"context"
	"errors"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/restore"
	"entire-plumb/shadow"
)

// restoreLogs restores the conversations of a committed checkpoint.
func (p *run) restoreLogs(ctx context.Context, id string, q Request) ([]restore.Restored, error) {
	branch, err := checkpoints.ReadBranches(ctx, p.opened.Repo, p.opened.DB)
	if err != nil {
		return []restore.Restored{}, err
	}
	parts, damaged := checkpoints.ReadSessions(p.opened.DB, branch, id)
	var all []restore.Conversation
	for _, content := range parts {
		if content.Metadata.SessionID != "" { // else it is damaged
			all = append(all, restore.Committed(content))
		}
	}
	logs, err := restore.Conversations(ctx, p.opened, all, restore.Request{Preview: q.Preview, Force: q.Force})
	if len(all) < len(parts) || len(parts) == 0 {
		err = errors.Join(append(damaged, err)...)
	}
	return logs, err
}

// restoreStreamLog restores the conversation of a checkpoint on a stream.
func (p *run) restoreStreamLog(ctx context.Context, k shadow.Checkpoint, q Request) ([]restore.Restored, error) {
	c, found, err := restore.OnStream(p.opened, k)
	if err != nil || !found {
		return []restore.Restored{}, err
	}
	return restore.Conversations(ctx, p.opened, []restore.Conversation{c}, restore.Request{Preview: q.Preview, Force: q.Force})
}
