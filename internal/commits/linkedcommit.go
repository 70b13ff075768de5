package commits

import (
	"context"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// decideCommit matches the sessions' work with the commit, and plans the links and lines of the
// commits that it replaces.
func decideCommit(ctx context.Context, run *workspace.Run, c *LinkedCommit, pending PendingLink) error {
	if !pending.replays() {
		if err := Match(ctx, run, c, pending); err != nil {
			return err
		}
	}
	return planLineage(run.Repo, run.DB, c, pending)
}

// planLineage plans the links and lines of the commits that a commit replaces, once its matches are
// known.
func planLineage(repo *gitexec.Repo, db *gitexec.ODB, c *LinkedCommit, pending PendingLink) error {
	replaced := append(slices.Clone(pending.Replaces), condense.ResetsIn(c.matches)...)
	from, err := completePredecessors(repo, db, c.Branch, c.Head, c.Changes, replaced)
	if err != nil {
		return err
	}
	c.plan = lineage.Decide(c.Head, c.Links, from)
	for i, m := range c.plan.Move {
		c.plan.Move[i].Stays = m.Stays || slices.Contains(c.stay, m.From)
	}
	for _, m := range c.matches {
		c.oldNames = condense.Union(c.oldNames, m.OldNames)
	}
	c.matches = condense.Condensed(c.matches, c.overlaps, pending.Replaces)
	return nil
}

// Match repeats the decision of prepare-commit-msg on the commit itself. If it finds nothing
// although that hook gave out the link, because something changed in between, it takes the sessions
// of then: every link needs a checkpoint.
func Match(ctx context.Context, run *workspace.Run, c *LinkedCommit, pending PendingLink) (err error) {
	record := pending.resets(readHeadRecord(run.Repo.PrivateDir()), c.Head.ID)
	c.bases = condense.Bases(ParentOf(run.Repo, c.Head), c.States)
	judged := c.Changes
	if gitexec.ValidOID(string(pending.Since)) {
		amend, err := run.DB.DiffTrees(pending.Since, c.Head.Tree)
		if err != nil {
			return err
		}
		judged = addedBy(amend, c.Changes)
	}
	if len(pending.Sides) > 0 {
		if judged, err = withoutSides(run.DB, c); err != nil {
			return err
		}
	}
	if c.amended, err = amendedTree(run.DB, pending); err != nil {
		return err
	}
	if err := compare(ctx, run, c, judged, record); err != nil || len(c.matches) > 0 {
		return err
	}
	c.matches = condense.ForSessions(c.States, pending.Sessions)
	return nil
}

// amendedTree is the tree of the commit that a commit replaces by an amend; empty: none.
func amendedTree(db *gitexec.ODB, pending PendingLink) (gitexec.OID, error) {
	old, _, err := readCommit(db, pending.amended())
	return old.Tree, err
}

// compare compares changes of the commit, all or some, with the sessions' work, also with that of
// other worktrees.
func compare(ctx context.Context, run *workspace.Run, c *LinkedCommit, judged []gitexec.Change, record headRecord) (err error) {
	if c.came, err = comeHere(run, judged, c.Head.Tree, c.States); err != nil {
		return err
	}
	c.States = withStates(c.States, c.came.states)
	// The commit does not replace itself.
	record.Here = slices.DeleteFunc(slices.Clone(record.Here), func(id gitexec.OID) bool { return id == c.Head.ID })
	found, matches, overlaps, err := findWork(ctx, run, workQuery{
		parent: ParentOf(run.Repo, c.Head), bases: c.bases, listing: c.Listing, states: c.States, changes: judged, agents: c.Agents,
		head: record, came: c.came.works, amended: c.amended,
	})
	if err != nil {
		return err
	}
	c.matches, c.overlaps = matches, overlaps
	c.works, c.sides = found.onStreams, append(slices.Clone(c.sides), found.sources...)
	c.stay = slices.DeleteFunc(slices.Clone(found.sources), record.wasReset)
	for _, m := range c.matches {
		c.States = withStates(c.States, []*session.State{m.Session})
	}
	return nil
}

// LinkedCommit is a commit with a link, and all that its checkpoint is made of.
type LinkedCommit struct {
	Head     gitexec.Commit
	ID       string
	Links    []string
	States   []*session.State
	bases    []gitexec.OID // of streams
	Listing  shadow.Listing
	Branch   checkpoints.Branch
	Changes  []gitexec.Change
	works    []condense.Work
	matches  []condense.Matched
	overlaps []condense.Overlap

	ParentTree gitexec.OID
	sides      []gitexec.OID // see PendingLink
	stay       []gitexec.OID // commits from which lines come, and which it does not replace
	came       cameHere      // from other worktrees
	plan       lineage.Plan
	amended    gitexec.OID     // see works.BroughtSince
	oldNames   []gitexec.Path  // see checkpoints.Request
	Agents     []string        // the sessions whose agent made the commit
	paths      []gitexec.Path  // see checkpoints.Request
	Partial    bool            // git commit -- PATH: the index may hold more
	Strategy   string          // see checkpoints.Request
	How        checkpoints.How // why links are stored beside it; empty: none is
	Beside     []string        // these links
}

// keepsLinks reports whether the commit makes the same change as the one that it replaces: its
// checkpoints stay as they are.
func (c LinkedCommit) keepsLinks() bool { return len(c.matches) == 0 && c.plan.Same }

const keepsLinks = "the commit keeps the links of what it replaces"

// manyFiles reports whether sessions have so many uncommitted files that it pays to name the
// relevant ones to git, which then cannot start before they are known.
func manyFiles(states []*session.State) bool {
	return slices.ContainsFunc(states, func(s *session.State) bool { return len(s.FilesTouched) > 30 })
}

// mostPaths and longestPaths are how many paths, and how many bytes of them, are named to git one
// by one.
const mostPaths, longestPaths = 200, 16 << 10

// paths lists the files that attribution of the commit's lines needs: its own, and those of the
// sessions' that are not in the worktree, since they may have been renamed to one of these. nil if
// they are too many to name, or had other names in a commit that was reset.
func paths(c LinkedCommit, notInWorktree func(gitexec.Path) bool) []gitexec.Path {
	if slices.ContainsFunc(c.plan.From, func(f lineage.Predecessor) bool { return f.By != lineage.Amended }) {
		return nil
	}
	var paths []gitexec.Path
	known := map[gitexec.Path]bool{}
	size := 0
	add := func(path gitexec.Path) {
		if !known[path] {
			paths, known[path] = append(paths, path), true
			size += len(path)
		}
	}
	tooMany := func() bool { return len(paths) > mostPaths || size > longestPaths }
	for _, change := range c.Changes {
		add(change.Path)
	}
	for _, w := range c.works {
		for _, old := range w.OldNames {
			add(old)
		}
		for _, change := range w.Changes {
			if notInWorktree(change.Path) {
				add(change.Path)
			}
		}
		if tooMany() {
			return nil
		}
	}
	if tooMany() {
		return nil
	}
	return paths
}

func (c LinkedCommit) checkpointRequest(run *workspace.Run) checkpoints.Request {
	return checkpoints.Request{
		ID: c.ID, Version: run.Version, Home: run.Getenv("HOME"), Now: run.Now(), Strategy: c.Strategy,
		Branch:  run.Store.Secrets.Name(strings.TrimPrefix(run.Repo.Branch, "refs/heads/")),
		Matches: c.matches, States: c.States, Changes: c.Changes, Lineage: c.plan, OldNames: c.oldNames,
		Commit: c.Head.ID, Tree: c.Head.Tree, ParentTree: c.ParentTree, Sides: c.sides, Paths: c.paths,
		Wrote: wroteBefore(run.DB, c.Branch),
	}
}

// mostBlames and longestBlames are how many git processes a commit may take to find who wrote lines
// of older ones, and for how long they start: a checkpoint is to be written in any case.
const mostBlames, longestBlames = 10, 5 * time.Second

// wroteBefore is checkpoints.Request's Wrote.
func wroteBefore(db *gitexec.ODB, b checkpoints.Branch) func(gitexec.OID, gitexec.Path, []int) (map[int]checkpoints.Wrote, error) {
	return (&attribution.Reader{DB: db, Branch: b, Most: mostBlames, Until: time.Now().Add(longestBlames)}).Wrote
}

// linkToFill chooses the commit's link whose checkpoint is to be written: the pending one, or one
// without a checkpoint. A pending link is filled once, except that of an amended commit, which has
// no sessions of its own.
func linkToFill(links []string, held map[string]bool, pending PendingLink) string {
	id := ""
	for _, link := range writable(links) {
		amended := link == pending.ID && len(pending.Sessions) == 0
		if amended || !held[link] && (id == "" || link == pending.ID) {
			id = link
		}
	}
	return id
}
