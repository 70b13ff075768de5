package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
)

// pickRow is one of the rows that the user chooses from.
type pickRow struct {
	text   string
	more   string // on a line of its own, of the row that is chosen
	marked bool
}

// picks reports whether the user can choose from a list: keys are read, and the list is seen.
func picks(c *cli.Context) bool {
	return asks() && os.Getenv("TERM") != "dumb" && (onTerminal(c) || os.Getenv("ENTIRE_TEST_TTY") == "1")
}

// key is what terminals send, beside letters.
type key int

const (
	noKey key = iota
	upKey
	downKey
	pageUpKey
	pageDownKey
	homeKey
	endKey
	previewUpKey
	previewDownKey
	eraseKey
	eraseAllKey
	enterKey
	leaveKey
	interruptKey
	letterKey
)

// keys are what terminals send.
var keys = map[string]key{
	"\x1b[A": upKey, "\x1bOA": upKey, "\x10": upKey,
	"\x1b[B": downKey, "\x1bOB": downKey, "\x0e": downKey,
	"\x1b[5~": pageUpKey, "\x1b[6~": pageDownKey,
	"\x1b[H": homeKey, "\x1bOH": homeKey, "\x1b[1~": homeKey,
	"\x1b[F": endKey, "\x1bOF": endKey, "\x1b[4~": endKey,
	"\x02": previewUpKey, "\x06": previewDownKey, "\t": previewDownKey,
	"\x7f": eraseKey, "\b": eraseKey, "\x15": eraseAllKey,
	"\r": enterKey, "\n": enterKey, "\x03": interruptKey, "\x1b": leaveKey, "\x04": leaveKey,
}

// keyOf says what a terminal means by what it sent.
func keyOf(sent string) key {
	if k, known := keys[sent]; known || sent == "" || sent[0] < ' ' {
		return k
	}
	return letterKey
}

// pick shows rows on stderr, and returns the index of the one that the user chooses; -1: none. What
// is typed filters the rows. preview, if any, gives lines about a row.
func pick(c *cli.Context, title string, rows []pickRow, preview func(row int) []string) (int, error) {
	in := int(os.Stdin.Fd())
	before, err := term.MakeRaw(in)
	if err != nil {
		return -1, err
	}
	defer term.Restore(in, before)
	list := newPicker(c.App.ErrWriter, title, rows, preview)
	list.colour = os.Getenv("NO_COLOR") == ""
	if width, height, err := term.GetSize(in); err == nil && height > 0 {
		list.resize(width, height)
	}
	return list.run(stdin(c))
}

// picker is a list on a terminal, and below it what is known of the row under the cursor.
type picker struct {
	screen
	w       io.Writer
	title   string
	rows    []pickRow
	preview func(row int) []string // nil: none
	known   map[int][]string       // previews
	height  int                    // rows that are seen at once
	below   int                    // lines of the preview that are seen at once
	filter  string
	found   []int // the rows that the filter leaves
	at      int   // of these, the one that Enter chooses
	scroll  int   // the first line of the preview that is seen
	drawn   int   // lines
}

func newPicker(w io.Writer, title string, rows []pickRow, preview func(int) []string) *picker {
	p := &picker{w: w, title: title, rows: rows, preview: preview, known: map[int][]string{}, height: 10, below: 12}
	p.search()
	for i, r := range rows {
		if r.marked {
			p.at = i
		}
	}
	return p
}

// resize divides a terminal's lines between the list and the preview.
func (p *picker) resize(width, height int) {
	const around = 4 // the title, what is said of the row, and lines that separate
	p.width = width
	p.height = max(1, min(10, len(p.rows), height-around))
	if p.below = max(0, height-around-p.height); p.below < 3 {
		p.below = 0
	}
}

// run reads keys until one chooses, or ends it.
func (p *picker) run(in io.Reader) (int, error) {
	defer p.clear()
	buffer := make([]byte, 256)
	// First without the preview, which starts git: the list is there at once.
	p.draw(false)
	p.draw(true)
	for {
		n, err := in.Read(buffer)
		if err == io.EOF || n == 0 && err == nil {
			return -1, nil
		}
		if err != nil {
			return -1, err
		}
		for text := string(buffer[:n]); text != ""; {
			sent := nextKey(&text)
			switch k := keyOf(sent); {
			case k == leaveKey:
				return -1, nil
			case k == interruptKey:
				return -1, errInterrupted
			case k == enterKey && len(p.found) > 0:
				return p.found[p.at], nil
			default:
				p.press(k, sent)
				// Of keys that came together, as of one that is held down, only the last one's row
				// is worth a preview.
				p.draw(text == "")
			}
		}
	}
}

