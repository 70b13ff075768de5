package checkpoints

import (
	"container/heap"
	"fmt"
	"slices"
	"strconv"

	"entire-plumb/gitexec"
)

// Anyone who may push can write the branch of the checkpoints, and a few kilobytes of objects may
// expand to gigabytes: a blob that compresses well, a tree that is named thousands of times. These
// limits are far above what sessions need. What exceeds one is ErrDamaged and is not read; all else
// is. gitexec limits the total, see [gitexec.Objects.EachBlob].
const (
	// mostMetadata is for metadata.json, which lists the files of a commit: 150,000.
	mostMetadata = 8 << 20
	// mostLines is for lines.json: some 100 bytes a file and 10 for each run of lines.
	mostLines = 32 << 20
	// mostSessions is how many sessions a checkpoint may have. A squash of a team's month may have
	// a hundred.
	mostSessions = 1000
	// mostVersions is how many earlier commits a session may have. Here it keeps mostEarlier; each
	// clone that amended the commit may add as many.
	mostVersions = 1000
)

// sessionsIn lists the indexes of the sessions in a checkpoint's directory. ErrDamaged: there are
// too many, or one directory is listed more than once.
func sessionsIn(dir gitexec.Tree, path string) ([]int, error) {
	var all []int
	for name := range dir {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && strconv.Itoa(i) == name {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	first := map[gitexec.OID]int{}
	duplicates := 0
	unique := slices.DeleteFunc(slices.Clone(all), func(i int) bool {
		e := dir[strconv.Itoa(i)]
		if _, seen := first[e.ID]; seen && e.IsTree() {
			duplicates++
			return true
		}
		first[e.ID] = i
		return false
	})
	switch {
	case len(unique) > mostSessions:
		return unique[:mostSessions], fmt.Errorf("%w: %s has %d sessions, and at most %d are read", ErrDamaged, path, len(unique), mostSessions)
	case duplicates > 0:
		return unique, fmt.Errorf("%w: %s: of %d directories of sessions %d are duplicates", ErrDamaged, path, len(all), duplicates)
	}
	return unique, nil
}

// span is a run of lines: the first one, from 1, and how many there are.
type span struct{ first, lines int }

// piece is a part of a span, and the span's index.
type piece struct {
	span
	index int
}

// splitSpans splits spans so that no line is in two: the first span keeps it. The pieces are in the
// order of their lines.
func splitSpans(spans []span) []piece {
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return spans[a].first - spans[b].first })
	var pieces []piece
	var open spanHeap
	at := 1
	for next := 0; next < len(order) || len(open) > 0; {
		for len(open) > 0 && spans[open[0]].end() <= at {
			heap.Pop(&open)
		}
		if len(open) == 0 {
			if next == len(order) {
				break
			}
			at = max(at, spans[order[next]].first)
		}
		for next < len(order) && spans[order[next]].first <= at {
			heap.Push(&open, order[next])
			next++
		}
		if len(open) == 0 || spans[open[0]].end() <= at {
			continue
		}
		end := spans[open[0]].end()
		if next < len(order) {
			end = min(end, spans[order[next]].first)
		}
		if last := len(pieces) - 1; last >= 0 && pieces[last].index == open[0] && pieces[last].end() == at {
			pieces[last].lines += end - at
		} else {
			pieces = append(pieces, piece{span{at, end - at}, open[0]})
		}
		at = end
	}
	return pieces
}

func (s span) end() int { return s.first + s.lines }

// spanHeap is a heap of indexes, the lowest first.
type spanHeap []int

func (h spanHeap) Len() int           { return len(h) }
func (h spanHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h spanHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *spanHeap) Push(v any)        { *h = append(*h, v.(int)) }
func (h *spanHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
