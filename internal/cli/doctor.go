package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// problem is something that keeps work from being recorded, or needs the user, and what to do.
type problem struct {
	What string `json:"what"`
	Hint string `json:"hint"`
}

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "say what keeps work from being recorded, and what to do",
		Description: "Prints the part of `status` that asks for something to be done: hooks that are missing, settings that are ignored,\n" +
			"a stale lock, agents' sessions of which no event was heard, streams of removed worktrees. The exit code is 1 if there\n" +
			"is any. It changes nothing.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			r, err := gatherStatus(c)
			if err != nil {
				return err
			}
			var said bytes.Buffer
			r.printProblems(&said)
			switch {
			case c.Bool("json"):
				err = printJSON(c.App.Writer, problemsIn(said.String()))
			case said.Len() == 0:
				_, err = fmt.Fprintln(c.App.Writer, "nothing is wrong")
			default:
				_, err = c.App.Writer.Write(said.Bytes())
			}
			if err == nil && said.Len() > 0 {
				err = errQuiet
			}
			return err
		},
	}
}

// printProblems prints what of a status needs the user: each ends in a hint.
func (r *statusReport) printProblems(w io.Writer) {
	if !r.Enabled {
		fmt.Fprintln(w, r.Why)
	}
	printIgnored(w, r.Ignored)
	r.printHooks(w)
	if r.Enabled {
		r.printAgents(w, true)
	}
	for _, u := range r.Unheard {
		u.print(w)
	}
	r.printBlocked(w)
	for _, name := range r.Orphaned {
		printOrphaned(w, name)
	}
}

// problemsIn parses problems as they are printed.
func problemsIn(text string) []problem {
	problems, what := []problem{}, []string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		hint, ends := strings.CutPrefix(line, "hint: ")
		if !ends {
			what = append(what, line)
			continue
		}
		problems = append(problems, problem{strings.Join(what, "\n"), hint})
		what = what[:0]
	}
	return problems
}
