package works

import (
	"entire-plumb/gitexec"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// InStash are files of work as the commit has them that a stash entry was made on, and as the entry
// has them, in the order of the files, each of which has a change at least. One that was renamed
// before it was stashed is there under its new name. A file that is not there is the zero entry.
func InStash(db *gitexec.ODB, stash shadow.Stash, files [][]suffix.Change, texts suffix.Texts) ([]gitexec.Change, error) {
	found, err := stash.Lookup(db, pathsOf(files)...)
	if err != nil {
		return nil, err
	}
	return found, followNames(found, files, func() ([]gitexec.Change, error) { return stash.Changes(db) }, texts)
}

// InTree is InStash for a tree, and the one that it came from.
func InTree(db *gitexec.ODB, from, tree gitexec.OID, files [][]suffix.Change, texts suffix.Texts) ([]gitexec.Change, error) {
	found, err := db.Versions(from, tree, pathsOf(files)...)
	if err != nil {
		return nil, err
	}
	return found, followNames(found, files, func() ([]gitexec.Change, error) { return db.DiffTrees(from, tree) }, texts)
}

func pathsOf(files [][]suffix.Change) []gitexec.Path {
	paths := make([]gitexec.Path, len(files))
	for i, file := range files {
		paths[i] = file[0].Path
	}
	return paths
}

// followNames looks for files of work that a version lacks under the names of those that it adds,
// among all that it changes.
func followNames(found []gitexec.Change, files [][]suffix.Change, all func() ([]gitexec.Change, error), texts suffix.Texts) error {
	lacks := map[gitexec.Path]bool{}
	for i, file := range files {
		// Work that deleted the file has no new name to look for.
		if file[len(file)-1].After.Exists() && !found[i].New.Exists() {
			lacks[file[0].Path] = true
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	changes, err := all()
	if err != nil {
		return err
	}
	named, _, err := suffix.FollowRenames(suffix.Renaming{Works: files, Version: changes, Gone: func(path gitexec.Path) bool { return lacks[path] }, Texts: texts})
	if err != nil {
		return err
	}
	versions := gitexec.ByPath(changes)
	for i, file := range files {
		if now := named[i][0].Path; now != file[0].Path {
			found[i].New = versions[now].New
		}
	}
	return nil
}
