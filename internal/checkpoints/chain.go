package checkpoints

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
	"entire-plumb/shadow"
)

// Turn is one turn of a session.
type Turn struct {
	Session string
	Turn    string
	Link    string // its checkpoint, where a commit has several
}

// chain is the history of a tree, step by step.
type chain struct {
	root      gitexec.OID  // the first tree
	base      []baseOwners // what checkpoints know of that tree's lines
	steps     []step
	estimated bool // by another program, which records no human's part, or from a transcript alone

	result *ownership.History // after the last step; nil: not replayed yet
}

// step goes from one tree to the next.
type step struct {
	pair int // of trees: the index in the ledger's pairs
	by   ownership.Owner
	from []carried // the streams that it carries forward, whose owners are known there
}

// carried is an earlier stream's chain, and the pair from its end to the tree that carries it
// forward.
type carried struct {
	chain *chain
	pair  int
}

// ledger collects the chains of a commit, and all pairs of trees to compare: one process compares
// them all.
type ledger struct {
	db           *gitexec.ODB
	link         string // the checkpoint of the streams' turns; empty: none yet
	pairs        [][2]gitexec.OID
	known        map[[2]gitexec.OID]int // their indexes
	turns        []Turn
	owners       map[Turn]ownership.Owner     // their owner numbers
	prompts      map[Turn]string              // one line each
	began        map[Turn]time.Time           // when they began
	streams      map[gitexec.OID]*chain       // carried forward, by the streams' tips: many steps may carry the same
	bases        map[gitexec.OID][]baseOwners // by the trees of the commits that are replaced
	chains       []*chain
	unknown      bool  // whose the commit's lines are: no snapshot tells
	limitError   error // why the chains are not followed; nil: they are
	foreignRoots bool  // chains may not begin at the commit's parent, which decides which lines are new
}

func (l *ledger) pair(from, to gitexec.OID) int {
	pair := [2]gitexec.OID{from, to}
	if at, ok := l.known[pair]; ok {
		return at
	}
	if l.known == nil {
		l.known = map[[2]gitexec.OID]int{}
	}
	l.known[pair] = len(l.pairs)
	l.pairs = append(l.pairs, pair)
	return l.known[pair]
}

// owner returns a turn's owner number.
func (l *ledger) owner(t Turn) ownership.Owner {
	if known, ok := l.owners[t]; ok {
		return known
	}
	if l.owners == nil {
		l.owners = map[Turn]ownership.Owner{}
	}
	l.owners[t] = ownership.FirstTurn + ownership.Owner(len(l.turns))
	l.turns = append(l.turns, t)
	return l.owners[t]
}

// turnBegan records when a turn began: several checkpoints may be of one.
func (l *ledger) turnBegan(t Turn, when time.Time) {
	if l.began == nil {
		l.began = map[Turn]time.Time{}
	}
	if known, ok := l.began[t]; !ok || when.Before(known) {
		l.began[t] = when
	}
}

// stream reads a stream's chain up to a checkpoint.
func (l *ledger) stream(tip shadow.Checkpoint) (*chain, error) {
	history, err := shadow.Stream{Tip: tip}.History(l.db)
	if err != nil {
		return nil, err
	}
	c := &chain{root: history[0].Before, base: l.bases[history[0].Before]}
	for _, k := range history {
		s := step{pair: l.pair(k.Before, k.Tree), by: ownership.Added}
		if k.Part == shadow.Agent {
			t := Turn{Session: k.Session, Turn: k.Turn, Link: l.link}
			s.by, l.prompts[t] = l.owner(t), k.Subject
			if len(k.From) == 0 { // else it is carried forward: the stream that it is from has the time
				l.turnBegan(t, k.Began)
			}
		}
		c.estimated = c.estimated || k.Foreign() || k.Estimated
		for _, id := range k.From {
			from, err := l.carried(id, k.Tree)
			if err != nil {
				return nil, err
			}
			s.from = append(s.from, from...)
			for _, earlier := range from {
				c.estimated = c.estimated || earlier.chain.estimated
			}
		}
		c.steps = append(c.steps, s)
	}
	return c, nil
}

