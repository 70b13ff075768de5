package moves

import (
	"slices"

	"entire-plumb/gitexec"
)

// Unseen is a commit in HEAD's first-parent history that was made here since HEAD was last seen, or
// may have been.
type Unseen struct {
	Line   []gitexec.Commit // the history, newest first, as far as it was read
	At     int              // its index there
	Amends gitexec.OID      // the commit that it replaces by amends; empty: none
	Known  bool             // see Made
	Replay bool             // git made it of others: see ReplaysSince
}

func (u Unseen) Commit() gitexec.Commit { return u.Line[u.At] }

// IsAfter reports whether the commit has another one in its first-parent history.
func (u Unseen) IsAfter(id gitexec.OID) bool { return u.place(id) > u.At }

// NotYet reports whether another commit is this one or was made after it: work that began there is
// not in it.
func (u Unseen) NotYet(id gitexec.OID) bool {
	at := u.place(id)
	return at >= 0 && at <= u.At
}

// place is the index of a commit in the history; -1: it is not there.
func (u Unseen) place(id gitexec.OID) int {
	return slices.IndexFunc(u.Line, func(c gitexec.Commit) bool { return c.ID == id })
}

// ReplaysIn finds those of a history that git made of others.
func ReplaysIn(line []gitexec.Commit, made []gitexec.OID) (found []Unseen) {
	for i, c := range line {
		if slices.Contains(made, c.ID) {
			found = append(found, Unseen{Line: line, At: i, Replay: true})
		}
	}
	return found
}

// MadeSince lists what moved HEAD, to where it is now, since HEAD was first recorded: see MadeHere.
// Where the reflog is off, or what moved HEAD wrote none, one move from what was last seen stands
// for all.
func MadeSince(reflog []gitexec.HeadMove, first, seen, head gitexec.OID) []Made {
	since := reflog
	for i, m := range slices.Backward(reflog) {
		if m.To == first {
			since = reflog[:i]
			break
		}
	}
	made := MadeHere(since)
	if len(reflog) == 0 || reflog[0].To != head {
		made = append(made, Made{Commit: head, From: seen})
	}
	return made
}

// InHistory finds, oldest first, what of the moves is in HEAD's first-parent history and came after
// what was last seen there. The history is given newest first, as far as it was read. Between the
// ends of a move that the reflog doesn't call a commit each commit may be one.
func InHistory(made []Made, line []gitexec.Commit, seen gitexec.OID) []Unseen {
	at := map[gitexec.OID]int{}
	for i, c := range line {
		at[c.ID] = i
	}
	unseen := len(line)
	if first, in := at[seen]; in { // else HEAD was on another branch: it may have been on this one before
		unseen = first
	}
	whole := len(line) > 0 && len(line[len(line)-1].Parents) == 0
	known := map[int]bool{} // the candidates; true: the reflog calls them commits
	for _, m := range made {
		first, in := at[m.Commit]
		if !in || first >= unseen {
			continue
		}
		last := at[m.From] // 0, so that no commit is between, if the history doesn't have it
		switch {
		case m.Known:
			known[first] = true
			continue
		case m.From.IsZero() && whole: // there was no commit yet
			last = len(line)
		}
		for i := first; i < min(last, unseen); i++ {
			if _, candidate := known[i]; !candidate {
				known[i] = false
			}
		}
	}
	var found []Unseen
	for i, c := range slices.Backward(line) {
		if sure, candidate := known[i]; candidate {
			found = append(found, Unseen{Line: line, At: i, Amends: AmendedBy(made, c.ID), Known: sure})
		}
	}
	return found
}
