package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Work is what one session did and a commit may hold.
type Work struct {
	Session *session.State
	Stream  *shadow.Stream // nil: on no stream
	Changes []suffix.Change
	// OldNames are files of it that have another name in the commit, and in Changes.
	OldNames []gitexec.Path

	// Elsewhere says that its stream's base is neither the commit's parent nor the session's latest
	// base: nothing but its content tells that a commit holds it.
	Elsewhere bool
	// Left says that HEAD has left its stream's base: that a commit changes its files tells
	// nothing.
	Left bool
	// Since are files that commits have changed since its stream's base: nothing but its content
	// tells that a commit holds it.
	Since map[gitexec.Path]bool

	Foreign    bool             // on a stream of another worktree
	Committing bool             // of a turn in progress whose agent makes the commit: it counts whatever its content
	InTurn     bool             // of a turn in progress whose agent does not make the commit
	Early      bool             // InTurn, and done before the turn of the agent that makes the commit began
	Began      gitexec.Edits    // see Matched
	Ignored    *session.Ignored // it is this one
	Origins    []gitexec.OID    // of discarded work: the last checkpoints of the streams that it was on; empty where not known
	Discarded  bool             // it is such, and a commit has another version: half of it must be there
	Link       *session.Link    // it was in this commit, which was reset, or from which lines are brought
	Free       bool             // the link is on no commit in HEAD's history
	Brought    bool             // that commit was not reset: lines of it are brought here
	InPlace    bool             // that commit was on the new one's parent, or on another reset one
}

// Bases lists the commits that may be bases of the sessions' work: all bases of each, oldest
// session first, and HEAD last, to which the user may have returned. head may be empty.
func Bases(head gitexec.OID, states []*session.State) []gitexec.OID {
	var bases []gitexec.OID
	for _, s := range states {
		for _, base := range s.Bases() {
			if base != head {
				bases = sets.With(bases, base)
			}
		}
	}
	if head == "" {
		return bases
	}
	return append(bases, head)
}

// OfStream splits the agents' changes on a stream by session. It omits those of sessions that are
// not known.
func OfStream(stream *shadow.Stream, changes []shadow.Change, states []*session.State) []Work {
	known := make(map[string]*session.State, len(states))
	for _, s := range states {
		known[s.SessionID] = s
	}
	// The place counts all sessions' checkpoints on the stream: keptSteps keeps their order.
	nth := map[gitexec.OID]int{}
	for _, c := range changes {
		if _, met := nth[c.At]; !met {
			nth[c.At] = len(nth)
		}
	}
	var works []Work
	for _, of := range sets.Groups(changes, func(c shadow.Change) string { return c.Session }) {
		w := Work{Session: known[of[0].Session], Stream: stream}
		if w.Session == nil {
			continue
		}
		for _, c := range of {
			change := Value(c)
			change.Nth = nth[c.At]
			w.Changes = append(w.Changes, change)
		}
		works = append(works, w)
	}
	return works
}

// MarkElsewhere marks the work on streams of other bases than a commit's parent and the session's
// latest base, and that of a base that HEAD has left, by a reset or for another branch.
func MarkElsewhere(works []Work, parent gitexec.OID, left func(base gitexec.OID) bool) {
	for i, w := range works {
		base := w.Session.BaseCommit
		// Left is asked of the session's latest base alone: HEAD may have gone on from it, or have
		// left it by a reset or for another branch.
		works[i].Elsewhere = w.Stream.Base != parent.Short() && w.Stream.Base != base.Short()
		works[i].Left = w.Stream.Base != parent.Short() && w.Stream.Base == base.Short() && left(base)
	}
}

// MarkSince marks the files of work that commits have changed since its stream's base, among those
// that a commit changes. base returns their versions there, nil where it is not known. Its errors
// are those of base.
func MarkSince(works []Work, parent gitexec.OID, changes []gitexec.Change,
	base func(stream *shadow.Stream, paths []gitexec.Path) ([]gitexec.Entry, error),
) error {
	for i, w := range works {
		// On the parent itself no commit can have come since.
		if w.Stream.Base == parent.Short() {
			continue
		}
		own := map[gitexec.Path]bool{}
		for _, c := range w.Changes {
			own[c.Path] = true
		}
		var both []gitexec.Change
		var paths []gitexec.Path
		for _, c := range changes {
			if own[c.Path] {
				both, paths = append(both, c), append(paths, c.Path)
			}
		}
		if len(both) == 0 {
			continue
		}
		versions, err := base(w.Stream, paths)
		if err != nil {
			return err
		}
		if versions == nil {
			continue
		}
		works[i].Since = map[gitexec.Path]bool{}
		for k, c := range both {
			works[i].Since[c.Path] = versions[k] != c.Old
		}
	}
	return nil
}

