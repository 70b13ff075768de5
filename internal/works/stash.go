package works

import (
	"entire-plumb/gitexec"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// InStash are files of work as the commit has them that a stash entry was made on, and as the entry
// has them, in the order of the files. One that was renamed before it was stashed is there under
// its new name.
func InStash(db *gitexec.ODB, stash shadow.Stash, files [][]suffix.Change, texts suffix.Texts) ([]gitexec.Change, error) {
	paths, lacks := make([]gitexec.Path, len(files)), map[gitexec.Path]bool{}
	for i, file := range files {
		paths[i] = file[0].Path
	}
	found, err := stash.Lookup(db, paths...)
	if err != nil {
		return nil, err
	}
	for i, file := range files {
		if file[len(file)-1].After.Exists() && !found[i].New.Exists() {
			lacks[paths[i]] = true
		}
	}
	if len(lacks) == 0 {
		return found, nil
	}
	entry, err := stash.Changes(db)
	if err != nil {
		return nil, err
	}
	named, _, err := suffix.FollowRenames(suffix.Renaming{Works: files, Version: entry, Gone: func(path gitexec.Path) bool { return lacks[path] }, Texts: texts})
	if err != nil {
		return nil, err
	}
	versions := suffix.NewWorktree(entry)
	for i := range found {
		if now := named[i][0].Path; now != paths[i] {
			found[i].New = versions[now].New
		}
	}
	return found, nil
}
