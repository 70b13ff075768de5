package survival

import "entire-plumb/gitexec"

// merge applies a merge: each file that differs from the first parent has the lines of a parent
// with the same version, or of each parent in order those that are the same there, as git blame
// passes them on.
func (a *adding) merge(c Commit, others []*files) {
	by := make([]map[gitexec.Path]Change, len(others))
	for i, changes := range c.Others {
		by[i+1] = map[gitexec.Path]Change{}
		for _, change := range changes {
			by[i+1][change.New] = change
		}
	}
	a.apply(c.Changes, func(change Change, old []run) (now, removed []run) {
		now = a.merged(change, old, by, others)
		return now, missing(old, now)
	})
}

// side is a parent's version of a file, with what the merge changes in it.
type side struct {
	Change
	lines []run
}

// merged is the lines of one file of a merge.
func (a *adding) merged(c Change, first []run, by []map[gitexec.Path]Change, others []*files) []run {
	switch {
	case c.New == "" || c.NoText:
		return nil
	case c.From > 0 && c.From < len(others):
		return others[c.From].get(c.New)
	}
	sides := []side{{c, first}}
	for i := 1; i < len(others); i++ {
		if change, ok := by[i][c.New]; ok && change.Old != "" && change.Fresh == 0 && !change.NoText {
			sides = append(sides, side{change, others[i].get(change.Old)})
		}
	}
	for _, renamed := range []bool{false, true} {
		for _, s := range sides {
			if s.whole() && renamed == (s.Old != s.New) {
				return s.lines
			}
		}
	}
	now := a.compose(sides)
	for _, s := range sides[1:] {
		a.bury(missing(s.lines, now))
	}
	return now
}

// compose puts a version together from its sides. Lines that are new to all of them are the
// merge's.
func (a *adding) compose(sides []side) (now []run) {
	const unborn = -1
	var lines []run // of one line each
	for i, s := range sides {
		theirs, _ := splice(s.lines, s.Hunks, unborn)
		if s.Fresh > 0 {
			theirs = []run{{unborn, 1, int32(s.Fresh)}}
		}
		at := 0
		for _, r := range theirs {
			for k := range r.n {
				one := run{r.birth, r.start + k, 1}
				if i == 0 {
					lines = append(lines, one)
				} else if at < len(lines) && lines[at].birth == unborn {
					lines[at] = one
				}
				at++
			}
		}
	}
	birth := int32(unborn)
	for at, one := range lines {
		if one.birth == unborn {
			if birth == unborn {
				birth = a.born(sides[0].New)
			}
			one = run{birth, int32(at + 1), 1}
		}
		now = appended(now, one)
	}
	return now
}
