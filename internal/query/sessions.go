package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// SessionInfo is one session, from its state on this machine, its checkpoints, or both.
type SessionInfo struct {
	ID          string            `json:"session_id"`
	Agent       string            `json:"agent,omitempty"`
	Phase       session.Phase     `json:"phase,omitempty"` // empty: no state on this machine
	Worktree    string            `json:"worktree,omitempty"`
	Removed     bool              `json:"worktree_removed,omitempty"`
	Started     time.Time         `json:"started_at"` // or its first checkpoint
	Last        time.Time         `json:"last_interaction_time"`
	Title       string            `json:"session_title,omitempty"`
	FirstPrompt string            `json:"first_prompt,omitempty"`
	LastPrompt  string            `json:"last_prompt,omitempty"`
	Tokens      *transcript.Usage `json:"token_usage,omitempty"`
	Checkpoints []string          `json:"checkpoints"`                           // committed, oldest first
	Others      []string          `json:"checkpoints_added_by_others,omitempty"` // that others added, oldest first; they count nowhere
	Files       []gitexec.Path    `json:"files_touched"`
	Uncommitted []gitexec.Path    `json:"files_not_committed"`

	// Source is whose word it is, where others added all of it. It is in no sum.
	Source *checkpoints.Source `json:"source,omitempty"`
	Added  bool                `json:"-"` // others did, see Source

	Model string `json:"-"` // as its state names it; empty: it has none
}

func newSession(id string) *SessionInfo {
	return &SessionInfo{ID: id, Checkpoints: []string{}, Files: []gitexec.Path{}, Uncommitted: []gitexec.Path{}}
}

// Sessions lists all sessions, including those known only from checkpoints, the last active one
// first; damaged are the checkpoints that cannot be fully read. If no checkpoint can be read, it
// returns the sessions with a state, and the error.
func (e Source) Sessions(ctx context.Context) (all []SessionInfo, damaged []checkpoints.CommittedInfo, err error) {
	return e.sessions(ctx, "")
}

// sessions is Sessions for those whose IDs begin so. Of these it looks which files were dismissed;
// of all, that would be a look at the worktree for a list that needs none.
func (e Source) sessions(ctx context.Context, prefix string) (all []SessionInfo, damaged []checkpoints.CommittedInfo, err error) {
	r, err := e.open(ctx, true)
	by := map[string]*SessionInfo{}
	if err == nil {
		defer r.Close()
		by, damaged, err = r.CommittedSessions(ctx, prefix)
	}
	// Opened apart: where checkpoints can't be read the states of this machine still can.
	repo, err2 := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err2 == nil {
		err2 = (&Reader{Env: e.Env, Repo: repo}).AddStates(ctx, by)
	}
	if err2 != nil {
		return nil, damaged, cmp.Or(err, err2)
	}
	all = []SessionInfo{}
	var works map[gitexec.OID]OnAStream
	for id, s := range by {
		if !strings.HasPrefix(id, prefix) {
			continue
		}
		if prefix != "" && len(s.Uncommitted) > 0 && works == nil && e.Whereabouts != nil {
			works = e.Whereabouts(ctx, e.Env)
		}
		s.Uncommitted = Present(works, id, s.Uncommitted)
		// Without a reader nothing is known to be added.
		if s.Added && r != nil {
			// Of several that others added the last one tells.
			s.Source = whoseAdded(ctx, r, s.Checkpoints[len(s.Checkpoints)-1])
		}
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b SessionInfo) int { return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.ID, b.ID)) })
	return all, damaged, err
}

// CommittedSessions collects the sessions of the checkpoints whose IDs begin so, by ID; damaged are
// all checkpoints that cannot be fully read.
func (r *Reader) CommittedSessions(ctx context.Context, prefix string) (by map[string]*SessionInfo, damaged []checkpoints.CommittedInfo, err error) {
	err = r.ask(ctx, func(c *catalogue) error {
		parts, err := judge(ctx, r)
		if err != nil {
			return err
		}
		if by, err = c.sessions(prefix, parts); err != nil {
			return err
		}
		damaged, err = c.damaged()
		return err
	})
	return by, damaged, err
}

