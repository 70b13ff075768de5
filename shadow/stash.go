package shadow

import (
	"context"
	"os"
	"path/filepath"

	"entire-plumb/gitexec"
)

// Stash is one entry of the user's stash, as files.
type Stash struct {
	gitexec.Stash
	untracked gitexec.OID // a tree
}

// Stashes reads the user's stash, newest first. No process where there is none, one where there is.
func Stashes(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB) ([]Stash, error) {
	info, err := db.Info("refs/stash")
	if err != nil || info[0].Type == "" {
		return nil, err
	}
	found, err := repo.Stashes(ctx)
	if err != nil {
		return nil, err
	}
	stashes := make([]Stash, len(found))
	for i, s := range found {
		stashes[i].Stash = s
		if s.Untracked == "" {
			continue
		}
		commits, err := db.Commits(s.Untracked)
		if err != nil {
			return nil, err
		}
		stashes[i].untracked = commits[0].Tree
	}
	return stashes, nil
}

// MayHaveStashes guesses whether there is a stash, without a process: its reflog exists where refs
// are files; in reftables there may always be one.
func MayHaveStashes(repo *gitexec.Repo) bool {
	_, err := os.Lstat(filepath.Join(repo.CommonDir, "logs", "refs", "stash"))
	return err == nil || repo.HasReftables()
}

// Lookup finds files in the stash entry, tracked and untracked.
func (s Stash) Lookup(db *gitexec.ODB, paths ...gitexec.Path) ([]gitexec.Entry, error) {
	found, err := db.Lookup(s.Tree, paths...)
	if err != nil || s.untracked == "" {
		return found, err
	}
	more, err := db.Lookup(s.untracked, paths...)
	for i, e := range more {
		if e.Exists() {
			found[i] = e
		}
	}
	return found, err
}
