package checkpoints

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
)

// A link by content says that a commit holds a checkpoint's work. Whoever made it: a commit that is
// older than the work holds none of it.

// olderThan lists those of some checkpoints whose work a commit precedes. Of a checkpoint that
// cannot be read it is not known.
func (b Branch) olderThan(db *gitexec.ODB, commit gitexec.OID, ids []string) (older []string) {
	c, err := db.Commit(commit)
	if err != nil {
		return nil
	}
	for _, id := range ids {
		dir, err := find(db, b.root(db, id), id)
		if err != nil || !dir.Exists() {
			continue
		}
		f, _, _ := (&allowance{large: largeLines}).fingerprint(db, id, dir)
		if when := c.When.Unix(); f.Made > 0 && (f.Precedes(commit, when) || Follows(db, f, commit, when)) {
			older = append(older, id)
		}
	}
	return older
}

// Follows reports whether those of a checkpoint's own commits that are here, or else the last one
// before them, have a commit in their near history. One that seems to be younger than these is not
// looked for: when is its time, in seconds. Without the first one, of which the others may be
// rebased onto a squash, they tell nothing.
func Follows(db *gitexec.ODB, k lineage.Checkpoint, commit gitexec.OID, when int64) bool {
	own := k.Commits
	if len(own) > 0 {
		if _, err := db.Commits(own[0]); err != nil {
			own = nil
		}
	}
	for _, ids := range [][]gitexec.OID{own, k.After} {
		followed, here := true, 0
		for _, id := range ids {
			tip, err := db.Commit(id)
			if err != nil {
				continue
			}
			here++
			followed = followed && id != commit && when <= tip.When.Unix()+lineage.MostSkew && inHistory(db, tip, commit)
		}
		if here > 0 {
			return followed
		}
	}
	return false
}

// mostHistory is how many commits of a history are read to find one, all parents' together, object
// by object: a reader of a link waits. What is beyond is judged by its date alone. It was 20,000 as
// a process of git's; no script needs more than 200.
const mostHistory = 200

func inHistory(db *gitexec.ODB, tip gitexec.Commit, commit gitexec.OID) bool {
	seen := map[gitexec.OID]bool{}
	for next := tip.Parents; len(next) > 0 && len(seen) < mostHistory; {
		var parents []gitexec.OID
		for _, id := range next {
			if id == commit {
				return true
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			if c, err := db.Commit(id); err == nil { // a shallow clone ends somewhere
				parents = append(parents, c.Parents...)
			}
		}
		next = slices.Compact(parents)
	}
	return false
}
