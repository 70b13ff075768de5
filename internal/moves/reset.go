package moves

import (
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// forwardActions are the actions in HEAD's reflog, in git's words, that do not remove a commit from
// a branch for good: the old commits are on another branch, or git passes their successors to
// post-rewrite.
var forwardActions = []string{
	"commit", "merge", "pull", "rebase", "cherry-pick", "revert", "am", "clone", "Branch", "initial pull", "branch",
}

// ResetFrom lists the commits that HEAD was reset from, in the order of the moves, each once; nil:
// none. Leaving a branch by a checkout is no reset, nor is deleting it afterwards; git checkout -B,
// which moves the branch that it stays on, is one.
func ResetFrom(moves []gitexec.HeadMove) []gitexec.OID {
	var from []gitexec.OID
	for _, m := range moves {
		if m.From != "" && m.From != m.To && isReset(m.Why) && !slices.Contains(from, m.From) {
			from = append(from, m.From)
		}
	}
	return from
}

func isReset(why string) bool {
	if way, ok := strings.CutPrefix(why, "checkout: moving from "); ok {
		before, after, _ := strings.Cut(way, " to ")
		return before == after
	}
	if strings.HasPrefix(why, "branch: Reset to ") { // so does git checkout -B
		return true
	}
	action, _, _ := strings.Cut(why, ":")
	word, _, _ := strings.Cut(strings.TrimSpace(action), " ")
	return !slices.Contains(forwardActions, word)
}

// mostRemoved is how many linked commits are looked for again at most: each is compared with every
// later commit until session.KeptFor is over. A reset takes out a few commits, a state has 50 links
// at most, and the newest come first. It is not measured.
const mostRemoved = 40

// Removed lists the linked commits among those that a reset removed from HEAD's history, or an
// amend dropped work from: each once, at most mostRemoved of them.
func Removed(linked, from []gitexec.OID) []gitexec.OID {
	var removed []gitexec.OID
	for _, id := range from {
		if slices.Contains(linked, id) && !slices.Contains(removed, id) && len(removed) < mostRemoved {
			removed = append(removed, id)
		}
	}
	return removed
}
