package hooks

import (
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/report"
	"entire-plumb/shadow"
)

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
