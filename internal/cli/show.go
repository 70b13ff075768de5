package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/query"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

func showCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show a commit, a checkpoint, a session or a turn",
		ArgsUsage: "[COMMIT|RANGE|CHECKPOINT|SESSION|TURN...] [-- PATH...]",
		Description: "IDs may be abbreviated, those of checkpoints and turns to four digits or more. A commit is shown with the\n" +
			"checkpoints that it links, a checkpoint with the commits that link it, a session with its last checkpoints, a\n" +
			"turn with its prompt, what its tools were given, and its files. A commit on a shadow branch can be shown, too.\n" +
			"Prompts and conversations are those of the turns that are meant, with what became of each; --all prints all since\n" +
			"the session began. Without a name HEAD is shown.\n\n" +
			"Of a range, or with --since, --until or --author, each commit is shown, newest first. With PATH only files there\n" +
			"and their lines count. The totals of several are in the last line; money is by list prices, see stats.",
		Flags: slices.Concat(selectionFlags(), briefFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "transcript", Usage: "also print the conversation, with what the tools were given"},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "print all prompts since the session began, and each whole"},
			&cli.BoolFlag{Name: "raw", Usage: "print only the transcripts, as they are stored"},
		}),
		Action: reading(alsoBrief(excluding("json", "transcript", "raw")), func(c *cli.Context, e query.Source) error {
			q := query.ShowRequest{Selection: selectionOrHead(c), Whole: c.Bool("all"), Transcripts: c.Bool("transcript") || c.Bool("raw")}
			if c.Bool("brief") {
				return briefShow(c, e, q.Selection)
			}
			if q.Selection.Several() {
				return showSelection(c, e, q)
			}
			return showOne(c, e, q)
		}),
	}
}

// showOne shows what one name means.
func showOne(c *cli.Context, e query.Source, q query.ShowRequest) error {
	all, done, err := e.Show(c.Context, q)
	if err != nil {
		return err
	}
	defer done()
	warnOfUnknown(c, all)
	name := q.Selection.Names[0]
	switch {
	case c.Bool("json"):
		return errors.Join(printJSON(c.App.Writer, all), damagedOf(all))
	case len(all) > 0:
		return showAll(c, all, nil)
	case len(q.Selection.Paths) > 0:
		fmt.Fprintf(c.App.Writer, "no session of %s touched %s\n", name, printable(strings.Join(q.Selection.Paths, ", ")))
		return nil
	}
	if c.Bool("raw") {
		return fmt.Errorf("%s has no link, so no transcript\nhint: ask why with entire-plumb why %[1]s", name)
	}
	// A session with a state alone has neither a checkpoint nor a stream.
	if session, _, err := e.Session(c.Context, name); err == nil && session.ID != "" {
		fmt.Fprintf(c.App.Writer, "session %s has recorded no work\nhint: entire-plumb sessions show %[1]s\n", printable(inColumn(session.ID)))
		return nil
	}
	fmt.Fprintf(c.App.Writer, "%s has no link\nhint: ask why with entire-plumb why %[1]s\n", name)
	return nil
}

// warnOfUnknown says on stderr why lines have no known author.
func warnOfUnknown(c *cli.Context, all []query.Shown) {
	g := gaps{unshallow: unshallowing(c)}
	for _, one := range all {
		g.add(false, one.Unknown...)
	}
	g.warn(c.App.ErrWriter)
}

// showAll prints all, one after another. A conversation that was printed is not printed again,
// unless what was printed is not noted.
func showAll(c *cli.Context, all []query.Shown, printed map[string]bool) error {
	var damaged []string
	for i := range all {
		if i > 0 && !c.Bool("raw") {
			fmt.Fprintln(c.App.Writer)
		}
		if err := show(c, &all[i], printed); err != nil {
			return err
		}
		// With --raw nothing else is printed: what is missing would not be noticed.
		if c.Bool("raw") && all[i].Error != "" && !all[i].Damaged {
			damaged = append(damaged, fmt.Sprintf("%s: %s", all[i].Checkpoint, all[i].Error))
		}
	}
	return errors.Join(damagedOf(all), damage(damaged...))
}

