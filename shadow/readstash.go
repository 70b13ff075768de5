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
	base, untracked gitexec.OID // trees
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
		ids := []gitexec.OID{s.Base}
		if s.Untracked != "" {
			ids = append(ids, s.Untracked)
		}
		commits, err := db.Commits(ids...)
		if err != nil {
			return nil, err
		}
		stashes[i] = Stash{Stash: s, base: commits[0].Tree}
		if s.Untracked != "" {
			stashes[i].untracked = commits[1].Tree
		}
	}
	return stashes, nil
}

// MayHaveStashes guesses whether there is a stash, without a process: its reflog exists where refs
// are files; in reftables there may always be one.
func MayHaveStashes(repo *gitexec.Repo) bool {
	_, err := os.Lstat(filepath.Join(repo.CommonDir, "logs", "refs", "stash"))
	return err == nil || repo.HasReftables()
}

// Lookup compares files of the stash entry, tracked and untracked, with the commit that it was made
// on: a file that is as it is there, the entry does not hold. The changes are in the order of the
// paths, one for each; Old and New are the zero entry where there is no such file.
func (s Stash) Lookup(db *gitexec.ODB, paths ...gitexec.Path) ([]gitexec.Change, error) {
	changes, err := db.Versions(s.base, s.Tree, paths...)
	if err != nil || s.untracked == "" {
		return changes, err
	}
	// Git keeps untracked files in a commit of their own.
	untracked, err := db.Files(s.untracked, paths...)
	for i, entry := range untracked {
		if entry.Exists() {
			changes[i].New = entry
		}
	}
	return changes, err
}

// Changes are the files that the stash entry changes: the tracked ones by path, and then the
// untracked ones.
func (s Stash) Changes(db *gitexec.ODB) ([]gitexec.Change, error) {
	found, err := db.DiffEach("", gitexec.Trees{Old: s.base, New: s.Tree}, gitexec.Trees{New: s.untracked})
	if err != nil {
		return nil, err
	}
	return append(found[0], found[1]...), nil
}
