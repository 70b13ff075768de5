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
	branch = checkpoints.AsOf(branch, p.opened.Now())
	parts, damaged := checkpoints.ReadSessions(p.opened.DB, branch, id)
	var all []restore.Conversation
	unread, added := len(parts) == 0, 0
	for _, content := range parts {
		switch {
		case content.Added:
			added++
		case content.Metadata.SessionID == "":
			unread = true
		default:
			all = append(all, restore.Committed(content))
		}
	}
	if added > 0 {
		p.opened.Env.Warn(restore.NotOffered(id, added, false))
	}
	logs, err := restore.Conversations(ctx, p.opened, all, restore.Request{Preview: q.Preview, Force: q.Force})
	if unread {
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