func (l *ledger) carried(id, into gitexec.OID) ([]carried, error) {
	tip, ours, err := shadow.ReadCheckpoint(l.db, id)
	if err != nil || !ours {
		return nil, err
	}
	c, known := l.streams[id]
	if !known {
		if c, err = l.stream(tip); err != nil {
			return nil, err
		}
		if l.streams == nil {
			l.streams = map[gitexec.OID]*chain{}
		}
		l.streams[id] = c
	}
	return []carried{{c, l.pair(tip.Tree, into)}}, nil
}

// mostChains is how many streams a commit's lines are always followed through; beyond, git may
// compare at most mostSteps files, which takes seconds. Lines that are not followed have no known
// author.
const mostChains, mostSteps = 100, 250_000

// collect collects the chains that lead to a commit: one for each stream that it matches, one for
// each commit that it replaces, and, where an agent commits in its turn, one through the worktree
// at the turn's start.
func (l *ledger) collect(b Branch, r Request) error {
	phases, err := l.phases(r)
	if err != nil {
		return err
	}
	to, err := l.withoutOldNames(r)
	if err != nil {
		return err
	}
	if err := l.addPredecessors(b, r, phases, to); err != nil {
		return err
	}
	seen := map[gitexec.OID]bool{}
	for _, m := range r.Matches {
		tips, err := l.tips(m)
		if err != nil {
			return err
		}
		for _, tip := range tips {
			if seen[tip.ID] {
				continue
			}
			seen[tip.ID] = true
			if len(seen) > mostChains && len(seen)*len(r.Changes) > mostSteps {
				l.chains = nil
				l.limitError = fmt.Errorf("the authors of the commit's lines: its %d files are not followed through more than %d streams",
					len(r.Changes), len(seen)-1)
				return nil
			}
			if err := l.knowBase(b, r, tip.Base); err != nil {
				return err
			}
			c, err := l.stream(tip)
			var pruned *gitexec.MissingError
			if errors.As(err, &pruned) && slices.Contains(m.Origins, tip.ID) {
				continue
			}
			if err != nil {
				return err
			}
			l.addChain(c, tip.Tree, phases, to)
		}
	}
	if len(l.chains) == 0 {
		root := r.ParentTree
		if active := committingSession(r); active != nil && active.TurnStartCommit != "" {
			commits, err := l.db.Commits(active.TurnStartCommit)
			if err != nil {
				return err
			}
			root = commits[0].Tree
		}
		l.addChain(&chain{root: root}, root, phases, to)
	}
	return nil
}

// withoutOldNames is the commit's tree without the old names of renamed files whose removal it does
// not hold: with them git would not see the renames.
func (l *ledger) withoutOldNames(r Request) (gitexec.OID, error) {
	names := slices.Clone(r.OldNames)
	for _, m := range r.Matches {
		names = condense.Union(names, m.OldNames)
	}
	names = slices.DeleteFunc(names, func(name gitexec.Path) bool {
		return slices.ContainsFunc(r.Changes, func(c gitexec.Change) bool { return c.Path == name })
	})
	if len(names) == 0 {
		return r.Tree, nil
	}
	found, err := l.db.Lookup(r.Tree, names...)
	if err != nil {
		return "", err
	}
	edits := gitexec.Edits{}
	for i, name := range names {
		if found[i].Exists() {
			edits[name] = gitexec.Entry{}
		}
	}
	return l.db.EditTree(r.Tree, edits)
}

// tips are the last checkpoints of the streams with a session's work. Of streams that do not exist
// any more git may have pruned them.
func (l *ledger) tips(m condense.Matched) (tips []shadow.Checkpoint, err error) {
	for _, s := range m.Streams {
		tips = append(tips, s.Tip)
	}
	if len(m.Origins) == 0 {
		return tips, nil
	}
	info, err := l.db.Info(m.Origins...)
	if err != nil {
		return nil, err
	}
	for i, id := range m.Origins {
		if info[i].Type != "commit" {
			continue
		}
		tip, ours, err := shadow.ReadCheckpoint(l.db, id)
		if err != nil {
			return nil, err
		}
		if ours {
			tips = append(tips, tip)
		}
	}
	return tips, nil
}

