package checkpoints

import (
	"cmp"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

// look is a worktree as it was seen at one time.
type look struct {
	before, tree gitexec.OID   // before is empty where the parent of a commit that is replaced is missing
	by           ledger.Owner  // who answers for what is new since before
	session      string        // whose turn the look is of
	began        time.Time     // when that turn began
	doubtful     bool          // it is the human's part, and other turns were in progress
	others       []gitexec.OID // trees that it may have lines of: those of the streams that it carries forward
	when         time.Time
	commit       gitexec.OID   // that is replaced
	parents      []gitexec.OID // its parents
	base         gitexec.OID   // where what stood before it is from, if that isn't the new commit's parent
	known        Owners        // of a commit that is replaced: what checkpoints record of it
	taken        []look        // sides from which its turn brought lines
	side         bool          // it is that of a commit that others may have taken lines from: see Request.Sides
	changes      []gitexec.Change
	names        map[gitexec.Path]gitexec.Path // that files have in the others, where these are other ones
}

// orderLooks sorts looks: those of which something is recorded first, since that outranks what is
// inferred; then by time; of those of one second that with fewer others above it in history; then
// what is no side.
func orderLooks(looks []look, above map[gitexec.OID]int) {
	slices.SortStableFunc(looks, func(a, b look) int {
		// Whoever is entered first has a line: what is recorded must not lose it to a stream that
		// shows it later.
		return cmp.Or(ordinal(a.known == nil)-ordinal(b.known == nil), a.when.Compare(b.when),
			cmp.Compare(above[a.commit], above[b.commit]), ordinal(a.side)-ordinal(b.side))
	})
}

// ordinal orders false before true.
func ordinal(b bool) int {
	if b {
		return 1
	}
	return 0
}

// markDoubtful marks the human's parts during which turns of others were in progress, by the looks
// that come after them, or as inTurn says.
func markDoubtful(looks []look, inTurn func(look) bool) {
	for i := range looks {
		l := &looks[i]
		during := func(next look) bool {
			// Times have seconds: a turn of the same session that begins at the human's part begins
			// after it.
			return next.by.IsTurn() && (next.began.Before(l.when) || next.session != l.session && next.began.Equal(l.when))
		}
		l.doubtful = l.by == ledger.Human && (slices.ContainsFunc(looks[i+1:], during) || inTurn(*l))
	}
}

// withTaken puts before each look the sides from which its turn brought lines: what streams had
// before that is older, and the side may be a stash entry of it. Each side is entered once.
func withTaken(looks []look) (all []look) {
	entered := map[gitexec.OID]bool{}
	enter := func(l look) {
		if !l.side || !entered[l.base] {
			all = append(all, l)
		}
		entered[l.base] = entered[l.base] || l.side
	}
	taken := map[gitexec.OID]bool{}
	for _, l := range looks {
		for _, s := range l.taken {
			taken[s.base] = true
		}
	}
	for _, l := range looks {
		for _, s := range l.taken {
			enter(s)
		}
		// A side that a turn took lines from has its place before that turn, and none by its own
		// time.
		if !l.side || !taken[l.base] {
			enter(l)
		}
	}
	return all
}

// mostAbove is how many commits are looked at to order those that were made in the same second. A
// rebase makes a hundred in one; what is beyond keeps the order in which it was found.
const mostAbove = 200

// above counts the replaced commits above each of them in history, which were made in the same
// second.
func above(db *gitexec.ODB, looks []look) (map[gitexec.OID]int, error) {
	when := map[gitexec.OID]time.Time{}
	for _, l := range looks {
		if l.known != nil {
			when[l.commit] = l.when
		}
	}
	n := map[gitexec.OID]int{}
	if len(when) < 2 {
		return n, nil
	}
	for _, l := range looks {
		if l.known == nil {
			continue
		}
		var err error
		if n[l.commit], err = countAbove(db, l, when); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// countAbove counts those of some commits that are in the history of a look's commit, up to one
// that is older than it.
func countAbove(db *gitexec.ODB, l look, commits map[gitexec.OID]time.Time) (n int, err error) {
	parents := l.parents
	for tried := 0; len(parents) > 0 && tried < mostAbove; tried++ {
		found, err := db.Readable(parents[0])
		// What is older than that is ordered by its time. In a shallow clone a parent may be
		// missing.
		if err != nil || len(found) == 0 || found[0].When.Before(l.when) {
			return n, err
		}
		if _, known := commits[found[0].ID]; known {
			n++
		}
		parents = found[0].Parents
	}
	return n, nil
}