// press does what a key means.
func (p *picker) press(k key, sent string) {
	const page = 10
	by := map[key]int{upKey: -1, downKey: 1, pageUpKey: -page, pageDownKey: page, homeKey: -len(p.rows), endKey: len(p.rows)}[k]
	switch k {
	case letterKey:
		p.filter += sent
		p.search()
	case eraseKey:
		_, size := utf8.DecodeLastRuneInString(p.filter)
		p.filter = p.filter[:len(p.filter)-size]
		p.search()
	case eraseAllKey:
		p.filter = ""
		p.search()
	case previewDownKey:
		p.scroll += max(1, p.below-1)
	case previewUpKey:
		p.scroll = max(0, p.scroll-max(1, p.below-1))
	}
	if by != 0 {
		p.at, p.scroll = max(0, min(len(p.found)-1, p.at+by)), 0
	}
}

// search finds the rows that have each word of the filter. The cursor stays on its row if that is
// among them.
func (p *picker) search() {
	before := -1
	if p.at < len(p.found) {
		before = p.found[p.at]
	}
	p.found, p.at, p.scroll = nil, 0, 0
	for i, r := range p.rows {
		text, all := strings.ToLower(r.text+" "+r.more), true
		for word := range strings.FieldsSeq(strings.ToLower(p.filter)) {
			all = all && strings.Contains(text, word)
		}
		if all {
			if p.found = append(p.found, i); i == before {
				p.at = len(p.found) - 1
			}
		}
	}
}

// nextKey takes the first key from what a terminal sent.
func nextKey(text *string) string {
	_, size := utf8.DecodeRuneInString(*text)
	sent := (*text)[:size]
	// Esc alone leaves; with more behind it, it begins the sequence of one key.
	if rest := (*text)[1:]; sent == "\x1b" && (strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "O")) {
		end := 2 + strings.IndexFunc((*text)[2:]+"~", func(r rune) bool { return r >= '@' && r <= '~' })
		sent = (*text)[:min(len(*text), end+1)]
	}
	*text = (*text)[len(sent):]
	return sent
}

// draw draws the list in place of the last drawing, and with a preview of its row, or what is known
// of that: it may take a moment to find out. Lines do not wrap, so that each is one.
func (p *picker) draw(ask bool) {
	var b strings.Builder
	p.rewound(&b)
	line := func(text string) {
		b.WriteString("\x1b[2K" + p.fit(text) + "\r\n")
		p.drawn++
	}
	b.WriteString("\x1b[?7l")
	typed := "type to filter"
	if p.filter != "" {
		typed = "filter: " + printable(p.filter)
	}
	line(fmt.Sprintf("%s  (%s; arrow keys, Enter; Esc: none)", p.title, typed))
	if len(p.found) == 0 {
		line("   no row has this")
	}
	first := max(0, min(p.at-p.height/2, len(p.found)-p.height))
	for i := first; i < min(len(p.found), first+p.height); i++ {
		line(p.row(i))
	}
	if len(p.found) > 0 {
		line("     " + p.rows[p.found[p.at]].more)
		for _, text := range p.shown(ask) {
			line(text)
		}
	}
	b.WriteString("\x1b[J\x1b[?7h")
	io.WriteString(p.w, b.String())
}

// row is a row with the cursor and the mark.
func (p *picker) row(i int) string {
	r := p.rows[p.found[i]]
	cursor, mark, colour := " ", " ", ""
	if r.marked {
		mark = "*"
	}
	if i == p.at {
		cursor, colour = ">", bold
	}
	return p.in(colour, cursor+mark+" "+r.text)
}

// shown is the part of the preview that there is room for.
func (p *picker) shown(ask bool) []string {
	row := p.found[p.at]
	lines, known := p.known[row]
	if !known && ask && p.preview != nil {
		lines = p.preview(row)
		p.known[row] = lines
	}
	if p.below == 0 || len(lines) == 0 {
		return nil
	}
	p.scroll = max(0, min(p.scroll, len(lines)-p.below+1))
	var shown []string
	for _, text := range lines[p.scroll:min(len(lines), p.scroll+p.below-1)] {
		shown = append(shown, "  "+p.diffLine(text))
	}
	if more := len(lines) - p.scroll - len(shown); more > 0 || p.scroll > 0 {
		shown = append(shown, fmt.Sprintf("  … %s more (Tab; Ctrl-B: back)", amount.Of(more, "line")))
	}
	return shown
}

// diffLine colours a line as git does those of a diff.
func (p *picker) diffLine(text string) string {
	colour := ""
	switch {
	case strings.HasPrefix(text, "diff ") || strings.HasPrefix(text, "--- ") || strings.HasPrefix(text, "+++ "):
		colour = bold
	case strings.HasPrefix(text, "+"):
		colour = green
	case strings.HasPrefix(text, "-"):
		colour = red
	case strings.HasPrefix(text, "@@"):
		colour = cyan
	}
	return p.in(colour, gitexec.Harmless(strings.ReplaceAll(text, "\t", "    ")))
}

// rewound goes back to where the last drawing begins.
func (p *picker) rewound(b *strings.Builder) {
	if p.drawn > 0 {
		fmt.Fprintf(b, "\x1b[%dA", p.drawn)
	}
	p.drawn = 0
}

// clear removes the list.
func (p *picker) clear() {
	var b strings.Builder
	p.rewound(&b)
	b.WriteString("\r\x1b[J")
	io.WriteString(p.w, b.String())
}
