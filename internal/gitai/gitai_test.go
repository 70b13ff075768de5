package gitai

import (
	"fmt"
	"slices"
	"testing"

	"entire-plumb/internal/ainote"
)

// TestPainted: of entries that name the same line the last one counts, and lines that the commit did
// not bring are counted apart.
func TestPainted(t *testing.T) {
	lines := []int{2, 3, 5, 8, 9}
	for _, c := range []struct {
		entries []ainote.Entry
		want    string
		older   int
	}{
		{nil, "[    ]", 0},
		{[]ainote.Entry{{Key: "a", Ranges: [][2]int{{1, 9}}}}, "[a a a a a]", 4},
		{[]ainote.Entry{{Key: "a", Ranges: [][2]int{{2, 2}, {8, 1}}}, {Key: "b", Ranges: [][2]int{{3, 3}}}}, "[a b b a ]", 1},
		{[]ainote.Entry{{Key: "a", Ranges: [][2]int{{9, 1}}}, {Key: "b", Ranges: [][2]int{{9, 1}, {9, 1}}}}, "[    b]", 0},
	} {
		if keys, older := painted(c.entries, lines); fmt.Sprint(keys) != c.want || older != c.older {
			t.Errorf("%v: %v, %d", c.entries, keys, older)
		}
	}
	var many []ainote.Entry // a hostile note: each of its ranges names all lines
	long := make([]int, 100_000)
	for i := range long {
		long[i] = i + 1
	}
	for range 400 {
		many = append(many, ainote.Entry{Key: "k", Ranges: slices.Repeat([][2]int{{1, 100_000}}, 1000)})
	}
	if keys, _ := painted(many, long); keys[99_999] != "k" {
		t.Error("not painted")
	}
}

// TestTools: what Git AI calls an agent, and what metadata calls it.
func TestTools(t *testing.T) {
	for title, tool := range map[string]string{"Claude Code": "claude", "Codex": "codex", "Gemini CLI": "gemini", "Windsurf": "Windsurf"} {
		if toolOf(title) != tool || titleOf(tool) != title {
			t.Errorf("%s: %s, %s", title, toolOf(title), titleOf(tool))
		}
	}
	if toolOf("") != "unknown" || titleOf("") != "" {
		t.Error("without a name")
	}
}
