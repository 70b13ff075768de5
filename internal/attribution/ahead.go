package attribution

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
)

// Ahead brings to a partial clone what it lacks of what tells the authors of commits' lines: their
// changes and those before them, and what their checkpoints record; and of these and other
// checkpoints whole conversations, if that is asked for. Two requests at most.
func (r *Reader) Ahead(commits []gitexec.Commit, whole bool, others ...string) {
	if !r.DB.Repo().Partial() {
		return
	}
	checkpoints.BringLinks(r.DB, r.Branch, commits)
	links := others
	for _, c := range commits {
		links = append(links, r.Branch.Links(r.DB, c)...)
	}
	pairs := r.pairs(commits)
	before, err := r.DB.Readable(firstParents(commits)...)
	if err == nil {
		pairs = append(pairs, r.pairs(before)...)
	}
	checkpoints.Bring(r.DB, r.Branch, links, whole, r.DB.ChangedBlobs(pairs)...)
}

// AheadOf is Ahead for commits by their IDs.
func (r *Reader) AheadOf(ids []gitexec.OID, whole bool) {
	if r.DB.Repo().Partial() {
		if commits, err := r.DB.Readable(ids...); err == nil {
			r.Ahead(commits, whole)
		}
	}
}

// pairs are the trees of commits' parents, as far as these are here, and the commits' own.
func (r *Reader) pairs(commits []gitexec.Commit) (pairs [][2]gitexec.OID) {
	for _, c := range commits {
		if len(c.Parents) == 0 {
			pairs = append(pairs, [2]gitexec.OID{"", c.Tree})
			continue
		}
		trees, err := commitTrees(r.DB, c.Parents)
		for _, tree := range trees {
			if err == nil && tree != "" {
				pairs = append(pairs, [2]gitexec.OID{tree, c.Tree})
			}
		}
	}
	return pairs
}

func firstParents(commits []gitexec.Commit) (ids []gitexec.OID) {
	for _, c := range commits {
		if len(c.Parents) > 0 {
			ids = append(ids, c.Parents[0])
		}
	}
	return ids
}
