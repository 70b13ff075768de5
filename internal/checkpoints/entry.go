package checkpoints

import (
	"cmp"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
)

// enter enters the looks into the book.
func (g *gathering) enter(r Request) error {
	for _, l := range g.looks {
		enter := g.enterLook
		if l.side {
			enter = func(l look) error { return g.enterSide(r, l) }
		}
		if err := enter(l); err != nil {
			return err
		}
		// A side helps only the looks after it: what a look had before can't come from a side that
		// is entered later.
		if l.side || slices.ContainsFunc(r.Lineage.From, func(p lineage.Predecessor) bool { return p.Commit == l.commit }) {
			g.sides = append(g.sides, l)
		}
	}
	return nil
}

// enterSide enters the versions that another commit has of the files. Nobody is charged for them.
func (g *gathering) enterSide(r Request, l look) error {
	gone, err := g.lacks(l.tree) // there a file may have another name than in what is recorded
	if err != nil {
		return err
	}
	return g.enterTree(l.tree, gitexec.PathsOf(r.Changes), l.base, gone...)
}

// enterTree enters the versions that a tree has of some files.
func (g *gathering) enterTree(tree gitexec.OID, paths []gitexec.Path, base gitexec.OID, gone ...*ledger.Version) error {
	found, err := g.db.Files(tree, paths...)
	if err != nil {
		return err
	}
	for i, path := range paths {
		if _, err := g.version(path, found[i], base, gone...); err != nil {
			return err
		}
	}
	return nil
}

// enterLook enters the versions of a look.
func (g *gathering) enterLook(l look) error {
	if l.known != nil {
		return g.enterRecord(l)
	}
	if err := g.readAhead(l); err != nil {
		return err
	}
	if err := g.enterOld(l); err != nil {
		return err
	}
	paths := gitexec.PathsOf(l.changes)
	// Old versions are known by now: a new one that is among them charges nobody.
	gone, err := g.gone(l)
	if err != nil {
		return err
	}
	found := make([][]gitexec.Entry, len(paths)) // by file, that of each side
	for _, side := range g.sides {
		entries, err := g.db.Files(side.tree, paths...)
		if err != nil {
			return err
		}
		for i, e := range entries {
			found[i] = append(found[i], e)
		}
	}
	for i, c := range l.changes {
		if !c.New.Exists() || !g.matters(c.Path) {
			continue
		}
		nearest, err := g.version(c.Path, c.Old, l.base)
		if err != nil {
			return err
		}
		step := ledger.Step{Gone: gone, Beside: g.beside(l)}
		if step.Sides, err = inSides(g, c, found[i], gone); err != nil {
			return err
		}
		if step.Others, err = g.inOthers(l, c); err != nil {
			return err
		}
		if err := g.assign(c.Path, c.New, nearest, step, l); err != nil {
			return err
		}
	}
	return nil
}

// inSides are the versions that the sides have of a file: of one that they lack, that of the file
// among those that are gone that has become it, or that it was before a rename in the history.
func inSides(g *gathering, c gitexec.Change, found []gitexec.Entry, gone []*ledger.Version) (versions []*ledger.Version, err error) {
	var names []gitexec.Path
	if slices.ContainsFunc(found, func(e gitexec.Entry) bool { return !e.Exists() }) {
		was, err := oldName(g, c.New, gone)
		if err != nil {
			return nil, err
		}
		if was != nil {
			names = append(names, gitexec.Path(was.Path))
		}
		former, err := formerNames(g, c.Path)
		if err != nil {
			return nil, err
		}
		names = append(names, former...)
	}
	for k, side := range g.sides {
		path, e := c.Path, found[k]
		for i := 0; i < len(names) && !e.Exists(); i++ {
			old, err := g.db.Files(side.tree, names[i])
			if err != nil {
				return nil, err
			}
			path, e = names[i], old[0]
		}
		v, err := g.version(path, e, cmp.Or(side.commit, side.base)) // a record's base is under it
		if err != nil {
			return nil, err
		}
		versions = append(versions, v)
	}
	return versions, nil
}

