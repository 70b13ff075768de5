package works

import (
	"entire-plumb/gitexec"
	"errors"
)

// TreesOf are the trees of commits; those that git has pruned have none.
func TreesOf(db *gitexec.ODB, commits []gitexec.OID) (trees []gitexec.OID, err error) {
	for _, id := range commits {
		found, err := db.Commits(id)
		if missing := new(gitexec.MissingError); errors.As(err, &missing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		trees = append(trees, found[0].Tree)
	}
	return trees, nil
}
