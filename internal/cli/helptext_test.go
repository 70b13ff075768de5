package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/testdir"
)

func TestWrapParagraphs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"one two", "one two"},
		{"one two\nthree four", "one two\nthree four"},
		{"one\ntwo three", "one two\nthree"},
		{"a b\n\nc d", "a b\n\nc d"},
		{"überlang ist", "überlang\nist"},
		{"  an   example\nof", "  an   example\nof"},
		{"veryverylong x", "veryverylong\nx"},
	} {
		if got := wrapParagraphs(c.text, 10); got != c.want {
			t.Errorf("%q is wrapped as %q, not %q", c.text, got, c.want)
		}
	}
}

// The list of commands and their descriptions fit into a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	fits := func(of, text string) {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "     ") { // an example, to be pasted
				continue
			}
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > helpWidth {
				t.Errorf("%s: a line has %d columns: %q", of, n, line)
			}
		}
	}
	var out bytes.Buffer
	app := newApp(&out, io.Discard)
	testdir.Must(t, app.Run([]string{"entire-plumb", "--help"}))
	list, ok := strings.CutPrefix(out.String(), "NAME:")
	if !ok {
		t.Fatalf("the help begins with %.20q", out.String())
	}
	_, list, _ = strings.Cut(list, "COMMANDS:")
	fits("the list", list)
	var all func([]*cli.Command)
	all = func(commands []*cli.Command) {
		for _, c := range commands {
			fits(c.Name, "   "+strings.ReplaceAll(c.Description, "\n", "\n   "))
			all(c.Subcommands)
		}
	}
	all(app.Commands)
}

// TestExamples: the help of every command ends in examples, which can be called.
func TestExamples(t *testing.T) {
	app := newApp(io.Discard, io.Discard)
	var all func(commands []*cli.Command, before string)
	all = func(commands []*cli.Command, before string) {
		for _, c := range commands {
			name := strings.TrimPrefix(before+" "+c.Name, " ")
			if c.Hidden || before == "hooks" {
				continue
			}
			_, examples, ok := strings.Cut(c.Description, "Examples:\n\n")
			if !ok || strings.TrimSpace(examples) == "" {
				t.Errorf("%s has no examples", name)
			}
			for line := range strings.Lines(examples) {
				calls(t, app, name, line)
			}
			all(c.Subcommands, name)
		}
	}
	all(app.Commands, "")
}

// calls checks that an example is a call of the command.
func calls(t *testing.T, app *cli.App, name, line string) {
	t.Helper()
	_, call, ok := strings.Cut(line, "entire-plumb ")
	call, _, _ = strings.Cut(call, "#")
	call = strings.TrimRight(strings.FieldsFunc(call+" ", func(r rune) bool { return strings.ContainsRune("|<>)", r) })[0], "\n ")
	if !ok || !strings.HasPrefix(line, "  ") || len([]rune(strings.TrimRight(line, "\n"))) > helpWidth-3 {
		t.Errorf("%s: %q is no example", name, line)
		return
	}
	read, err := flagsFirst(app, append([]string{"entire-plumb"}, strings.Fields(call)...))
	if err != nil || !strings.HasPrefix(strings.Join(words(read), " "), name) {
		t.Errorf("%s: %q: %v", name, line, err)
	}
}
