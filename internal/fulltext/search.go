package fulltext

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"entire-plumb/internal/index"
)

// Query says which texts are searched for.
type Query struct {
	Needs [][]string             // folded texts: of each list one is in the text; none: all are looked into
	Match func(text []byte) bool // it is the one; called by several goroutines
	Kinds uint64                 // a bit for each kind; 0: all
	Since time.Time
	Among func(unit uint32) bool // nil: all
	Most  int                    // 0: all
	// Passes decides about a text that matches; nil: all pass.
	Passes func(Hit) (bool, error)
	// Tick is called now and then with the number of blocks that were read, of so many. An error of
	// it ends the search.
	Tick func(done, of int) error
}

// Hit is a text that was found.
type Hit struct {
	Doc
	Unit  uint32
	block uint32
	at    int // among the block's
}

// Found is what a search found, the latest first.
type Found struct {
	Hits []Hit
	More bool // there are others, or may be
}

// later orders hits, the latest first; of one time that which was put last.
func later(a, b Hit) int {
	return cmp.Or(b.When.Compare(a.When), cmp.Compare(b.block, a.block), cmp.Compare(b.at, a.at))
}

// Name is the name of a unit.
func (t *Texts) Name(unit uint32) string { return string(t.x.Get(key(keyName, unit))) }

// Number is the number of a unit; 0: there is none.
func (t *Texts) Number(name string) uint32 {
	u, _ := t.get(name)
	return u.number
}

// Search searches the texts.
func (t *Texts) Search(q Query) (found Found, err error) {
	spans, err := t.spans()
	if err != nil {
		return found, err
	}
	order := q.order(spans, t.candidates(q.Needs))
	if err := t.Err(); err != nil {
		return found, err
	}
	buffers := make([]buffer, min(8, runtime.GOMAXPROCS(0)))
	// Few at first: where the latest texts match, a search for some is over soon.
	atOnce := 2 * len(buffers)
	for done := 0; done < len(order); {
		some := order[done:min(len(order), done+atOnce)]
		hits, err := t.lookInto(some, spans, q, buffers)
		if err != nil {
			return found, err
		}
		done += len(some)
		atOnce = min(2*atOnce, mostTogether)
		if found.Hits, err = q.passing(found.Hits, hits); err != nil {
			return found, err
		}
		// The blocks overlap in time: what is latest is known only once all that may be later were
		// looked into.
		if q.Most > 0 && len(found.Hits) > q.Most {
			slices.SortFunc(found.Hits, later)
			found.Hits, found.More = found.Hits[:q.Most], true
		}
		// All that follows is older than what was found.
		if last := len(found.Hits) - 1; found.More && (done == len(order) || spans[order[done]].to < found.Hits[last].When.UnixMilli()) {
			return found, nil
		}
		if err := q.tick(done, len(order)); err != nil {
			return found, err
		}
	}
	slices.SortFunc(found.Hits, later)
	return found, nil
}

// mostTogether is how many blocks are looked into before the search is found to be over.
const mostTogether = 256

func (q Query) tick(done, of int) error {
	if q.Tick == nil {
		return nil
	}
	return q.Tick(done, of)
}

// passing appends the hits that pass.
func (q Query) passing(all, hits []Hit) ([]Hit, error) {
	for _, h := range hits {
		if q.Passes != nil {
			if ok, err := q.Passes(h); err != nil {
				return nil, err
			} else if !ok {
				continue
			}
		}
		all = append(all, h)
	}
	return all, nil
}

// order are the blocks to look into, the latest first. candidates is nil for all.
func (q Query) order(spans []span, candidates bitset) (order []uint32) {
	since := q.Since.UnixMilli()
	for n, s := range spans {
		// A block that was removed, or has no such words, or none since then.
		if s.unit == 0 || candidates != nil && !candidates.has(uint32(n)) || !q.Since.IsZero() && s.to < since {
			continue
		}
		if q.Among == nil || q.Among(s.unit) {
			order = append(order, uint32(n))
		}
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(cmp.Compare(spans[b].to, spans[a].to), cmp.Compare(b, a)) })
	return order
}

// buffer is what a goroutine reads blocks with.
type buffer struct{ content, folded []byte }

// has reports whether the block that was read has all that is needed, in whichever of its texts.
func (b *buffer) has(needs [][]string) bool {
	if len(needs) > 0 {
		b.folded = AppendFolded(b.folded[:0], b.content)
	}
	return HasAll(b.folded, needs)
}

// HasAll reports whether a folded text has one of each list.
func HasAll(folded []byte, needs [][]string) bool {
	has := func(one string) bool { return bytes.Contains(folded, []byte(one)) }
	return !slices.ContainsFunc(needs, func(alternatives []string) bool { return !slices.ContainsFunc(alternatives, has) })
}

