package commits

import (
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
)

// completePredecessors completes the commits that a commit replaces: their links, and whether it
// makes exactly their change. It omits those that git has pruned. A rewritten commit was replayed
// by git: there it is enough that both change the same files from and to the same versions.
func completePredecessors(repo *gitexec.Repo, db *gitexec.ODB,
	branch checkpoints.Branch, c gitexec.Commit, changes []gitexec.Change, replaced []lineage.Predecessor,
) ([]lineage.Predecessor, error) {
	var found []lineage.Predecessor
	for _, s := range replaced {
		old, there, err := readCommit(db, s.Commit)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		s.Links = sets.Union(s.Links, branch.Links(db, old))
		if s.By == lineage.Rewritten {
			s.Same = sameChange(db, old, changes)
		} else {
			// An amend of the message alone: the same files on the same parent.
			s.Same = old.Tree == c.Tree && ParentOf(repo, old) == ParentOf(repo, c)
		}
		found = append(found, s)
	}
	return found, nil
}

// sameChange reports whether a commit makes given changes. False where its parent was never
// fetched.
func sameChange(db *gitexec.ODB, old gitexec.Commit, changes []gitexec.Change) bool {
	parentTree, err := db.ParentTree(old)
	if err != nil {
		return false
	}
	change, err := db.DiffTrees(parentTree, old.Tree)
	return err == nil && slices.Equal(change, changes)
}

// recordLinks records a commit in the sessions whose work its links name, also in those of whose
// work it holds nothing: their remainder gets a link of its own. parts are those of the checkpoints
// that were written. It returns the changed states.
func recordLinks(
	states []*session.State, links []string, commit gitexec.OID, parts map[string]map[string]checkpoints.WrittenPart, now time.Time,
) []*session.State {
	var changed []*session.State
	for _, s := range states {
		for _, link := range links {
			// A session whose link the commit keeps without new work: it goes on with what its last
			// commit had.
			part, written := parts[link][s.SessionID]
			if !written {
				last, linked := session.LastLink(s.Linked, link)
				if !linked {
					continue
				}
				part = checkpoints.WrittenPart{Tree: last.Tree, Files: last.Files}
			}
			s.AddLink(session.Link{ID: link, Commit: commit, Tree: part.Tree, Files: part.Files, When: now.UTC()})
			changed = sets.With(changed, s)
		}
	}
	return changed
}
