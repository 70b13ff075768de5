package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/hunks"
	"entire-plumb/internal/query"
)

func diffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "show changes with the author of each line in the margin",
		ArgsUsage: "[NAME|RANGE] [-- PATH…]",
		Description: "Without an argument, what the worktree has and HEAD doesn't, staged or not, with untracked files; each line has the\n" +
			"author that it would have if everything were committed now. With a commit, what it changes against its first\n" +
			"parent; with a checkpoint, the commit that links it; with a turn or a session, the changes that have lines of it,\n" +
			"turn by turn, under their prompts. A..B compares two commits, and A...B the second one with where they parted; a line\n" +
			"is whose blame says it is at B.\n\n" +
			"The legend at the top says who the marks are: a letter for a session and a number for a turn, you or a name for\n" +
			"the human, and ? for an unknown author.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "stat", Usage: "only count lines by author, file by file"},
			&cli.IntFlag{Name: "unified", Aliases: []string{"U"}, Value: 3, Usage: "print `N` lines of context"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		},
		Action: reading(checkDiff, func(c *cli.Context, e query.Source) error {
			names, paths := namesAndPaths(c)
			d, done, err := e.Diff(c.Context, strings.Join(names, " "), paths)
			if d == nil {
				// With an error and a diff, what could be read is printed before the error.
				return err
			}
			defer done()
			if err != nil {
				err = damage(err.Error())
			}
			for _, note := range d.Notes {
				fmt.Fprintln(c.App.ErrWriter, "entire-plumb:", printable(note))
			}
			p := diffPrinter{colourPrinter{w: c.App.Writer, screen: screenOf(c)}, d, c.Int("unified"), 0}
			switch {
			case c.Bool("json"):
				return errors.Join(p.json(c.Bool("stat")), err)
			case c.Bool("stat"):
				p.stat()
				return err
			}
			return errors.Join(p.print(), err)
		}),
	}
}

func checkDiff(c *cli.Context) error {
	if names, _ := namesAndPaths(c); len(names) > 1 {
		return usagef("%s compares one thing\nhint: for two commits, %[1]s A..B; paths come after --", c.Command.HelpName)
	}
	if c.Int("unified") < 0 {
		return usagef("-U takes a number of lines\nhint: %s -U 0", c.Command.HelpName)
	}
	return nil
}

// diffPrinter prints a diff.
type diffPrinter struct {
	colourPrinter
	*query.OwnedDiff
	around int
	margin int // its width
}

func (p *diffPrinter) print() error {
	for _, o := range p.Owners {
		// Names of humans may have wide characters, and any others.
		p.margin = max(p.margin, displaywidth.String(printable(o.Mark)))
	}
	p.legend()
	for i, part := range p.Parts {
		if i > 0 {
			fmt.Fprintln(p.w)
		}
		p.heading(part)
		for _, f := range part.Files {
			if err := p.file(f); err != nil {
				return err
			}
		}
	}
	p.total()
	return nil
}

// legend says who the marks are.
func (p *diffPrinter) legend() {
	for _, o := range p.Owners {
		p.line(colourOf(o.Session), "%s", p.fit(pad(printable(o.Mark), p.margin)+"  "+whoIs(o)))
	}
	if len(p.Owners) > 0 {
		fmt.Fprintln(p.w)
	}
}

// whoIs describes an owner.
func whoIs(o *query.DiffOwner) string {
	switch o.Kind {
	case attribution.Agent:
		who := cmp.Or(o.Agent, "agent") + " " + inColumn(o.Session)
		if o.Turn != "" {
			who += " " + o.Turn[:min(7, len(o.Turn))]
		}
		return printable(strings.TrimSuffix(who+": "+o.Prompt, ": "))
	case attribution.Human:
		if o.Author != "" {
			return printable(o.Author) + ", human"
		}
		return "human, not committed yet"
	}
	return printable("unknown: " + o.Reason)
}

