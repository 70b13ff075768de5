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

// The list of commands and their help fit into a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	fits := func(of, text string) {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "     entire-plumb ") || strings.HasPrefix(line, "     echo ") { // an example, to be pasted
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
	if !strings.HasPrefix(out.String(), "NAME:") {
		t.Fatalf("the help begins with %.20q", out.String())
	}
	fits("the list", out.String())
	for _, c := range app.Commands {
		out.Reset()
		testdir.Must(t, newApp(&out, io.Discard).Run([]string{"entire-plumb", c.Name, "--help"}))
		fits(c.Name, out.String())
		for _, sub := range c.Subcommands {
			out.Reset()
			testdir.Must(t, newApp(&out, io.Discard).Run([]string{"entire-plumb", c.Name, sub.Name, "--help"}))
			fits(c.Name+" "+sub.Name, out.String())
		}
	}
}

// Options that may be repeated are named once, and a text that has no room beside its option begins
// below it.
func TestHelpOfOptions(t *testing.T) {
	var out bytes.Buffer
	testdir.Must(t, newApp(&out, io.Discard).Run([]string{"entire-plumb", "blame", "--help"}))
	for _, want := range []string{"\n   -L START,END...          only lines START,END, as in git blame; may be\n                            repeated\n",
		"\n   --ignore-revs-file FILE...\n                            look through those of the commits that FILE lists\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
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
