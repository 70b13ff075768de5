package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/query"
	"entire-plumb/internal/seal"
)

func searchCommand() *cli.Command {
	return &cli.Command{
		Name:      "search",
		Usage:     "search conversations: prompts, answers, commands, file names",
		ArgsUsage: "WORDS…",
		Description: "Finds texts that have all of the words, ignoring case; a word may be part of a longer one. An argument with blanks\n" +
			"is a phrase. What is searched: prompts, answers, what tools were given, names of files, titles and summaries,\n" +
			"committed or not; not what tools printed. Newest first, each with the line that has the most of the words.\n\n" +
			"   entire-plumb search retry backoff --in answers\n" +
			"   entire-plumb search \"connection reset\" --since \"2 weeks ago\"\n" +
			"   entire-plumb search --regexp 'rm -rf .*build' --in commands\n\n" +
			"The first search reads all conversations, which takes a while; later ones read what is new.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "regexp", Aliases: []string{"E"},
				Usage: "take WORDS for one regular expression, which matches in a line, ignoring case; (?-i) before it doesn't ignore it"},
			&cli.StringSliceFlag{Name: "in", Usage: "only in `KIND`: prompts, answers, commands, files, summaries or titles; may be repeated"},
			&cli.StringFlag{Name: "file", Usage: "only turns that mention `FILE`, and checkpoints that changed it, or files below it"},
			&cli.StringFlag{Name: "session", Usage: "only the session `ID`, which may be abbreviated"},
			&cli.StringFlag{Name: "since", Usage: "only what was said since `DATE`, as git understands dates"},
			&cli.BoolFlag{Name: "repos", Usage: "search all repositories in which you ran enable"},
			limitFlag("n", mostListed, "list at most `N`"),
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		}, briefFlags()...),
		Action: reading(alsoBrief(checkSearch), func(c *cli.Context, e query.Source) error {
			found, passed, err := searchAsked(c, e)
			if bad := new(query.ErrQuery); errors.As(err, &bad) {
				return usagef("%s\nhint: %s --help", bad.Reason, c.Command.HelpName)
			}
			if err != nil {
				return err
			}
			found.Matches = limited(c, "n", found.Matches)
			if c.Bool("brief") {
				return briefSearch(c, found)
			}
			notSearched(c.App.ErrWriter, found, passed)
			return output(c, searchJSON(found, passed), func(w io.Writer) {
				if !listsNone(c, "n") {
					p := matchPrinter{screenOf(c), w}
					p.all(found)
				}
			})
		}),
	}
}

func checkSearch(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("which words?\nhint: %s WORDS", c.Command.HelpName)
	}
	return nil
}

func searchAsked(c *cli.Context, e query.Source) (query.TextFound, []query.Passed, error) {
	if c.Bool("repos") {
		return e.SearchAll(c.Context, textSearch(c))
	}
	found, err := e.SearchTexts(c.Context, textSearch(c))
	return found, nil, err
}

// searchedKinds are the values of --in.
var searchedKinds = []string{"prompts", "answers", "commands", "files", "summaries", "titles"}

func textSearch(c *cli.Context) query.TextSearch {
	var in []string
	for _, names := range c.StringSlice("in") {
		in = append(in, strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == '|' })...)
	}
	return query.TextSearch{Words: c.Args().Slice(), Regexp: c.Bool("regexp"), In: in, File: c.String("file"), Session: c.String("session"),
		Since: c.String("since"), Most: limit(c, "n")}
}

// notSearched says what was not searched.
func notSearched(w io.Writer, found query.TextFound, passed []query.Passed) {
	for _, p := range passed {
		fmt.Fprintf(w, "entire-plumb: %s was not searched: %s\n", printable(p.Repository), printable(p.Reason))
	}
	if found.Sealed > 0 {
		fmt.Fprintf(w, "entire-plumb: %s not searched: %s\n%s\n", amount.Of(found.Sealed, "conversation")+" "+amount.ByNumber(found.Sealed, "was", "were"), printable(found.For), seal.Hint)
	}
	if found.Unread > 0 {
		fmt.Fprintf(w, "entire-plumb: %s of conversations could not be read, and %s not searched\nhint: entire-plumb doctor\n",
			amount.Of(found.Unread, "file"), amount.ByNumber(found.Unread, "was", "were"))
	}
}

// searchResult is what search prints as JSON.
type searchResult struct {
	Matches     []query.TextMatch `json:"matches"`
	More        bool              `json:"more"`
	NotSearched notSearchedJSON   `json:"not_searched"`
}

// notSearchedJSON is what a search did not look into.
type notSearchedJSON struct {
	Sealed       int            `json:"encrypted_conversations"` // of which no identity here opens the texts
	Unread       int            `json:"unreadable_files"`        // of conversations, that are damaged or too large
	Repositories []query.Passed `json:"repositories"`            // with --repos: those that were passed over
}

