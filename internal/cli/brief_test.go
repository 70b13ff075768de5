package cli

import (
	"fmt"
	"strings"
	"testing"

	"entire-plumb/internal/query"
)

// TestByRelevance: what was said comes first, and a file once for a turn and its checkpoint.
func TestByRelevance(t *testing.T) {
	file := func(checkpoint string, turn int, name string) query.TextMatch {
		return query.TextMatch{Session: "s", Checkpoint: checkpoint, Turn: turn, Kind: "file", Text: name}
	}
	found := []query.TextMatch{file("c1", 0, "d/a.go"), file("c1", 1, "/r/d/a.go"), file("c1", 1, "d/a.go"), file("c1", 2, "/r/d/a.go"), file("c1", 0, "a.go"),
		file("c1", 0, "ba.go"), file("c2", 0, "a.go"), {Session: "s", Checkpoint: "c1", Turn: 1, Kind: "prompt", Text: "a.go"}}
	var got []string
	for _, m := range byRelevance(found) {
		got = append(got, fmt.Sprint(m.Kind, " ", m.Checkpoint, " ", m.Turn, " ", m.Text))
	}
	want := "prompt c1 1 a.go, file c1 1 /r/d/a.go, file c1 2 /r/d/a.go, file c1 0 ba.go, file c2 0 a.go"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}
