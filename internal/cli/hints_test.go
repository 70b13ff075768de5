package cli

import (
	"io"
	"os"
	"path/filepath"
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

// commandOnPage is a command in backquotes on a page, and what is typed after it.
var commandOnPage = regexp.MustCompile("`entire-plumb ([a-z][a-z-]*)([^`]*)`")

// rowOfCommands is a row of the table in docs/commands.md; usageInRow is a usage in it.
var rowOfCommands, usageInRow = regexp.MustCompile(`(?m)^\| (.*?[^\\]) \|`), regexp.MustCompile("`([a-z][a-z-]*)([^`]*)`")

// optionTyped is an option as it is typed.
var optionTyped = regexp.MustCompile(`(?:^|[ \[|])--?([A-Za-z][a-z-]*)`)

// TestPagesNameCommands: each command in backquotes on the pages exists, and has the options; the
// table of commands has a row for each that isn't hidden.
func TestPagesNameCommands(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	testdir.Must(t, err)
	app := newApp(io.Discard, io.Discard)
	checked, named := 0, map[string]bool{}
	check := func(page, name, arguments string) {
		at := slices.IndexFunc(app.Commands, func(c *cli.Command) bool { return c.HasName(name) })
		if at < 0 {
			t.Errorf("%s names %q, which is no command", page, name)
			return
		}
		checked++
		own, _, _ := strings.Cut(arguments, " -- ")
		own, _, _ = strings.Cut(own, " | ")
		for _, option := range optionTyped.FindAllStringSubmatch(own, -1) {
			has := func(f cli.Flag) bool { return slices.Contains(f.Names(), option[1]) }
			if option[1] != "help" && !slices.ContainsFunc(app.Commands[at].Flags, has) {
				t.Errorf("%s: %s has no option %s: %s", page, name, option[1], arguments)
			}
		}
	}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		testdir.Must(t, err)
		for _, found := range commandOnPage.FindAllStringSubmatch(string(text), -1) {
			if found[1] != "help" {
				check(page, found[1], found[2])
			}
		}
		if filepath.Base(page) != "commands.md" {
			continue
		}
		for _, row := range rowOfCommands.FindAllStringSubmatch(string(text), -1) {
			for _, usage := range usageInRow.FindAllStringSubmatch(row[1], -1) {
				named[usage[1]] = true
				check(page, usage[1], usage[2])
			}
		}
	}
	for _, c := range app.Commands {
		if !c.Hidden && !named[c.Name] && c.Name != "help" {
			t.Errorf("docs/commands.md has no row for %s", c.Name)
		}
	}
	if checked < 150 {
		t.Errorf("only %d commands are named", checked)
	}
}
