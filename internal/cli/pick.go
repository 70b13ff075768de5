package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
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

// Keys, as terminals send them, and what they do.
var keys = map[string]int{
	"\x1b[A": -1, "\x1bOA": -1, "k": -1, "\x10": -1,
	"\x1b[B": 1, "\x1bOB": 1, "j": 1, "\x0e": 1, "\t": 1,
	"\x1b[5~": -pageKey, "\x1b[6~": pageKey, "g": -allKeys, "\x1b[H": -allKeys, "G": allKeys, "\x1b[F": allKeys,
}

const (
	pageKey = 10
	allKeys = 1 << 20
)

// pick shows rows on stderr, and returns the index of the one that the user chooses; -1: none.
func pick(c *cli.Context, title string, rows []pickRow) (int, error) {
	in := int(os.Stdin.Fd())
	before, err := term.MakeRaw(in)
	if err != nil {
		return -1, err
	}
	defer term.Restore(in, before)
	list := picker{w: c.App.ErrWriter, title: title, rows: rows, height: 10}
	if _, height, err := term.GetSize(in); err == nil && height > 0 {
		list.height = max(1, min(list.height, height-4))
	}
	for i, r := range rows {
		if r.marked {
			list.at = i
		}
	}
	return list.run(os.Stdin)
}

// picker is a list on a terminal.
type picker struct {
	w      io.Writer
	title  string
	rows   []pickRow
	height int // rows that are seen at once
	at     int // the row that Enter chooses
	drawn  int // lines
}

// run reads keys until one chooses, or ends it.
func (p *picker) run(in io.Reader) (int, error) {
	defer p.clear()
	buffer := make([]byte, 64)
	p.draw()
	for {
		n, err := in.Read(buffer)
		if err == io.EOF || n == 0 {
			return -1, nil
		}
		if err != nil {
			return -1, err
		}
		for text := string(buffer[:n]); text != ""; {
			switch key := nextKey(&text); key {
			case "\r", "\n":
				return p.at, nil
			case "q", "\x1b", "\x03", "\x04":
				return -1, nil
			default:
				p.at = max(0, min(len(p.rows)-1, p.at+keys[key]))
				p.draw()
			}
		}
	}
}

// nextKey takes the first key from what a terminal sent.
func nextKey(text *string) string {
	key := (*text)[:1]
	for known := range keys {
		if len(known) > len(key) && strings.HasPrefix(*text, known) {
			key = known
		}
	}
	if rest := (*text)[1:]; key == "\x1b" && (strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "O")) { // an unknown one
		end := 2 + strings.IndexFunc((*text)[2:]+"~", func(r rune) bool { return r >= '@' && r <= '~' })
		key = (*text)[:min(len(*text), end+1)]
	}
	*text = (*text)[len(key):]
	return key
}

// draw draws the list in place of the last drawing. Lines do not wrap, so that each is one.
func (p *picker) draw() {
	var b strings.Builder
	p.rewound(&b)
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, "\x1b[2K"+format+"\r\n", args...)
		p.drawn++
	}
	b.WriteString("\x1b[?7l")
	line("%s  (arrow keys, Enter; q: none)", p.title)
	first := max(0, min(p.at-p.height/2, len(p.rows)-p.height))
	for i := first; i < min(len(p.rows), first+p.height); i++ {
		cursor, mark := " ", " "
		if i == p.at {
			cursor = ">"
		}
		if p.rows[i].marked {
			mark = "*"
		}
		line("%s%s %s", cursor, mark, p.rows[i].text)
	}
	line("     %s", p.rows[p.at].more)
	b.WriteString("\x1b[?7h")
	io.WriteString(p.w, b.String())
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