// heading names the turn of a part.
func (p *diffPrinter) heading(part *query.DiffPart) {
	if part.Turn == "" {
		return
	}
	where := "not committed"
	if part.Commit != "" {
		where = "commit " + part.Commit.Short()
	}
	p.line(bold, "turn %s of session %s, %s: %s", printable(part.Turn[:min(7, len(part.Turn))]), printable(inColumn(part.Session)), where,
		printable(part.Prompt))
}

func (p *diffPrinter) file(f *query.DiffFile) error {
	for _, line := range fileHead(f) {
		p.line(bold, "%s", line)
	}
	all, err := p.Hunks(f, p.around)
	if errors.Is(err, query.ErrTooLarge) {
		p.line("", "%v: %s", err, lineCounts(f.DiffLines))
		return nil
	}
	if err != nil {
		return err
	}
	for _, h := range all {
		p.line(cyan, "%s  %s", pad("", p.margin), h.Head)
		for _, l := range h.Lines {
			p.owned(l)
		}
	}
	return nil
}

// owned prints a line with the mark of its owner.
func (p *diffPrinter) owned(l query.OwnedLine) {
	mark, colour := "", map[hunks.Sign]string{hunks.Added: green, hunks.Removed: red}[l.Sign]
	if l.Owner != nil {
		mark = printable(l.Owner.Mark)
	}
	// git shows it so, too: a line's end that a terminal would act on.
	body, carriage := strings.CutSuffix(l.Text, "\r")
	margin, text := pad(mark, p.margin)+"  ", string(l.Sign)+printable(body)
	if carriage {
		text += "^M"
	}
	if !p.colour {
		fmt.Fprintln(p.w, margin+text)
		return
	}
	if l.Owner != nil && l.Owner.Session != "" {
		margin = colourOf(l.Owner.Session) + margin + reset
	}
	if colour != "" {
		text = colour + text + reset
	}
	fmt.Fprintln(p.w, margin+text)
}

// fileHead is what git prints above a file's hunks.
func fileHead(f *query.DiffFile) []string {
	was := cmp.Or(f.Was, f.Path)
	old, now := sideName("a/", was), sideName("b/", f.Path)
	head := []string{"diff --git " + old + " " + now}
	switch f.Status {
	case "added":
		head = append(head, "new file mode "+f.New.Mode)
	case "deleted":
		head = append(head, "deleted file mode "+f.Old.Mode)
	default:
		if f.Old.Mode != f.New.Mode {
			head = append(head, "old mode "+f.Old.Mode, "new mode "+f.New.Mode)
		}
		if f.Was != "" {
			head = append(head, "rename from "+f.Was.Display(), "rename to "+f.Path.Display())
		}
	}
	if f.Status == "added" {
		old = "/dev/null"
	}
	if f.Status == "deleted" {
		now = "/dev/null"
	}
	switch {
	case f.Binary:
		head = append(head, "Binary files "+old+" and "+now+" differ")
	// git leaves these lines out where only the mode or the name changes.
	case len(f.Changes) > 0:
		head = append(head, "--- "+old, "+++ "+now)
	}
	return head
}

func sideName(prefix string, path gitexec.Path) string {
	return (gitexec.Path(prefix) + path).Display()
}

// total counts all lines.
func (p *diffPrinter) total() {
	files, generated := 0, 0
	for _, part := range p.Parts {
		files += len(part.Files)
		for _, f := range part.Files {
			if f.Generated {
				generated += f.Agent + f.Human + f.Unknown
			}
		}
	}
	if files == 0 {
		return
	}
	text := amount.Of(files, "file") + ": " + lineCounts(p.DiffLines)
	if generated > 0 {
		text += fmt.Sprintf("; %d of these lines %s in generated and vendored files", generated, amount.ByNumber(generated, "is", "are"))
	}
	p.line(bold, "%s", p.wrap(text))
}

// lineCounts counts lines by author, in words.
func lineCounts(l query.DiffLines) string {
	text := fmt.Sprintf("agent %d, human %d, unknown %d, removed %d", l.Agent, l.Human, l.Unknown, l.Removed)
	if l.Older > 0 {
		text += fmt.Sprintf(", older %d", l.Older)
	}
	return text
}

