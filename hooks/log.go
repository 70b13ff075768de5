package hooks

import (
	"context"
	"fmt"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/shadow"
)

// Logged is one commit, as log lists it.
type Logged struct {
	ShownCommit
	Checkpoints []LoggedCheckpoint `json:"checkpoints"` // that it links
}

// LoggedCheckpoint is a checkpoint of a commit.
type LoggedCheckpoint struct {
	ID       string   `json:"checkpoint_id"`
	Found    bool     `json:"found"`
	Sessions []string `json:"sessions"`
	Agent    int      `json:"agent_lines"`
	Lines    int      `json:"lines"` // of the commit, whoever's
}

// Pending is a stream of this worktree whose work is not committed yet.
type Pending struct {
	Branch      string         `json:"branch"`
	Checkpoints int            `json:"checkpoints"` // the agents'
	Sessions    []string       `json:"sessions"`
	Files       []gitexec.Path `json:"files"`
	Updated     time.Time      `json:"updated"`
	Error       string         `json:"error,omitempty"`
}

// Log lists commits, newest first, with their checkpoints: those of a range, or of HEAD's history if it is empty; and this worktree's streams that
// are not committed yet. Four processes.
func (e Env) Log(ctx context.Context, revs string, most int) ([]Logged, []Pending, error) {
	r, err := e.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer r.db.Close()
	if revs == "" {
		revs = "HEAD"
	}
	listed := inBackground(func() (shadow.Listing, error) { return shadow.List(ctx, r.repo) })
	defer listed() // no process may outlive the command
	ids, err := r.repo.Latest(ctx, most, revs)
	if err != nil {
		return nil, nil, fmt.Errorf("%q names no commits: %w\nhint: a branch, or a range as in main..feature", revs, err)
	}
	commits, err := r.db.Commits(ids...)
	if err != nil {
		return nil, nil, err
	}
	all := []Logged{}
	for _, c := range commits {
		one := Logged{ShownCommit: shownCommit(c), Checkpoints: []LoggedCheckpoint{}}
		for _, id := range message.Links(c.Message) {
			k, err := r.logged(id)
			if err != nil {
				return nil, nil, err
			}
			one.Checkpoints = append(one.Checkpoints, k)
		}
		all = append(all, one)
	}
	listing, err := listed()
	if err != nil {
		return nil, nil, err
	}
	waiting, err := r.pending(listing)
	return all, waiting, err
}

func (r *reading) logged(id string) (LoggedCheckpoint, error) {
	k := LoggedCheckpoint{ID: id, Sessions: []string{}}
	sessions, err := condense.ReadLines(r.db, r.branch, id)
	if err != nil {
		return k, nil // damaged: show says more
	}
	k.Found = sessions != nil
	for _, s := range sessions {
		k.Sessions = append(k.Sessions, s.SessionID)
		if a := s.Attribution; a != nil {
			k.Agent += a.AgentLines
			k.Lines = max(k.Lines, a.TotalCommitted+a.OtherSessions)
		}
	}
	return k, nil
}

// pending lists the streams of this worktree, of all bases.
func (r *reading) pending(listing shadow.Listing) ([]Pending, error) {
	streams, err := listing.All(r.db)
	if err != nil {
		return nil, err
	}
	all := []Pending{}
	for _, s := range streams {
		if s.Worktree != shadow.WorktreeHash(r.repo.WorktreeID()) {
			continue
		}
		one := Pending{Branch: s.String(), Sessions: []string{}, Files: []gitexec.Path{}, Updated: s.Tip.When}
		changes, err := s.AgentChanges(r.db)
		if err != nil {
			one.Error = err.Error()
		}
		turns := map[string]bool{}
		for _, c := range changes {
			one.Files, turns[c.Turn] = condense.Union(one.Files, []gitexec.Path{c.Path}), true
			one.Sessions = union(one.Sessions, []string{c.Session})
		}
		one.Checkpoints = len(turns)
		all = append(all, one)
	}
	return all, nil
}
