package condense

import (
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
)

// Links is what links a commit gets for the sessions' work in it.
type Links struct {
	Sessions []string              // whose work a new link is for; nil: it gets none
	Replaces []lineage.Predecessor // commits that were reset, and whose work it does again; with the links that it takes
}

// LinksFor chooses the links of what is staged: a new one, and those that it takes. Where it holds
// nothing but what had links before, the first of those is enough. An agent's own commit is its
// session's, whatever is in it: agents are the sessions whose agent makes it.
func LinksFor(matches []Matched, agents []string) Links {
	l := Links{Replaces: ResetsIn(matches)}
	own, taken := false, false
	for _, m := range matches {
		l.Sessions = append(l.Sessions, m.Session.SessionID)
		own, taken = own || len(m.Own) > 0, taken || len(m.Links) > 0
	}
	if len(matches) == 0 {
		l.Sessions = agents
	}
	if taken && !own {
		l.Sessions = nil
	}
	return l
}

// ResetsIn lists the commits that were reset and of whose work a commit holds some, with the links
// of those of which it does so much again that it takes them.
func ResetsIn(matches []Matched) []lineage.Predecessor {
	var all []lineage.Predecessor
	for _, m := range matches {
		for _, l := range m.Reset {
			p := lineage.Predecessor{Commit: l.Commit, By: lineage.Reset}
			if slices.Contains(m.Links, l.ID) {
				p.Links = []string{l.ID}
			}
			if !slices.ContainsFunc(all, func(o lineage.Predecessor) bool { return o.Commit == p.Commit && slices.Equal(o.Links, p.Links) }) {
				all = append(all, p)
			}
		}
	}
	return all
}

// NewIn gives the matches of a commit whose sessions' work is condensed: none where all that it
// holds of theirs is in commits that it replaces, as replaces, what it was given a link for, says.
func NewIn(matches []Matched, overlaps []Overlap, replaces []lineage.Predecessor) []Matched {
	isNew := slices.ContainsFunc(overlaps, func(o Overlap) bool { return o.Counts && !o.Takes })
	if !isNew && lineage.Any(replaces, lineage.Reset) {
		return nil
	}
	return matches
}

// GivenOut matches the sessions that a link was given out for, where what was committed says
// nothing: a link without a checkpoint must not be.
func GivenOut(states []*session.State, sessions []string) []Matched {
	var matches []Matched
	for _, s := range states {
		if slices.Contains(sessions, s.SessionID) {
			matches = append(matches, Matched{Session: s, Reason: LinkGivenOut})
		}
	}
	return matches
}

// MayHaveWork reports whether a commit may hold work of a session's: of a turn that is going on, on
// a stream, or remembered. onHead are the sessions that are on streams of HEAD, to which the user
// has come back; reset tells which linked commits reset took out of its history.
func MayHaveWork(s *session.State, onHead []string, reset func(gitexec.OID) bool, now time.Time) bool {
	return s.Phase == session.Active || s.ShadowBranchSuffix > 0 || slices.Contains(onHead, s.SessionID) ||
		slices.ContainsFunc(s.Linked, func(l session.Link) bool { return reset(l.Commit) }) ||
		slices.ContainsFunc(s.Dismissed, func(d session.Dismissed) bool { return now.Sub(d.When) <= session.Memory })
}
