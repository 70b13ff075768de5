package moves

import (
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// Made is a commit that moved HEAD, or may have: where no hook ran for it, only HEAD's reflog says
// how HEAD moved.
type Made struct {
	Commit gitexec.OID
	// From was HEAD before, empty if that is not known.
	From gitexec.OID
	// Amends says that the commit replaces From.
	Amends bool
	// Known says that the reflog calls it a commit. Else the reflog does not say what moved HEAD,
	// as after git update-ref, and any commits may have come in between.
	Known bool
}

// MadeHere lists what moved HEAD and may be a commit that was made here, newest first, as HEAD's
// reflog is. A pull, a merge, a checkout, a reset or a rebase is none, nor is the commit that
// concludes one. git am runs no commit's hooks, and its commits may hold what resolved a conflict.
func MadeHere(moves []gitexec.HeadMove) []Made {
	var made []Made
	for _, m := range moves {
		action, _, _ := strings.Cut(m.Why, ":")
		word, _, _ := strings.Cut(action, " ")
		switch {
		case action == "commit", action == "commit (initial)", action == "commit (amend)":
			made = append(made, Made{Commit: m.To, From: m.From, Amends: action == "commit (amend)", Known: true})
		case word != "am" && slices.Contains(forwardActions, word), slices.Contains(otherActions, word):
		case m.From != "" && m.From != m.To:
			made = append(made, Made{Commit: m.To, From: m.From})
		}
	}
	return made
}

// ReplaysSince lists the commits that git made of others since HEAD was last seen: a merge that was
// concluded, a cherry-pick, and each step of a rebase; none where the reflog doesn't have that. A
// merge or a revert without a conflict has nothing of its own.
func ReplaysSince(reflog []gitexec.HeadMove, seen gitexec.OID) (made []gitexec.OID) {
	for _, m := range reflog {
		if m.To == seen {
			return made
		}
		action, what, _ := strings.Cut(m.Why, ": ")
		word, _, _ := strings.Cut(action, " ")
		step := action[strings.LastIndexByte(action, ' ')+1:]
		if slices.Contains(replaySteps[word], step) && !strings.EqualFold(what, "fast-forward") {
			made = append(made, m.To)
		}
	}
	return nil
}

// rebaseSteps end the actions in HEAD's reflog by which a rebase makes a commit, and replaySteps
// those by which git makes one of others, by their first word.
var (
	rebaseSteps = []string{"(pick)", "(reword)", "(edit)", "(fixup)", "(squash)", "(continue)"}
	replaySteps = map[string][]string{
		"commit": {"(merge)", "(cherry-pick)"}, "cherry-pick": {"cherry-pick"}, "rebase": rebaseSteps, "pull": rebaseSteps,
	}
)

// otherActions are the actions in HEAD's reflog, beside forwardActions, that make no commit.
var otherActions = []string{"reset", "checkout", "switch", "rewind", "bisect", "fetch", "filter-branch", "stash"}

// AmendedBy is the commit that a commit replaces by amends, however many; empty: it is no amend.
func AmendedBy(made []Made, commit gitexec.OID) gitexec.OID {
	of := map[gitexec.OID]gitexec.OID{}
	for _, m := range made {
		if m.Amends && m.From != "" && m.From != m.Commit {
			of[m.Commit] = m.From
		}
	}
	first, at := gitexec.OID(""), commit
	for of[at] != "" && of[at] != commit {
		next := of[at]
		delete(of, at) // an amend may be undone, and done again
		first, at = next, next
	}
	return first
}

// Replayed reports whether git made a commit of others, or an amend one of such a commit: a merge,
// a revert, a cherry-pick or a rebase, also one that the user concluded. Then what it changed is no
// session's new work, nor is what a commit did of which the reflog says only that HEAD was moved to
// it: the hook of an amend sees that as a whole. False where the reflog has no such move.
func Replayed(moves []gitexec.HeadMove, commit gitexec.OID) bool {
	made := MadeHere(moves)
	if first := AmendedBy(made, commit); first != "" {
		commit = first
	}
	if at := slices.IndexFunc(made, func(m Made) bool { return m.Commit == commit }); at >= 0 {
		return !slices.ContainsFunc(made[at:], func(m Made) bool { return m.Commit == commit && m.Known })
	}
	return slices.ContainsFunc(moves, func(m gitexec.HeadMove) bool {
		action, _, _ := strings.Cut(m.Why, ":")
		word, _, _ := strings.Cut(action, " ")
		return m.To == commit && slices.Contains(forwardActions, word)
	})
}
