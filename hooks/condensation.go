package hooks

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// decide finds what of the sessions' work is in the commit, and what becomes of the links and lines
// of the commits that it replaces.
func (p *condenser) decide(ctx context.Context, c *condensation, left pending) error {
	said := slices.Clone(left.Replaces)
	if !left.replays() {
		if err := p.match(ctx, c, left); err != nil {
			return err
		}
	}
	said = append(said, condense.ResetsIn(c.matches)...)
	from, err := p.predecessors(c.head, c.changes, said)
	if err != nil {
		return err
	}
	c.plan = lineage.Decide(c.head, c.links, from)
	c.matches = condense.NewIn(c.matches, c.overlaps, left.Replaces)
	return nil
}

// match runs the decision of prepare-commit-msg on the commit itself. If it comes out empty
// although that hook gave out the link, since something changed in between, the sessions of then
// are taken: a link without a checkpoint must not be.
func (p *condenser) match(ctx context.Context, c *condensation, left pending) error {
	base := p.parentOf(c.head)
	memory := readWatch(p.Repo.PrivateDir())
	if given := len(left.Sessions) > 0 || lineage.Any(left.Replaces, lineage.Reset); !given || memory.Head != c.head.ID && memory.Head != left.Head {
		memory = watch{} // an amended commit keeps the link that it has
	}
	memory.Here = slices.DeleteFunc(memory.Here, func(id gitexec.OID) bool { return id == c.head.ID }) // its own link is not taken
	found, err := p.worksOf(ctx, condense.Bases(base, c.states), c.listing, c.states, c.changes, c.agents, memory)
	if err != nil {
		return err
	}
	c.works = found.onStreams
	defer func() { p.Entry.Works = journalWorks(c.overlaps) }()
	c.matches, c.overlaps, err = condense.Match(c.changes, found.all(), &shadow.Texts{DB: p.DB}, p.Settings.Match())
	if err != nil || len(c.matches) > 0 {
		return err
	}
	c.matches = condense.GivenOut(c.states, left.Sessions)
	return nil
}

// condensation is all that a commit's checkpoint is made of.
type condensation struct {
	head     gitexec.Commit
	id       string
	links    []string
	states   []*session.State
	listing  shadow.Listing
	branch   checkpoints.Branch
	changes  []gitexec.Change
	works    []condense.Work
	matches  []condense.Matched
	overlaps []condense.Overlap

	parentTree gitexec.OID
	plan       lineage.Plan
	agents     []string       // the sessions whose agent made the commit
	paths      []gitexec.Path // see checkpoints.Request
	only       bool           // some paths were committed, and the index may hold more
	strategy   string         // see checkpoints.Request
}

// many reports whether sessions have so many files that are not committed that it pays to name
// those that matter to git, which then can't be started before they are known.
func many(states []*session.State) bool {
	return slices.ContainsFunc(states, func(s *session.State) bool { return len(s.FilesTouched) > 30 })
}

// mostPaths is how many paths, and how many bytes of them, are named to git one by one.
const mostPaths, longestPaths = 200, 16 << 10

// paths gives the files by which it can be told the authors of the commit's lines: its own, and
// those of the sessions' that are nowhere any more, since they may have been renamed to one of
// these. nil if they are too many to be named, or had other names in a commit that was reset.
func (p *condenser) paths(c condensation) []gitexec.Path {
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
	for _, change := range c.changes {
		add(change.Path)
	}
	for _, w := range c.works {
		for _, change := range w.Changes {
			if _, err := os.Lstat(filepath.Join(p.Repo.Top, filepath.FromSlash(string(change.Path)))); err != nil {
				add(change.Path)
			}
		}
		if len(paths) > mostPaths || size > longestPaths {
			return nil
		}
	}
	if len(paths) > mostPaths || size > longestPaths {
		return nil
	}
	return paths
}

func (c condensation) request(p *condenser) checkpoints.Request {
	return checkpoints.Request{ID: c.id, Branch: p.Store.Secrets.Name(strings.TrimPrefix(p.Repo.Branch, "refs/heads/")), Version: p.Version, Now: p.Now(), Strategy: c.strategy, Matches: c.matches, Changes: c.changes,
		Tree: c.head.Tree, ParentTree: c.parentTree, Paths: c.paths, Commit: c.head.ID, Lineage: c.plan}
}
