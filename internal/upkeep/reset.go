package upkeep

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Removal is something that a command deletes, or would delete.
type Removal struct {
	Kind string      `json:"kind"` // see the constants
	Name string      `json:"name"`
	Was  gitexec.OID `json:"was,omitempty"` // the object that it named
	Why  string      `json:"why,omitempty"`
	// Starts says that a session only starts over.
	Starts bool `json:"starts_over,omitempty"`
	// Rewritten says that a stream stays, without the session's work.
	Rewritten bool `json:"rewritten,omitempty"`
}

// The kinds of removals.
const (
	RemovesStream     = "stream"
	RemovesState      = "session"
	RemovesCheckpoint = "checkpoint"
	RemovesKept       = "kept stream"
)

// ResetRequest is what to reset.
type ResetRequest struct {
	Session string // its ID, or the beginning of it; empty: all sessions at HEAD
	Preview bool   // only say what would be deleted
}

// Reset deletes the streams at HEAD of this worktree, and has their sessions start over: none of
// what they have not committed yet is theirs any more (seed 004, Reset and ResetSession). The
// streams are kept for a time, see shadow.Deleted; the worktree stays as it is. A turn in progress
// goes on.
func Reset(ctx context.Context, e workspace.Env, q ResetRequest) (removed []Removal, err error) {
	run, err := commits.Open(ctx, e, e.Dir)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	err = run.Locked(ctx, func() error {
		var states []*session.State
		var refs []shadow.RefChange
		if removed, refs, states, err = planReset(ctx, run, q); err != nil || q.Preview {
			return err
		}
		noteRemovals(run.Workspace, removed)
		return shadow.Apply(ctx, run.DB, run.Store, refs, states)
	})
	return removed, run.Finish(journal.Entry{Hook: "reset", Session: q.Session, Outcome: plan(removed)}, begun, err)
}

// plan says what is removed, for the journal.
func plan(removed []Removal) string {
	return fmt.Sprintf("%d deleted", len(removed))
}

// noteRemovals writes each removal into the journal.
func noteRemovals(w *workspace.Workspace, removed []Removal) {
	for _, r := range removed {
		w.Note(fmt.Sprintf("deleted %s %s (was %s)", r.Kind, r.Name, r.Was.Short()))
	}
}

func planReset(ctx context.Context, run *workspace.Run, q ResetRequest) (removed []Removal, refs []shadow.RefChange, reset []*session.State, err error) {
	states, err := sessionsToReset(run, q.Session)
	if err != nil {
		return nil, nil, nil, err
	}
	if q.Session != "" {
		q.Session = states[0].SessionID // it may be the beginning of the ID
	}
	listing, err := shadow.List(ctx, run.Repo)
	if err != nil {
		return nil, nil, nil, err
	}
	streams, err := listing.Streams(run.DB, run.Head.ID, run.Repo.WorktreeID())
	if err != nil {
		return nil, nil, nil, err
	}
	for _, s := range streams {
		sessions, err := s.Sessions(run.DB)
		if err != nil {
			return nil, nil, nil, err
		}
		r, others := streamRemoval(s, sessions, q.Session)
		if r == nil {
			continue
		}
		deletion := shadow.Delete(s, run.Now()) // the stream's change is the first
		if r.Rewritten && !q.Preview {
			if deletion[0].New, err = writeWithout(run.DB, s, q.Session, others[0], run.Author(nil)); err != nil {
				return nil, nil, nil, err
			}
		}
		removed, refs = append(removed, *r), append(refs, deletion...)
	}
	for _, s := range states {
		if startsOver(s, run.Head.ID) {
			removed = append(removed, Removal{Kind: RemovesState, Name: s.SessionID, Why: "it starts over", Starts: true})
			reset = append(reset, s)
		}
	}
	return removed, refs, reset, nil
}

// sessionsToReset are the sessions here, or one of them.
func sessionsToReset(run *workspace.Run, name string) ([]*session.State, error) {
	states, err := run.Sessions()
	if err != nil || name == "" {
		return states, err
	}
	s, err := turns.SessionOf(run, name)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(states, func(here *session.State) bool { return here.SessionID == s.SessionID }); at >= 0 {
		s = states[at]
	}
	return []*session.State{s}, nil
}

// streamRemoval is the removal of a stream, or, if it has work of others, of a session's work from
// it; nil: none of it is the session's. An empty session: all.
func streamRemoval(s shadow.Stream, sessions []string, id string) (r *Removal, others []string) {
	r = &Removal{Kind: RemovesStream, Name: s.String(), Was: s.Tip.ID}
	if id == "" {
		return r, nil
	}
	others = slices.DeleteFunc(slices.Clone(sessions), func(other string) bool { return other == id })
	switch {
	case len(others) == len(sessions):
		return nil, nil
	case len(others) > 0:
		r.Rewritten, r.Why = true, "it has work of "+strings.Join(others, ", ")+", which stays"
	}
	return r, others
}

// writeWithout writes a stream without a session's work, which is another's from then on.
func writeWithout(db *gitexec.ODB, s shadow.Stream, id, other string, who gitexec.Ident) (gitexec.OID, error) {
	commits, err := s.Without(db, id, other, who)
	if err != nil {
		return "", err
	}
	return db.WriteCommits(commits...)
}

// startsOver has a session start over on a commit, and reports whether it had anything there.
func startsOver(s *session.State, head gitexec.OID) bool {
	bases := s.Bases()
	if !slices.Contains(bases, head) || s.ShadowBranchSuffix == 0 && len(s.FilesTouched) == 0 {
		return false
	}
	s.MoveTo(head, slices.DeleteFunc(bases, func(base gitexec.OID) bool { return base == head })...)
	return true
}
