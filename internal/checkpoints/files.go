package checkpoints

import "entire-plumb/gitexec"

// FilesTouched lists the files that a session's part in a checkpoint names, by the part's tree.
func FilesTouched(db *gitexec.ODB, tree gitexec.OID) ([]gitexec.Path, error) {
	s, err := readSession(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: tree}, string(tree))
	return s.meta.FilesTouched, err
}
