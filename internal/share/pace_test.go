package share

import (
	"testing"
	"time"
)

// TestPace: portions grow as the time allows, also where most of it goes into the connection.
func TestPace(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		sent       int
		took, left time.Duration
		want       int
	}{
		{16, s / 100, 4 * s, 256}, {16, 2 * s, 3 * s, 14}, {1, 2 * s, 3 * s, 1}, {1, 2 * s, s, 0}, {10, 3 * s, s / 10, 0}, {1, 0, 5 * s, 16}, {4, s, -s, 0},
	} {
		if got := (pace{}).took(c.sent, c.took).next(c.left); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	always, each := 800*time.Millisecond, time.Millisecond
	for _, first := range []int{1, 64, 300} {
		p, sent, left, portions := pace{}, 0, 10*s, 0
		for n := first; n > 0; n = p.next(left) {
			took := always + time.Duration(n)*each
			if left -= took; left < 0 {
				t.Errorf("from %d: portion %d takes longer than the time that is left", first, portions)
			}
			p, sent, portions = p.took(n, took), sent+n, portions+1
		}
		if sent < 20*first && sent < 3000 || portions > 8 {
			t.Errorf("from %d: %d in %d portions", first, sent, portions)
		}
	}
	if n := (pace{20, 2 * s, 10, s}).within(4 * s); n != 40 {
		t.Errorf("%d", n)
	}
}

// TestGuess: a few guesses find about as many commits as fit, whatever their sizes.
func TestGuess(t *testing.T) {
	for name, size := range map[string]func(int) int64{
		"small": func(n int) int64 { return int64(n) * 100 }, "equal": func(n int) int64 { return int64(n) * 5000 }, "large": func(n int) int64 { return int64(n) << 20 },
		"first": func(n int) int64 { return 1<<20 + int64(n) }, "growing": func(n int) int64 { return int64(n*n) * 100 }, "none": func(int) int64 { return 0 },
	} {
		for _, commits := range []int{1, 2, 50, 64, 1000, 50_000} {
			g := guess{most: 256 << 10, commits: commits}
			for try := min(firstCommits, commits); try > 0; try = g.next() {
				g.tried(try, size(try))
			}
			fit := 1
			for fit < commits && size(fit+1) <= g.most {
				fit++
			}
			if g.fits < 1 || g.fits > fit || g.fits < fit/4 || g.bytes != size(g.fits) || g.tries > 2*mostGuesses {
				t.Errorf("%s, %d commits: %+v, %d fit", name, commits, g, fit)
			}
		}
	}
}
