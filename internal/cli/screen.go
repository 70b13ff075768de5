package cli

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"entire-plumb/gitexec"
)

// screen is what output is shown on. The zero value is a file or a pipe.
type screen struct {
	width  int // in columns; 0: without a limit
	colour bool
}

// usualWidth is that of a terminal that doesn't say it.
const usualWidth = 80

// screenOf is what a command's output is shown on. Where that is a terminal, git is asked for the
// user's colours: one process.
func screenOf(c *cli.Context) screen {
	p, ok := c.App.Writer.(*printer)
	if !ok {
		return screen{colour: wantsColour(c)}
	}
	return screen{width: p.width(), colour: wantsColour(c)}
}

// width is how many columns the terminal has, as git finds it: COLUMNS comes first. It is 0 if
// stdout is none, and not read through a pager of a calling git either.
func (p *printer) width() int {
	f, ok := p.terminal()
	if !ok && !pagerInUse() {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return usualWidth
}

// pagerInUse reports whether a calling git shows the output through its pager.
func pagerInUse() bool {
	called := os.Getenv("GIT_PAGER_IN_USE")
	return called == "true" || called == "1"
}

// in colours a text, if colours are wanted.
func (s screen) in(colour, text string) string {
	if !s.colour || colour == "" || text == "" {
		return text
	}
	return colour + text + reset
}

// fit cuts a line, whose colours have no width, at the end of the screen.
func (s screen) fit(line string) string {
	if s.width <= 0 {
		return line
	}
	return measured.TruncateString(line, s.width, "…")
}

// wrap breaks a line that is wider than the screen at spaces, but not within a command, which users
// copy. What follows is indented once more.
func (s screen) wrap(line string) string {
	if s.width <= 0 || measured.String(line) <= s.width {
		return line
	}
	words := unbroken(line)
	indent := 0
	for indent < len(words)-1 && words[indent] == "" {
		indent++
	}
	var out strings.Builder
	used := 0
	for i, word := range words {
		n := measured.String(word)
		switch {
		case i > indent && used+1+n > s.width:
			out.WriteString("\n" + strings.Repeat(" ", indent+2))
			used = indent + 2
		case i > 0:
			out.WriteString(" ")
			used++
		}
		out.WriteString(word)
		used += n
	}
	return out.String()
}

// unbroken are a line's words; a command in a hint or in parentheses is one, with what follows it
// up to the next punctuation mark.
func unbroken(line string) (words []string) {
	text := strings.TrimLeft(line, " ")
	hint := strings.HasPrefix(text, "hint: ") || strings.HasPrefix(text, "Next: ")
	joins := false
	for _, word := range strings.Split(line, " ") {
		if joins {
			words[len(words)-1] += " " + word
		} else {
			words = append(words, word)
			name := strings.TrimPrefix(word, "(")
			joins = (name == "entire-plumb" || name == "git") && (hint || name != word)
		}
		joins = joins && !strings.ContainsAny(word[max(0, len(word)-1):], ",;:)")
	}
	return words
}

// prose prints text whose lines are wrapped.
func prose(c *cli.Context, print func(w io.Writer)) {
	p, ok := c.App.Writer.(*printer)
	if !ok || p.width() == 0 {
		print(c.App.Writer)
		return
	}
	var text strings.Builder
	print(&text)
	on := screen{width: p.width()}
	for line := range strings.Lines(text.String()) {
		line, end := strings.CutSuffix(line, "\n")
		if line = on.wrap(line); end {
			line += "\n"
		}
		io.WriteString(p, line)
	}
}

// between cuts a text so that what stands behind it has room, too.
func (s screen) between(text, more string) string {
	const least = 20 // of the text
	if s.width > 0 {
		// On a very narrow screen what stands behind is cut, and not the text.
		room := max(least, s.width-measured.String(more))
		text = measured.TruncateString(text, room, "…")
	}
	return s.fit(text + more)
}

// measured counts no width for colours.
var measured = displaywidth.Options{ControlSequences: true}

// colourFlag is the flag of commands that print in colours.
func colourFlag() cli.Flag {
	return &whenFlag{cli.StringFlag{Name: "color", Usage: "colour the output `WHEN`: auto, always or never", Value: "auto"}}
}

// whenFlag is an option whose value is optional, and so never the next argument.
type whenFlag struct{ cli.StringFlag }

func (f *whenFlag) String() string {
	return strings.Replace(f.StringFlag.String(), " WHEN", "[=WHEN]", 1)
}

// wantsColour is the value of --color; with auto, whether the output is a terminal with colours,
// and the user's configuration of git wants them.
func wantsColour(c *cli.Context) bool {
	switch c.String("color") {
	case "always":
		return true
	case "never":
		return false
	}
	p, ok := c.App.Writer.(*printer)
	return ok && p.takesColours() && userColours(c, p.start != nil || pagerInUse())
}

// userColours is what git's configuration says of colours: color.ui, and color.pager where the
// output goes through one. Without configuration they are wanted.
func userColours(c *cli.Context, throughPager bool) bool {
	dir, err := os.Getwd()
	if err != nil {
		return true
	}
	set, err := gitexec.Colours(c.Context, dir, tracer(c))
	if err != nil {
		return true
	}
	return isColour(set["color.ui"]) && (!throughPager || isColour(set["color.pager"]))
}

// isColour reads a value of git's colour settings; empty: unset.
func isColour(value string) bool {
	return !slices.Contains([]string{"never", "false", "no", "off", "0"}, value)
}