// damagedOf is the error of a command that could not show everything.
func damagedOf(all []query.Shown) error {
	var what []string
	for _, one := range all {
		if one.Damaged {
			what = append(what, one.Error)
		}
	}
	return damage(what...)
}

// damagedAmong is the error of a command that could not read all checkpoints.
func damagedAmong(checkpoints []checkpoints.CommittedInfo) error {
	var what []string
	for _, k := range checkpoints {
		what = append(what, k.Error)
	}
	return damage(what...)
}

// mostDamaged is how many damaged things an error names.
const mostDamaged = 20

// damage is the error of a command that has printed what it could. Empty texts are none.
func damage(what ...string) error {
	what = slices.DeleteFunc(what, func(text string) bool { return text == "" })
	if len(what) == 0 {
		return nil
	}
	return fmt.Errorf("some data cannot be read: %s\nhint: git fetch may restore it from a remote that has the branch", firstOf(what))
}

// firstOf names the first of some damaged things, in a line.
func firstOf(what []string) string {
	if more := len(what) - mostDamaged; more > 0 {
		what = append(what[:mostDamaged:mostDamaged], fmt.Sprintf("and %d more", more))
	}
	return printable(strings.Join(what, "; "))
}

// show prints one, and notes in it which of its transcripts are damaged.
func show(c *cli.Context, one *query.Shown, printed map[string]bool) error {
	w := c.App.Writer
	if !c.Bool("raw") {
		prose(c, func(w io.Writer) { printShown(w, *one, c.Bool("all")) })
	}
	for _, part := range one.Sessions {
		var err error
		again := printedBefore(c, one, part, printed)
		switch {
		case again && c.Bool("transcript"):
			fmt.Fprintf(w, "\nsession %s: the conversation is above\n", printable(sessionName(part)))
		case again:
		case c.Bool("raw") && !part.HasTranscript():
			return fmt.Errorf("%s has no transcript: it is the human's part\nhint: entire-plumb show %[1]s", c.Args().First())
		case c.Bool("raw"):
			last := lastByte{Writer: w}
			if err = part.WriteTranscript(&last); last.is != '\n' && (err == nil || errors.Is(err, checkpoints.ErrDamaged)) {
				fmt.Fprintln(w) // some programs store the last line without its end
			}
		case c.Bool("transcript"):
			err = printTalk(w, part)
		}
		if errors.Is(err, checkpoints.ErrDamaged) {
			one.Note(err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// printedBefore reports whether a conversation was printed, and notes it. Those that are printed
// from the session's beginning are one, the latest first.
func printedBefore(c *cli.Context, one *query.Shown, part query.ShownPart, printed map[string]bool) bool {
	if printed == nil || !part.HasTranscript() {
		return false
	}
	key := part.SessionID
	if !c.Bool("raw") && !c.Bool("all") {
		// Each checkpoint then prints another part of the conversation.
		key += " " + one.Checkpoint + one.Stream
	}
	before := printed[key]
	printed[key] = true
	return before
}

// printTalk prints a conversation.
func printTalk(w io.Writer, part query.ShownPart) error {
	fmt.Fprintf(w, "\nsession %s\n", printable(sessionName(part)))
	printed := false
	err := query.Spoken(part, func(words transcript.Words) error {
		printed = true
		_, err := fmt.Fprintf(w, "\n%s: %s\n", words.Who, indented(words.Text))
		return err
	})
	if err == nil && !printed {
		fmt.Fprintln(w, "\nthe transcript has no record of a conversation; --raw prints it as it is stored")
	}
	return err
}

func printShown(w io.Writer, one query.Shown, whole bool) {
	fmt.Fprintln(w, shownName(one))
	for _, k := range one.Commits {
		fmt.Fprintln(w, commitLine(k))
		if k.Link != nil {
			fmt.Fprintf(w, "  the link: %s\n", printable(k.Link.String()))
		}
	}
	if one.Source != nil {
		fmt.Fprintf(w, "the lines: %s\n", printable(one.Source.String()))
	}
	for _, o := range one.Overruled {
		fmt.Fprintf(w, "not counted: %s\n", printable(o.String()))
	}
	if len(one.Commits) == 0 && one.Stream == "" {
		fmt.Fprintln(w, "no commit on a branch links this checkpoint")
	}
	for _, part := range one.Sessions {
		printPart(w, part, whole)
	}
	switch {
	case one.Damaged:
		fmt.Fprintf(w, "damaged: %s\n", printable(one.Error))
	case one.Purged != "":
		fmt.Fprintln(w, printable(one.Error))
	case one.Error != "":
		fmt.Fprintf(w, "%s\nhint: if it was pushed, entire-plumb fetch\n", printable(one.Error))
	}
}

// commitLine is a commit in a line.
func commitLine(k query.ShownCommit) string {
	return fmt.Sprintf("commit %s %s (%s, %s)", k.Commit.Short(), printable(k.Subject), printable(k.Author), moment(k.When))
}

// sessionName is a session's ID, if its metadata can be read.
func sessionName(p query.ShownPart) string { return cmp.Or(p.SessionID, "unknown") }

func printPart(w io.Writer, p query.ShownPart, whole bool) {
	fmt.Fprintf(w, "session %s", printable(sessionName(p)))
	if p.Agent != "" {
		fmt.Fprintf(w, ": %s", printable(p.Agent))
	}
	if p.Model != "" {
		fmt.Fprintf(w, " (%s)", printable(p.Model))
	}
	fmt.Fprintln(w)
	if p.Source != nil {
		fmt.Fprintf(w, "  not recorded here: %s\n", printable(p.Source.String()))
	}
	if p.Title != "" {
		fmt.Fprintf(w, "  title: %s\n", printable(p.Title))
	}
	printTurns(w, p, whole)
	printTasks(w, p.Tasks)
	for _, path := range p.FilesTouched {
		fmt.Fprintf(w, "  file %s\n", path.Display())
	}
	if text := linesOf(p); text != "" {
		fmt.Fprintf(w, "  lines: %s\n", text)
	}
	if u := p.CheckpointTokenUsage; u != nil {
		fmt.Fprintf(w, "  tokens: %s\n", u.Text())
	} else if p.TokenUsage != nil { // other programs record only this
		fmt.Fprintf(w, "  tokens of the session so far: %s\n", p.TokenUsage.Text())
	}
}

// shownName names what is shown.
func shownName(one query.Shown) string {
	switch {
	case one.Stream != "":
		return fmt.Sprintf("checkpoint %s on a stream, not committed: %s", one.Stream[:7], printable(one.Subject))
	case one.Branch != "":
		return "checkpoint " + one.Checkpoint + ", on " + printable(one.Branch)
	}
	return "checkpoint " + one.Checkpoint
}

func printTasks(w io.Writer, tasks []conversation.Task) {
	for _, t := range tasks {
		fmt.Fprintf(w, "  task %s", printable(t.ToolUseID))
		for _, about := range []string{t.AgentType, t.Description} {
			if about != "" {
				fmt.Fprintf(w, ": %s", printable(about))
			}
		}
		if t.Steps > 0 {
			fmt.Fprintf(w, " (%s of its to-do list)", amount.Of(t.Steps, "version"))
		}
		fmt.Fprintln(w)
	}
}

// linesOf is the number of a commit's lines that are a session's, and the number that its
// checkpoint claims without recording the lines; empty if neither is known.
func linesOf(p query.ShownPart) string {
	text, a, claimed := "", p.InitialAttribution, p.Claimed
	switch {
	// 0 of 0 would say that there are none.
	case a != nil && a.TotalCommitted == 0 && a.Unknown > 0:
		text = ofSession(a).Share()
	case a != nil:
		text = fmt.Sprintf("%d of %d by the agent, %s", a.AgentLines, a.TotalCommitted, ofSession(a).Share())
	case claimed != nil:
		text = "?"
	}
	if claimed != nil && claimed.TotalCommitted > 0 {
		text += fmt.Sprintf("; the checkpoint claims %d of %d", claimed.AgentLines, claimed.TotalCommitted)
	}
	return text
}

// indented makes a text of several lines harmless in a terminal, and indents all but the first.
func indented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n    ")
}

// mostListed is the default number of commits and checkpoints in a list.
const mostListed = 20

func checkpointsCommand() *cli.Command {
	return &cli.Command{
		Name:        "checkpoints",
		Usage:       "list the committed checkpoints, all or some",
		Description: "Newest first. To see one, run entire-plumb show ID.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "file", Usage: "only those that changed `FILE`, or files below it"},
			&cli.StringFlag{Name: "session", Usage: "only those of the session `ID`, which may be abbreviated"},
			&cli.StringFlag{Name: "text", Usage: "only those with `WORDS` in a prompt"},
			limitFlag("n", mostListed, "list at most `N`"),
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		},
		Action: reading(listing(), func(c *cli.Context, e query.Source) error {
			search := query.Search{File: c.String("file"), Session: c.String("session"), Text: c.String("text")}
			found, err := e.Checkpoints(c.Context, search, limit(c, "n"))
			if err != nil {
				return err
			}
			if found.Sealed > 0 {
				fmt.Fprintf(c.App.ErrWriter, "entire-plumb: the prompts of %s were not searched: %s\n%s\n", amount.Of(found.Sealed, "checkpoint"),
					printable(found.For), seal.Hint)
			}
			if c.Bool("json") {
				all := append([]checkpoints.CommittedInfo{}, limited(c, "n", found.Checkpoints)...)
				return errors.Join(printJSON(c.App.Writer, all), damagedAmong(found.Damaged))
			}
			switch {
			case listsNone(c, "n"):
			case len(found.Checkpoints) == 0:
				nothing(c, c.App.Writer, "no checkpoints")
			default:
				printCheckpoints(c.App.Writer, screenOf(c), found.Checkpoints, found.Count-len(found.Checkpoints))
			}
			return damagedAmong(found.Damaged)
		}),
	}
}

func printCheckpoints(w io.Writer, on screen, all []checkpoints.CommittedInfo, more int) {
	t := newTable(column{title: "CHECKPOINT", colour: yellow}, column{title: "DATE", spare: 2}, column{title: "BRANCH", least: 8, spare: 3, colour: green},
		column{title: "SESSIONS", least: 8, spare: 4}, column{title: "FILES", right: true, spare: 5}, column{title: "PROMPT", least: 16, wants: 30})
	for _, k := range all {
		var names []string
		prompt := ""
		for i, s := range k.Sessions {
			name := inColumn(s.SessionID)
			if k.IsAdded(i) {
				name += " (added by others)"
			} else {
				prompt = lastPrompt(k.Prompts[i])
			}
			names = append(names, name)
		}
		if k.Source != nil {
			prompt = printable(k.Source.String())
		}
		if k.Error != "" {
			prompt = k.Error
			if !k.Lacking {
				prompt = "damaged: " + k.Error
			}
		}
		t.add(k.ID, moment(k.When), k.Branch, strings.Join(names, ", "), len(k.Files), prompt)
	}
	t.print(w, on)
	if more > 0 {
		fmt.Fprintf(w, "and %s; -n -1 lists all\n", amount.Of(more, "more checkpoint"))
	}
}

// inCell makes a text harmless in a table on a terminal.
func inCell(s string) string { return strings.ReplaceAll(printable(s), "\t", " ") }

// described is a description of a prompt, harmless in a terminal.
func described(s string) string { return printable(shadow.Shown(s)) }

// lastPrompt is the last of a session's prompts, in a line: its first words, of a long one.
func lastPrompt(text string) string {
	const most = 200
	all := strings.Split(text, session.PromptSeparator)
	return short(strings.Join(strings.Fields(all[len(all)-1]), " "), most)
}

// lastByte remembers the last byte that was written.
type lastByte struct {
	io.Writer
	is byte
}

func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.is = p[len(p)-1]
	}
	return l.Writer.Write(p)
}
