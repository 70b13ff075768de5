package checkpoints

import (
	"errors"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

// lacks are the files that are known and that a tree hasn't.
func (g *gathering) lacks(tree gitexec.OID) (all []*ledger.Version, err error) {
	known := g.book.Paths()
	paths := make([]gitexec.Path, len(known))
	for i, path := range known {
		paths[i] = gitexec.Path(path)
	}
	found, err := g.db.Files(tree, paths...)
	if err != nil {
		return nil, err
	}
	for i, path := range known {
		if v := g.book.Last(path); !found[i].Exists() && len(v.Text) > 0 {
			all = append(all, v)
		}
	}
	return all, nil
}

func (g *gathering) matters(path gitexec.Path) bool { return g.only == nil || g.only[path] }

// beside are another file's version before a look, and its lines in it, which are nobody's yet. The
// look tells what was moved, also where the commit has the new place alone.
func (g *gathering) beside(l look) func(path string) (was *ledger.Version, now ledger.Text, known bool) {
	return func(path string) (was *ledger.Version, now ledger.Text, known bool) {
		file := gitexec.Path(path)
		before, err := g.db.Files(l.before, file)
		after, err2 := g.db.Files(l.tree, file)
		if errors.Join(err, err2) != nil {
			return nil, nil, false
		}
		was, err = g.version(file, before[0], l.base)
		if err != nil || was == nil && before[0].Exists() {
			return nil, nil, false
		}
		if now, known = g.lines(path, after[0]); !known {
			return nil, nil, false
		}
		return was, now, true
	}
}

// lines are those of a version of a file; none, where there is no file. known is false where they
// can't be read.
func (g *gathering) lines(path string, e gitexec.Entry) (lines ledger.Text, known bool) {
	if !e.Exists() {
		return nil, true
	}
	if v := g.book.Known(path, string(e.ID)); v != nil {
		return v.Text, true
	}
	data, text, err := g.text(e.ID)
	if err != nil || !text || !e.IsFile() {
		return nil, false
	}
	return g.book.Text(data), true
}

// version is a version of a file: of one that is not known, what known ones don't have stood before
// all that is known, in base, if that isn't the commit's parent, which may have it all the same. It
// may be a file that is gone, under a new name. nil: there is none, or it has no lines.
func (g *gathering) version(path gitexec.Path, e gitexec.Entry, base gitexec.OID, gone ...*ledger.Version) (*ledger.Version, error) {
	if !e.IsFile() {
		return nil, nil
	}
	if v := g.book.Known(string(path), string(e.ID)); v != nil {
		return v, nil
	}
	data, text, err := g.text(e.ID)
	if err != nil || !text {
		return nil, err
	}
	step := ledger.Step{Gone: gone}
	if at := askedAt(g, path, e, base); at != "" {
		step.Charge = g.places(olderVersion{commit: at, path: path, blob: e.ID}, data)
	}
	return g.book.Record(string(path), string(e.ID), data, nil, step), nil
}

// askedAt is the commit that is asked whose the lines of a file's version are: base, or the
// commit's parent, if the commit may keep them there. empty: none is.
func askedAt(g *gathering, path gitexec.Path, e gitexec.Entry, base gitexec.OID) gitexec.OID {
	if !g.holds(g.parent, path, e.ID) {
		return base
	}
	if kept, err := g.db.Files(g.tree, path); err != nil || !kept[0].IsFile() {
		return "" // whoever reads the commit sees what it takes out, and follows it
	}
	return g.before
}

// LargestCompared is the most bytes of a file whose lines are compared: some 200,000 lines of code.
// A commit that edits such a file takes 370 ms, and so much more with double. A larger file's lines
// have no known author.
const LargestCompared = 8 << 20

// text reads a version; ok is false for a binary one, and for one that is too large.
func (g *gathering) text(id gitexec.OID) (data []byte, ok bool, err error) {
	data, err = g.db.Blob(id, LargestCompared)
	if large := new(gitexec.TooLargeError); errors.As(err, &large) {
		g.large[id] = true
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return data, !gitexec.IsBinary(data), nil
}

// readAhead reads the versions of a look at once.
func (g *gathering) readAhead(l look) error {
	var ids []gitexec.OID
	for _, c := range l.changes {
		for _, e := range []gitexec.Entry{c.Old, c.New} {
			if e.IsFile() && g.matters(c.Path) && g.book.Known(string(c.Path), string(e.ID)) == nil {
				ids = append(ids, e.ID)
			}
		}
	}
	// One is read as fast by itself.
	if len(ids) < 2 {
		return nil
	}
	return g.db.ReadAhead(ids...) // text says what is wrong with a version that is needed
}