// addPredecessors adds the chains that begin with the commits that this one replaces, whose
// checkpoints record the lines' owners. So do streams that begin there. Lines of a checkpoint that
// this commit links, too, stay with that checkpoint.
func (l *ledger) addPredecessors(b Branch, r Request, phases []phase, to gitexec.OID) error {
	l.bases = map[gitexec.OID][]baseOwners{}
	for _, p := range r.Lineage.From {
		commits, err := l.db.Commits(p.Commit)
		if err != nil {
			return err
		}
		root := commits[0].Tree
		if err := l.readBases(b, r, commits[0], p.Links); err != nil {
			return err
		}
		l.addChain(&chain{root: root, base: l.bases[root]}, root, phases, to)
	}
	return nil
}

// readBases reads what checkpoints record of a commit's lines.
func (l *ledger) readBases(b Branch, r Request, commit gitexec.Commit, links []string) error {
	for _, link := range links {
		known, err := ownersBefore(l.db, b, link, commit)
		if err != nil {
			return err
		}
		if len(known) == 0 {
			continue
		}
		known.tag(r.holder(link))
		base, err := l.readBase(commit, known)
		if err != nil {
			return err
		}
		l.bases[commit.Tree] = append(l.bases[commit.Tree], base)
	}
	return nil
}

// knowBase reads them of a stream's base that is not the commit's parent: it may have been reset,
// and the stream takes its lines out and brings them back, as where an agent committed in its turn.
func (l *ledger) knowBase(b Branch, r Request, base gitexec.OID) error {
	if base == "" {
		return nil // another program's
	}
	found, err := l.db.Any(base)
	if err != nil || found[0].Type != "commit" {
		return err
	}
	commit, err := gitexec.ParseCommit(found[0].ID, found[0].Data)
	if err != nil || commit.Tree == r.ParentTree || l.bases[commit.Tree] != nil {
		return nil
	}
	if err := l.readBases(b, r, commit, b.Links(l.db, commit)); !errors.Is(err, ErrDamaged) {
		return err
	}
	return nil
}

// compare asks git for the patches of pairs of trees.
func (l *ledger) compare(
	ctx context.Context, repo *gitexec.Repo, pairs [][2]gitexec.OID, paths []gitexec.Path,
) ([][]gitexec.FilePatch, error) {
	patches := make([][]gitexec.FilePatch, len(pairs))
	err := repo.PatchTrees(ctx, pairs, paths, func(p gitexec.FilePatch) error {
		if p.Pair < 0 || p.Pair >= len(patches) {
			return errors.New("git answered more than it was asked")
		}
		patches[p.Pair] = append(patches[p.Pair], p)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the authors of the commit's lines: %w", err)
	}
	return patches, nil
}

// replay replays the chain.
func (c *chain) replay(patches [][]gitexec.FilePatch, base map[gitexec.Path]ownership.Lines, content ownership.Content) *ownership.History {
	h := ownership.NewHistory(base).Reading(content)
	for _, s := range c.steps {
		if len(s.from) == 0 {
			h.Step(patches[s.pair], s.by)
			continue
		}
		h.Step(patches[s.pair], ownership.Added)
		known := carriedOwners(s.from, patches, content)
		for _, p := range patches[s.pair] {
			f, there := h.Files[p.New]
			if !there {
				continue
			}
			lines, ok := known[p.New]
			if !ok {
				lines = ownership.Whole(s.by)
			}
			f.Lines = lines.Within(f.Lines)
			h.Set(p, f)
		}
	}
	return h
}

// carriedOwners returns the owners of the lines of the files that a checkpoint carries forward.
func carriedOwners(from []carried, patches [][]gitexec.FilePatch, content ownership.Content) map[gitexec.Path]ownership.Lines {
	known := map[gitexec.Path]ownership.Lines{}
	for _, one := range from {
		if one.chain.result == nil {
			one.chain.result = one.chain.replay(patches, current(one.chain.base, patches), content)
		}
		h := one.chain.result.Clone()
		h.Step(patches[one.pair], ownership.Added)
		for path, f := range h.Files {
			if before, ok := known[path]; ok {
				f.Lines = ownership.Merge(before, f.Lines)
			}
			known[path] = f.Lines
		}
	}
	return known
}