// stat counts lines by author and file.
func (p *diffPrinter) stat() {
	for _, part := range p.Parts {
		p.heading(part)
		t := newTable(column{title: "FILE", least: 12}, column{title: "AGENT", right: true, colour: cyan}, column{title: "HUMAN", right: true, colour: green},
			column{title: "UNKNOWN", right: true}, column{title: "REMOVED", right: true, colour: red}, column{title: "OLDER", right: true, spare: 1})
		if p.Older == 0 {
			// Only merges have such lines.
			t.columns = t.columns[:5]
		}
		for _, f := range part.Files {
			row := []any{cell{text: statName(f), path: true}, f.Agent, f.Human, f.Unknown, f.Removed, f.Older}
			t.add(row[:len(t.columns)]...)
		}
		if len(part.Files) > 0 {
			t.print(p.w, p.screen)
		}
	}
	p.total()
}

// statName names a file, and what became of it if no line says so.
func statName(f *query.DiffFile) string {
	name := f.Path.Display()
	if f.Was != "" {
		name = f.Was.Display() + " → " + name
	}
	switch {
	case f.Binary:
		name += " (binary)"
	case f.Status == "added", f.Status == "deleted":
		name += " (" + f.Status + ")"
	}
	return name
}

// diffJSON is what --json prints.
type diffJSON struct {
	*query.OwnedDiff
	Parts []partJSON `json:"parts"`
}

// partJSON is the changes of a turn at one place, or all.
type partJSON struct {
	*query.DiffPart
	Files []fileJSON `json:"files"`
}

// fileJSON is the change of a file.
type fileJSON struct {
	*query.DiffFile
	OldMode string     `json:"old_mode,omitempty"`
	NewMode string     `json:"new_mode,omitempty"`
	Hunks   []hunkJSON `json:"hunks,omitempty"`
	LeftOut string     `json:"left_out,omitempty"` // why the lines are not there
}

// hunkJSON is a piece of a change, with lines of context.
type hunkJSON struct {
	OldStart int        `json:"old_start"`
	OldLines int        `json:"old_lines"`
	NewStart int        `json:"new_start"`
	NewLines int        `json:"new_lines"`
	Lines    []lineJSON `json:"lines"`
}

// lineJSON is a line of a change.
type lineJSON struct {
	Sign  hunks.Sign `json:"sign"`
	Old   int        `json:"old_line,omitempty"`
	New   int        `json:"new_line,omitempty"`
	Text  string     `json:"text"`
	Owner string     `json:"owner,omitempty"` // the mark of one of the owners
}

func (p *diffPrinter) json(countsOnly bool) error {
	out := diffJSON{OwnedDiff: p.OwnedDiff, Parts: []partJSON{}}
	for _, part := range p.Parts {
		one := partJSON{DiffPart: part, Files: []fileJSON{}}
		for _, f := range part.Files {
			file := fileJSON{DiffFile: f, OldMode: f.Old.Mode, NewMode: f.New.Mode}
			if !countsOnly {
				all, err := p.Hunks(f, p.around)
				if errors.Is(err, query.ErrTooLarge) {
					file.LeftOut = err.Error()
				} else if err != nil {
					return err
				}
				file.Hunks = hunksJSON(all)
			}
			one.Files = append(one.Files, file)
		}
		out.Parts = append(out.Parts, one)
	}
	return printJSON(p.w, out)
}

func hunksJSON(all []query.OwnedHunk) []hunkJSON {
	out := make([]hunkJSON, len(all))
	for i, h := range all {
		out[i] = hunkJSON{h.Old.Start, h.Old.Lines, h.New.Start, h.New.Lines, make([]lineJSON, len(h.Lines))}
		for j, l := range h.Lines {
			line := lineJSON{Sign: l.Sign, Old: l.Old, New: l.New, Text: l.Text}
			if l.Owner != nil {
				line.Owner = l.Owner.Mark
			}
			out[i].Lines[j] = line
		}
	}
	return slices.Clip(out)
}
