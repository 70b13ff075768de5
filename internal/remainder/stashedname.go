package remainder

import (
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/works"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// underStashedNames adds files that were renamed under the names that they had where the work was
// done, too, if a stash entry has that work under the old name: somebody renamed the version before
// it. git stash pop follows a rename only where it is committed.
func (r Request) underStashedNames(texts *shadow.Texts, stashes []shadow.Stash) ([]condense.Work, error) {
	works := slices.Clone(r.Works)
	for i, w := range works {
		for _, file := range suffix.ByFile(w.Changes) {
			if file[0].Was == "" {
				continue
			}
			stashed, err := r.inStash(file, stashes, texts)
			if err != nil {
				return nil, err
			}
			if stashed {
				works[i].Changes = slices.Concat(works[i].Changes, underOldName(file))
			}
		}
	}
	return works, nil
}

// inStash reports whether a stash entry has a file's work under its old name.
func (r Request) inStash(file []suffix.Change, stashes []shadow.Stash, texts *shadow.Texts) (bool, error) {
	was := file[0].Was
	own := underOldName(file)
	for _, s := range stashes {
		found, err := works.InStash(texts.DB, s, [][]suffix.Change{own}, texts)
		if err != nil {
			return false, err
		}
		// The entry lacks the file, or has it as the commit that it was made on.
		if !found[0].New.Exists() || found[0].New == found[0].Old {
			continue
		}
		has, err := suffix.InEffect(own, gitexec.Change{Path: was, Old: file[0].Before, New: found[0].New}, texts)
		if has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// underOldName gives the changes of a file that was renamed its old name.
func underOldName(file []suffix.Change) []suffix.Change {
	file = slices.Clone(file)
	for i, c := range file {
		file[i].Path, file[i].Was = c.Was, ""
	}
	return file
}
