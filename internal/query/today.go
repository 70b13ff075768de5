package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// Today is what happened since a time.
type Today struct {
	Since       time.Time        `json:"since"`
	Sessions    []TodaySession   `json:"sessions"` // the last active one first
	Commits     []Logged         `json:"commits"`  // newest first
	Uncommitted UncommittedLines `json:"uncommitted_lines"`
}

// TodaySession is a session with its turns since then.
type TodaySession struct {
	ID          string         `json:"session_id"`
	Agent       string         `json:"agent,omitempty"`
	Title       string         `json:"session_title,omitempty"`
	Worktree    string         `json:"worktree,omitempty"`
	Turns       []TodayTurn    `json:"turns"` // oldest first
	Uncommitted []gitexec.Path `json:"files_not_committed"`
}

// TodayTurn is a turn, and what became of it.
type TodayTurn struct {
	ShownTurn
	When    time.Time     `json:"when,omitzero"`
	Commit  gitexec.OID   `json:"commit,omitempty"`  // the latest that has it; empty: none
	Commits []gitexec.OID `json:"commits,omitempty"` // all that have its lines, which are counted together
}

// Today finds the turns and commits since a time, and what is not committed.
func (e Source) Today(ctx context.Context, since time.Time) (t Today, err error) {
	t = Today{Since: since, Sessions: []TodaySession{}, Uncommitted: UncommittedLines{Sessions: []UncommittedSession{}}}
	// Without a name: today may be the first day, on a branch without a commit.
	r, err := e.OpenFor(ctx, Selection{})
	if err != nil {
		return t, err
	}
	defer r.Close()
	by, _, err := r.CommittedSessions(ctx, "")
	if err == nil {
		err = r.AddStates(ctx, by)
	}
	if err != nil {
		return t, err
	}
	// Listed once for all sessions: each list starts git, and there may be thousands of sessions.
	streams, err := onStreamsSince(ctx, r, since)
	if err != nil {
		return t, err
	}
	gone, err := deletedSince(ctx, r, since)
	if err != nil {
		return t, err
	}
	for _, s := range by {
		// A session without anything since then needs no look at its checkpoints: there may be
		// hundreds.
		if s.Added || s.Last.Before(since) { // or others added it to what was recorded here
			continue
		}
		one, err := todayOf(ctx, r, s, streams[s.ID], since)
		if err == nil {
			err = one.addDeleted(ctx, r, gone[s.ID], since)
		}
		if err != nil {
			return t, err
		}
		if len(one.Turns) > 0 || len(one.Uncommitted) > 0 {
			t.Sessions = append(t.Sessions, one)
		}
	}
	slices.SortFunc(t.Sessions, func(a, b TodaySession) int { return cmp.Or(b.last().Compare(a.last()), strings.Compare(a.ID, b.ID)) })
	commits, err := r.Select(ctx, Selection{Since: since.Format(time.RFC3339)})
	if err != nil {
		return t, err
	}
	if t.Commits, err = r.logged(ctx, commits, gitexec.Pathspecs{}); err != nil {
		return t, err
	}
	if slices.ContainsFunc(t.Sessions, func(s TodaySession) bool { return len(s.Uncommitted) > 0 }) {
		t.Uncommitted, err = e.UncommittedLines(ctx, r.Repo)
	}
	return t, err
}

func (s TodaySession) last() (when time.Time) {
	for _, t := range s.Turns {
		if t.When.After(when) {
			when = t.When
		}
	}
	return when
}

// todayOf finds a session's turns since a time; onStreams are its checkpoints on streams since
// then.
func todayOf(ctx context.Context, r *Reader, s *SessionInfo, onStreams []gitexec.OID, since time.Time) (TodaySession, error) {
	one := TodaySession{ID: s.ID, Agent: s.Agent, Title: s.Title, Worktree: s.Worktree, Turns: []TodayTurn{}, Uncommitted: s.Uncommitted}
	if len(s.Uncommitted) > 0 {
		// What was dismissed since, as by git checkout, is still in the state.
		one.Uncommitted = Present(r.Whereabouts(ctx), s.ID, s.Uncommitted)
	}
	// A day has few of them: the last ones are read, and turnsSince leaves out what is older.
	shown, err := r.showAll(ctx, s.Checkpoints[max(0, len(s.Checkpoints)-mostShown):], onStreams)
	if err != nil {
		return one, err
	}
	for _, k := range shown {
		for _, p := range k.Sessions {
			if p.SessionID != s.ID || p.Source != nil { // or others added it
				continue
			}
			if one.Agent == "" {
				one.Agent = p.Agent
			}
			turns := turnsSince(r, p, since)
			for i := range turns {
				if k.holder != "" {
					turns[i].in(k.holder)
				}
			}
			one.add(turns)
		}
	}
	return one, nil
}

