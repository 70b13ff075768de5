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
	// Held says why it is not deleted; empty: it is.
	Held string `json:"held,omitempty"`
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
	RemovesFile       = "file"
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
		noteRemovals(run, removed)
		return shadow.Apply(ctx, run.DB, run.Store, refs, states)
	})
	return removed, run.Finish(journal.Entry{Hook: "reset", Session: q.Session, Outcome: plan(removed)}, begun, err)
}

// plan says what is removed, for the journal.
func plan(removed []Removal) string {
	done := slices.DeleteFunc(slices.Clone(removed), func(r Removal) bool { return r.Held != "" })
	return fmt.Sprintf("%d deleted", len(done))
}

// noteRemovals writes each removal into the journal.
func noteRemovals(run *workspace.Run, removed []Removal) {
	for _, r := range removed {
		if r.Held == "" {
			run.Note(fmt.Sprintf("deleted %s %s (was %s)", r.Kind, r.Name, r.Was.Short()))
		}
	}
}

func planReset(ctx context.Context, run *workspace.Run, q ResetRequest) (removed []Removal, refs []shadow.RefChange, reset []*session.State, err error) {
	states, err := run.Sessions()
	if err != nil {
		return nil, nil, nil, err
	}
	if q.Session != "" {
		s, err := turns.SessionOf(run, q.Session)
		if err != nil {
			return nil, nil, nil, err
		}
		q.Session = s.SessionID
		if states = slices.DeleteFunc(states, func(o *session.State) bool { return o.SessionID != q.Session }); len(states) == 0 {
			states = []*session.State{s}
		}
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
		r := Removal{Kind: RemovesStream, Name: s.String(), Was: s.Tip.ID}
		var rest []gitexec.OID // the commits of the stream without the session
		if q.Session != "" {
			others := slices.DeleteFunc(slices.Clone(sessions), func(id string) bool { return id == q.Session })
			switch {
			case len(others) == len(sessions):
				continue // none of its work
			case len(others) > 0:
				r.Rewritten, r.Why = true, "it has work of "+strings.Join(others, ", ")+", which stays"
			}
			if r.Rewritten && !q.Preview {
				commits, err := s.Without(run.DB, q.Session, others[0], run.Author(nil))
				if err != nil {
					return nil, nil, nil, err
				}
				if rest, err = run.DB.CommitTree(commits...); err != nil {
					return nil, nil, nil, err
				}
			}
		}
		removed = append(removed, r)
		gone := shadow.Delete(s, run.Now()) // the stream's change is the first
		if len(rest) > 0 {
			gone[0].New = rest[len(rest)-1]
		}
		refs = append(refs, gone...)
	}
	for _, s := range states {
		bases := s.Bases()
		if !slices.Contains(bases, run.Head.ID) || s.ShadowBranchSuffix == 0 && len(s.FilesTouched) == 0 {
			continue
		}
		removed = append(removed, Removal{Kind: RemovesState, Name: s.SessionID, Why: "it starts over", Starts: true})
		s.MoveTo(run.Head.ID, slices.DeleteFunc(bases, func(base gitexec.OID) bool { return base == run.Head.ID })...)
		reset = append(reset, s)
	}
	return removed, refs, reset, nil
}
