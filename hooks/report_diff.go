package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/report"
	"entire-plumb/shadow"
)

// What a report shows of changes at most. Lines beyond are counted, and said to be left out.
const (
	mostFiles    = 500     // of all chapters
	mostRows     = 12_000  // of all chapters
	mostFileRows = 3_000   // of one file
	mostRow      = 1_000   // bytes of one line
	mostText     = 4 << 20 // bytes of all lines
	mostBlob     = 1 << 20 // bytes of a file
	mostLooked   = 20_000  // lines of a file that is compared with another version of it
	around       = 3       // lines of context
	mostListed   = 10_000  // files of one chapter that are counted
)

// diffs fills in what the chapters change. One process for all.
func (g *reporter) diffs(ctx context.Context) error {
	var pairs [][2]gitexec.OID
	var of []*chapter
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
	err := g.repo.PatchTrees(ctx, pairs, nil, func(p gitexec.FilePatch) error {
		if p.Pair < 0 || p.Pair >= len(patches) {
			return errors.New("git answered more than it was asked")
		}
		patches[p.Pair] = append(patches[p.Pair], p)
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, c := range of {
		if err != nil {
			c.note("Its changes cannot be shown: %v", err)
			c.listed()
			continue
		}
		if err := g.changes(c, patches[i]); err != nil {
			c.note("Its changes cannot be shown: %v", err)
			c.Lines, c.Files, c.owners = report.Lines{}, []report.File{}, map[condense.Line]*report.Owner{}
			c.listed()
		}
	}
	return nil
}

// sides are what a path is before and after.
type sides map[gitexec.Path]gitexec.Change

func (g *reporter) changes(c *chapter, patches []gitexec.FilePatch) error {
	changes, err := g.db.DiffTrees(c.from, c.to)
	if err != nil {
		return err
	}
	at := sides{}
	for _, one := range changes {
		at[one.Path] = one
	}
	for i, p := range patches {
		if i >= mostListed || g.files >= mostFiles {
			var lines report.Lines
			if err := g.count(c, &lines, p, at[p.New].New, true, nil); err != nil {
				return err
			}
			c.Lines.Add(lines)
			c.MoreFiles++
			continue
		}
		if err := g.change(c, p, at); err != nil {
			return err
		}
	}
	if c.moved {
		c.note("The commit was rewritten since its checkpoint was made: whose its lines are was looked for in the versions of then.")
	}
	return nil
}

// change adds a file to a chapter.
func (g *reporter) change(c *chapter, p gitexec.FilePatch, at sides) error {
	before, after := at[p.Old].Old, at[p.New].New
	g.files++
	f := report.File{ID: fmt.Sprintf("f%d", g.files), Path: report.Line(cmp.Or(p.New, p.Old).Display()), Hunks: []report.Hunk{}}
	switch {
	case p.Old == "":
		f.What, before = "added", gitexec.Entry{}
	case p.New == "":
		f.What, after = "deleted", gitexec.Entry{}
	case p.Old != p.New:
		f.What, f.Was = "renamed", report.Line(p.Old.Display())
	default:
		f.What = "changed"
	}
	f.Mode = modes(before, after)
	info, err := g.sizes(before, after)
	if err != nil {
		return err
	}
	switch {
	case before.Mode == gitexec.ModeGitlink || after.Mode == gitexec.ModeGitlink:
		f.Note = "submodule: " + named(before) + " → " + named(after)
	case before.Mode == gitexec.ModeSymlink || after.Mode == gitexec.ModeSymlink:
		f.Note, err = g.target(before, after)
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

// sizes asks for both sides; one that isn't there has none.
func (g *reporter) sizes(before, after gitexec.Entry) ([2]gitexec.Object, error) {
	var both [2]gitexec.Object
	for i, e := range []gitexec.Entry{before, after} {
		if e.Exists() && e.Mode != gitexec.ModeGitlink {
			info, err := g.db.Info(e.ID)
			if err != nil {
				return both, err
			}
			both[i] = info[0]
		}
	}
	return both, nil
}

func modes(before, after gitexec.Entry) string {
	name := map[string]string{gitexec.ModeExec: "executable", gitexec.ModeSymlink: "symlink", gitexec.ModeGitlink: "submodule", gitexec.ModeFile: "file"}
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

// target says where a symlink leads to.
func (g *reporter) target(before, after gitexec.Entry) (string, error) {
	said := [2]string{"none", "none"}
	for i, e := range []gitexec.Entry{before, after} {
		switch {
		case e.Mode == gitexec.ModeSymlink:
			to, err := g.db.Content(e.ID, "blob")
			if err != nil {
				return "", err
			}
			cut, _ := report.Cut(gitexec.Path(to).Display(), mostRow)
			said[i] = report.Line(cut)
		case e.Exists():
			said[i] = "a file"
		}
	}
	return "symlink: " + said[0] + " → " + said[1], nil
}

// lines adds the hunks of a text, and counts whose its new lines are.
func (g *reporter) lines(c *chapter, f *report.File, p gitexec.FilePatch, before, after gitexec.Entry, large bool) error {
	by := map[int]*report.Owner{}
	if err := g.count(c, &f.Lines, p, after, large, by); err != nil {
		return err
	}
	if large {
		f.Note, f.LeftOut = "too large to be shown", f.Lines.All()+f.Lines.Removed
		return nil
	}
	var texts [2][]string
	for i, e := range []gitexec.Entry{before, after} {
		if e.Exists() {
			data, err := g.db.Content(e.ID, "blob")
			if err != nil {
				return err
			}
			texts[i] = split(string(data))
		}
	}
	d := differ{old: texts[0], new: texts[1], row: func(r report.Row) report.Row {
		if r.Sign == "+" {
			r.Owner = by[r.New]
		}
		cut, left := report.Cut(r.Text, mostRow)
		if r.Text = report.Clean(cut); left > 0 {
			r.Text += fmt.Sprintf(" … %d bytes more", left)
		}
		g.rows++
		g.text += len(r.Text)
		return r
	}}
	for _, together := range near(p.Hunks) {
		room := min(mostFileRows-d.rows, mostRows-g.rows)
		if g.text >= mostText {
			room = 0
		}
		hunk, left := d.hunk(together, room)
		if f.LeftOut += left; len(hunk.Rows) > 0 {
			f.Hunks = append(f.Hunks, hunk)
		}
	}
	return nil
}

// count counts a file's new lines by whose they are; by, if there is one, gets the owner of each.
func (g *reporter) count(c *chapter, l *report.Lines, p gitexec.FilePatch, after gitexec.Entry, large bool, by map[int]*report.Owner) error {
	if p.Binary || after.Mode == gitexec.ModeSymlink || after.Mode == gitexec.ModeGitlink {
		return nil
	}
	last := 0
	for _, h := range p.Hunks {
		last = max(last, h.NewStart+h.NewLines)
	}
	owner, err := g.whose(c, p.New, after, last, large)
	if err != nil {
		return err
	}
	for _, h := range p.Hunks {
		l.Removed += h.OldLines
		for n := h.NewStart; n < h.NewStart+h.NewLines; n++ {
			o := c.owner(owner(n), g.primary())
			o.Lines++
			one(l, o.Kind)
			if by != nil {
				by[n] = o
			}
		}
	}
	return nil
}

// one counts a line.
func one(l *report.Lines, kind string) {
	switch kind {
	case report.Agent:
		l.Agent++
	case report.Other:
		l.Other++
	case report.Human:
		l.Human++
	default:
		l.Unknown++
	}
}

// whose gives the owner of each of the first lines of a file, as blame does; nil: it cannot be told.
func (g *reporter) whose(c *chapter, path gitexec.Path, after gitexec.Entry, last int, large bool) (func(line int) *condense.Line, error) {
	human := &condense.Line{}
	if !c.told {
		return func(int) *condense.Line { return nil }, nil
	}
	var spread [][]*condense.Line
	var moved owners
	b := blamer{db: g.db, branch: g.branch}
	for _, v := range c.versions {
		file, ok := v[path]
		switch {
		case !ok:
		case file.Blob == after.ID || file.Blob == "":
			spread = append(spread, file.Spread(last))
		case large || last > mostLooked:
			c.moved = true
			return func(int) *condense.Line { return nil }, nil
		default:
			c.moved = true
			at, err := b.moved(after, file.Blob)
			if err != nil {
				return nil, err
			}
			moved = append(moved, version{file: file, at: at})
		}
	}
	return func(line int) *condense.Line {
		for _, s := range spread {
			if line < len(s) && s[line] != nil {
				return s[line]
			}
		}
		if o := moved.at(line); o.Session != "" {
			return &o
		}
		return human
	}, nil
}

// primary is the session whose agent the page calls the agent.
func (g *reporter) primary() string {
	switch {
	case g.page.Kind == "session":
		return g.page.Name
	case len(g.talks) > 0:
		return g.talks[0].id
	}
	return ""
}

// owner gives the chapter's entry for the owner of a line; nil: nobody can tell.
func (c *chapter) owner(l *condense.Line, primary string) *report.Owner {
	key := condense.Line{Agent: "?"}
	if l != nil {
		key = *l
	}
	if o := c.owners[key]; o != nil {
		return o
	}
	o := &report.Owner{Kind: report.Human, Mark: "H", On: []string{}}
	switch {
	case l == nil:
		o.Kind, o.Mark = report.Unknown, "?"
	case l.Session != "":
		o.Kind = report.Agent
		if l.Session != primary && primary != "" {
			o.Kind = report.Other
		}
		o.Session, o.Agent, o.Turn, o.Prompt = l.Session, report.Line(l.Agent), report.Line(l.Turn), report.Line(l.Prompt)
	}
	c.owners[key] = o
	return o
}

// listed fills in the files of a chapter whose changes cannot be shown, as its checkpoints name them.
func (c *chapter) listed() {
	counted := map[gitexec.Path]int{}
	for _, v := range c.versions {
		for path, f := range v {
			counted[path] += f.Count()
		}
	}
	for _, p := range c.parts {
		for _, path := range p.FilesTouched {
			if _, ok := counted[path]; !ok {
				counted[path] = 0
			}
		}
	}
	var paths []gitexec.Path
	for path := range counted {
		if !shadow.IsMetadata(path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		if len(c.Files) == mostFiles {
			c.MoreFiles++
			continue
		}
		c.Files = append(c.Files, report.File{Path: report.Line(path.Display()), What: "touched", Lines: report.Lines{Agent: counted[path]}, Hunks: []report.Hunk{}})
	}
	for _, p := range c.parts {
		if a := p.InitialAttribution; a != nil {
			c.Lines.Agent += a.AgentLines
			c.Lines.Human = max(c.Lines.Human, a.HumanAdded+a.HumanModified)
			c.Lines.Unknown, c.Lines.Removed = max(c.Lines.Unknown, a.Unknown), max(c.Lines.Removed, a.HumanRemoved)
		}
	}
}

// split takes a text apart into lines that keep their ends.
func split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// near puts hunks together whose lines of context would meet.
func near(hunks []gitexec.Hunk) [][]gitexec.Hunk {
	var all [][]gitexec.Hunk
	end := 0
	for i, h := range hunks {
		if begin, _ := starts(h); i == 0 || begin-end > 2*around {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], h)
		begin, _ := starts(h)
		end = begin + h.OldLines
	}
	return all
}

// starts gives the indexes of a hunk's first lines on both sides, or of those before which it lies.
func starts(h gitexec.Hunk) (old, now int) {
	old, now = h.OldStart-1, h.NewStart-1
	if h.OldLines == 0 {
		old++
	}
	if h.NewLines == 0 {
		now++
	}
	return old, now
}

// differ writes hunks of a file.
type differ struct {
	old, new []string
	row      func(report.Row) report.Row
	rows     int
}

// hunk writes hunks that lie near each other as one, with the lines around them: at most room rows. left is how many changed lines found none.
func (d *differ) hunk(together []gitexec.Hunk, room int) (out report.Hunk, left int) {
	add := func(sign, text string, old, now int) {
		if room <= 0 {
			if sign != " " && sign != `\` {
				left++
			}
			return
		}
		room--
		d.rows++
		body, ended := strings.CutSuffix(text, "\n")
		out.Rows = append(out.Rows, d.row(report.Row{Sign: sign, Old: old, New: now, Text: body}))
		if !ended && sign != `\` {
			d.rows++
			out.Rows = append(out.Rows, d.row(report.Row{Sign: `\`, Text: "no newline at the end of the file"}))
		}
	}
	old, now := starts(together[0])
	back := min(around, old, now)
	old, now = old-back, now-back
	firstOld, firstNew := old, now
	same := func(until int) {
		for ; old < until && old < len(d.old) && now < len(d.new); old, now = old+1, now+1 {
			add(" ", d.new[now], old+1, now+1)
		}
	}
	for _, h := range together {
		at, _ := starts(h)
		same(at)
		for range h.OldLines {
			if old < len(d.old) {
				add("-", d.old[old], old+1, 0)
			}
			old++
		}
		for range h.NewLines {
			if now < len(d.new) {
				add("+", d.new[now], 0, now+1)
			}
			now++
		}
	}
	same(old + around)
	out.Head = fmt.Sprintf("@@ -%s +%s @@", side(firstOld, old), side(firstNew, now))
	return out, left
}

// side writes which lines of a side a hunk has, as diffs do.
func side(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
