package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/message"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/survival"
)

// The index of lines has what became of all lines in HEAD's history:
//
//	h/COMMIT  past: what a commit changes, which never changes
//	o/COMMIT  lineOwners: the owners of its lines, by the checkpoints that it names
//	c/ID      checkpointFacts
const (
	keyPast   = "h/"
	keyOwners = "o/"
	keyFacts  = "c/"
	// It changes with the records: then all is read again.
	linesForm = "3"
)

// lifetimes are all lines of HEAD's history.
type lifetimes struct {
	reader *Reader
	shards checkpoints.Changed
	pasts  map[gitexec.OID]past
	owners map[gitexec.OID]lineOwners
	facts  map[string]checkpointFacts

	order  []gitexec.OID // HEAD's history, parents first
	number map[gitexec.OID]int
	links  [][]named // by number
	touch  []bool    // by number: lines of it, or of one before it, may be other than the human's
	births []survival.Birth
}

// openLifetimes reads them: from the index, to which it first adds what is new.
func openLifetimes(ctx context.Context, r *Reader) (l *lifetimes, err error) {
	shards, err := checkpoints.BranchShards(r.DB, r.Branch)
	if err != nil {
		return nil, err
	}
	s := caches{r.Repo, r.DB, r.Env}
	err = twice(func(anew bool) (*index.Index, error) {
		l = &lifetimes{reader: r, shards: shards}
		x, err := s.open(ctx, cache{name: "lines", form: linesForm, anew: anew, current: l.current,
			update: func(x *index.Index, save bool) (any, error) {
				err := l.update(ctx, x, save)
				// Tips of other branches stay, so that a checkout of one finds its commits in the
				// index.
				tips := sets.With(stateIn[linesState](x).Tips, l.head()...)
				return l.state(tips[max(0, len(tips)-mostTips):]), err
			}})
		if err != nil {
			return nil, err
		}
		defer x.Close()
		// build replays while it adds; an index that was current has only been loaded.
		if l.births == nil {
			l.replay()
		}
		return x, x.Err()
	})
	return l, err
}

// current reads the index, and reports whether nothing is missing.
func (l *lifetimes) current(x *index.Index) bool {
	state := stateIn[linesState](x)
	// Any of this changes what is known of a line: what checkpoints say, where the history is cut
	// off, or which commits are in it.
	if !l.load(x) || !state.indexState.is(l.shards, l.reader.Env.Now()) || state.Shallow != l.cache().shallow() || !l.walk(nil) {
		return false
	}
	for i := range l.order {
		// stale sets links and touch for each commit, which the answer needs: so all of them are
		// looked at.
		if _, known := l.pasts[l.order[i]]; !known || l.stale(i, nil) {
			return false
		}
	}
	return true
}

// state is what the index was made from, of histories with these tips.
func (l *lifetimes) state(tips []gitexec.OID) linesState {
	return linesState{linksState{tips, l.cache().shallow()}, indexState{Shards: l.shards.Now, Purged: l.shards.Purged}}
}

func (l *lifetimes) cache() caches { return caches{l.reader.Repo, l.reader.DB, l.reader.Env} }

// load reads what the index has; false: a value is damaged.
func (l *lifetimes) load(x *index.Index) bool {
	l.pasts, l.owners, l.facts = map[gitexec.OID]past{}, map[gitexec.OID]lineOwners{}, map[string]checkpointFacts{}
	return loaded(x, keyPast, l.pasts, pastFields) && loaded(x, keyOwners, l.owners, ownerFields) && loaded(x, keyFacts, l.facts, factFields)
}

func loaded[K ~string, V any](x *index.Index, prefix string, into map[K]V, fields func(*coder, *V)) bool {
	for key, value := range x.Scan(prefix) {
		v, err := unpack(value, fields)
		if err != nil {
			return false
		}
		into[K(key[len(prefix):])] = v
	}
	return x.Err() == nil
}

// head is HEAD's commit; none, if it has none yet.
func (l *lifetimes) head() []gitexec.OID {
	if l.reader.Repo.Born() != nil {
		return nil
	}
	return []gitexec.OID{l.reader.Repo.Head.ID}
}

