package attribution

import "entire-plumb/gitexec"

// Removed is how many old lines a change in the commit takes away, given the patch from its first
// parent. A merge does not take away again what the side of another parent did. Two processes for
// each other parent of a merge, once.
func (c *Commit) Removed(p gitexec.FilePatch) (removed int, err error) {
	if c.dropped == nil && len(c.of.Parents) > 1 {
		c.dropped = map[gitexec.Path]map[int]bool{}
		for _, other := range c.of.Parents[1:] {
			if err := c.readDropped(c.of.Parents[0], other); err != nil {
				return 0, err
			}
		}
	}
	for _, h := range p.Hunks {
		for i := range h.OldLines {
			if !c.dropped[p.Old][h.OldStart+i] {
				removed++
			}
		}
	}
	return removed, nil
}

// readDropped finds the lines of a merge's first parent that it has from the base, and that the
// side of another parent removed.
func (c *Commit) readDropped(first, other gitexec.OID) error {
	base, err := c.db.MergeBase(first, other)
	if err != nil || base == "" {
		return err
	}
	trees, err := commitTrees(c.db, []gitexec.OID{base, first, other})
	if err != nil || trees[0] == "" || trees[1] == "" || trees[2] == "" {
		return err
	}
	fresh := map[gitexec.Path]map[int]bool{} // lines that the base lacks
	return c.db.PatchTrees([][2]gitexec.OID{{trees[0], trees[1]}, {trees[1], trees[2]}}, func(p gitexec.FilePatch) error {
		for _, h := range p.Hunks {
			if p.Pair == 0 {
				mark(fresh, p.New, h.NewStart, h.NewLines, nil)
			} else {
				mark(c.dropped, p.Old, h.OldStart, h.OldLines, fresh[p.Old])
			}
		}
		return nil
	})
}

// mark adds lines of a file, but for some.
func mark(all map[gitexec.Path]map[int]bool, path gitexec.Path, start, lines int, but map[int]bool) {
	if all[path] == nil {
		all[path] = map[int]bool{}
	}
	for line := start; line < start+lines; line++ {
		if !but[line] {
			all[path][line] = true
		}
	}
}
