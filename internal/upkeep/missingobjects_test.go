package upkeep

import (
	"slices"
	"testing"
	"time"
)

// TestCounting: what takes over a second says how far it is, and how fast.
func TestCounting(t *testing.T) {
	now := time.Unix(100, 0)
	var said []string
	count := counting(func(line string) { said = append(said, line) }, func() time.Time { return now })
	for done := 1; done <= 4000; done++ {
		if done%1000 == 0 {
			now = now.Add(600 * time.Millisecond)
		}
		count(done)
	}
	want := []string{"looking for each object of all that is recorded: 2000 so far, 1667 in a second",
		"looking for each object of all that is recorded: 4000 so far, 1667 in a second"}
	if !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}
