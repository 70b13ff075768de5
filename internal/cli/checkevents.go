package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/hooks"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/safefile"
)

// checkedJSON is what `hooks generic --check --json FILE` prints.
type checkedJSON struct {
	// how many of them have something wrong
	Wrong int `json:"wrong_events"`
	// in the order of the file; those of transcripts come last
	Events []hooks.CheckedEvent `json:"events"`
}

// checksEvents reports whether the author of a plugin calls the hooks of any agent, to check what
// the plugin sent, and not an agent. Options of all commands may come first.
func checksEvents(args []string) bool {
	at := slices.Index(args, "hooks")
	if at < 1 || len(args) < at+3 || args[at+1] != agent.Generic.Name || !strings.HasPrefix(args[at+2], "-") {
		return false
	}
	isOption := func(arg string) bool { return strings.HasPrefix(arg, "-") }
	return !slices.ContainsFunc(args[1:at], func(arg string) bool { return !isOption(arg) }) &&
		slices.ContainsFunc(args[at+2:], func(arg string) bool { return isOption(arg) && strings.HasPrefix(strings.TrimLeft(arg, "-"), "check") })
}

// checkEvents says what would be recorded of the events in a file. An error that is printed already
// is quiet.
func checkEvents(c *cli.Context) error {
	if err := takes(1)(c); err != nil {
		return err
	}
	name := c.Args().First()
	file := stdin(c)
	switch name {
	case "":
		return usagef("no file with events given\nhint: %s --check FILE, or - for standard input", c.Command.HelpName)
	case "-":
	default:
		opened, err := safefile.Open(name)
		if err != nil {
			return ofNamed(name, err)
		}
		defer opened.Close()
		file = opened
	}
	var found checkedJSON
	var err error
	if found.Events, err = hooks.Check(c.Context, file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, e := range found.Events {
		if e.Wrong != "" {
			found.Wrong++
		}
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, found)
	} else {
		printChecked(c, name, found)
	}
	if err == nil && found.Wrong > 0 {
		err = errQuiet
	}
	return err
}

func printChecked(c *cli.Context, name string, found checkedJSON) {
	for _, e := range found.Events {
		place := fmt.Sprintf("%s:%d: ", name, e.Line)
		if e.Transcript != "" {
			place = fmt.Sprintf("%s:%d: ", e.Transcript, e.Line)
		}
		if e.Verb != "" {
			place += e.Verb + ": "
		}
		if e.Recorded != "" {
			fmt.Fprintln(c.App.Writer, printable(place+e.Recorded))
		}
		if e.Wrong != "" {
			fmt.Fprintln(c.App.Writer, printable(place+"wrong: "+e.Wrong))
		}
	}
	fmt.Fprintf(c.App.Writer, "%s\n", amount.Of(found.Wrong, "fault"))
}
