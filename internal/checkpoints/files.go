package checkpoints

import (
	"errors"

	"entire-plumb/gitexec"
)

// FilesTouched lists the files that a session's part in a checkpoint names, by the part's tree.
func FilesTouched(db *gitexec.ODB, tree gitexec.OID) ([]gitexec.Path, error) {
	s, err := readSession(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: tree}, string(tree))
	return s.meta.FilesTouched, err
}

// LinesOf are the owners of lines that a session's part in a checkpoint records, by the part's
// tree.
func LinesOf(db *gitexec.ODB, tree gitexec.OID) (Owners, error) {
	s, err := readSession(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: tree}, string(tree))
	if err != nil {
		return nil, err
	}
	all := Owners{}
	owned, form, err := s.readLines(db, "")
	if errors.Is(err, ErrDamaged) {
		return all, nil // it records nothing
	}
	if form == nil && err == nil {
		all.add(owned, s.meta.SessionID, s.meta.Agent)
	}
	return all, err
}
