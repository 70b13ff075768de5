package report

import (
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// count counts a file's new lines by author; by, unless nil, gets the owner of each line.
func (g *reporter) count(c *draft, l *Lines, p gitexec.FilePatch, by map[int]*Owner) error {
	removed, err := c.authors.Removed(p)
	if err != nil {
		return err
	}
	l.Removed += removed
	name := oneLine(p.New.Display())
	own := brought{Brought: attribution.Brought{Links: c.links, Path: p.New}, name: name}
	moved, err := c.authors.Lines(p, func(n int, author attribution.Author) {
		if author.Kind == attribution.Unknown && !slices.Contains(c.reasons, author.Reason) {
			c.reasons = append(c.reasons, author.Reason)
		}
		o := c.owner(author, g.primary())
		o.Lines++
		o.in[name]++
		l.add(o.Kind, 1)
		// A commit without a link brought no work of an agent's: it moves lines, or formats them.
		if o.moved = o.isAgent() && c.Commit != nil && len(c.Checkpoints) == 0; o.moved {
			l.Moved++
			if o.Kind == Other {
				l.movedOther++
			} else {
				l.movedAgent++
			}
		}
		if own.Add(n, author); by != nil {
			by[n] = o
		}
	})
	c.moved, c.brought = c.moved || moved, append(c.brought, own)
	return err
}

// brought is the new lines of a chapter's file.
type brought struct {
	attribution.Brought
	name string
}

// countOnce finds the lines that a commit of the page brings, and an older one, too. The chapter
// has them, and no sum.
func (g *reporter) countOnce() error {
	var all []attribution.Brought
	for _, c := range g.chapters {
		for i := range c.brought {
			// What is not committed, or has no link, brings no lines that a sum has.
			if c.commit != nil && len(c.links) > 0 {
				c.brought[i].Commit = c.commit.ID
				all = append(all, c.brought[i].Brought)
			}
		}
	}
	found, err := attribution.Again(g.reader.DB, all)
	if err != nil {
		return err
	}
	for _, c := range g.chapters {
		for _, b := range c.brought {
			if b.Commit == "" {
				// Not among those that were asked for, whose answers come in the same order.
				continue
			}
			lines := found[0]
			found = found[1:]
			file := slices.IndexFunc(c.Files, func(f File) bool { return f.Path == b.name })
			for author, ranges := range b.By {
				o, n := c.owner(author, g.primary()), attribution.Among(ranges, lines)
				o.again[b.name] += n
				if c.again.add(o.Kind, n); file >= 0 {
					c.Files[file].again.add(o.Kind, n)
				}
			}
		}
	}
	return nil
}

func (l *Lines) add(kind string, lines int) {
	switch kind {
	case Agent:
		l.Agent += lines
	case Other:
		l.Other += lines
	case Human:
		l.Human += lines
	default:
		l.Unknown += lines
	}
}

// primary is the session whose agent is "the agent" of the page.
func (g *reporter) primary() string {
	switch {
	case g.page.Kind == "session":
		return g.page.Name
	case len(g.talks) > 0:
		return g.talks[0].id
	}
	return ""
}

// owner is the chapter's entry for the author of a line.
func (c *draft) owner(a attribution.Author, primary string) *Owner {
	key := a.Line
	if a.Kind == attribution.Unknown {
		// All of them are one owner, whatever the reasons, and none of an agent's lines is called
		// that.
		key = checkpoints.Line{Agent: "?"}
	}
	if o := c.owners[key]; o != nil {
		return o
	}
	o := &Owner{Kind: Human, Mark: "H", Tint: Human, On: []string{}, in: map[string]int{}, again: map[string]int{}}
	switch a.Kind {
	case attribution.Unknown:
		o.Kind, o.Mark, o.Tint = Unknown, "?", Unknown
	case attribution.Agent:
		o.Kind = Agent
		if a.Session != primary && primary != "" {
			o.Kind = Other
		}
		o.Session, o.Agent, o.Turn, o.Prompt = a.Session, oneLine(a.Agent), oneLine(a.Turn), oneLine(a.Prompt)
	}
	c.owners[key] = o
	return o
}

// touched are the files that a chapter's checkpoints name, and how many of their lines are the
// agents'.
func (c *draft) touched() map[gitexec.Path]int {
	counted := map[gitexec.Path]int{}
	for _, link := range c.recorded {
		for path, f := range link.Owners {
			counted[path] += f.Count()
		}
	}
	for _, p := range c.parts {
		for _, path := range p.FilesTouched {
			counted[path] += 0 // named, even without lines
		}
	}
	return counted
}

// listed fills in the files of a chapter without changes to show, from its checkpoints.
func (c *draft) listed() {
	counted := c.touched()
	paths := slices.DeleteFunc(slices.Sorted(maps.Keys(counted)), shadow.IsMetadata)
	for _, path := range paths {
		if len(c.Files) == mostFiles {
			c.MoreFiles++
			continue
		}
		lines := Lines{Agent: counted[path]}
		c.Files = append(c.Files, File{path: path, Path: oneLine(path.Display()), What: "touched", Lines: lines, Hunks: []Hunk{}})
	}
	if c.commit != nil {
		return // the checkpoint's own counts may be those of another version of the commit
	}
	for _, p := range c.parts {
		if a := p.InitialAttribution; a != nil {
			c.Lines.Agent += a.AgentLines
			// These are the commit's, and the same in each session's part.
			c.Lines.Human = max(c.Lines.Human, a.HumanAdded+a.HumanModified)
			c.Lines.Unknown, c.Lines.Removed = max(c.Lines.Unknown, a.Unknown), max(c.Lines.Removed, a.HumanRemoved)
		}
	}
}