// walk puts HEAD's history in order, parents first; more are the parents of commits that the index
// doesn't have. It is false if a commit is in neither.
func (l *lifetimes) walk(more map[gitexec.OID][]gitexec.OID) bool {
	l.order, l.number = nil, map[gitexec.OID]int{}
	// A commit is numbered when all its parents are. open: it is on the stack, and its parents
	// above it. No recursion: a history may have a hundred thousand commits in a row.
	const open = -1
	stack := l.head()
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		if n, seen := l.number[id]; seen {
			stack = stack[:len(stack)-1]
			if n == open {
				l.number[id] = len(l.order)
				l.order = append(l.order, id)
			}
			continue
		}
		parents, known := more[id]
		if !known {
			h, ok := l.pasts[id]
			if !ok {
				return false
			}
			parents = h.parents
		}
		l.number[id] = open
		// The first parent is put there last, and so is numbered first.
		for _, p := range slices.Backward(parents) {
			if _, seen := l.number[p]; !seen {
				stack = append(stack, p)
			}
		}
	}
	l.links, l.touch = make([][]named, len(l.order)), make([]bool, len(l.order))
	return true
}

// linksOf are the checkpoints that a commit links now, as they are.
func (l *lifetimes) linksOf(id gitexec.OID, trailers []byte) (all []named) {
	for _, link := range l.reader.Branch.Links(l.reader.DB, gitexec.Commit{ID: id, Message: trailers}) {
		all = append(all, named{link, l.facts[link].dir})
	}
	return all
}

// stale reports whether the owners of the lines of a commit are to be found anew: what they are by
// has changed. changed are the commits of which that is so.
func (l *lifetimes) stale(i int, changed map[gitexec.OID]bool) bool {
	h := l.pasts[l.order[i]]
	// links and touch are set here for each commit in order: those of the parents are known by
	// then.
	l.links[i] = l.linksOf(l.order[i], h.trailers)
	l.touch[i] = len(l.links[i]) > 0 || h.cut
	for _, p := range h.parents {
		l.touch[i] = l.touch[i] || l.touch[l.number[p]]
	}
	o, known := l.owners[l.order[i]]
	// Commits before the first linked one have no owners in the index: all their lines are their
	// authors'.
	if !known || !l.touch[i] {
		return l.touch[i] != known
	}
	// In turn: other links, or their checkpoints changed; something was missing, which an update
	// may find; checkpoints that its lines are by changed; or commits that lines were followed to
	// did.
	return !slices.Equal(o.links, l.links[i]) || o.missing && changed != nil ||
		slices.ContainsFunc(o.kept, func(n named) bool { return l.facts[n.checkpoint].dir != n.dir }) ||
		slices.ContainsFunc(o.follows, func(id gitexec.OID) bool { return changed[id] })
}

// replay follows the lines through the history.
func (l *lifetimes) replay() {
	r := survival.New(l.children())
	for _, id := range l.order {
		r.Add(l.commit(id))
	}
	l.births = r.End()
}

// children are how many children each commit has in the history. HEAD has one more: it is kept.
func (l *lifetimes) children() []int {
	children := make([]int, len(l.order))
	for _, id := range l.order {
		for _, p := range l.pasts[id].parents {
			children[l.number[p]]++
		}
	}
	if n := len(children); n > 0 {
		// replay forgets a commit's lines once all its children are added. HEAD comes last in the
		// order.
		children[n-1]++
	}
	return children
}

func (l *lifetimes) commit(id gitexec.OID) survival.Commit {
	h := l.pasts[id]
	c := survival.Commit{When: h.when, Changes: h.changes, Others: h.others}
	for _, p := range h.parents {
		c.Parents = append(c.Parents, l.number[p])
	}
	return c
}

// update adds to the index what it lacks.
func (l *lifetimes) update(ctx context.Context, x *index.Index, save bool) error {
	// Where a clone was deepened the parents of known commits are others.
	if !l.load(x) || stateIn[linesState](x).Shallow != l.cache().shallow() {
		x.Clear()
		l.load(x)
	}
	if err := l.updateFacts(x, save); err != nil {
		return err
	}
	head := l.head()
	// First what is new since the tips. The index may lack commits that its state claims, as after
	// an interruption: then the whole history is listed.
	for _, has := range [][]gitexec.OID{stateIn[linesState](x).Tips, nil} {
		graph, err := gitexec.Outgoing{Tips: head, Has: has}.Parents(ctx, l.reader.Repo)
		if err != nil {
			return err
		}
		more := map[gitexec.OID][]gitexec.OID{}
		for _, line := range graph {
			if _, known := l.pasts[line[0]]; !known { // else an earlier run got so far
				more[line[0]] = line[1:]
			}
		}
		if l.walk(more) {
			return l.build(ctx, x, more, save)
		}
	}
	return fmt.Errorf("the history of %s cannot be read\nhint: git fsck says more", l.reader.Repo.Head.ID.Short())
}

// trailersIn are the lines of a message that link checkpoints.
func trailersIn(msg []byte) []byte {
	var b strings.Builder
	for _, id := range message.Links(msg) {
		b.WriteString(message.LinkKey + ": " + id + "\n")
	}
	return []byte(b.String())
}
