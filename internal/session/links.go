package session

import (
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
)

// Link is a commit that holds work of a session's, and the checkpoint that it links.
type Link struct {
	ID     string      `json:"checkpoint_id"`
	Commit gitexec.OID `json:"commit"`
	Tree   gitexec.OID `json:"session_tree"` // of the session's directory in the checkpoint
	When   time.Time   `json:"when"`
	// Files are those that the checkpoint names of the session; none where they are too many.
	Files []gitexec.Path `json:"files,omitempty"`
	// Dropped says that the commit was amended and held more than its successor. Rewritten says
	// that git rewrote it; its successor is listed, too.
	Dropped   bool `json:"dropped,omitempty"`
	Rewritten bool `json:"rewritten,omitempty"`
}

// Dismissed is a version of a file that an agent wrote and that no place held when its stream
// ended.
type Dismissed struct {
	Path  gitexec.Path  `json:"path"`
	Entry gitexec.Entry `json:"entry"`
	When  time.Time     `json:"when"`
	// Tip is the last checkpoint of its stream, which git keeps for about as long: it knows whose
	// the lines are.
	Tip gitexec.OID `json:"tip,omitempty"`
}

const (
	// KeptFor is how long links and dismissed versions are kept; the others are how many of each.
	KeptFor       = 14 * 24 * time.Hour
	mostLinks     = 50
	mostLinkFiles = 20 // of a link
	mostDismissed = 200
)

// AddLink records a commit that holds the session's work, in the place of the same commit with the
// same link.
func (s *State) AddLink(l Link) {
	s.Linked = slices.DeleteFunc(slices.Clone(s.Linked), func(old Link) bool {
		return old.ID == l.ID && old.Commit == l.Commit || l.When.Sub(old.When) > KeptFor
	})
	if len(l.Files) > mostLinkFiles {
		l.Files = nil
	}
	s.Linked = append(s.Linked, l)
	s.Linked = s.Linked[max(0, len(s.Linked)-mostLinks):]
}

// LastLink is the last commit that a link was recorded of: an amend may have added to its
// checkpoint.
func LastLink(links []Link, id string) (last Link, linked bool) {
	for _, l := range links {
		if l.ID == id {
			last, linked = l, true
		}
	}
	return last, linked
}

// Amended records that a commit was amended. dropped: it held more than its successor, and its work
// may be committed again.
func (s *State) Amended(id string, commit gitexec.OID, dropped bool) {
	for i, l := range s.Linked {
		if l.ID == id && l.Commit == commit {
			s.Linked[i].Dropped = dropped
		}
	}
}

// Dismiss records versions that no place holds any more.
func (s *State) Dismiss(versions ...Dismissed) {
	for _, d := range versions {
		s.Dismissed = slices.DeleteFunc(s.Dismissed, func(old Dismissed) bool {
			return old.Path == d.Path && old.Entry == d.Entry || d.When.Sub(old.When) > KeptFor
		})
		s.Dismissed = append(s.Dismissed, d)
	}
	s.Dismissed = s.Dismissed[max(0, len(s.Dismissed)-mostDismissed):]
}

// Rewritten updates the state after commits were rewritten by an amend or a rebase, and reports
// whether it changed.
func (s *State) Rewritten(successors map[gitexec.OID]gitexec.OID) bool {
	changed := false
	move := func(id *gitexec.OID) {
		if to, ok := successors[*id]; ok && to != *id {
			*id, changed = to, true
		}
	}
	move(&s.BaseCommit)
	move(&s.AttributionBaseCommit)
	s.OtherBases = slices.Clone(s.OtherBases)
	for i := range s.OtherBases {
		move(&s.OtherBases[i])
	}
	s.OtherBases = latestBases(s.OtherBases, s.BaseCommit)
	for i, l := range s.Linked {
		if to, ok := successors[l.Commit]; ok && to != l.Commit && !l.Rewritten {
			s.Linked[i].Rewritten, changed = true, true
			l.Commit, l.Dropped = to, false
			if !slices.ContainsFunc(s.Linked, func(known Link) bool { return known.ID == l.ID && known.Commit == to }) {
				s.AddLink(l) // else its own hook has recorded it, with what it holds
			}
		}
	}
	return changed
}

// LinkedCommits lists the commits with links that the sessions' states keep, including those that
// git has rewritten, which a reset may restore; and of them those whose work an amend left out.
func LinkedCommits(states []*State, now time.Time) (linked, dropped []gitexec.OID) {
	for _, s := range states {
		for _, l := range s.Linked {
			if l.Dropped {
				dropped = append(dropped, l.Commit)
			}
			if now.Sub(l.When) <= KeptFor {
				linked = append(linked, l.Commit)
			}
		}
	}
	return linked, dropped
}

// CommitsOf lists the commits with one of some links, each once, in the order in which the links
// were recorded.
func CommitsOf(states []*State, ids []string) []gitexec.OID {
	var all []Link
	for _, s := range states {
		for _, l := range s.Linked {
			if slices.Contains(ids, l.ID) {
				all = append(all, l)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Link) int { return a.When.Compare(b.When) })
	var commits []gitexec.OID
	for _, l := range all {
		commits = sets.With(commits, l.Commit)
	}
	return commits
}

// WithOtherLinks lists those of some commits that have no link of one of the others.
func WithOtherLinks(states []*State, commits, others []gitexec.OID) []gitexec.OID {
	has := map[string]bool{}
	for _, s := range states {
		for _, l := range s.Linked {
			has[l.ID] = has[l.ID] || slices.Contains(others, l.Commit)
		}
	}
	return slices.DeleteFunc(slices.Clone(commits), func(id gitexec.OID) bool {
		return slices.ContainsFunc(states, func(s *State) bool {
			return slices.ContainsFunc(s.Linked, func(l Link) bool { return l.Commit == id && has[l.ID] })
		})
	})
}

// Unlink forgets a checkpoint that is no more, and reports whether the session had it.
func Unlink(s *State, id string) bool {
	before := len(s.Linked) + len(s.TurnCheckpointIDs)
	s.Linked = slices.DeleteFunc(s.Linked, func(l Link) bool { return l.ID == id })
	s.TurnCheckpointIDs = slices.DeleteFunc(s.TurnCheckpointIDs, func(other string) bool { return other == id })
	had := len(s.Linked)+len(s.TurnCheckpointIDs) < before
	if s.LastCheckpointID == id {
		s.LastCheckpointID, had = "", true
	}
	return had
}

// RemoveLinks forgets that a commit holds the session's work, by these checkpoints. It reports
// whether it was known to.
func (s *State) RemoveLinks(commit gitexec.OID, ids []string) bool {
	before := len(s.Linked)
	s.Linked = slices.DeleteFunc(s.Linked, func(l Link) bool { return l.Commit == commit && slices.Contains(ids, l.ID) })
	return len(s.Linked) < before
}
