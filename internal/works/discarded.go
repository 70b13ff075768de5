package works

import (
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// mostDiscarded is how many streams with discarded work of a session are looked at, the latest
// first, in each commit of the two weeks for which it is kept (session.KeptFor). Each takes the
// comparison of its turns. A user who discards more than eight attempts takes one of the last.
const mostDiscarded = 8

// OfDiscarded is the session's discarded work in files that changes bring in other versions: a
// patch, or the human, may have brought it back beside other lines. It omits streams that git has
// pruned.
func OfDiscarded(db *gitexec.ODB, s *session.State, changes []gitexec.Change) ([]condense.Work, error) {
	files := map[gitexec.OID][]gitexec.Path{} // by the last checkpoint
	var tips []gitexec.OID
	for _, d := range slices.Backward(s.Dismissed) {
		// In the very version that was discarded it is condense.RestoredContent, which needs no
		// stream.
		other := func(c gitexec.Change) bool { return c.Path == d.Path && c.New.Exists() && c.New != d.Entry }
		if d.Tip == "" || !slices.ContainsFunc(changes, other) {
			continue
		}
		if files[d.Tip] == nil {
			tips = append(tips, d.Tip)
		}
		files[d.Tip] = append(files[d.Tip], d.Path)
	}
	var found []condense.Work
	for _, tip := range tips[:min(len(tips), mostDiscarded)] {
		made, err := agentChanges(db, tip)
		if err != nil {
			return nil, err
		}
		w := condense.Work{Session: s, Discarded: true, Origins: []gitexec.OID{tip}}
		for _, c := range made {
			if c.Session == s.SessionID && slices.Contains(files[tip], c.Path) {
				w.Changes = append(w.Changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
			}
		}
		if len(w.Changes) > 0 {
			found = append(found, w)
		}
	}
	return found, nil
}

// agentChanges are those on a stream that ends with a checkpoint; none where that is pruned or
// cannot be read.
func agentChanges(db *gitexec.ODB, tip gitexec.OID) ([]shadow.Change, error) {
	info, err := db.Info(tip)
	if err != nil || info[0].Type != "commit" {
		return nil, err
	}
	last, ours, err := shadow.ReadCheckpoint(db, tip)
	if err != nil || !ours {
		return nil, err
	}
	made, err := shadow.Stream{Tip: last}.AgentChanges(db)
	if err != nil {
		return nil, nil // a part of it is pruned, or damaged
	}
	return made, nil
}
