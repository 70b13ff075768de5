package checkpoints

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
)

// moves are lines of a commit that the files which it changes had before, by file, from 0: the
// commit moves them, or changes their form. They are no evidence of its work in another commit,
// which may be the one that wrote them.
type moves map[gitexec.Path][]bool

// replacedVersions are the versions by which moves finds them: what the changes replace, and what
// takes its place.
func replacedVersions(changes []gitexec.Change) (blobs []gitexec.OID) {
	for _, c := range changes {
		// An added file replaces nothing: what it has was in no file before.
		if !c.Old.IsFile() {
			continue
		}
		if blobs = append(blobs, c.Old.ID); c.New.IsFile() {
			blobs = append(blobs, c.New.ID)
		}
	}
	return blobs
}

// moves finds them among the agents' lines. hashed are the lines of these versions.
func (a Attribution) moves(changes []gitexec.Change, hashed map[gitexec.OID][]lineage.Line) moves {
	had, agents := map[lineage.Line]int{}, map[gitexec.Path]bool{}
	for _, f := range a.Files {
		agents[f.Path] = len(hashed[f.Blob]) > 0
	}
	for _, c := range changes {
		// Each line of the old versions explains one in the new ones, and others' lines take theirs
		// before the agents do.
		for _, line := range hashed[c.Old.ID] {
			had[line]++
		}
		if !agents[c.Path] {
			for _, line := range hashed[c.New.ID] {
				had[line]--
			}
		}
	}
	a.eachHashed(hashed, false, func(_ AttributedFile, _ int, hash lineage.Line) { had[hash]-- })
	found := moves{}
	a.eachHashed(hashed, true, func(f AttributedFile, line int, hash lineage.Line) {
		if had[hash] <= 0 {
			return
		}
		if had[hash]--; found[f.Path] == nil {
			found[f.Path] = make([]bool, len(hashed[f.Blob]))
		}
		found[f.Path][line] = true
	})
	return found
}

// eachHashed passes on the lines that are the agents', or the others, and that are hashed, with
// their numbers from 0.
func (a Attribution) eachHashed(hashed map[gitexec.OID][]lineage.Line, agents bool, do func(f AttributedFile, line int, hash lineage.Line)) {
	for _, f := range a.Files {
		lines := hashed[f.Blob]
		at := 0
		for _, r := range f.Lines {
			for end := min(len(lines), at+min(r.Count, len(lines))); at < end; at++ {
				if r.Owner.IsTurn() == agents {
					do(f, at, lines[at])
				}
			}
		}
	}
}

// addMoved notes which lines in a file's ranges the commit only moves.
func (f *OwnedFile) addMoved(moved []bool) {
	for _, r := range f.Ranges {
		for line := r[0]; line < r[0]+r[1] && line <= len(moved); line++ {
			if !moved[line-1] {
				continue
			}
			if last := len(f.Moved) - 1; last >= 0 && f.Moved[last][0]+f.Moved[last][1] == line {
				f.Moved[last][1]++
			} else {
				f.Moved = append(f.Moved, [2]int{line, 1})
			}
		}
	}
}

// evidence are the hashes of the lines in the ranges that the commit does not only move.
func (f OwnedFile) evidence() (lines []lineage.Line) {
	all := f.hashes()
	if len(f.Moved) == 0 || all == nil {
		return all
	}
	moved := map[int]bool{}
	for _, m := range f.Moved {
		// A list from elsewhere may claim any number of lines.
		for line := m[0]; line < m[0]+min(m[1], len(all)) && len(moved) < len(all); line++ {
			moved[line] = true
		}
	}
	at := 0
	for _, r := range f.Ranges {
		for line := r[0]; line < r[0]+r[1]; line, at = line+1, at+1 {
			if !moved[line] {
				lines = append(lines, all[at])
			}
		}
	}
	return lines
}
