// Package lineage decides which commits a commit replaces, and what becomes of their links and
// lines.
package lineage

import (
	"slices"

	"entire-plumb/gitexec"
)

// Way is how a commit came to be replaced.
type Way string

// The ways.
const (
	Amended   Way = "amended"
	Picked    Way = "picked"    // with a conflict that somebody resolved
	Squashed  Way = "squashed"  // by git merge --squash
	Rewritten Way = "rewritten" // as git tells post-rewrite: amended, rebased, a fixup or a squash in a rebase
	Reset     Way = "reset"     // and committed again, in whole or in part: its content says so
)

// Predecessor is a commit that another one replaces, whole or in part.
type Predecessor struct {
	Commit gitexec.OID `json:"commit"`
	By     Way         `json:"by"`
	// Links are its checkpoints: those of its trailers, and such as were found otherwise.
	Links []string `json:"links,omitempty"`
	// Same says that the new commit does exactly what this one did.
	Same bool `json:"-"`
}

// Any reports whether one of the commits is replaced in one of these ways.
func Any(all []Predecessor, ways ...Way) bool {
	return slices.ContainsFunc(all, func(p Predecessor) bool { return slices.Contains(ways, p.By) })
}

// Plan says what becomes of the links and lines of the commits that one replaces.
type Plan struct {
	From []Predecessor // the commits, each once: their lines are followed into the new one
	Move []Move        // checkpoints that become the new commit's: its files, and the lines that are still theirs
	Trim []string      // links of the new commit whose checkpoints keep their lines; files that it doesn't change go
	Same bool          // there is nothing to follow: what the checkpoints say holds for the new commit
}

// Move brings a checkpoint to the new commit.
type Move struct {
	Link string
	From gitexec.OID // the replaced commit that it was of
}

// Decide says what becomes of the links and lines of the commits that a commit is said to replace.
// links are those of its message. A commit doesn't replace its parents. It may replace itself: an
// amend that changes nothing, within a second, makes the same commit. Of those that have the same
// link the first one is where its checkpoint comes from.
func Decide(c gitexec.Commit, links []string, said []Predecessor) Plan {
	var plan Plan
	for _, p := range said {
		if slices.Contains(c.Parents, p.Commit) {
			continue
		}
		if at := slices.IndexFunc(plan.From, func(o Predecessor) bool { return o.Commit == p.Commit }); at >= 0 {
			plan.From[at].Links = union(plan.From[at].Links, p.Links)
			continue
		}
		plan.From = append(plan.From, p)
	}
	for _, link := range links {
		at := slices.IndexFunc(plan.From, func(p Predecessor) bool { return slices.Contains(p.Links, link) })
		switch {
		case at >= 0:
			plan.Move = append(plan.Move, Move{Link: link, From: plan.From[at].Commit})
		default:
			plan.Trim = append(plan.Trim, link)
		}
	}
	plan.Same = len(plan.Move) == 0 || len(plan.From) == 1 && plan.From[0].Same
	return plan
}

// Links are the links of all checkpoints that the plan brings up to date.
func (p Plan) Links() []string {
	var links []string
	for _, m := range p.Move {
		links = append(links, m.Link)
	}
	return append(links, p.Trim...)
}

// OnlyFiles is the plan for those who have no time to find out whose the lines are.
func (p Plan) OnlyFiles() Plan {
	return Plan{Trim: p.Links()}
}

// union gives the strings of both lists, each once.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
