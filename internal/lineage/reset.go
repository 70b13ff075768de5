package lineage

import (
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// onward are the actions, as git words them in HEAD's reflog, that move HEAD without taking a
// commit out of a branch for good: what they leave behind is on another branch, or git tells
// post-rewrite what became of it.
var onward = []string{"commit", "merge", "pull", "rebase", "cherry-pick", "revert", "am", "clone", "Branch", "initial pull", "branch"}

// ResetFrom gives the commits that HEAD was reset from, newest first, each once. Leaving a branch
// by a checkout is no reset, nor is deleting it afterwards: git checkout -B, which moves the branch
// that it stays on, is.
func ResetFrom(moves []gitexec.HeadMove) []gitexec.OID {
	var from []gitexec.OID
	for _, m := range moves {
		if m.From != "" && m.From != m.To && resets(m.Why) && !slices.Contains(from, m.From) {
			from = append(from, m.From)
		}
	}
	return from
}

func resets(why string) bool {
	if way, ok := strings.CutPrefix(why, "checkout: moving from "); ok {
		was, is, _ := strings.Cut(way, " to ")
		return was == is
	}
	if strings.HasPrefix(why, "branch: Reset to ") { // so does git checkout -B
		return true
	}
	action, _, _ := strings.Cut(why, ":")
	word, _, _ := strings.Cut(strings.TrimSpace(action), " ")
	return !slices.Contains(onward, word)
}
