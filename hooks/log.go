package hooks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/shadow"
)

// Logged is one commit, as log lists it.
type Logged struct {
	ShownCommit
	Parents     []gitexec.OID      `json:"parents"`
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
	Base        gitexec.OID    `json:"base,omitempty"` // empty: not known
	Checkpoints int            `json:"checkpoints"`    // the agents'
	Sessions    []string       `json:"sessions"`
	Files       []gitexec.Path `json:"files"`
	Updated     time.Time      `json:"updated"`
	Error       string         `json:"error,omitempty"`
}

// Log lists commits, newest first, with their checkpoints: those of a range, or of HEAD's history if it is empty; and this worktree's streams that
// are not committed yet. Two processes side by side, or, where the repository or the range is none of the plainest, four.
func (e Env) Log(ctx context.Context, revs string, most int) ([]Logged, []Pending, error) {
	if revs == "" {
		revs = "HEAD"
	}
	if all, waiting, ok := e.logPlain(ctx, revs, most); ok {
		return all, waiting, nil
	}
	r, err := e.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer r.db.Close()
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
	all, err := r.logged(commits)
	if err != nil {
		return nil, nil, err
	}
	listing, err := listed()
	if err != nil {
		return nil, nil, err
	}
	waiting, err := r.pending(listing)
	return all, waiting, err
}

// mostPlain is how many commits are read one after the other, and not listed by git first.
const mostPlain = 1000

// logPlain is Log in the plainest case: nothing has to be looked for, nor asked before something else, but for what the answers name. In
// any other, or if anything fails, ok is false: Log goes the long way, and has the words for what is wrong.
func (e Env) logPlain(ctx context.Context, rev string, most int) (all []Logged, waiting []Pending, ok bool) {
	if most > mostPlain || strings.Contains(rev, "..") || strings.Trim(rev, plainLetters) != "" || strings.HasPrefix(rev, "-") {
		return nil, nil, false
	}
	repo, ok := gitexec.Glance(e.Dir, e.Tracer)
	if !ok {
		return nil, nil, false
	}
	r := &reading{repo: repo, db: repo.ODB(ctx)}
	defer r.db.Close()
	if r.db.Objects.Warm() != nil {
		return nil, nil, false
	}
	listed := inBackground(func() (shadow.Listing, error) { return shadow.List(ctx, repo) })
	defer listed()
	if owed, err := e.owed(ctx, repo); owed != nil || err != nil {
		return nil, nil, false
	}
	commits, also, ok, err := r.db.History(most, rev, gitexec.OID(shadow.Checkpoints+"^{tree}"), "HEAD^{commit}")
	if !ok || err != nil || also[1].Type == "" {
		return nil, nil, false
	}
	r.branch.Tree = also[0].ID
	if all, err = r.logged(commits); err != nil {
		return nil, nil, false
	}
	listing, err := listed()
	if err == nil {
		waiting, err = r.pending(listing)
	}
	return all, waiting, err == nil
}

// plainLetters are those of names that mean the same to all of git's commands.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/."

func (r *reading) logged(commits []gitexec.Commit) ([]Logged, error) {
	var ids []string
	for _, c := range commits {
		ids = append(ids, message.Links(c.Message)...)
	}
	shares, err := condense.ReadShares(r.db, r.branch, ids)
	if err != nil {
		return nil, err
	}
	all := []Logged{}
	for _, c := range commits {
		one := Logged{ShownCommit: shownCommit(c), Parents: append([]gitexec.OID{}, c.Parents...), Checkpoints: []LoggedCheckpoint{}}
		for _, id := range message.Links(c.Message) {
			k := LoggedCheckpoint{ID: id, Found: shares[id] != nil, Sessions: []string{}}
			for _, s := range shares[id] {
				k.Sessions = append(k.Sessions, s.Session)
				k.Agent += s.Agent
				k.Lines = max(k.Lines, s.Lines)
			}
			one.Checkpoints = append(one.Checkpoints, k)
		}
		all = append(all, one)
	}
	return all, nil
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
		one := Pending{Branch: s.String(), Base: s.Tip.Base, Sessions: []string{}, Files: []gitexec.Path{}, Updated: s.Tip.When}
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
