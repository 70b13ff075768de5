package cli

import (
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
