package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/brief"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/hunks"
)

// Limits of the changes on a page. Further lines are counted, and the page says so.
const (
	mostFiles    = 500     // of all chapters
	mostRows     = 12_000  // of all chapters
	mostFileRows = 3_000   // of one file
	mostRow      = 1_000   // bytes of one line
	mostDiff     = 4 << 20 // bytes of all lines
	mostBlob     = 1 << 20 // bytes of a file
	around       = 3       // lines of context
	mostListed   = 10_000  // files of one chapter whose lines are shown
)

// diffs fills in the chapters' changes. One process for all.
func (g *reporter) diffs(ctx context.Context) error {
	var pairs [][2]gitexec.OID
	var of []*draft
	for _, c := range g.chapters {
		if c.shown {
			pairs, of = append(pairs, [2]gitexec.OID{c.from, c.to}), append(of, c)
		} else {
			c.listed()
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	patches := make([][]gitexec.FilePatch, len(pairs))
	selected, err := attribution.Selected(ctx, g.reader.Repo, pairs, g.paths)
	if err != nil {
		return err
	}
	lacks := map[int]bool{}
	err = attribution.Patches(ctx, g.reader.Repo, pairs, func(p gitexec.FilePatch) error {
		// The pair is what git printed: it must not be trusted as an index.
		if p.Pair < 0 || p.Pair >= len(patches) {
			return errors.New("git printed more than expected")
		}
		if selected(p) || selected(gitexec.FilePatch{Pair: p.Pair, Old: p.Old}) { // a former name is asked for, too
			patches[p.Pair] = append(patches[p.Pair], p)
		}
		return nil
	}, func(pair int) { lacks[pair] = true })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, c := range of {
		// One commit whose files can't be fetched doesn't keep the others from being shown.
		if lacks[i] {
			c.gap("Its changes cannot be shown: this partial clone lacks files of them.")
			c.listed()
			continue
		}
		if err != nil {
			c.gap("Its changes cannot be shown: %v", err)
			c.listed()
			continue
		}
		if err := g.changes(c, patches[i]); err != nil {
			c.gap("Its changes cannot be shown: %v", err)
			// What was counted of it up to the error is not all of it.
			c.Lines, c.Files, c.owners, c.brought = Lines{}, []File{}, map[checkpoints.Line]*Owner{}, nil
			c.listed()
		}
	}
	return nil
}

// sides are the entries of paths before and after.
type sides map[gitexec.Path]gitexec.Change

func (g *reporter) changes(c *draft, patches []gitexec.FilePatch) error {
	changes, err := g.reader.DB.DiffTrees(c.from, c.to)
	if err != nil {
		return err
	}
	at := gitexec.ByPath(changes)
	for i, p := range patches {
		// Its lines count, though the page doesn't have them.
		if g.bare || i >= mostListed || g.files >= mostFiles {
			var lines Lines
			if err := g.count(c, &lines, p, nil); err != nil {
				return err
			}
			c.Lines.Add(lines)
			if g.bare {
				f := File{path: cmp.Or(p.New, p.Old), Path: oneLine(cmp.Or(p.New, p.Old).Display()), Lines: lines, Hunks: []Hunk{}}
				if p.New != "" && p.Old != "" && p.New != p.Old {
					f.Was = oneLine(p.Old.Display())
				}
				c.Files = append(c.Files, f)
			} else {
				c.MoreFiles++
			}
			continue
		}
		if err := g.change(c, p, at); err != nil {
			return err
		}
	}
	for _, reason := range c.reasons {
		c.note("Lines of unknown author: %s.", reason)
	}
	if c.moved {
		c.note("The commit was rewritten after its checkpoint was made: the lines' authors come from the earlier versions of its files.")
	}
	return nil
}

// change adds a file to a chapter.
func (g *reporter) change(c *draft, p gitexec.FilePatch, at sides) error {
	before, after := at[p.Old].Old, at[p.New].New
	g.files++
	f := File{ID: fmt.Sprintf("f%d", g.files), path: cmp.Or(p.New, p.Old), Path: oneLine(cmp.Or(p.New, p.Old).Display()), Hunks: []Hunk{}}
	f.What = whatChanged(p)
	switch f.What {
	case "added":
		before = gitexec.Entry{}
	case "deleted":
		after = gitexec.Entry{}
	case "renamed":
		f.Was = oneLine(p.Old.Display())
	}
	f.Mode = modes(before, after)
	info, err := sizes(g.reader.DB, before, after)
	if err != nil {
		return err
	}
	switch {
	// In this order: git compares a submodule's commit and a symlink's target as texts, which are
	// no lines of anybody.
	case before.Mode == gitexec.ModeGitlink || after.Mode == gitexec.ModeGitlink:
		f.Note = "submodule: " + named(before) + " → " + named(after)
	case before.Mode == gitexec.ModeSymlink || after.Mode == gitexec.ModeSymlink:
		f.Note, err = target(g.reader.DB, before, after)
	case p.Binary:
		f.Note = fmt.Sprintf("binary: %s → %s", inBytes(before, info[0].Size), inBytes(after, info[1].Size))
	case len(p.Hunks) == 0:
		f.Note = "its content is the same"
	default:
		err = g.lines(c, &f, p, before, after, max(info[0].Size, info[1].Size) > mostBlob)
	}
	c.Lines.Add(f.Lines)
	c.Files = append(c.Files, f)
	return err
}

func whatChanged(p gitexec.FilePatch) string {
	switch {
	case p.Old == "":
		return "added"
	case p.New == "":
		return "deleted"
	case p.Old != p.New:
		return "renamed"
	}
	return "changed"
}

// sizes reads the sizes of both sides; an absent one is zero.
func sizes(db *gitexec.ODB, before, after gitexec.Entry) ([2]gitexec.Object, error) {
	var both [2]gitexec.Object
	for i, e := range []gitexec.Entry{before, after} {
		// A submodule's commit is in another repository.
		if e.Exists() && e.Mode != gitexec.ModeGitlink {
			info, err := db.Info(e.ID)
			if err != nil {
				return both, err
			}
			both[i] = info[0]
		}
	}
	return both, nil
}

func modes(before, after gitexec.Entry) string {
	name := map[string]string{gitexec.ModeExec: "executable", gitexec.ModeSymlink: "symlink", gitexec.ModeGitlink: "submodule",
		gitexec.ModeFile: "file"}
	switch {
	case before.Mode == after.Mode:
		return ""
	case before.Exists() && after.Exists():
		return name[before.Mode] + " → " + name[after.Mode]
	case before.Mode == gitexec.ModeFile || after.Mode == gitexec.ModeFile:
		return ""
	}
	return name[before.Mode+after.Mode]
}

func named(e gitexec.Entry) string {
	if !e.Exists() {
		return "none"
	}
	return e.ID.Short()
}

func inBytes(e gitexec.Entry, size int64) string {
	if !e.Exists() {
		return "none"
	}
	return fmt.Sprintf("%d bytes", size)
}

// target describes a symlink's targets.
func target(db *gitexec.ODB, before, after gitexec.Entry) (string, error) {
	targets := [2]string{"none", "none"}
	for i, e := range []gitexec.Entry{before, after} {
		switch {
		case e.Mode == gitexec.ModeSymlink:
			to, err := db.Blob(e.ID, mostBlob)
			if large := new(gitexec.TooLargeError); errors.As(err, &large) {
				to, err = []byte("too long to show"), nil
			}
			if err != nil {
				return "", err
			}
			cut, _ := brief.Truncate(gitexec.Path(to).Display(), mostRow)
			targets[i] = oneLine(cut)
		case e.Exists():
			targets[i] = "a file"
		}
	}
	return "symlink: " + targets[0] + " → " + targets[1], nil
}

// lines adds the hunks of a text, and counts its new lines by author.
func (g *reporter) lines(c *draft, f *File, p gitexec.FilePatch, before, after gitexec.Entry, large bool) error {
	by := map[int]*Owner{}
	if err := g.count(c, &f.Lines, p, by); err != nil {
		return err
	}
	if large {
		// The authors are counted all the same: git gave the numbers of the lines.
		f.Note, f.LeftOut = "too large to show", f.Lines.All()+f.Lines.Removed
		return nil
	}
	var texts [2][]string
	for i, e := range []gitexec.Entry{before, after} {
		if e.Exists() {
			data, err := g.reader.DB.Blob(e.ID, mostBlob)
			if err != nil {
				return err
			}
			texts[i] = hunks.Split(string(data))
		}
	}
	d := differ{old: texts[0], new: texts[1], row: func(r Row) Row {
		if r.Sign == "+" {
			r.Owner = by[r.New]
		}
		cut, more := brief.Truncate(r.Text, mostRow)
		if r.Text = clean(cut); more > 0 {
			r.Text += fmt.Sprintf(" … %d bytes more", more)
		}
		g.rows++
		g.text += len(r.Text)
		return r
	}}
	for _, together := range hunks.Near(p.Hunks, around) {
		room := min(mostFileRows-d.rows, mostRows-g.rows)
		if g.text >= mostDiff {
			// A few very long lines would make the page as large as many short ones.
			room = 0
		}
		hunk, skipped := d.hunk(together, room)
		if f.LeftOut += skipped; len(hunk.Rows) > 0 {
			f.Hunks = append(f.Hunks, hunk)
		}
	}
	return nil
}
