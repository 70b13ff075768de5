package cli

import (
	"io"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"
)

// helpWidth is the width of a help text, with its indentation.
const helpWidth = 80

// wrapHelp wraps the descriptions of commands.
func wrapHelp(commands []*cli.Command) {
	for _, c := range commands {
		c.Description = wrapParagraphs(c.Description, helpWidth-3)
		wrapHelp(c.Subcommands)
	}
}

// wrapParagraphs wraps paragraphs, which empty lines separate. One with a line that is indented is
// an example, and stays as it is.
func wrapParagraphs(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if strings.HasPrefix(p, " ") || strings.Contains(p, "\n ") {
			continue
		}
		var out strings.Builder
		column := 0
		for _, word := range strings.Fields(p) {
			n := len([]rune(word))
			switch {
			case column == 0:
			case column+1+n > width:
				out.WriteByte('\n')
				column = 0
			default:
				out.WriteByte(' ')
				column++
			}
			out.WriteString(word)
			column += n
		}
		paragraphs[i] = out.String()
	}
	return strings.Join(paragraphs, "\n\n")
}

// printHelp prints help as the library does, in lines that fit: texts of options are wrapped in a
// column of their own, and begin below options that are longer.
func printHelp(w io.Writer, text string, data any) {
	const column = 28                                     // of the texts
	options := regexp.MustCompile(`^   (-.*?)  +(\S.*)$`) // three blanks, the option, and its text
	var b strings.Builder
	libraryHelp(&b, text, data)
	for line := range strings.Lines(b.String()) {
		option := options.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if option == nil {
			io.WriteString(w, wrappedHelp(line))
			continue
		}
		io.WriteString(w, hanging("   "+Repeated(option[1]), option[2], column))
	}
}

// wrappedHelp is a line of help that is no option's: a name with what it does, or how a command is
// called.
func wrappedHelp(line string) string {
	if len(line) <= helpWidth {
		return line
	}
	commands := regexp.MustCompile(`^(   [a-z][a-z, -]*  +)(\S.*)`)
	if command := commands.FindStringSubmatch(line); command != nil {
		return hanging(strings.TrimRight(command[1], " "), command[2], len(command[1]))
	}
	if strings.HasPrefix(line, "   entire-plumb ") {
		return hanging("   entire-plumb", strings.TrimPrefix(line, "   entire-plumb "), len("   entire-plumb "))
	}
	return line
}

// libraryHelp is the library's own printer.
var libraryHelp = cli.HelpPrinter

// Repeated is the name of an option in help: the library writes one that may be repeated twice.
func Repeated(option string) string {
	if once, _, ok := strings.Cut(option, " [ -"); ok {
		return once + "..."
	}
	return option
}

// hanging wraps a text beside a name, or below it where that leaves no room, at a column.
func hanging(name, text string, column int) string {
	lines := strings.Split(wrapParagraphs(text, helpWidth-column), "\n")
	indent := strings.Repeat(" ", column)
	if room := column - len(name); room >= 1 {
		name += indent[:room]
	} else {
		name += "\n" + indent
	}
	return name + strings.Join(lines, "\n"+indent) + "\n"
}
