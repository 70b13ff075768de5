package redact

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestOthersRulesEnd: rules of others take no more time on one long text than on many short ones.
func TestOthersRulesEnd(t *testing.T) {
	var rules []Rule
	for i := range 10 {
		rules = append(rules, Rule{ID: fmt.Sprint("r", i), Regex: fmt.Sprintf(".{0,490}Z%d", i)})
	}
	within, over := Limit(rules)
	if len(over) > 0 {
		t.Fatal(over)
	}
	r, err := New(Options{Rules: within, Others: true})
	testdir.Must(t, err)
	begun := time.Now()
	r.Records([]byte(`{"type":"user","message":{"content":"` + strings.Repeat("some words ", 90_000) + `"}}` + "\n"))
	if len(r.Late()) == 0 {
		t.Errorf("none is late after %v", time.Since(begun))
	}
	if spent := r.clock.all.Load(); spent > 10*int64(mostTime) { // 60 without pieces
		t.Errorf("they took %v", time.Duration(spent))
	}
}

// TestPieces: the pieces cover a text, overlap, and end with lines where they can.
func TestPieces(t *testing.T) {
	for _, line := range []int{10, 500, 40_000, 1 << 20} {
		text := strings.Repeat(strings.Repeat("x", line-1)+"\n", 1+300_000/line)
		at, n := 0, 0
		for from, to := range (&clock{}).pieces(text) {
			if from > at || to <= at && to < len(text) || to-from > pieceOfText {
				t.Fatalf("lines of %d: %d to %d after %d", line, from, to, at)
			}
			if at > 0 && at-from > overlapOfPieces {
				t.Errorf("lines of %d: they overlap by %d", line, at-from)
			}
			at, n = to, n+1
		}
		if at != len(text) || n > 2*len(text)/(pieceOfText/2)+2 {
			t.Errorf("lines of %d: %d pieces to %d of %d", line, n, at, len(text))
		}
	}
	for from, to := range (*clock)(nil).pieces(strings.Repeat("x", 1<<20)) {
		if from != 0 || to != 1<<20 {
			t.Error("without a clock there is one piece")
		}
	}
}
