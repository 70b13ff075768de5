package works

import (
	"errors"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/divide"
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

// FromSides adds to the sides of a commit with one parent, which makes these changes, those commits that
// introduced the lines that come from there: what is recorded of them says whose they are. One process
// for a file that has some.
func (p Place) FromSides(changes []gitexec.Change, sides []gitexec.OID) ([]gitexec.OID, error) {
	blames := 0
	for _, side := range slices.Clone(sides) {
		trees, err := TreesOf(p.DB, []gitexec.OID{side})
		if err != nil || len(trees) == 0 {
			return sides, err
		}
		for _, change := range changes {
			there, err := p.DB.Lookup(trees[0], change.Path)
			if err != nil {
				return sides, err
			}
			var f divide.File
			var ok [3]bool
			source := []byte(nil)
			for i, one := range []struct {
				of   gitexec.Entry
				text *[]byte
			}{{change.Old, &f.Was}, {change.New, &f.Now}, {there[0], &source}} {
				if *one.text, ok[i], err = textOf(p.DB, one.of); err != nil {
					return sides, err
				}
			}
			if !ok[1] || !ok[2] {
				continue
			}
			f.Sources = [][]byte{source}
			_, from, _ := f.Before()
			for _, b := range from {
				ids, err := p.introduced(side, change.Path, b.Lines, &blames)
				if err != nil {
					return sides, err
				}
				for _, id := range ids {
					if !slices.Contains(sides, id) {
						sides = append(sides, id)
					}
				}
			}
		}
	}
	return sides, nil
}
