// Package suffix decides which stream work belongs to, on values: the agent's changes on each
// stream, the worktree's changes, and, where object IDs do not decide, the lines of the files in
// both.
package suffix

import (
	"cmp"
	"maps"
	"slices"

	"entire-plumb/gitexec"
)

// Reason is why a stream is chosen, or how its work compares with the worktree.
type Reason string

// The reasons (seed 000, Suffix Decision Heuristic; the last one is ours).
const (
	NoStream       Reason = "no existing suffix"
	Clean          Reason = "worktree is clean"
	Unreadable     Reason = "failed to read shadow branch"
	NoOverlap      Reason = "no file overlap with shadow branch"
	CannotCompare  Reason = "failed to compare content"
	Present        Reason = "agent's changes still present"
	Absent         Reason = "agent's changes not found in worktree"
	EarlierPresent Reason = "agent's changes of an earlier stream are back"
)

// Decision is the result (seed 000, SuffixDecision).
type Decision struct {
	Suffix int    `json:"suffix"`
	IsNew  bool   `json:"is_new"`
	Reason Reason `json:"reason"`
}

// Change is what the agent did to one file of a stream in one turn.
type Change struct {
	Path          gitexec.Path
	Before, After gitexec.Entry // zero: no file

	// Of are the changes that it carries forward, if it does: of its lines, only those that these
	// added or removed are the agent's.
	Of []Change

	Was gitexec.Path // the file's name where the work was done; empty: Path
	At  gitexec.OID  // the checkpoint on the stream; empty: on none
	Nth int          // the place of that checkpoint among those of the stream; 0 also on none
}

// Stream is one stream, as the decision needs it.
type Stream struct {
	Suffix  int
	Changes []Change // oldest first
	// Added are files of HEAD that commits have added since the stream's base, and Removed files of
	// the changes that they have removed: these may be renames.
	Added, Removed map[gitexec.Path]bool
	Err            error // why the stream cannot be read; nil: it can
}

// Worktree holds the files that differ from HEAD, from HEAD's version to the worktree's.
type Worktree map[gitexec.Path]gitexec.Change

// Changes lists the differences, sorted.
func (w Worktree) Changes() []gitexec.Change {
	var changes []gitexec.Change
	for _, path := range slices.Sorted(maps.Keys(w)) {
		changes = append(changes, w[path])
	}
	return changes
}

// Decide chooses the stream of the next checkpoint. Streams are in the order of their suffixes. The
// last one is judged first (seed 000); if its work is not in the worktree, the earlier ones are,
// since the work may have been restored from a stash: the one with most of its work there wins, the
// newest of equals. The verdicts are in the order of the streams; nil where nothing had to be
// compared.
func Decide(streams []Stream, worktree Worktree, texts Texts) (Decision, []Verdict) {
	if len(streams) == 0 {
		return Decision{1, true, NoStream}, nil
	}
	last := streams[len(streams)-1].Suffix
	// Nothing is uncommitted, so that no stream's work is there: it was stashed, or dismissed.
	if len(worktree) == 0 {
		return Decision{last + 1, true, Clean}, nil
	}
	// From the newest to the oldest: an earlier stream must be better than all later ones.
	verdicts := make([]Verdict, len(streams))
	best := -1
	for i := len(streams) - 1; i >= 0; i-- {
		verdicts[i] = Judge(streams[i], worktree, texts)
		if verdicts[i].Reason == Present && (best < 0 || outweighs(verdicts[i], verdicts[best], best == len(streams)-1)) {
			best = i
		}
	}
	switch {
	case best == len(streams)-1:
		return Decision{last, false, Present}, verdicts
	case best >= 0:
		return Decision{streams[best].Suffix, false, EarlierPresent}, verdicts
	}
	// The reason is the last stream's, as in the original rule, which looked at no other.
	return Decision{last + 1, true, verdicts[len(streams)-1].Reason}, verdicts
}

// OnBase is the decision for HEAD, which may have moved from the stream's base: next is the first
// free suffix on HEAD, own the stream's, or 0 if it is new or has another base. A stream of another
// base moves along with its work. The reason does not mention streams of other bases.
func (d Decision) OnBase(next, own int) Decision {
	// The streams that were compared are all of other bases: on HEAD there is none.
	if d.IsNew && next == 1 {
		d.Reason = NoStream
	}
	d.Suffix = cmp.Or(own, next)
	return d
}

// outweighs reports whether an earlier stream's verdict beats the best one so far.
func outweighs(v, best Verdict, bestIsLast bool) bool {
	// Strong evidence beats weak, such as lines that are gone: those may be gone for another
	// reason.
	if v.Weak != best.Weak {
		return best.Weak
	}
	// The last stream gives way to strong evidence alone, not to a higher score: both may be there,
	// and the work went on with the last one.
	return !bestIsLast && v.Score > best.Score
}
