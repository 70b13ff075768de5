package condense

import (
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
)

// Links are the links that a commit gets for the sessions' work in it.
type Links struct {
	Sessions []string              // whose work a new link is for; nil: no new link
	Replaces []lineage.Predecessor // reset commits whose work it holds, with the links that it takes
}

// LinksFor chooses the links of the staged changes: a new one, and those of reset commits. Where
// all their work had links before, no new link is needed.
func LinksFor(matches []Matched) Links {
	// `reset --soft HEAD~` and a commit of the same takes the old link. If a stream's work is in it
	// as well, or work of a reset commit whose link it doesn't take, there is a new link, too.
	l := Links{Replaces: ResetsIn(matches)}
	unlinked, taken := false, false
	for _, m := range matches {
		l.Sessions = append(l.Sessions, m.Session.SessionID)
		unlinked, taken = unlinked || len(m.Unlinked) > 0, taken || len(m.Links) > 0
	}
	if taken && !unlinked {
		l.Sessions = nil
	}
	return l
}

// ResetsIn lists the reset commits of whose work a commit holds some, with the links of those of
// which it holds enough to take the link.
func ResetsIn(matches []Matched) []lineage.Predecessor {
	var all []lineage.Predecessor
	for _, m := range matches {
		for _, l := range m.Reset {
			p := lineage.Predecessor{Commit: l.Commit, By: lineage.Reset}
			if slices.Contains(m.Links, l.ID) {
				p.Links = []string{l.ID}
			}
			same := func(o lineage.Predecessor) bool { return o.Commit == p.Commit && slices.Equal(o.Links, p.Links) }
			if !slices.ContainsFunc(all, same) {
				all = append(all, p)
			}
		}
	}
	return all
}

// Condensed returns the matches whose sessions' work is condensed: none where all their work in the
// commit is in the commits that it replaces.
func Condensed(matches []Matched, overlaps []Overlap, replaces []lineage.Predecessor) []Matched {
	// The checkpoints of the links that are taken have the conversation already: to condense the
	// same work again would store it twice.
	isNew := slices.ContainsFunc(overlaps, func(o Overlap) bool { return o.Counts && !o.Takes })
	given := slices.ContainsFunc(matches, func(m Matched) bool { return m.Reason == LinkGivenOut }) // each link needs a checkpoint
	if !isNew && !given && lineage.Any(replaces, lineage.Reset) {
		return nil
	}
	return matches
}

// ForSessions matches the sessions that a link was given out for, where the committed content
// matches none: every link needs a checkpoint.
func ForSessions(states []*session.State, sessions []string) []Matched {
	var matches []Matched
	for _, s := range states {
		if slices.Contains(sessions, s.SessionID) {
			matches = append(matches, Matched{Session: s, Reason: LinkGivenOut})
		}
	}
	return matches
}

// MayHaveWork reports whether a commit may hold a session's work: of a turn in progress, on a
// stream, in a file that git ignores, of a reset commit, or discarded. onHead are the sessions on
// streams of HEAD; reset reports whether a linked commit was reset.
func MayHaveWork(s *session.State, onHead []string, reset func(gitexec.OID) bool, now time.Time) bool {
	// It is asked before anything is read, and may say yes too often. To say no wrongly would miss
	// a link.
	return s.Phase == session.Active || s.ShadowBranchSuffix > 0 || s.OnLegacyStream() || len(s.OtherBases)+len(s.Ignored)+len(s.Sources) > 0 || slices.Contains(onHead, s.SessionID) ||
		slices.ContainsFunc(s.Linked, func(l session.Link) bool { return reset(l.Commit) }) ||
		slices.ContainsFunc(s.Dismissed, func(d session.Dismissed) bool { return now.Sub(d.When) <= session.KeptFor })
}
