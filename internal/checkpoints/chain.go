package checkpoints

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// Turn is one turn of a session's.
type Turn struct {
	Session string
	Turn    string
	Link    string // the checkpoint that has it, where a commit has several
}

// chain is how a tree came about, step by step.
type chain struct {
	root      gitexec.OID // the tree that it begins with
	known     Owners      // of the lines of that tree
	begun     beginning
	steps     []step
	estimated bool // by another program, which keeps no human's part, or from a transcript alone

	carriedOn *ownership.History // what it comes to where it is carried on, once that was asked
}

// step goes from one tree to the next.
type step struct {
	pair int // of trees: its place among the ledger's
	by   ownership.Owner
	from []carried // what it carries on, whose owners are known there
}

// carried is an earlier stream's chain, and the step from its end to the tree that carries it on.
type carried struct {
	chain *chain
	pair  int
}

// ledger collects the chains of a commit, and all pairs of trees that have to be compared: they
// cost one process together.
type ledger struct {
	db      *gitexec.ODB
	link    string // the checkpoint that turns of streams are told apart by; empty: there is none yet
	pairs   [][2]gitexec.OID
	known   map[[2]gitexec.OID]int // their places
	turns   []Turn
	owners  map[Turn]ownership.Owner // their numbers
	prompts map[Turn]string          // one line each
	streams map[gitexec.OID]*chain   // of what is carried on, by the streams' tips: many steps may carry on the same
	chains  []*chain
	tooMany error // why they are not followed, if there are too many
	within  bool  // the chains begin elsewhere than at the commit's parent, which alone says which lines are new
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

// owner gives a turn its number.
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

// stream reads a stream's chain up to a checkpoint.
func (l *ledger) stream(tip shadow.Checkpoint) (*chain, error) {
	history, err := shadow.Stream{Tip: tip}.History(l.db)
	if err != nil {
		return nil, err
	}
	c := &chain{root: history[0].Before}
	for _, k := range history {
		s := step{pair: l.pair(k.Before, k.Tree), by: ownership.Added}
		if k.Part == shadow.Agent {
			t := Turn{Session: k.Session, Turn: k.Turn, Link: l.link}
			s.by, l.prompts[t] = l.owner(t), k.Subject
		}
		c.estimated = c.estimated || k.ByOthers() || k.Estimated
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

// mostChains is how many streams a commit's lines are followed through, whatever it changes;
// beyond, git would have to compare no more than mostSteps files, which takes it seconds. What is
// not followed is called unknown.
const mostChains, mostSteps = 100, 250_000

// collect gathers the chains that lead to a commit: one for each stream that it matches, one for
// each commit that it replaces, and where an agent commits in its turn, through the worktree as it
// was when that began.
func (l *ledger) collect(b Branch, r Request) error {
	phases, err := l.phases(r)
	if err != nil {
		return err
	}
	if err := l.replaced(b, r, phases); err != nil {
		return err
	}
	seen := map[gitexec.OID]bool{}
	for _, m := range r.Matches {
		for _, s := range m.Streams {
			if seen[s.Tip.ID] {
				continue
			}
			seen[s.Tip.ID] = true
			if len(seen) > mostChains && len(seen)*len(r.Changes) > mostSteps {
				l.chains, l.tooMany = nil, fmt.Errorf("the authors of the commit's lines: its %d files are not followed through more than %d streams", len(r.Changes), len(seen)-1)
				return nil
			}
			c, err := l.stream(s.Tip)
			if err != nil {
				return err
			}
			l.end(c, s.Tip.Tree, phases, r.Tree)
		}
	}
	if len(l.chains) == 0 {
		root := r.ParentTree
		if active := committing(r); active != nil && active.TurnStartCommit != "" {
			commits, err := l.db.Commits(active.TurnStartCommit)
			if err != nil {
				return err
			}
			root = commits[0].Tree
		}
		l.end(&chain{root: root}, root, phases, r.Tree)
	}
	return nil
}

// replaced adds the chains that begin with the commits that this one replaces: one for each of
// their checkpoints, which tell whose the lines were. Lines of a checkpoint that this commit has a
// link to as well stay that one's.
func (l *ledger) replaced(b Branch, r Request, phases []phase) error {
	for _, p := range r.Lineage.From {
		commits, err := l.db.Commits(p.Commit)
		if err != nil {
			return err
		}
		chains := 0
		for _, link := range p.Links {
			c := &chain{root: commits[0].Tree}
			if c.known, err = ownersBefore(l.db, b, link, commits[0]); err != nil {
				return err
			}
			if len(c.known) == 0 {
				continue
			}
			c.known.tag(r.holder(link))
			if c.begun, err = l.begun(c); err != nil {
				return err
			}
			l.end(c, c.root, phases, r.Tree)
			chains++
		}
		if chains == 0 {
			l.end(&chain{root: commits[0].Tree}, commits[0].Tree, phases, r.Tree)
		}
	}
	return nil
}

// phase is the last part of a turn that is going on: whose, and the tree that it begins with.
type phase struct {
	of   *session.State
	from gitexec.OID
}

// phases are the parts of turns that come last before the commit. An agent that commits has all
// that came since its turn began; where somebody else does, each session has the files that are
// known to be its own.
func (l *ledger) phases(r Request) ([]phase, error) {
	var phases []phase
	to := r.Tree
	for _, m := range slices.Backward(r.Matches) {
		if len(m.InTurn) == 0 {
			continue
		}
		then, err := l.db.Lookup(m.Session.TurnStartTree, m.InTurn...)
		if err != nil {
			return nil, err
		}
		edits := gitexec.Edits{}
		for i, path := range m.InTurn {
			edits[path] = then[i]
		}
		if to, err = l.db.EditTree(to, edits); err != nil {
			return nil, err
		}
		phases = append([]phase{{m.Session, to}}, phases...)
		l.within = true // of what had been there then, some may have been committed since
	}
	if s := committing(r); s != nil {
		phases = append([]phase{{s, s.TurnStartTree}}, phases...)
	}
	return phases, nil
}

// end adds what came after the last checkpoint.
func (l *ledger) end(c *chain, last gitexec.OID, phases []phase, commit gitexec.OID) {
	by := ownership.Added
	for _, p := range phases {
		c.steps = append(c.steps, step{pair: l.pair(last, p.from), by: by})
		t := Turn{Session: p.of.SessionID, Turn: p.of.TurnID, Link: l.link}
		l.prompts[t] = p.of.LastPrompt
		last, by = p.from, l.owner(t)
	}
	c.steps = append(c.steps, step{pair: l.pair(last, commit), by: by})
	l.chains = append(l.chains, c)
}

// committing is the session whose agent made the commit in its turn: of several, the one last heard
// of.
func committing(r Request) *session.State {
	var found *session.State
	for _, m := range r.Matches {
		s := m.Session
		if !m.Commits || s.TurnStartTree == "" {
			continue
		}
		if found == nil || found.LastInteractionTime == nil || s.LastInteractionTime != nil && s.LastInteractionTime.After(*found.LastInteractionTime) {
			found = s
		}
	}
	return found
}

// compare asks git for pairs of trees.
func (l *ledger) compare(ctx context.Context, repo *gitexec.Repo, pairs [][2]gitexec.OID, paths []gitexec.Path) ([][]gitexec.FilePatch, error) {
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

// replay plays the chain.
func (c *chain) replay(patches [][]gitexec.FilePatch, begun map[gitexec.Path]ownership.Lines) *ownership.History {
	h := ownership.NewHistory(begun)
	for _, s := range c.steps {
		if len(s.from) == 0 {
			h.Step(patches[s.pair], s.by)
			continue
		}
		h.Step(patches[s.pair], ownership.Added)
		known := carriedOn(s.from, patches)
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
			h.Files[p.New] = f
		}
	}
	return h
}

// carriedOn gives the owners of the lines of the files that a checkpoint carries on.
func carriedOn(from []carried, patches [][]gitexec.FilePatch) map[gitexec.Path]ownership.Lines {
	known := map[gitexec.Path]ownership.Lines{}
	for _, one := range from {
		if one.chain.carriedOn == nil {
			one.chain.carriedOn = one.chain.replay(patches, nil)
		}
		h := one.chain.carriedOn.Clone()
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
