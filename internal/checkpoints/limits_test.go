package checkpoints

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"entire-plumb/internal/ledger"
)

// TestDisjoint holds the pieces against each line's first span.
func TestDisjoint(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		spans := make([]span, random.IntN(8))
		var want [40]int
		for i := range spans {
			spans[i] = span{1 + random.IntN(20), 1 + random.IntN(12)}
			for line := spans[i].first; line < spans[i].end(); line++ {
				if want[line] == 0 {
					want[line] = i + 1
				}
			}
		}
		var got [40]int
		pieces := splitSpans(spans)
		for _, p := range pieces {
			for line := p.first; line < p.end(); line++ {
				if got[line] != 0 {
					t.Fatalf("%v: line %d is in two of %v", spans, line, pieces)
				}
				got[line] = p.index + 1
			}
		}
		if got != want {
			t.Fatalf("%v: %v, want %v", spans, got, want)
		}
		if !slices.IsSortedFunc(pieces, func(a, b piece) int { return a.first - b.first }) {
			t.Fatalf("%v: %v is not sorted", spans, pieces)
		}
	}
}

// TestUnknownRanges reads a list that names the same lines again and again: it takes no longer than
// a list of that length may.
func TestUnknownRanges(t *testing.T) {
	const many = 300_000
	file := OwnedFile{Path: "a", Unknown: [][2]int{{-1, 5}, {0, 5}, {5, 0}, {2, math.MaxInt64}}}
	for i := range many {
		file.Unknown = append(file.Unknown, [2]int{1 + i%3, many})
	}
	all := Owners{}
	all.add(OwnedLines{Files: []OwnedFile{file}}, "s1", "")
	all.split()
	f := all["a"]
	if len(f.unknown) > 3 {
		t.Errorf("%d ranges remain", len(f.unknown))
	}
	owners, unknown := f.Spread(many + 10)
	if owners[1] != nil || !unknown[1] || !unknown[many+2] || unknown[many+3] {
		t.Error("the wrong lines are unknown")
	}
	if n := ledger.Runs(f.spread(&gathering{})).Count()[ledger.Unknown]; n != many+2 {
		t.Errorf("%d lines are unknown", n)
	}
}
