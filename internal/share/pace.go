package share

import "time"

// guess finds how many of some commits fit into so many bytes, if their sizes are similar.
type guess struct {
	most    int64
	commits int // all that there are
	tries   int

	fits  int   // so many do, or a single one that does not
	bytes int64 // of those
	over  int   // so many do not; 0: it is not known
}

// mostGuesses is how many guesses are made, as long as there is any commit to begin with. Each is a
// process; two or three find what fits where commits are alike (TestGuess).
const mostGuesses = 4

func (g *guess) tried(commits int, bytes int64) {
	g.tries++
	// A single commit is never too many: it must be sent at some time.
	if bytes > g.most && commits > 1 {
		g.over = commits
		if g.fits == 0 { // where it seems that the first ones are no smaller
			g.bytes = bytes / int64(commits)
		}
		return
	}
	g.fits, g.bytes = commits, bytes
}

// next is the next number of commits to try; 0: what fits is known well enough.
func (g *guess) next() int {
	most := g.commits
	if g.over > 0 {
		most = g.over - 1
	}
	if g.fits >= most || g.tries >= mostGuesses && g.fits > 0 {
		return 0
	}
	if g.fits == 0 {
		if g.tries >= mostGuesses {
			return 1
		}
		return max(1, min(most, int(g.most/max(1, g.bytes))))
	}
	n := int(float64(g.fits) * float64(g.most) / float64(max(1, g.bytes)))
	// A quarter more is not worth another process.
	if n = min(most, n); n < g.fits+g.fits/4+1 {
		return 0
	}
	return n
}

// pace is how long the last portions took: so much for each commit, and so much whatever their
// number.
type pace struct {
	commits  int
	duration time.Duration

	fewer int // of the other one of the last two, if its number is another
	less  time.Duration
}

// took is the pace after another portion.
func (p pace) took(commits int, d time.Duration) pace {
	// Two portions of different sizes are kept: they tell what a commit takes from what the
	// connection does.
	next := pace{commits: commits, duration: max(d, time.Millisecond)}
	switch {
	// Two of the same number tell nothing of that: the latest counts.
	case p.commits == 0 || p.commits == commits:
	case p.commits < commits:
		next.fewer, next.less = p.commits, p.duration
	default:
		next.fewer, next.less = commits, next.duration
		next.commits, next.duration = p.commits, p.duration
	}
	return next
}

// within is how many commits go within a time: not many more than went last.
func (p pace) within(d time.Duration) int {
	// So many times as many: what a portion took may be chance, and one that is too large is lost
	// whole.
	const most = 16
	if p.commits == 0 || d <= 0 {
		return 0
	}
	each, always := p.duration/time.Duration(p.commits), time.Duration(0)
	// The measured times may contradict each other, as on a line that gets faster: neither part is
	// below zero.
	if p.fewer > 0 {
		each = max(0, p.duration-p.less) / time.Duration(p.commits-p.fewer)
		always = max(0, p.duration-each*time.Duration(p.commits))
	}
	n := 0
	if d > always {
		n = most * p.commits
	}
	if each > 0 {
		n = min(n, int((d-always)/each))
	}
	return n
}

// next is how many commits go next if so much time is left; 0: none. More than a few portions cost
// more than they are worth.
func (p pace) next(left time.Duration) int {
	// Of the time that is left four tenths are for what is slower than measured, and for the push
	// with the other refs.
	if n := p.within(left * 6 / 10); n > 0 || left < p.duration {
		return n
	}
	return 1
}
