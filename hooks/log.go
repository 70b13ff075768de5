package hooks

import (
	"context"
	"fmt"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/internal/settings"
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
	Damaged  bool     `json:"damaged,omitempty"` // show says what is wrong with it
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
// are not committed yet. Four processes side by side; none, if nothing has changed since the last time.
func (e Env) Log(ctx context.Context, revs string, most int) ([]Logged, []Pending, error) {
	if revs == "" {
		revs = "HEAD"
	}
	kept := revs == "HEAD" && most <= mostKept
	sight := gitexec.Look(e.Dir)
	if kept {
		if last := e.unchangedLog(ctx, sight, most); last != nil {
			return last.Commits, last.Streams, nil
		}
	}
	ids, listed := listing(ctx, gitexec.Here(e.Dir, e.Tracer), most, revs)
	defer func() { // no process may outlive the command
		ids()
		listed()
	}()
	r, err := e.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	if done, err := r.catchUp(ctx); err != nil {
		return nil, nil, err
	} else if done {
		ids()
		listed()
		ids, listed = listing(ctx, r.repo, most, revs)
	}
	var seen *gitexec.Discovery
	if _, elsewhere := settings.Load(r.repo.Top); kept && elsewhere == nil { // where nobody enabled us nothing is written
		seen = sight.Discovery(r.repo, shadow.Prefix)
	}
	commits, streams, err := r.logOf(revs, ids, listed)
	if last := (lastLog{lastLogForm, e.Version, most, seen, commits, streams}); err == nil && seen != nil && last.whole() && r.branch.Alone() {
		_ = last.write(r.repo) // for the next one, which can do without git
	}
	return commits, streams, err
}

// listing finds commits and our branches side by side.
func listing(ctx context.Context, repo *gitexec.Repo, most int, revs string) (ids func() ([]gitexec.OID, error), listed func() (shadow.Listing, error)) {
	ids = inBackground(func() ([]gitexec.OID, error) { return repo.Latest(ctx, most, revs) })
	listed = inBackground(func() (shadow.Listing, error) { return shadow.List(ctx, repo) })
	return ids, listed
}

func (r *reading) logOf(revs string, ids func() ([]gitexec.OID, error), listed func() (shadow.Listing, error)) ([]Logged, []Pending, error) {
	latest, err := ids()
	if err != nil {
		return nil, nil, fmt.Errorf("%q names no commits: %w\nhint: a branch, or a range as in main..feature", revs, err)
	}
	commits, err := r.db.Commits(latest...)
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

func (r *reading) logged(commits []gitexec.Commit) ([]Logged, error) {
	var links []condense.Linking
	for _, c := range commits {
		for _, id := range message.Links(c.Message) {
			links = append(links, condense.Linking{ID: id, Commit: c})
		}
	}
	shares, err := condense.ReadShares(r.db, r.branch, links)
	if err != nil {
		return nil, err
	}
	all := []Logged{}
	for _, c := range commits {
		one := Logged{ShownCommit: shownCommit(c), Parents: append([]gitexec.OID{}, c.Parents...), Checkpoints: []LoggedCheckpoint{}}
		for _, id := range message.Links(c.Message) {
			share := shares[0]
			shares = shares[1:]
			k := LoggedCheckpoint{ID: id, Found: share != nil, Sessions: []string{}}
			k.Damaged = k.Found && len(share) == 0
			for _, s := range share {
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
	listing, err := listing.WithLegacy(r.db)
	if err != nil {
		return nil, err
	}
	streams, err := listing.All(r.db)
	if err != nil {
		return nil, err
	}
	all := []Pending{}
	for _, s := range streams {
		if !s.In(r.repo.WorktreeID()) {
			continue
		}
		one := Pending{Branch: s.String(), Base: s.Tip.Base, Sessions: []string{}, Files: []gitexec.Path{}, Updated: s.Tip.When}
		if one.Base == "" { // another program's doesn't name it
			if history, err := s.History(r.db); err == nil {
				one.Base = history[0].Parent
			}
		}
		changes, err := s.AgentChanges(r.db)
		if err != nil {
			one.Error = err.Error()
		}
		turns := map[string]bool{}
		for _, c := range changes {
			one.Files, turns[c.Turn] = append(one.Files, c.Path), true
			one.Sessions = union(one.Sessions, []string{c.Session})
		}
		one.Files, one.Checkpoints = append([]gitexec.Path{}, condense.Union(nil, one.Files)...), len(turns)
		all = append(all, one)
	}
	return all, nil
}
