package session

import (
	"slices"
	"time"

	"entire-plumb/gitexec"
)

// Link is a commit that holds work of a session's, and the checkpoint that it links.
type Link struct {
	ID     string      `json:"checkpoint_id"`
	Commit gitexec.OID `json:"commit"`
	Tree   gitexec.OID `json:"session_tree"` // of the session's directory in the checkpoint, as it was then
	When   time.Time   `json:"when"`
	// Dropped says that the commit was amended, and held more than the new one does; Rewritten,
	// that git made another one of it, which is noted as well.
	Dropped   bool `json:"dropped,omitempty"`
	Rewritten bool `json:"rewritten,omitempty"`
}

// Dismissed is a version of a file that an agent wrote and that was nowhere when its stream ended.
type Dismissed struct {
	Path  gitexec.Path  `json:"path"`
	Entry gitexec.Entry `json:"entry"`
	When  time.Time     `json:"when"`
}

// Memory is for how long links and dismissed versions are remembered, and how many of each.
const (
	Memory    = 14 * 24 * time.Hour
	mostLinks = 50
	mostGone  = 200
)

// Remember notes a commit that holds work of the session's. One that is noted already with the same
// link is moved to it.
func (s *State) Remember(l Link) {
	s.Linked = slices.DeleteFunc(slices.Clone(s.Linked), func(old Link) bool { return old.ID == l.ID && old.Commit == l.Commit || l.When.Sub(old.When) > Memory })
	s.Linked = append(s.Linked, l)
	s.Linked = s.Linked[max(0, len(s.Linked)-mostLinks):]
}

// LinkedBy notes that a commit has a link that the session's work had before, if it had it.
func (s *State) LinkedBy(commit gitexec.OID, link string, when time.Time) {
	if at := slices.IndexFunc(s.Linked, func(l Link) bool { return l.ID == link }); at >= 0 {
		s.Remember(Link{ID: link, Commit: commit, Tree: s.Linked[at].Tree, When: when})
	}
}

// Leaves tells the session that a commit was amended: nothing is left of it but for what it held
// and the new one doesn't. Then, if anything was dropped, it is remembered apart from the new one.
func (s *State) Leaves(id string, commit gitexec.OID, dropped bool) {
	for i, l := range s.Linked {
		if l.ID == id && l.Commit == commit {
			s.Linked[i].Dropped = dropped
		}
	}
}

// Dismiss notes versions that are gone.
func (s *State) Dismiss(gone ...Dismissed) {
	for _, d := range gone {
		s.Dismissed = slices.DeleteFunc(s.Dismissed, func(old Dismissed) bool {
			return old.Path == d.Path && old.Entry == d.Entry || d.When.Sub(old.When) > Memory
		})
		s.Dismissed = append(s.Dismissed, d)
	}
	s.Dismissed = s.Dismissed[max(0, len(s.Dismissed)-mostGone):]
}

// Rewritten tells the session that commits were rewritten, as by an amend or a rebase, and reports
// whether that is news.
func (s *State) Rewritten(now map[gitexec.OID]gitexec.OID) bool {
	news := false
	move := func(id *gitexec.OID) {
		if to, ok := now[*id]; ok && to != *id {
			*id, news = to, true
		}
	}
	move(&s.BaseCommit)
	move(&s.AttributionBaseCommit)
	for i, l := range s.Linked {
		if to, ok := now[l.Commit]; ok && to != l.Commit && !l.Rewritten {
			s.Linked[i].Rewritten, news = true, true
			l.Commit, l.Dropped = to, false
			s.Remember(l)
		}
	}
	return news
}
