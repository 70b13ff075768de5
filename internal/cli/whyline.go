package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/attribution"
	"entire-plumb/internal/query"
)

// whyLine answers why FILE:LINE.
func whyLine(c *cli.Context, e query.Source, file string, line int) error {
	w, err := e.WhyLine(c.Context, c.String("rev"), file, line)
	if err != nil && (w.Commits == nil || !errors.As(err, new(*query.DamageError))) {
		return err
	}
	if err != nil {
		err = damage(err.Error())
	}
	if c.Bool("brief") {
		return briefLine(c, w, err)
	}
	g := gaps{unshallow: unshallowing(c)}
	if w.Owner.Kind == attribution.Unknown {
		g.add(w.Owner.Missing, w.Owner.Reason)
	}
	g.warn(c.App.ErrWriter)
	return errors.Join(output(c, w, func(io.Writer) { prose(c, func(out io.Writer) { printWhyLine(out, w) }) }), err)
}

func printWhyLine(out io.Writer, w query.WhyLine) {
	fmt.Fprintf(out, "%s:%d: %s\n", w.File.Display(), w.Line, printable(strings.TrimSuffix(w.Content, "\r")))
	author := authorWithModel(w.BlamedLine)
	if w.Owner.Kind == attribution.Human && !w.Committed() {
		author = "you"
	}
	fmt.Fprintf(out, "  by: %s\n", author)
	if w.Prompt != "" {
		fmt.Fprintf(out, "  prompt: %s\n", indented(w.Prompt))
	}
	if w.Answer != "" {
		fmt.Fprintf(out, "  answer: %s\n", indented(w.Answer))
	}
	for _, k := range w.Commits {
		fmt.Fprintln(out, "  "+commitLine(k))
	}
	if !w.Committed() {
		fmt.Fprintln(out, "  not committed yet")
	}
	if w.Owner.Turn != "" {
		fmt.Fprintf(out, "hint: the whole turn: entire-plumb show %s\n", printable(w.Owner.Turn))
	}
}
