package condense

import (
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// Matched is a session whose work a commit holds.
type Matched struct {
	Session  *session.State
	Streams  []shadow.Stream   // the streams with its work; none for a turn in progress
	Origins  []gitexec.OID     // the last checkpoints of streams that do not exist any more
	Files    []gitexec.Path    // of the commit, sorted
	OldNames []gitexec.Path    // that files of the work have no more: see FollowRenames
	Commits  bool              // its agent makes the commit
	InTurn   []gitexec.Path    // those of a turn in progress, where its agent does not make the commit
	Early    []gitexec.Path    // those that it changed before the turn of the agent that makes the commit
	Began    gitexec.Edits     // versions that its turn in progress began from, where others have written since
	Ignored  []session.Ignored // its ended turns' files that git ignored
	Reset    []session.Link    // reset commits whose work it is
	Links    []string          // the links of these that the commit takes: see Overlap.Takes
	Unlinked []gitexec.Path    // its files with work that has no such link
	Reason   Reason
}

// merge joins the overlaps by session, oldest session first.
func merge(judged []Overlap) []Matched {
	judged = slices.DeleteFunc(slices.Clone(judged), func(o Overlap) bool { return !o.Counts })
	var matches []Matched
	for _, of := range sets.Groups(judged, func(o Overlap) string { return o.Work.Session.SessionID }) {
		m := Matched{Session: of[0].Work.Session, Reason: of[0].Reason}
		for _, o := range of {
			m.add(o)
		}
		m.Files, m.InTurn, m.Unlinked = Union(nil, m.Files), Union(nil, m.InTurn), Union(nil, m.Unlinked)
		m.Early = Union(nil, m.Early)
		matches = append(matches, m)
	}
	slices.SortStableFunc(matches, func(a, b Matched) int { return a.Session.StartedAt.Compare(b.Session.StartedAt) })
	return matches
}

// add adds an overlap and its files.
func (m *Matched) add(o Overlap) {
	if o.Work.Stream != nil {
		m.Streams = append(m.Streams, *o.Work.Stream)
		m.Unlinked = append(m.Unlinked, o.files()...)
	}
	if l := o.Work.Link; l != nil {
		m.Reset = append(m.Reset, *l)
		switch {
		// Work of a reset commit whose link isn't taken needs a new link, like a stream's.
		case !o.Takes:
			m.Unlinked = append(m.Unlinked, o.files()...)
		case !slices.Contains(m.Links, l.ID):
			m.Links = append(m.Links, l.ID)
		}
	}
	m.Origins = append(m.Origins, o.Work.Origins...)
	m.Files, m.OldNames = append(m.Files, o.files()...), append(m.OldNames, o.Work.OldNames...)
	m.Commits = m.Commits || o.Work.Committing
	for path, e := range o.Work.Began {
		if m.Began == nil {
			m.Began = gitexec.Edits{}
		}
		m.Began[path] = e
	}
	switch {
	case o.Work.Ignored != nil:
		m.Ignored = append(m.Ignored, *o.Work.Ignored)
	// Early work is InTurn, too: it is asked first.
	case o.Work.Early:
		m.Early = append(m.Early, o.files()...)
	case o.Work.InTurn:
		m.InTurn = append(m.InTurn, o.files()...)
	}
}

// InProgressAt reports whether it has work of a turn in progress, which was so at a given time, in
// seconds.
func (m Matched) InProgressAt(when time.Time) bool {
	began := m.Session.LastInteractionTime
	// A commit's time has seconds: a turn that began within this second may have made it.
	return (m.Commits || len(m.InTurn) > 0) && began != nil && !began.Truncate(time.Second).After(when)
}

// Union merges two lists of paths, sorted, each once.
func Union(a, b []gitexec.Path) []gitexec.Path {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}
