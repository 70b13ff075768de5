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
	"entire-plumb/internal/sets"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// planLineage plans the links and lines of the commits that a commit replaces, once its matches are
// known.
func (c *linkedCommit) planLineage(repo *gitexec.Repo, db *gitexec.ODB) error {
	replaced := append(slices.Clone(c.Pending.Replaces), condense.ResetsIn(c.matches)...)
	from, err := completePredecessors(repo, db, c.Branch, c.Head, c.Changes, replaced)
	if err != nil {
		return err
	}
	c.plan = lineage.Decide(c.Head, c.Links, from)
	if c.Way == OfRewrite && len(from) == 1 { // post-commit may have moved some of them
		c.plan = withoutMoved(c.plan, func(link string) bool { return checkpoints.HasVersion(db, c.Branch, []string{link}, c.Head.ID) })
	}
	for i, m := range c.plan.Move {
		c.plan.Move[i].Stays = m.Stays || slices.Contains(c.stay, m.From)
	}
	for _, m := range c.matches {
		c.oldNames = condense.Union(c.oldNames, m.OldNames)
	}
	c.matches = condense.Condensed(c.matches, c.overlaps, c.Pending.Replaces)
	return nil
}

// match repeats the decision of prepare-commit-msg on the commit itself. If it finds nothing
// although that hook gave out the link, because something changed in between, it takes the sessions
// of then: every link needs a checkpoint.
func (c *linkedCommit) match(ctx context.Context, run *workspace.Run) error {
	judged, err := c.judged(run.DB)
	if err != nil {
		return err
	}
	if c.amended, err = amendedTree(run.DB, c.Pending); err != nil {
		return err
	}
	if err := c.findWork(ctx, run, judged); err != nil || len(c.matches) > 0 {
		return err
	}
	c.matches = condense.ForSessions(c.States, c.Pending.Sessions)
	return nil
}

// judged lists the changes that are compared with the sessions' work.
func (c *linkedCommit) judged(db *gitexec.ODB) ([]gitexec.Change, error) {
	if len(c.Pending.Sides) > 0 {
		return withoutSides(db, c)
	}
	if !gitexec.ValidOID(string(c.Pending.Since)) {
		return c.Changes, nil
	}
	amend, err := db.DiffTrees(c.Pending.Since, c.Head.Tree)
	return addedBy(amend, c.Changes), err
}

// amendedTree is the tree of the commit that a commit replaces by an amend; empty: none.
func amendedTree(db *gitexec.ODB, pending PendingLink) (gitexec.OID, error) {
	old, _, err := readCommit(db, pending.amended())
	return old.Tree, err
}

// findWork compares changes of the commit, all or some, with the sessions' work, also with that of
// other worktrees.
func (c *linkedCommit) findWork(ctx context.Context, run *workspace.Run, judged []gitexec.Change) (err error) {
	record := c.record // the commit does not replace itself
	record.Here = slices.DeleteFunc(slices.Clone(record.Here), func(id gitexec.OID) bool { return id == c.Head.ID })
	found, err := findWork(ctx, run, workQuery{
		parent: ParentOf(run.Repo, c.Head), base: c.ParentTree, bases: c.bases, listing: c.Listing, states: c.States, changes: judged, agents: c.Pending.Agents,
		head: record, tree: c.Head.Tree, amended: c.amended,
	})
	if err != nil {
		return err
	}
	c.matches, c.overlaps, c.came, c.States = found.matches, found.overlaps, found.came, found.states
	c.works, c.sides = found.onStreams, append(slices.Clone(c.sides), found.sources...)
	c.stay = slices.DeleteFunc(slices.Clone(found.sources), record.wasReset)
	for _, m := range c.matches {
		c.States = sets.Union(c.States, []*session.State{m.Session})
	}
	return nil
}

// linkedCommit is a commit with a link, and all that its checkpoint is made of.
type linkedCommit struct {
	Request
	Result
	Head     gitexec.Commit
	held     map[string]bool // those of its links that have a checkpoint
	complete bool            // no hook has compared it, and it has all that its links say
	bases    []gitexec.OID   // of streams
	record   headRecord      // with the commits that were reset, and whose work it may hold
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
	How        checkpoints.How // why links are stored beside it
	Beside     []string        // these links
}

// keepsLinks reports whether the commit makes the same change as the one that it replaces: its
// checkpoints stay as they are.
func (c linkedCommit) keepsLinks() bool { return len(c.matches) == 0 && c.plan.Same }

func (c *linkedCommit) checkpointRequest(run *workspace.Run) checkpoints.Request {
	return checkpoints.Request{
		ID: c.ID, Version: run.Version, Home: run.Getenv("HOME"), Now: run.Now(), Strategy: c.Strategy,
		Branch:  run.Store.Secrets.Name(strings.TrimPrefix(run.Repo.Branch, "refs/heads/")),
		Matches: c.matches, States: c.States, Changes: c.Changes, Lineage: c.plan, OldNames: c.oldNames,
		Commit: c.Head.ID, Tree: c.Head.Tree, ParentTree: c.ParentTree, Sides: c.sides,
		Wrote: wroteBefore(run.DB, c.Branch), LinesOnly: c.Way == Foreseen || run.Foreseen != "",
	}
}

// mostBlames and longestBlames are how many git processes a commit may take to find who wrote lines
// of older ones, and for how long they start: a checkpoint is to be written in any case, and the
// user waits. The heaviest lines are asked for first; those without an answer are unknown for good,
// as the record says so. A reader takes more (attribution.mostBlames). With a limit of 400, a hook
// took as many.
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