// oldName is the file among those that are gone that has become a version; nil: none.
func oldName(g *gathering, e gitexec.Entry, gone []*ledger.Version) (*ledger.Version, error) {
	if len(gone) == 0 || !e.IsFile() {
		return nil, nil
	}
	data, text, err := g.text(e.ID)
	if err != nil || !text {
		return nil, err
	}
	return g.book.Likest(data, nil, gone), nil
}

// enterOld enters the versions that a look's files had before: lines may have moved from any of
// them.
func (g *gathering) enterOld(l look) error {
	for _, c := range l.changes {
		if !g.matters(c.Path) {
			continue
		}
		if _, err := g.version(c.Path, c.Old, l.base); err != nil {
			return err
		}
	}
	return nil
}

// inOthers are the versions of a file in the trees that a look may have lines of, without its own.
func (g *gathering) inOthers(l look, c gitexec.Change) (versions []*ledger.Version, err error) {
	for _, other := range l.others {
		name := cmp.Or(l.names[c.Path], c.Path)
		found, err := g.db.Files(other, name)
		if err != nil {
			return nil, err
		}
		// To enter the very version that is asked about would make its lines known as older ones.
		if name == c.Path && found[0].ID == c.New.ID {
			continue
		}
		v, err := g.version(name, found[0], g.baseOf[other])
		if err != nil {
			return nil, err
		}
		versions = append(versions, v)
	}
	return versions, nil
}

// enterRecord enters what is recorded of a commit. It may have been amended without our hooks
// since, or cherry-picked to where a file has another name.
func (g *gathering) enterRecord(l look) error {
	paths := slices.Sorted(maps.Keys(l.known))
	lacks, err := g.lacks(l.tree)
	if err != nil {
		return err
	}
	found, err := g.db.Files(l.tree, paths...)
	if err != nil {
		return err
	}
	// The parent's versions come first, so that what was there before isn't new in the record.
	if l.before != "" {
		if err := g.enterTree(l.before, paths, l.base, lacks...); err != nil {
			return err
		}
	}
	if l.base != "" { // else the commit's parent has what was there
		removed, err := g.takenAway(l)
		if err != nil {
			return err
		}
		lacks = append(lacks, removed...)
	}
	for _, path := range paths {
		f := l.known[path]
		if data, text, err := g.text(f.Blob); err == nil && text {
			g.book.Record(string(path), string(f.Blob), data, f.spread(g), ledger.Step{Gone: lacks, Beside: g.beside(l)})
		}
	}
	var gone []*ledger.Version
	for i, path := range paths {
		recorded := g.book.Known(string(path), string(l.known[path].Blob))
		switch {
		// The record is of a file that this commit hasn't: it may have it under another name.
		case !found[i].Exists() && recorded != nil:
			gone = append(gone, recorded)
		// The record is of another version, as before an amend: this one is made from it.
		case found[i].Exists() && found[i].ID != l.known[path].Blob:
			if err := g.assign(path, found[i], recorded, ledger.Step{}, l); err != nil {
				return err
			}
		}
	}
	return g.enterRenamed(l, gone, lacks)
}

// takenAway are the files that a recorded commit took away: one that it added may be such a file
// under a new name, with lines that older commits brought.
func (g *gathering) takenAway(l look) (removed []*ledger.Version, err error) {
	changes, err := g.db.DiffTrees(l.before, l.tree)
	for _, c := range changes {
		if c.New.Exists() || !g.matters(c.Path) || err != nil {
			continue
		}
		var v *ledger.Version
		if v, err = g.version(c.Path, c.Old, l.base); v != nil {
			removed = append(removed, v)
		}
	}
	return removed, err
}

// enterRenamed enters the files of a commit of which nothing is recorded: they may be those of
// which something is, and that it hasn't. What it adds may be a file of an earlier one, too, that
// it lacks.
func (g *gathering) enterRenamed(l look, gone, lacks []*ledger.Version) error {
	if len(gone)+len(lacks) == 0 || l.before == "" {
		return nil
	}
	changes, err := g.db.DiffTrees(l.before, l.tree)
	for _, c := range changes {
		if _, ok := l.known[c.Path]; ok || !c.New.Exists() || err != nil {
			continue
		}
		switch {
		case !c.Old.Exists():
			err = g.assign(c.Path, c.New, nil, ledger.Step{Gone: slices.Concat(gone, lacks)}, l)
		// A file that was there may have taken in the lines of one that is gone.
		case len(gone) > 0:
			err = g.assign(c.Path, c.New, nil, ledger.Step{Gone: gone}, l)
		}
	}
	return err
}