// Left reports whether one line of first parents, newest first, has left another one's first
// commit: it goes on from one before it. It doesn't where the lines are too short to tell.
func Left(line, other []gitexec.OID) bool {
	// Both go back to a common commit, and other[0] is not on the way. Where none is common within
	// what was read, one of the lines may just be too short.
	return len(other) > 0 && !slices.Contains(line, other[0]) &&
		slices.ContainsFunc(other[1:], func(id gitexec.OID) bool { return slices.Contains(line, id) })
}

// Value is a stream's change as package suffix takes it.
func Value(c shadow.Change) suffix.Change {
	value := suffix.Change{Path: c.Path, Before: c.Old, After: c.New, At: c.At}
	for _, of := range c.Of {
		value.Of = append(value.Of, Value(of))
	}
	return value
}

// InProgress is the work of a turn in progress that a commit can show: the committed files that had
// another version, or did not exist, when the turn began (began, in the order of the changes). An
// agent that makes the commit has them all; else the agent has those that it is known to have
// written (named). It returns nil where there is no work.
func InProgress(s *session.State, changes []gitexec.Change, began []gitexec.Entry, committing bool, named []gitexec.Path) []Work {
	w := Work{Session: s, Committing: committing, InTurn: !committing}
	for i, c := range changes {
		// The version of the turn's start, committed as it was, is the human's.
		if began[i] != c.New && (committing || slices.Contains(named, c.Path)) {
			w.Changes = append(w.Changes, suffix.Change{Path: c.Path, Before: began[i], After: c.New})
		}
	}
	if len(w.Changes) == 0 { // it commits what the user did, or rewords it
		return nil
	}
	return []Work{w}
}

// ResetWork is the work of the session's linked commits that were reset, without its changes: see
// InFiles. Of several commits with the same link it takes the last, and those whose work an amend
// left out. inHistory reports whether a commit is in HEAD's history: its link is taken.
func ResetWork(s *session.State, reset, inHistory func(gitexec.OID) bool) []Work {
	var works []Work
	for i, l := range s.Linked {
		newer := func(other session.Link) bool { return other.ID == l.ID && reset(other.Commit) }
		// An amended commit and the amend have the same link. Dropped is the one of which the amend
		// left work out: that work is in no later commit of the link.
		if !reset(l.Commit) || !l.Dropped && slices.ContainsFunc(s.Linked[i+1:], newer) {
			continue
		}
		taken := slices.ContainsFunc(s.Linked, func(other session.Link) bool { return other.ID == l.ID && inHistory(other.Commit) })
		works = append(works, Work{Session: s, Link: &s.Linked[i], Free: !taken})
	}
	return works
}

// InFiles lists the changes of a commit in given files.
func InFiles(changes []suffix.Change, files []gitexec.Path) []suffix.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c suffix.Change) bool { return !slices.Contains(files, c.Path) })
}

// ChangedFiles lists the given files that a commit changes: a checkpoint lists no others.
func ChangedFiles(changes []gitexec.Change, files []gitexec.Path) []gitexec.Path {
	changed := sets.Of(gitexec.PathsOf(changes))
	return slices.DeleteFunc(append([]gitexec.Path{}, files...), func(p gitexec.Path) bool { return !changed[p] })
}

// RestoredContent is the session's discarded work that a commit holds with the same content.
func RestoredContent(s *session.State, changes []gitexec.Change) []Work {
	w := Work{Session: s}
	for _, d := range s.Dismissed {
		for _, c := range changes {
			if c.Path == d.Path && c.New == d.Entry {
				if d.Tip != "" && !slices.Contains(w.Origins, d.Tip) {
					w.Origins = append(w.Origins, d.Tip)
				}
				w.Changes = append(w.Changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
			}
		}
	}
	if len(w.Changes) == 0 {
		return nil
	}
	return []Work{w}
}
