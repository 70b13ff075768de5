package commits

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// CondensedByHand is a stream that was condensed without a commit.
type CondensedByHand struct {
	Checkpoint string      `json:"checkpoint_id"`
	Stream     string      `json:"stream"`
	Was        gitexec.OID `json:"was"`
	Sessions   []string    `json:"sessions"`
}

// ErrNothingToCondense says that a session has nothing uncommitted.
var ErrNothingToCondense = errors.New("no stream of this worktree has work of the session")

// CondenseSession condenses what a session has not committed, without a commit of the user's (seed
// 004, CondenseSessionByID): each of its streams in this worktree becomes a committed checkpoint,
// as if it had been committed and reset. A later commit of that work gets the link. The streams are
// kept for a time, see shadow.Deleted; the worktree stays as it is. name is the session's ID or its
// beginning.
func CondenseSession(ctx context.Context, e workspace.Env, name string) (done []CondensedByHand, err error) {
	run, err := Open(ctx, e, e.Dir)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	err = run.Locked(ctx, func() error {
		done = nil
		s, err := SessionNamed(run.Repo, run.Store, name)
		if err != nil {
			return err
		}
		for {
			one, err := condenseStream(ctx, run, s.SessionID)
			if one == nil || err != nil {
				return err
			}
			done = append(done, *one)
		}
	})
	if err == nil && len(done) == 0 {
		err = fmt.Errorf("%w\nhint: entire-plumb streams lists them", ErrNothingToCondense)
	}
	return done, run.Finish(journal.Entry{Hook: "condense", Session: name, Outcome: amount.Of(len(done), "stream") + " condensed"}, begun, err)
}

// condenseStream condenses the first stream that has work of a session; nil: there is none.
func condenseStream(ctx context.Context, run *workspace.Run, id string) (*CondensedByHand, error) {
	listing, err := shadow.List(ctx, run.Repo)
	if err != nil {
		return nil, err
	}
	streams, err := listing.All(run.DB)
	if err != nil {
		return nil, err
	}
	for _, stream := range streams {
		sessions, err := stream.Sessions(run.DB)
		if err != nil {
			return nil, err
		}
		if stream.In(run.Repo.WorktreeID()) && slices.Contains(sessions, id) {
			return condenseWhole(ctx, run, stream, sessions)
		}
	}
	return nil, nil
}

// condenseWhole condenses a stream, as a commit of all of it that is then reset.
func condenseWhole(ctx context.Context, run *workspace.Run, stream shadow.Stream, sessions []string) (*CondensedByHand, error) {
	recent, err := run.RecentSessions()
	if err != nil {
		return nil, err
	}
	states := slices.DeleteFunc(recent, func(s *session.State) bool { return !slices.Contains(sessions, s.SessionID) })
	if len(states) < len(sessions) {
		return nil, fmt.Errorf("a session with work on %s has no state here\nhint: the next prompt or stop of the session restores it", stream.Name)
	}
	base, id := stream.BaseCommit(run.DB), run.NewID()
	commit, err := commitOf(run, stream, base, id)
	if err != nil {
		return nil, err
	}
	store := func(refs []shadow.RefChange, changed []*session.State) error {
		for _, s := range states {
			s.Amended(id, commit, true)
			s.MoveTo(s.BaseCommit, slices.DeleteFunc(s.Bases(), func(id gitexec.OID) bool { return id == base })...)
		}
		run.Note(fmt.Sprintf("condensed %s (was %s) to %s, by hand", stream.Name, stream.Tip.ID.Short(), id))
		return shadow.Apply(ctx, run.DB, run.Store, append(refs, shadow.Delete(stream, run.Now())...), changed)
	}
	if _, err := Reconcile(ctx, run, Request{Way: ByHand, Commit: commit, Pending: PendingLink{ID: id, Head: base, Sessions: sessions},
		States: states, Store: store}); err != nil {
		return nil, err
	}
	record := readHeadRecord(run.Repo.PrivateDir())
	record.Reset = append(record.Reset, commit)
	return &CondensedByHand{id, stream.String(), stream.Tip.ID, sessions}, writeHeadRecord(run.Repo.PrivateDir(), record)
}

// commitOf makes a commit of what a stream holds, which no ref names.
func commitOf(run *workspace.Run, stream shadow.Stream, base gitexec.OID, id string) (commit gitexec.OID, err error) {
	tree, err := run.DB.EditTree(stream.Tip.Tree, gitexec.Edits{shadow.MetadataDir: {}})
	if err != nil {
		return "", err
	}
	who := run.Author(nil)
	ids, err := run.DB.CommitTree(gitexec.NewCommit{Tree: tree, Parents: []gitexec.OID{base}, Author: who, Committer: who,
		Message: fmt.Sprintf("%s\n\n%s: %s\n", stream.Tip.Subject, message.LinkKey, id)})
	if err != nil {
		return "", err
	}
	return ids[0], nil
}