// gone are the files that a look takes away: what it adds may be one of them under a new name. Of
// the human's part these are all that are known and aren't there, since commits may have come in
// between.
func (g *gathering) gone(l look) (gone []*ledger.Version, err error) {
	if len(l.others) == 0 && !slices.ContainsFunc(l.changes, func(c gitexec.Change) bool { return !c.Old.Exists() }) {
		return nil, nil
	}
	for _, c := range l.changes {
		if !c.Old.Exists() || c.New.Exists() || !g.matters(c.Path) {
			continue
		}
		v, err := g.version(c.Path, c.Old, l.base)
		if err != nil {
			return nil, err
		}
		if v != nil {
			gone = append(gone, v)
		}
	}
	// A turn's snapshots are whole: what it takes away is all among its changes.
	if l.by.IsTurn() {
		return gone, nil
	}
	lacks, err := g.lacks(l.tree) // a file that is taken away may come back as it was in another version
	return append(lacks, gone...), err
}

// charged is who answers for a new line of a look.
func charged(book *ledger.Book, l look, replaces bool) ledger.Owner {
	by := l.by
	if by == ledger.Human && replaces {
		by = ledger.Modified
	}
	// Another turn was in progress: that the human wrote it is a guess until that turn's own end
	// says otherwise.
	if l.doubtful {
		return book.Pending(by)
	}
	return by
}

// nearest is the version that a new one was made from. A turn's is made from what was there when it
// began, or what others have done since; the human's from whatever was there.
func (g *gathering) nearest(path gitexec.Path, data []byte, before *ledger.Version, s ledger.Step, l look) *ledger.Version {
	if !l.by.IsTurn() {
		// Any known version, since commits, stashes and rewinds may have come in between unseen.
		like := append([]*ledger.Version{before}, s.Others...)
		return g.book.Likest(data, append(like, g.book.Versions(string(path))...), s.Gone)
	}
	like := []*ledger.Version{before}
	for _, v := range g.book.Versions(string(path)) {
		// Versions that others made while this turn went on: the turn may have gone on from them.
		if when, ok := g.seen[v]; ok && !l.began.IsZero() && !when.Before(l.began) {
			like = append(like, v)
		}
	}
	return g.book.Likest(data, like, nil)
}

func (g *gathering) assign(path gitexec.Path, e gitexec.Entry, before *ledger.Version, s ledger.Step, l look) error {
	if !e.IsFile() {
		return nil
	}
	v := g.book.Known(string(path), string(e.ID))
	s.Nearest = before
	if v == nil {
		data, text, err := g.text(e.ID)
		if err != nil || !text {
			return err
		}
		s.Nearest = g.nearest(path, data, before, s, l)
		s.Charge = func(_ int, replaces bool) ledger.Owner { return charged(g.book, l, replaces) }
		if l.by == ledger.Human {
			s.Drop = func(id ledger.ID) {
				if g.dropped[path] == nil {
					g.dropped[path] = map[ledger.ID]int{}
				}
				g.dropped[path][id]++
			}
		}
		v = g.book.Assign(string(path), string(e.ID), data, s)
		g.seen[v] = l.when
	}
	if l.by.IsTurn() {
		// Assign and Claim differ here: a turn claims what is new since its own start, whatever
		// version is nearest.
		s.Nearest = before
		g.book.Claim(v, s, l.by)
		if before != nil {
			if g.taken[path] == nil {
				g.taken[path] = map[ledger.ID]int{}
			}
			countTaken(g.taken[path], before.Text, v.Text)
		}
	}
	return nil
}

// countTaken counts the lines that a version lacks, less those that it has in another place: a line
// that is moved is not taken out.
func countTaken(taken map[ledger.ID]int, was, now ledger.Text) {
	stay := make([]bool, len(was))
	for line, at := range ledger.Match(was, now) {
		if at >= 0 {
			stay[at] = true
		} else {
			// A new line is taken off: where the same line was taken out elsewhere, it was moved.
			taken[now[line]]--
		}
	}
	for at, id := range was {
		if !stay[at] {
			taken[id]++
		}
	}
}