// onStreamsSince are the agents' checkpoints on streams since a time, by session.
func onStreamsSince(ctx context.Context, r *Reader, since time.Time) (map[string][]gitexec.OID, error) {
	by := map[string][]gitexec.OID{}
	err := Histories(ctx, r.Repo, r.DB, func(history []shadow.Checkpoint) {
		for _, k := range history {
			if k.Part == shadow.Agent && !k.When.Before(since) {
				by[k.Session] = append(by[k.Session], k.ID)
			}
		}
	})
	return by, err
}

// deletedSince are the agents' last checkpoints since a time on deleted streams that are kept, by
// session, the latest first.
func deletedSince(ctx context.Context, r *Reader, since time.Time) (map[string][]gitexec.OID, error) {
	by := map[string][]gitexec.OID{}
	err := deletedHistories(ctx, r, since, func(history []shadow.Checkpoint) {
		for _, k := range slices.Backward(history) {
			if k.Part == shadow.Agent && !k.When.Before(since) && len(by[k.Session]) < mostShown {
				by[k.Session] = append(by[k.Session], k.ID)
			}
		}
	})
	return by, err
}

// addDeleted adds the turns on deleted streams of which nothing else is known: what was dismissed
// last in a session.
func (s *TodaySession) addDeleted(ctx context.Context, r *Reader, gone []gitexec.OID, since time.Time) error {
	shown, err := r.showAll(ctx, nil, gone)
	for _, k := range shown {
		for _, p := range k.Sessions {
			s.Agent = cmp.Or(s.Agent, p.Agent)
			s.add(slices.DeleteFunc(turnsSince(r, p, since), func(t TodayTurn) bool {
				// A stream is also deleted when all of it is committed: that has been found in the
				// checkpoints.
				return t.Work == "committed" || slices.ContainsFunc(s.Turns, func(known TodayTurn) bool { return known.Number == t.Number })
			}))
		}
	}
	return err
}

// in says which commit has the turn.
func (t *TodayTurn) in(commit gitexec.OID) {
	if t.Commit = commit; t.Lines != nil && *t.Lines > 0 {
		t.Commits = []gitexec.OID{commit}
	}
}

// add adds turns. One that is there already has more lines in a later commit, or goes on on a
// stream.
func (s *TodaySession) add(turns []TodayTurn) {
	for _, t := range turns {
		i := slices.IndexFunc(s.Turns, func(known TodayTurn) bool { return known.Number == t.Number })
		switch {
		case i < 0:
			s.Turns = append(s.Turns, t)
		case s.Turns[i].Nothing() || s.Turns[i].Lines == nil:
			s.Turns[i] = t
		// Its lines went into several commits: they are counted together.
		case len(t.Commits) > 0:
			lines := *s.Turns[i].Lines + *t.Lines
			t.Lines, t.Files, t.Commits = &lines, sets.Union(s.Turns[i].Files, t.Files), sets.Union(s.Turns[i].Commits, t.Commits)
			s.Turns[i] = t
		}
	}
	slices.SortStableFunc(s.Turns, func(a, b TodayTurn) int { return cmp.Compare(a.Number, b.Number) })
}

// todayTurns are the turns since a time. Where the transcript doesn't tell when a turn began, it is
// when its checkpoint was made.
func todayTurns(turns []ShownTurn, began map[int]time.Time, made, since time.Time) (all []TodayTurn) {
	for _, t := range turns {
		when := began[t.Number]
		if when.IsZero() {
			when = made
		}
		if !when.Before(since) {
			all = append(all, TodayTurn{ShownTurn: t, When: when})
		}
	}
	return all
}

// turnsSince are a part's turns since a time.
func turnsSince(r *Reader, p ShownPart, since time.Time) []TodayTurn {
	began := p.began()
	for n, when := range began {
		// A transcript may have any time. One that is to come would be of today, each day.
		began[n] = checkpoints.Bounded(when, r.Env.Now())
	}
	return todayTurns(p.Turns, began, p.CreatedAt, since)
}

// began says when the part's turns began, by their numbers, as far as the transcript tells.
func (p *ShownPart) began() map[int]time.Time {
	times := map[int]time.Time{}
	p.eachInTranscript(p.Turns, transcript.Limits{}, func(t *ShownTurn, number int, one transcript.Turn) {
		// A prompt that comes several times: the turn of its own number, or else the last one
		// before that, or the first one after it.
		if times[t.Number].IsZero() || number <= t.Number {
			times[t.Number] = one.Began
		}
	})
	return times
}
