package works

import (
	"bytes"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/divide"
)

// Rebased is the version of a file that a turn began from, on HEAD at its end: with what HEAD has
// got of the file since. Where the human had changed nothing in it, that is HEAD's. Where the
// versions can't be compared line by line, it is the one of the start.
func Rebased(db *gitexec.ODB, f condense.TurnFile) (gitexec.Entry, error) {
	switch {
	case f.Began == f.HeadAtStart:
		return f.HeadAtEnd, nil
	case f.HeadAtStart == f.HeadAtEnd || !f.Began.Exists() || !f.Ended.Exists() || !f.HeadAtEnd.Exists():
		return f.Began, nil
	}
	turn, ok, err := fileOf(db, gitexec.Change{Old: f.Began, New: f.Ended})
	if err != nil || !ok {
		return f.Began, err
	}
	head, ok, err := fileOf(db, gitexec.Change{Old: f.HeadAtStart, New: f.HeadAtEnd})
	if err != nil || !ok {
		return f.Began, err
	}
	before := f.Began
	if f.Ended.Mode == f.HeadAtEnd.Mode {
		before.Mode = f.Ended.Mode
	}
	switch text := divide.Rebased(turn.Was, turn.Now, head.Was, head.Now); {
	case bytes.Equal(text, turn.Now):
		before.ID = f.Ended.ID
	case !bytes.Equal(text, turn.Was):
		before.ID, err = db.WriteBlob(text)
	}
	return before, err
}
