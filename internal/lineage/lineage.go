// Package lineage decides which commits a commit replaces, and what becomes of their links and
// lines.
package lineage

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
)

// Means is how a commit was replaced.
type Means string

// The means.
const (
	Amended   Means = "amended"
	Picked    Means = "picked"    // cherry-picked, with conflicts resolved; or before such a one, or a rebased one, and some of it was taken
	Squashed  Means = "squashed"  // by git merge --squash
	Rewritten Means = "rewritten" // from post-rewrite: amended, rebased, or a fixup or squash in a rebase
	Dropped   Means = "dropped"   // by a rebase, or moved, and some of it is in another commit whose conflicts were resolved
	Reset     Means = "reset"     // reset, and its content committed again, in whole or in part
)

// Predecessor is a commit that another one replaces, in whole or in part.
type Predecessor struct {
	Commit gitexec.OID `json:"commit"`
	By     Means       `json:"by"`
	// Links are the IDs of its checkpoints, from its trailers and from states.
	Links []string `json:"links,omitempty"`
	// Same says that the new commit makes exactly the same change.
	Same bool `json:"-"`
}

// Any reports whether one of the commits was replaced by one of these means.
func Any(all []Predecessor, means ...Means) bool {
	return slices.ContainsFunc(all, func(p Predecessor) bool { return slices.Contains(means, p.By) })
}

// Plan is what becomes of the links and lines of the commits that a commit replaces.
type Plan struct {
	From []Predecessor // the commits, each once: their lines are followed into the new one
	Move []Move        // checkpoints that move to the new commit: its files, and the lines that are still theirs
	Trim []string      // links of the new commit whose checkpoints only lose the files that it does not change
	Same bool          // nothing to follow: the checkpoints hold for the new commit, too
}

// Move moves a checkpoint to the new commit.
type Move struct {
	Link string
	From gitexec.OID // the replaced commit
	// Stays says that the replaced commit stays where it is, with all its files.
	Stays bool
}

// Decide plans what becomes of the links and lines of the commits that c replaces. links are those
// of its message. A commit does not replace its parents. It may replace itself: an amend that
// changes nothing, within a second, makes the same commit. Of several commits with the same link
// the checkpoint is taken from the first.
func Decide(c gitexec.Commit, links []string, replaced []Predecessor) Plan {
	var plan Plan
	for _, p := range replaced {
		if slices.Contains(c.Parents, p.Commit) {
			continue
		}
		if at := slices.IndexFunc(plan.From, func(o Predecessor) bool { return o.Commit == p.Commit }); at >= 0 {
			plan.From[at].Links = sets.Union(plan.From[at].Links, p.Links)
			continue
		}
		plan.From = append(plan.From, p)
	}
	for _, link := range links {
		at := slices.IndexFunc(plan.From, func(p Predecessor) bool { return slices.Contains(p.Links, link) })
		if at < 0 {
			plan.Trim = append(plan.Trim, link)
			continue
		}
		plan.Move = append(plan.Move, Move{Link: link, From: plan.From[at].Commit, Stays: plan.From[at].By == Picked})
	}
	// A rebase without conflicts changes each commit's ID, and not its lines: nothing is to be
	// followed.
	plan.Same = len(plan.Move) == 0 || len(plan.From) == 1 && plan.From[0].Same
	return plan
}

// Links are the links of all checkpoints that the plan updates.
func (p Plan) Links() []string {
	var links []string
	for _, m := range p.Move {
		links = append(links, m.Link)
	}
	return append(links, p.Trim...)
}

// OnlyFiles is the plan without following lines, which takes time.
func (p Plan) OnlyFiles() Plan {
	return Plan{Trim: p.Links()}
}
