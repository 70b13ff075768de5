package cli

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/testdir"
)

// toldToRun is a command as a message tells the user to run it, with its first option.
var toldToRun = regexp.MustCompile("(?:hint: |see |run |: |`)entire-plumb ([a-z][a-z-]*)(?: --([a-z-]+))?")

// TestMessagesNameCommands: each command that a message tells the user to run exists, and has the
// option.
func TestMessagesNameCommands(t *testing.T) {
	messages, err := os.ReadFile("../../testdata/messages.txt")
	testdir.Must(t, err)
	app := newApp(io.Discard, io.Discard)
	checked := 0
	for line := range strings.Lines(string(messages)) {
		_, message, _ := strings.Cut(line, ": ") // after the package's name
		for _, found := range toldToRun.FindAllStringSubmatch(message, -1) {
			name, option := found[1], found[2]
			at := slices.IndexFunc(app.Commands, func(c *cli.Command) bool { return c.HasName(name) })
			if at < 0 {
				t.Errorf("no command %q: %s", name, line)
				continue
			}
			checked++
			has := func(f cli.Flag) bool { return slices.Contains(f.Names(), option) }
			if option != "" && option != "help" && !slices.ContainsFunc(app.Commands[at].Flags, has) {
				t.Errorf("%s has no option --%s: %s", name, option, line)
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d commands are named", checked)
	}
}
