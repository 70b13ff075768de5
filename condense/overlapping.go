package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/suffix"
)

// Written is what an agent is known to have written in its turn in progress, by its transcript.
type Written struct {
	Files []gitexec.Path
	Texts map[gitexec.Path]transcript.Texts // that its tools were given for files, as far as the transcript has them
	All   bool                              // and nothing else
	Told  bool                              // nor did a shell run, or a tool that may write any file
}

// Without is what is left without the files of some works.
func (w Written) Without(works []Work) Written {
	w.Files = slices.DeleteFunc(slices.Clone(w.Files), func(path gitexec.Path) bool {
		return slices.ContainsFunc(works, func(work Work) bool {
			return slices.ContainsFunc(work.Changes, func(c suffix.Change) bool { return c.Path == path })
		})
	})
	return w
}

// Overlapping is a turn in progress (Of) while the agent of another one makes a commit.
type Overlapping struct {
	Of, Committing *session.State
	Changes        []gitexec.Change   // of the commit
	Began          []gitexec.Entry    // the files at the turn's start, in the order of the changes
	CommitterBegan []gitexec.Entry    // and when the committing agent's began
	Wrote          map[string]Written // by session
	Streams        []Work             // whose versions are recorded
}

// BeforeTurn is the work that the turn did before the committing agent's turn began: by the
// snapshots at the start of both, what changed in between and is not committed yet. It has the
// files that its transcript names, and, unless that names all, those that no other turn's does; but
// none that a stream has in that version.
func BeforeTurn(o Overlapping) []Work {
	was, is := o.Of.LastInteractionTime, o.Committing.LastInteractionTime
	// Only the turn that began first can have worked before the other one.
	if was == nil || is == nil || !was.Before(*is) {
		return nil
	}
	own := o.Wrote[o.Of.SessionID]
	w := Work{Session: o.Of, InTurn: true, Early: true}
	for i, c := range o.Changes {
		version := o.CommitterBegan[i]
		// The turn did nothing there until then, or it is committed, or a stream has it, which
		// judges it by itself.
		if o.Began[i] == version || version == c.Old || o.recorded(c.Path, version) {
			continue
		}
		mine, theirs := slices.Contains(own.Files, c.Path), slices.Contains(o.Wrote[o.Committing.SessionID].Files, c.Path)
		// Named by both, the part before the other turn is this one's; named by it alone, the work
		// of the turn in progress has it anyway. Not named by it, a command of it wrote it, unless
		// its tools named all, or those of a third turn name it.
		if mine && theirs || !mine && !own.All && !o.namedByOthers(c.Path) {
			w.Changes = append(w.Changes, suffix.Change{Path: c.Path, Before: o.Began[i], After: version})
		}
	}
	if len(w.Changes) == 0 {
		return nil
	}
	return []Work{w}
}

// namedByOthers reports whether the transcript of another turn in progress names a file, apart from
// the committing agent's, whose turn had not begun.
func (o Overlapping) namedByOthers(path gitexec.Path) bool {
	for id, wrote := range o.Wrote {
		if id != o.Of.SessionID && id != o.Committing.SessionID && slices.Contains(wrote.Files, path) {
			return true
		}
	}
	return false
}

func (o Overlapping) recorded(path gitexec.Path, version gitexec.Entry) bool {
	return slices.ContainsFunc(o.Streams, func(w Work) bool {
		return slices.ContainsFunc(w.Changes, func(c suffix.Change) bool { return c.Path == path && c.After == version })
	})
}
