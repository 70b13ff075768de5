package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/query"
)

// selectionFlags limit the commits that a command is about, as those of git log do.
func selectionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "since", Usage: "only commits since `DATE`, as git understands dates"},
		&cli.StringFlag{Name: "until", Usage: "only commits until `DATE`"},
		&cli.StringFlag{Name: "author", Usage: "only commits whose author matches `PATTERN`"},
	}
}

// selection is the commits that a call is about: those of the names before "--", and of the paths
// after it.
func selection(c *cli.Context) query.Selection {
	names, paths := namesAndPaths(c)
	return query.Selection{Names: names, Since: c.String("since"), Until: c.String("until"), Author: c.String("author"), Paths: paths}
}

// selectionOrHead is the selection, as git show has it: where nothing chooses commits, it is HEAD.
func selectionOrHead(c *cli.Context) query.Selection {
	s := selection(c)
	if len(s.Names) == 0 && s.Since == "" && s.Until == "" && s.Author == "" {
		s.Names = []string{"HEAD"}
	}
	return s
}

// selected is what a selection is called in a sentence.
func selected(c *cli.Context) string {
	names, paths := namesAndPaths(c)
	what := "the selection"
	switch len(names) {
	case 0:
		what = "HEAD"
	case 1:
		what = names[0]
	}
	if len(paths) > 0 {
		what += " -- " + strings.Join(paths, " ")
	}
	return what
}
