package resume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/restore"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// conversations reads each session's last conversation, the latest session last.
func (t target) conversations(ctx context.Context, w *workspace.Workspace) ([]restore.Conversation, error) {
	if t.stream != nil {
		c, found, err := restore.OnStream(w, *t.stream)
		if err != nil || !found {
			return nil, errors.Join(err, noConversation(found, t.session))
		}
		return []restore.Conversation{c}, nil
	}
	branch, err := checkpoints.ReadBranches(ctx, w.Repo, w.DB)
	if err != nil {
		return nil, err
	}
	branch = checkpoints.AsOf(branch, w.Now())
	if t.judge != nil {
		branch = t.judge(branch)
	}
	found, err := checkpoints.Describe(w.DB, branch, t.checkpoints)
	if err != nil {
		return nil, err
	}
	var all []restore.Conversation
	var failed []error
	last, added := lastParts(found, t.session, t.session != "" || t.judge != nil)
	// Of one session that is named, what is wrong with others' parts is of no interest.
	if t.session == "" {
		for _, k := range found {
			if n := len(k.Added); n > 0 && !added {
				w.Env.Warn(restore.NotOffered(k.ID, n, k.Elsewhere))
			}
			if k.Error != "" {
				failed = append(failed, fmt.Errorf("checkpoint %s: %s", k.ID, k.Error))
			}
		}
	}
	for id, p := range last {
		c, err := committed(w.DB, branch, p.checkpoint, id)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b restore.Conversation) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.SessionID, b.SessionID))
	})
	if len(all) == 0 {
		return nil, errors.Join(append(failed, noConversation(t.session == "" && len(failed) > 0, t.session))...)
	}
	// What can be read is restored, whatever can't.
	for _, err := range failed {
		w.WarnLater(err.Error())
	}
	return all, nil
}

// part is a session's part in a checkpoint.
type part struct {
	checkpoint string
	meta       checkpoints.SessionMetadata
}

// lastParts are the last parts of sessions in checkpoints, by session; of one alone, if it is
// given. Where they are named, and have no others, those count that others added to what this clone
// wrote: added.
func lastParts(all []checkpoints.CommittedInfo, session string, named bool) (last map[string]part, added bool) {
	last = map[string]part{}
	for _, added = range []bool{false, true} {
		// What others added to this clone's checkpoints may be anything that a push can bring, and
		// an agent takes it for its own words: it counts only where the user names it.
		if added && (!named || len(last) > 0) {
			return last, false
		}
		for _, k := range all {
			for i, m := range k.Sessions {
				before, seen := last[m.SessionID]
				if k.IsAdded(i) == added && (session == "" || session == m.SessionID) && (!seen || m.After(before.meta) > 0) {
					last[m.SessionID] = part{k.ID, m}
				}
			}
		}
	}
	return last, true
}

// committed is a session's conversation in a checkpoint.
func committed(db *gitexec.ODB, branch checkpoints.Branch, id, of string) (restore.Conversation, error) {
	parts, damaged := checkpoints.ReadSessions(db, branch, id)
	for _, content := range parts {
		if content.Metadata.SessionID == of {
			return restore.Committed(content), nil
		}
	}
	return restore.Conversation{}, errors.Join(append(damaged, noConversation(false, of))...)
}

func noConversation(found bool, of string) error {
	if found {
		return nil
	}
	return fmt.Errorf("%w: no conversation of session %q is stored", session.ErrNotFound, of)
}
