package checkpoints

import (
	"testing"
	"time"
)

// TestBounded: neither the future counts nor what was before git's time, and clocks differ.
func TestBounded(t *testing.T) {
	now := at(1_000_000_000)
	for _, c := range []struct {
		seconds int64
		known   bool
	}{{0, false}, {-1, false}, {1, true}, {1_000_000_000, true}, {1_000_000_000 + 600, true}, {1_000_000_000 + 601, false}, {4_000_000_000, false}} {
		when := time.Unix(c.seconds, 0)
		if got := Bounded(when, now); got.IsZero() == c.known || c.known && !got.Equal(when) {
			t.Errorf("%d: %v", c.seconds, got)
		}
	}
	if !Bounded(time.Time{}, now).IsZero() {
		t.Error("no time has become one")
	}
}