// AddStates adds the states on this machine to sessions by ID.
func (r *Reader) AddStates(ctx context.Context, by map[string]*SessionInfo) error {
	there := shadow.ReadWorktrees(r.Repo)
	states, err := r.States().All()
	for _, state := range states {
		s := by[state.SessionID]
		if s == nil {
			s = newSession(state.SessionID)
			by[state.SessionID] = s
		}
		if s.Added { // of which nothing counts, since the session is this clone's
			*s = SessionInfo{ID: s.ID, Checkpoints: []string{}, Others: s.Checkpoints, Files: []gitexec.Path{}, Uncommitted: []gitexec.Path{}}
		}
		s.Removed = !there.Has(state.WorktreeID)
		s.Agent, s.Phase, s.Worktree, s.Started = state.AgentType, state.Phase, state.WorktreePath, state.StartedAt
		s.lastAt(state.LastInteractionTime)
		s.Title, s.Model = cmp.Or(state.Title, s.Title), state.ModelName
		s.FirstPrompt, s.LastPrompt = state.FirstPrompt, state.LastPrompt
		// The state counts all of the session, and a checkpoint only what was committed.
		s.Tokens = tokensSoFar(ctx, state, s.Tokens)
		for _, place := range state.Places() {
			// A session may be at work in another worktree than where it began.
			if place.Phase == session.Active {
				s.Phase, s.Worktree = place.Phase, place.WorktreePath
			}
			s.Files, s.Uncommitted = condense.Union(s.Files, place.FilesTouched), condense.Union(s.Uncommitted, place.FilesTouched)
		}
	}
	return err
}

// lastAt notes a time of the session's state, unless it has a later checkpoint: a turn may go on
// after one.
func (s *SessionInfo) lastAt(when *time.Time) {
	if when != nil && when.After(s.Last) {
		s.Last = *when
	}
}

// tokensSoFar is a session's token usage: what was recorded, and what its transcript has since, for
// instance of turns without a checkpoint.
func tokensSoFar(ctx context.Context, state *session.State, known *transcript.Usage) *transcript.Usage {
	if state.TokenUsage != nil {
		known = state.TokenUsage
	}
	if state.TranscriptPath == "" || !state.TranscriptGrew() {
		return known
	}
	part, err := transcript.Read(ctx, state.TranscriptPath, state.Recorded, func([]byte, bool) error { return nil })
	if err != nil || part.Usage == (transcript.Usage{}) {
		return known
	}
	// Nothing of the transcript is recorded: what was counted so far is of its beginning, too.
	if counted := state.CountedElsewhere(); counted != nil {
		part.Usage = part.Usage.Less(*counted)
	}
	sum := transcript.Usage{}
	if known != nil {
		sum = *known
	}
	sum = sum.Add(part.Usage)
	return &sum
}

// Session finds a session by its ID or a prefix of it (seed 003, GetSession); damaged are the
// checkpoints that cannot be fully read and are, or may be, of the session. Its errors are
// session.ErrNotFound and checkpoints.AmbiguousError. If no checkpoint can be read, it returns the
// session's state with the error.
func (e Source) Session(ctx context.Context, prefix string) (s SessionInfo, damaged []checkpoints.CommittedInfo, err error) {
	all, damaged, err := e.sessions(ctx, prefix)
	if err != nil && !errors.Is(err, checkpoints.ErrDamaged) {
		return s, nil, err
	}
	var names []string
	for _, s := range all {
		names = append(names, s.ID)
	}
	id, err2 := Session(names, prefix)
	if err2 != nil {
		return s, damaged, errors.Join(err2, err)
	}
	s = all[slices.Index(names, id)]
	damaged = slices.DeleteFunc(damaged, func(k checkpoints.CommittedInfo) bool { return !k.Unreadable && !k.Has(id) })
	return s, damaged, err
}
