package checkpoints

import (
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
		// The same name again: 01 and +1 would be second directories of 1.
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && strconv.Itoa(i) == name {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	first := map[gitexec.OID]int{}
	duplicates := 0
	unique := slices.DeleteFunc(slices.Clone(all), func(i int) bool {
		e := dir[strconv.Itoa(i)]
		// A session names itself, so that no two can be equal: a small tree may name one large
		// directory thousands of times.
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
func splitSpans(spans []span) (pieces []piece) {
	var bounds []int
	for _, s := range spans {
		bounds = append(bounds, s.first, s.end())
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	of := make([]int, len(bounds))     // the span that has the lines from each bound to the next, from 1; 0: none yet
	next := make([]int, len(bounds)+1) // leads to the next bound whose lines no span has
	for i := range next {
		next[i] = i
	}
	for i, s := range spans {
		at, _ := slices.BinarySearch(bounds, s.first)
		for at = free(next, at); at < len(bounds) && bounds[at] < s.end(); at = free(next, at) {
			of[at], next[at] = i+1, at+1
		}
	}
	for at, i := range of {
		if last := len(pieces) - 1; i > 0 && last >= 0 && pieces[last].index == i-1 && pieces[last].end() == bounds[at] {
			pieces[last].lines = bounds[at+1] - pieces[last].first
		} else if i > 0 {
			pieces = append(pieces, piece{span{bounds[at], bounds[at+1] - bounds[at]}, i - 1})
		}
	}
	return pieces
}

// free is the first bound from one on whose lines no span has. It shortens the way there.
func free(next []int, at int) int {
	for next[at] != at {
		next[at] = next[next[at]]
		at = next[at]
	}
	return at
}

func (s span) end() int { return s.first + s.lines }
