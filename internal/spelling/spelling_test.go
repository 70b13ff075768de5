package spelling

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{{"", "ab"}: 2, {"ab", "ba"}: 1, {"show", "shwo"}: 1, {"abc", "abc"}: 0, {"ü", "u"}: 1, {"kitten", "sitting"}: 3, {"ca", "abc"}: 3, {"abdc", "bacd"}: 2, {"", ""}: 0} {
		if got := Distance(pair[0], pair[1]); got != want {
			t.Errorf("%v: %d, not %d", pair, got, want)
		}
	}
}

// TestDistanceOfLongWords: a file may have any word. What is too long for one that is misspelt is
// far, and few rows of the table are kept.
func TestDistanceOfLongWords(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, pair := range [][2]string{{long, "push_sessions"}, {"push_sessions", long}, {long, long + "y"}} {
		if got := Distance(pair[0], pair[1]); got < 1<<20 {
			t.Errorf("%d", got)
		}
	}
	word := strings.Repeat("x", mostLetters)
	if rows := testing.AllocsPerRun(10, func() { Distance(word, word[1:]) }); rows > 10 {
		t.Errorf("%v rows", rows)
	}
}
