package condense

import (
	"math/rand/v2"
	"slices"
	"testing"
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
		pieces := disjoint(spans)
		for _, p := range pieces {
			for line := p.first; line < p.end(); line++ {
				if got[line] != 0 {
					t.Fatalf("%v: line %d is in two of %v", spans, line, pieces)
				}
				got[line] = p.of + 1
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