// lookInto reads some blocks, and searches them concurrently.
func (t *Texts) lookInto(some []uint32, spans []span, q Query, buffers []buffer) ([]Hit, error) {
	values := make([][]byte, len(some))
	for i, n := range some {
		// A value is valid until the next call, and an index is read by one goroutine.
		if values[i] = bytes.Clone(t.x.Get(key(keyBlock, n))); values[i] == nil {
			return nil, cmp.Or(t.Err(), index.ErrDamaged)
		}
	}
	hits, faults := make([][]Hit, len(some)), make([]error, len(some))
	var group sync.WaitGroup
	for w := range buffers {
		group.Go(func() {
			for i := w; i < len(some); i += len(buffers) {
				var content []byte
				if content, faults[i] = decompressed(buffers[w].content, values[i]); faults[i] != nil {
					continue
				}
				// Needs may be in different texts of the block: Match decides about each.
				if buffers[w].content = content; buffers[w].has(q.Needs) {
					hits[i], faults[i] = q.in(content, Hit{Unit: spans[some[i]].unit, block: some[i]})
				}
			}
		})
	}
	group.Wait()
	return slices.Concat(hits...), errors.Join(faults...)
}

// in are the hits in the content of a block.
func (q Query) in(content []byte, from Hit) (hits []Hit, err error) {
	err = eachPacked(content, func(p packed) {
		from.at++
		if q.Kinds != 0 && q.Kinds&(1<<p.Kind) == 0 || p.When.Before(q.Since) || !q.Match(p.text) {
			return
		}
		hit := from
		hit.Doc = p.Doc
		hit.Text = string(p.text)
		hits = append(hits, hit)
	})
	return hits, err
}

// candidates are the blocks that may have what a query needs; nil: all.
func (t *Texts) candidates(needs [][]string) bitset {
	var parts []string
	for _, alternatives := range needs {
		for _, text := range alternatives {
			parts = append(parts, partsOf(text)...)
		}
	}
	// Nothing but signs, or single letters: the dictionaries can't help.
	if len(parts) == 0 {
		return nil
	}
	slices.Sort(parts)
	with := t.blocksWith(slices.Compact(parts))
	var all bitset
	for _, alternatives := range needs {
		// One of the texts may be anywhere: this list excludes no block.
		if some, known := anyOf(alternatives, with); !known {
			continue
		} else if all == nil {
			all = some
		} else {
			all = all.and(some)
		}
	}
	return all
}

// anyOf are the blocks that may have one of the texts; false: nothing is known of one of them.
func anyOf(alternatives []string, with map[string]bitset) (any bitset, known bool) {
	any = bitset{}
	for _, text := range alternatives {
		parts := partsOf(text)
		if len(parts) == 0 {
			return nil, false
		}
		some := slices.Clone(with[parts[0]])
		for _, part := range parts[1:] {
			some = some.and(with[part])
		}
		any = any.or(some)
	}
	return any, len(alternatives) > 0
}

// blocksWith are the blocks that have words with each of the parts.
func (t *Texts) blocksWith(parts []string) map[string]bitset {
	with := map[string]bitset{}
	for _, part := range parts {
		// Also of a part that no word has: then no block does.
		with[part] = make(bitset, t.block/64+1)
	}
	for _, v := range t.volumes() {
		prefix := key(keyWords, v.number)
		for name, page := range t.x.Scan(prefix) {
			var lists [][]byte
			for _, part := range parts {
				words := wordsWith(page, []byte(part))
				if len(words) == 0 {
					continue
				}
				// Read once for a page, and only where one of its words is wanted.
				if lists == nil && len(name) == len(prefix)+4 {
					lists = t.lists(v.number, binary.BigEndian.Uint32([]byte(name[len(prefix):])))
				}
				for _, n := range words {
					if n >= len(lists) {
						t.fault = index.ErrDamaged
						return with
					}
					t.mark(with[part], lists[n])
				}
			}
		}
	}
	return with
}

// lists are the lists of blocks of a page.
func (t *Texts) lists(volume, page uint32) [][]byte {
	lists, err := splitPlaces(t.x.Get(pageKey(keyPlaces, volume, page)))
	if err != nil {
		t.fault = err
	}
	return lists
}

// mark sets the blocks of a list.
func (t *Texts) mark(all bitset, list []byte) {
	last := uint64(0)
	for len(list) > 0 {
		n, size := binary.Uvarint(list)
		// The numbers become indexes of a bitset.
		if last += n; size <= 0 || n == 0 || last >= uint64(t.block) {
			t.fault = index.ErrDamaged
			return
		}
		all[last/64] |= 1 << (last % 64)
		list = list[size:]
	}
}
