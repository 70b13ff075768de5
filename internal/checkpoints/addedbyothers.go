package checkpoints

import (
	"slices"

	"entire-plumb/gitexec"
)

// RecordedHere reports whether this clone wrote a checkpoint. No process.
func RecordedHere(db *gitexec.ODB, b Branch, id string) bool {
	return len(b.record(db).Sessions(id)) > 0
}

// Judged is the branch as it is read by commands that list or resume what was recorded. added says
// of a session's part in a checkpoint that this clone didn't write whether it counts as added by
// others; all such parts count where a branch is not judged.
func Judged(b Branch, added func(id, session string) bool) Branch {
	b.added = added
	return b
}

// addedByOthers reports, of each session of a checkpoint, whether others added it to what this
// clone wrote: to the checkpoint, or to all checkpoints, see Judged. Of several parts with one ID
// the one that was written here counts, else the first.
func addedByOthers(db *gitexec.ODB, b Branch, id string, sessions []sessionDir) []bool {
	added := make([]bool, len(sessions))
	if !RecordedHere(db, b, id) {
		for i, s := range sessions {
			added[i] = b.added != nil && b.added(id, s.meta.SessionID)
		}
		return added
	}
	counts := map[string]int{}
	for i, s := range sessions {
		// Whoever can push can add a session, also one with the ID of ours: the directory that this
		// clone wrote tells them apart.
		if _, seen := counts[s.meta.SessionID]; !seen && b.record(db).Wrote(id, s.tree) {
			counts[s.meta.SessionID] = i
		}
	}
	if len(counts) == len(sessions) {
		return added
	}
	// Another clone may have made a part of ours longer: it is still the session that was written
	// here.
	mine := b.writtenHere(db, id)
	if mine == nil {
		return added
	}
	for i, s := range sessions {
		_, known := mine.index(s.meta.SessionID)
		if _, seen := counts[s.meta.SessionID]; !seen && known {
			counts[s.meta.SessionID] = i
		}
		at, there := counts[s.meta.SessionID]
		added[i] = !there || at != i
	}
	return added
}

// ownFirst are a checkpoint's sessions with those at the end that others added to what this clone
// wrote, and how many these are.
func ownFirst(db *gitexec.ODB, b Branch, id string, sessions []sessionDir) (all []sessionDir, added int) {
	others := addedByOthers(db, b, id, sessions)
	for _, wanted := range []bool{false, true} {
		for i, s := range sessions {
			if others[i] == wanted {
				all = append(all, s)
			}
		}
	}
	for _, one := range others {
		added += ordinal(one)
	}
	return slices.Clip(all), added
}

// hasAllWritten reports whether this clone wrote a checkpoint, with no more sessions than so many.
func hasAllWritten(db *gitexec.ODB, b Branch, id string, sessions int) bool {
	// What cannot be read beyond that is what others have added.
	return RecordedHere(db, b, id) && sessions >= len(b.record(db).Sessions(id))
}
