// Package suffix decides which stream a piece of work belongs to, on plain values: what the agent
// did on each stream, what the worktree holds, and, where object IDs don't settle it, the lines of
// the files that both touch.
package suffix

import "entire-plumb/gitexec"

// Reasons, as fixed strings (seed 000, Suffix Decision Heuristic; the last one is ours).
const (
	NoStream      = "no existing suffix"
	Clean         = "worktree is clean"
	Unreadable    = "failed to read shadow branch"
	NoOverlap     = "no file overlap with shadow branch"
	CannotCompare = "failed to compare content"
	Present       = "agent's changes still present"
	Absent        = "agent's changes not found in worktree"
	EarlierIsBack = "agent's changes of an earlier stream are back"
)

// Decision is the answer (seed 000, SuffixDecision).
type Decision struct {
	Suffix int    `json:"suffix"`
	IsNew  bool   `json:"is_new"`
	Reason string `json:"reason"`
}

// Change is what the agent did to one file of a stream in one turn.
type Change struct {
	Path          gitexec.Path
	Before, After gitexec.Entry // zero: not there

	// Of is what it carries on, if it does: of all that it adds and takes out, only what these did
	// is the agent's.
	Of []Change
}

// Stream is what a decision needs of one stream.
type Stream struct {
	Suffix  int
	Changes []Change // oldest first
	Err     error    // why the stream cannot be read, if so
}

// Worktree holds the files that differ from HEAD, from the version there to the present one.
type Worktree map[gitexec.Path]gitexec.Change

// NewWorktree takes the differences as git lists them.
func NewWorktree(diff []gitexec.Change) Worktree {
	w := make(Worktree, len(diff))
	for _, c := range diff {
		w[c.Path] = c
	}
	return w
}

// Decide picks the stream of the next checkpoint. Streams come with the lowest suffix first. The
// last one is asked first, as the seed has it; if its work is gone, the earlier ones are, since a
// stash may have brought one back: the one of which most is there wins, the newest of equals. The
// verdicts say what was found of each, in the order of the streams; there are none where nothing
// had to be compared.
func Decide(streams []Stream, worktree Worktree, texts Texts, match Match) (Decision, []Verdict) {
	if len(streams) == 0 {
		return Decision{1, true, NoStream}, nil
	}
	last := streams[len(streams)-1].Suffix
	if len(worktree) == 0 {
		return Decision{last + 1, true, Clean}, nil
	}
	verdicts := make([]Verdict, len(streams))
	best := -1
	for i := len(streams) - 1; i >= 0; i-- {
		verdicts[i] = Judge(streams[i], worktree, texts, match)
		if verdicts[i].Reason == Present && (best < 0 || outweighs(verdicts[i], verdicts[best], best == len(streams)-1)) {
			best = i
		}
	}
	switch {
	case best == len(streams)-1:
		return Decision{last, false, Present}, verdicts
	case best >= 0:
		return Decision{streams[best].Suffix, false, EarlierIsBack}, verdicts
	}
	return Decision{last + 1, true, verdicts[len(streams)-1].Reason}, verdicts
}

// On gives the decision for the present base, where HEAD may have moved to from that of the stream:
// next is the first suffix that is free there, own the stream's, if it hangs from it. One that does
// not moves along with its work. That streams of another base were asked as well is nothing to
// tell.
func (d Decision) On(next, own int) Decision {
	if d.IsNew && next == 1 {
		d.Reason = NoStream
	}
	if d.Suffix = next; !d.IsNew && own > 0 {
		d.Suffix = own
	}
	return d
}

// outweighs reports whether an earlier stream's verdict beats the best one so far.
func outweighs(v, best Verdict, bestIsLast bool) bool {
	if v.Weak != best.Weak {
		return best.Weak
	}
	return !bestIsLast && v.Score > best.Score
}
