package checkpoints

import (
	"fmt"
	"slices"
	"strconv"

	"entire-plumb/gitexec"
)

// The branch of the checkpoints is written by whoever may push to it, and a few kilobytes of
// objects may stand for gigabytes: a blob that compresses well, a tree that is named thousands of
// times. What is read of it has limits, far above what sessions come to. What exceeds them is
// ErrDamaged, without being read; the rest is read all the same. gitexec limits what all of it
// comes to, see [gitexec.Objects.EachBlob].
const (
	// mostMetadata is for metadata.json, which lists the files of a commit: 150,000.
	mostMetadata = 8 << 20
	// mostLines is for lines.json: some 100 bytes a file and 10 for each run of lines.
	mostLines = 32 << 20
	// mostSessions is how many sessions a checkpoint has. A squash of a month's work of a team may
	// have a hundred.
	mostSessions = 1000
)

// sessionsIn lists the indexes of the sessions in a checkpoint's directory. What is wrong with the
// list is ErrDamaged: there are too many, or one directory is there under several.
func sessionsIn(dir gitexec.Tree, path string) ([]int, error) {
	var all []int
	for name := range dir {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && strconv.Itoa(i) == name {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	first := map[gitexec.OID]int{}
	again := 0
	each := slices.DeleteFunc(slices.Clone(all), func(i int) bool {
		e := dir[strconv.Itoa(i)]
		if _, seen := first[e.ID]; seen && e.IsTree() {
			again++
			return true
		}
		first[e.ID] = i
		return false
	})
	switch {
	case len(each) > mostSessions:
		return each[:mostSessions], fmt.Errorf("%w: %s has %d sessions, and at most %d are read", ErrDamaged, path, len(each), mostSessions)
	case again > 0:
		return each, fmt.Errorf("%w: %s: of %d directories of sessions %d are others once more", ErrDamaged, path, len(all), again)
	}
	return each, nil
}

// span is a run of lines: the first one, counted from 1, and how many there are.
type span struct{ first, lines int }

// piece is a part of a span, and its place among them.
type piece struct {
	span
	of int
}

// disjoint cuts spans so that no line is in two: it is the first one's that has it. The pieces are
// in the order of their lines.
func disjoint(spans []span) []piece {
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
			open.pop()
		}
		if len(open) == 0 {
			if next == len(order) {
				break
			}
			at = max(at, spans[order[next]].first)
		}
		for next < len(order) && spans[order[next]].first <= at {
			open.push(order[next])
			next++
		}
		if len(open) == 0 || spans[open[0]].end() <= at {
			continue
		}
		end := spans[open[0]].end()
		if next < len(order) {
			end = min(end, spans[order[next]].first)
		}
		if last := len(pieces) - 1; last >= 0 && pieces[last].of == open[0] && pieces[last].end() == at {
			pieces[last].lines += end - at
		} else {
			pieces = append(pieces, piece{span{at, end - at}, open[0]})
		}
		at = end
	}
	return pieces
}

func (s span) end() int { return s.first + s.lines }

// spanHeap has the lowest place first.
type spanHeap []int

func (h *spanHeap) push(v int) {
	*h = append(*h, v)
	for i := len(*h) - 1; i > 0 && (*h)[i] < (*h)[(i-1)/2]; i = (i - 1) / 2 {
		(*h)[i], (*h)[(i-1)/2] = (*h)[(i-1)/2], (*h)[i]
	}
}

func (h *spanHeap) pop() {
	old := *h
	last := len(old) - 1
	old[0] = old[last]
	*h = old[:last]
	for i := 0; ; {
		least := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < last && old[child] < old[least] {
				least = child
			}
		}
		if least == i {
			return
		}
		old[i], old[least] = old[least], old[i]
		i = least
	}
}