func searchJSON(found query.TextFound, passed []query.Passed) searchResult {
	r := searchResult{Matches: append([]query.TextMatch{}, found.Matches...), More: found.More}
	r.NotSearched.Sealed, r.NotSearched.Unread, r.NotSearched.Repositories = found.Sealed, found.Unread, append([]query.Passed{}, passed...)
	return r
}

// widthElsewhere is how many columns a line has where the output is no terminal.
const widthElsewhere = 200

// matchPrinter prints what a search found.
type matchPrinter struct {
	screen
	w io.Writer
}

func (p *matchPrinter) all(found query.TextFound) {
	sessions := map[string]bool{}
	for _, m := range found.Matches {
		sessions[m.Repository+"\x00"+m.Session] = true
		p.match(m)
	}
	switch n := len(found.Matches); {
	case n == 0:
		fmt.Fprintln(p.w, "no matches")
	case found.More:
		fmt.Fprintf(p.w, "the latest %s, in %s; -n -1 lists all\n", matchesShown(n), amount.Of(len(sessions), "session"))
	default:
		fmt.Fprintf(p.w, "%s in %s\n", matchesShown(n), amount.Of(len(sessions), "session"))
	}
}

func matchesShown(n int) string { return fmt.Sprint(n, " ", amount.ByNumber(n, "match", "matches")) }

// match prints one: where it is, and below it the line, with those beside it.
func (p *matchPrinter) match(m query.TextMatch) {
	where := []string{moment(m.When), inColumn(m.Session)}
	if m.Turn > 0 {
		where = append(where, fmt.Sprintf("turn %d", m.Turn))
	}
	if m.Agent != "" {
		where = append(where, printable(m.Agent))
	}
	kind := m.Kind
	if m.Subagent {
		kind += " of a subagent"
	}
	where = append(where, kind)
	switch {
	case m.Checkpoint != "":
		where = append(where, m.Checkpoint)
	case m.Work != "":
		where = append(where, whereIs(m.Work))
	default:
		where = append(where, "not committed")
	}
	if m.Repository != "" {
		where = append(where, printable(m.Repository))
	}
	if m.Source != nil {
		where = append(where, addedBy(*m.Source))
	}
	fmt.Fprintln(p.w, p.in(yellow, p.fit(strings.Join(where, "  "))))
	for i, line := range []string{m.Before, m.Text, m.After} {
		if strings.TrimSpace(line) != "" {
			fmt.Fprintf(p.w, "    %s\n", p.fitted(line, m.Places[i]))
		}
	}
	fmt.Fprintln(p.w)
}

// stretch is a part of a line.
type stretch struct {
	text  string
	found bool
}

// fitted is a line of a text, cut so that it fits and its first place is in it.
func (p *matchPrinter) fitted(line string, places [][2]int) string {
	var b strings.Builder
	for _, s := range around(stretches(line, places), max(20, cmp.Or(p.width, widthElsewhere)-6)) {
		if s.found {
			s.text = p.in(bold+red, s.text)
		}
		b.WriteString(s.text)
	}
	return b.String()
}

// stretches are the parts of a line, harmless on a terminal.
func stretches(line string, places [][2]int) (all []stretch) {
	at := 0
	for _, place := range append(places[:len(places):len(places)], [2]int{len(line), len(line)}) {
		for i, text := range []string{line[at:place[0]], line[place[0]:place[1]]} {
			if text = inCell(text); text != "" {
				all = append(all, stretch{text, i == 1})
			}
		}
		at = place[1]
	}
	if len(all) > 0 {
		all[0].text = strings.TrimLeft(all[0].text, " ")
	}
	return all
}

// around cuts the parts of a line so that they have at most so many columns: before what was found
// a third of these stays.
func around(all []stretch, width int) []stretch {
	before, whole := -1, 0
	for _, s := range all {
		if s.found && before < 0 {
			before = whole
		}
		whole += displaywidth.String(s.text)
	}
	if whole <= width {
		return all
	}
	from := max(0, min(before-width/3, whole-width))
	var cut []stretch
	at := 0
	for _, s := range all {
		var b strings.Builder
		for _, r := range s.text {
			w := displaywidth.Rune(r)
			if at >= from && at+w <= from+width {
				b.WriteRune(r)
			}
			at += w
		}
		if b.Len() > 0 {
			cut = append(cut, stretch{b.String(), s.found})
		}
	}
	if from > 0 {
		cut = append([]stretch{{text: "…"}}, cut...)
	}
	if from+width < whole {
		cut = append(cut, stretch{text: "…"})
	}
	return cut
}
