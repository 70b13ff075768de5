package divide

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLackingBoth takes the lines out of a version that one or the other lacks.
func TestLackingBoth(t *testing.T) {
	for _, c := range []struct{ name, version, one, other, want string }{
		{"lines of each", "a one b two c", "a b two c", "a one b c", "a b c"},
		{"side by side", "a one two c", "a two c", "a one c", "a c"},
		{"the same lines", "a } one } two", "a } one", "a } two", "a }"},
		{"old ones in their place", "one b two", "old b two", "one b older", "old b older"},
		{"the same old ones", "one two b", "old b", "old b", "old b"},
		{"neither lacks any", "a b", "a b", "a b", "a b"},
		{"at the ends", "one a two", "a two", "one a", "a"},
		{"nothing stays", "one two", "two", "one", ""},
		{"no version", "", "", "", ""},
	} {
		if got := string(LackingBoth([]byte(text(c.version)), []byte(text(c.one)), []byte(text(c.other)))); got != text(c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, text(c.want))
		}
	}
}

// TestLackingBothOfMany: of lines that are all different, those stay that both versions have, in
// their order, whichever is the first.
func TestLackingBothOfMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var version, one, other, want strings.Builder
		for line := range random.IntN(40) {
			text := strings.Repeat("x", line+1) + "\n"
			inOne, inOther := random.IntN(3) > 0, random.IntN(3) > 0
			version.WriteString(text)
			if inOne {
				one.WriteString(text)
			}
			if inOther {
				other.WriteString(text)
			}
			if inOne && inOther {
				want.WriteString(text)
			}
		}
		for _, made := range [][2]string{{one.String(), other.String()}, {other.String(), one.String()}} {
			if got := string(LackingBoth([]byte(version.String()), []byte(made[0]), []byte(made[1]))); got != want.String() {
				t.Fatalf("of %q, %q and %q: %q", version.String(), made[0], made[1], got)
			}
		}
	}
}
