package query

import (
	"cmp"
	"context"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// Logged is one commit, as log lists it.
type Logged struct {
	ShownCommit
	Parents     []gitexec.OID      `json:"parents"`
	Checkpoints []LoggedCheckpoint `json:"checkpoints"`        // that it links
	Lines       *attribution.Sum   `json:"lines,omitempty"`    // nil: without a link, or not countable
	Again       attribution.Sum    `json:"again,omitzero"`     // of Lines, those that an older one of the commits brings, too: totals count a line once
	Generated   attribution.Sum    `json:"generated,omitzero"` // of the other Lines, those in generated and vendored files: totals count them apart
	Unknown     []string           `json:"unknown,omitempty"`  // why lines have no known author
	Spent       []SpentBy          `json:"-"`                  // for its checkpoints
}

// LoggedCheckpoint is a checkpoint of a commit.
type LoggedCheckpoint struct {
	ID       string   `json:"checkpoint_id"`
	Found    bool     `json:"found"`
	Purged   string   `json:"purged,omitempty"`     // the day on which it was purged
	Damaged  bool     `json:"damaged,omitempty"`    // show prints the damage
	Lacking  bool     `json:"incomplete,omitempty"` // a partial clone lacks objects of it: that is the damage
	Sessions []string `json:"sessions"`
	Agent    int      `json:"agent_lines"`
	Lines    int      `json:"lines"`         // of the commit, of all authors; 0 also if not countable
	Unknown  int      `json:"unknown_lines"` // of these, without a known author
}

// Missing reports whether the checkpoint is not here, though it may be elsewhere.
func (k LoggedCheckpoint) Missing() bool { return !k.Found && k.Purged == "" }

// Pending is a stream of this worktree with uncommitted work.
type Pending struct {
	Branch      string         `json:"branch"`
	Base        gitexec.OID    `json:"base,omitempty"` // empty: unknown
	Checkpoints int            `json:"checkpoints"`    // the agents'
	Sessions    []string       `json:"sessions"`
	Files       []gitexec.Path `json:"files"`
	Updated     time.Time      `json:"updated"`
	Error       string         `json:"error,omitempty"`

	tree gitexec.OID // of its tip
}

// Log lists the selected commits, of whole histories, newest first, with their checkpoints, and
// this worktree's uncommitted streams. Four concurrent processes, one that counts the linked
// commits' lines, and one that finds the generated files.
func (e Source) Log(ctx context.Context, s Selection) ([]Logged, []Pending, error) {
	s.Walk = true
	// It runs while the repository is opened. What is outdated by then is asked again.
	ids, listed := listing(ctx, gitexec.Here(e.Dir, e.Tracer).Offline(), s.history(e.Dir))
	defer func() { // no process may outlive the command
		ids()
		listed()
	}()
	r, err := e.OpenFor(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	if r.moved || r.Repo.Partial() && len(s.Paths) > 0 { // it may lack what tells which commits change the paths
		ids()
		listed()
		ids, listed = listing(ctx, r.Repo, s.history(e.Dir))
	}
	return r.logOf(ctx, s, ids, listed)
}

// listing lists commits and our branches concurrently.
func listing(ctx context.Context, repo *gitexec.Repo, h gitexec.History) (
	ids func() ([]gitexec.OID, error), listed func() (shadow.Listing, error)) {
	ids = gitexec.InBackground(func() ([]gitexec.OID, error) { return repo.History(ctx, h) })
	listed = gitexec.InBackground(func() (shadow.Listing, error) { return shadow.List(ctx, repo) })
	return ids, listed
}

func (r *Reader) logOf(ctx context.Context, s Selection,
	ids func() ([]gitexec.OID, error), listed func() (shadow.Listing, error)) ([]Logged, []Pending, error) {
	latest, err := ids()
	switch {
	// git fails on a branch without a commit, though there may be streams.
	case s.None(r.Repo):
		latest, err = nil, nil
	case err != nil:
		// A name that git doesn't know may be one of ours.
		latest, err = r.commitsOfNames(ctx, s, err)
	}
	if err != nil {
		return nil, nil, err
	}
	commits, err := r.DB.Commits(latest...)
	if err != nil {
		return nil, nil, err
	}
	all, err := r.logged(ctx, commits, s.pathspecs(r.Env.Dir))
	if err != nil {
		return nil, nil, err
	}
	listing, err := listed()
	if err != nil {
		return nil, nil, err
	}
	pending, err := pendingOf(ctx, r, listing, s)
	if err == nil && len(pending) == 0 && s.None(r.Repo) {
		err = r.Repo.Born()
	}
	return all, pending, err
}

// pendingOf are the streams of this worktree that a selection means.
func pendingOf(ctx context.Context, r *Reader, listing shadow.Listing, s Selection) ([]Pending, error) {
	all, err := pendingHere(r.DB, r.Repo.WorktreeID(), listing)
	if err != nil {
		return nil, err
	}
	return selectedOf(ctx, r, all, s)
}

// selectedOf are the streams that a selection of commits means, too: those with work in its paths,
// and none where commits of an author are wanted. With paths, one process.
func selectedOf(ctx context.Context, r *Reader, all []Pending, s Selection) ([]Pending, error) {
	// What is not committed has no author yet.
	if s.Author != "" {
		return []Pending{}, nil
	}
	if len(s.Paths) == 0 || len(all) == 0 {
		return all, nil
	}
	pairs := make([][2]gitexec.OID, len(all))
	for i, one := range all {
		// A base that is gone, as after an amend and git's gc, leaves all of the stream's files.
		pairs[i] = [2]gitexec.OID{r.Repo.Format.EmptyTree(), one.tree}
		if found, err := r.DB.Readable(one.Base); err == nil && len(found) > 0 {
			pairs[i][0] = found[0].Tree
		}
	}
	some := []Pending{}
	err := r.Repo.DiffPairs(ctx, pairs, s.pathspecs(r.Env.Dir), func(pair int, changes []gitexec.Change) error {
		// The stream has the human's changes, too: only files of the agents' count.
		if slices.ContainsFunc(gitexec.PathsOf(changes), func(p gitexec.Path) bool { return slices.Contains(all[pair].Files, p) }) {
			some = append(some, all[pair])
		}
		return nil
	})
	return some, err
}

// logged reads the commits' checkpoints, and counts their lines in the files that paths select. One
// process, with paths two, if any of them has a link.
func (r *Reader) logged(ctx context.Context, commits []gitexec.Commit, paths gitexec.Pathspecs) ([]Logged, error) {
	all := []Logged{}
	var linked []gitexec.Commit
	// In a partial clone each link would be fetched by itself.
	checkpoints.BringLinks(r.DB, r.Branch, commits)
	var of []int
	for i, c := range commits {
		all = append(all, Logged{ShownCommit: ShownCommitOf(c), Parents: append([]gitexec.OID{}, c.Parents...),
			Checkpoints: []LoggedCheckpoint{}})
		if len(r.Branch.Links(r.DB, c)) > 0 {
			linked, of = append(linked, c), append(of, i)
		}
	}
	counted, err := r.authors(ctx).Count(ctx, r.Repo, linked, paths)
	if err != nil {
		return nil, err
	}
	if err := markApart(ctx, r, gitexec.IDsOf(linked), counted); err != nil {
		return nil, err
	}
	for i, n := range counted {
		one := &all[of[i]]
		one.Lines, one.Unknown = linesIn(n)
		one.Again, one.Generated = n.Apart()
		one.Spent = spentFor(n)
		for _, link := range n.Links {
			k := LoggedCheckpoint{ID: link.ID, Found: link.Found, Purged: link.Purged, Damaged: link.Damage != nil, Lacking: gitexec.IsUnfetched(link.Damage),
				Sessions: []string{}, Lines: n.Lines.All(), Unknown: n.Lines.Unknown}
			for _, s := range link.Sessions {
				k.Sessions = append(k.Sessions, s.SessionID)
				k.Agent += n.Parts[attribution.Part{Checkpoint: link.ID, Session: s.SessionID}]
			}
			one.Checkpoints = append(one.Checkpoints, k)
		}
	}
	return all, nil
}

// linesIn are a commit's lines, nil if they cannot be counted, and why lines have no known author.
func linesIn(n attribution.Counted) (*attribution.Sum, []string) {
	if n.NotCounted != "" {
		return nil, []string{n.NotCounted}
	}
	return &n.Lines, n.Reasons
}

// authors finds the authors of commits' lines.
func (r *Reader) authors(ctx context.Context) *attribution.Reader {
	return &attribution.Reader{DB: r.DB, Branch: r.Branch, Agent: func(session string) string { return agentOf(ctx, r, session) }}
}

// agentOf names the agent of a session, by its state or its checkpoints; empty: it is not known.
func agentOf(ctx context.Context, r *Reader, session string) string {
	agent, known := r.agents[session]
	if known {
		return agent
	}
	if state, err := r.States().Load(session); err == nil && state != nil {
		agent = state.AgentType
	}
	if agent == "" {
		by, _, err := r.CommittedSessions(ctx, session)
		if s := by[session]; s != nil && err == nil {
			agent = s.Agent
		}
	}
	if r.agents == nil {
		r.agents = map[string]string{}
	}
	r.agents[session] = agent
	return agent
}

// pendingHere lists the streams of a worktree, of all bases.
func pendingHere(db *gitexec.ODB, worktree string, listing shadow.Listing) ([]Pending, error) {
	listing, err := listing.WithLegacy(db)
	if err != nil {
		return nil, err
	}
	streams, err := listing.All(db)
	if err != nil {
		return nil, err
	}
	all := []Pending{}
	for _, s := range streams {
		if !s.In(worktree) {
			continue
		}
		one := Pending{Branch: s.String(), Base: s.BaseCommit(db), Sessions: []string{}, Files: []gitexec.Path{}, Updated: s.Tip.When,
			tree: s.Tip.Tree}
		changes, err := s.AgentChanges(db)
		if err != nil {
			// One stream that can't be read doesn't keep the others from being listed.
			one.Error = err.Error()
		}
		turns := map[string]bool{}
		for _, c := range changes {
			// Where no turn is recorded each checkpoint counts.
			one.Files, turns[cmp.Or(c.Turn, string(c.At))] = append(one.Files, c.Path), true
			one.Sessions = sets.With(one.Sessions, c.Session)
		}
		one.Files, one.Checkpoints = append([]gitexec.Path{}, condense.Union(nil, one.Files)...), len(turns)
		all = append(all, one)
	}
	return all, nil
}
