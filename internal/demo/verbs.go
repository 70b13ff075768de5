package demo

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// teller has the verbs that tell the story.
type teller struct {
	ctx     context.Context
	w       io.Writer
	err     error  // why w takes no more
	workDir string // of the script
	spent   []cost // of the agent's hooks, so far
}

// line prints one, at once: whoever watches sees what is happening, not what has. It ends the
// script where nobody watches.
func (t *teller) line(ts *testscript.TestScript, format string, args ...any) {
	ts.Check(t.ctx.Err())
	if _, t.err = fmt.Fprintln(t.w, strings.TrimRight(fmt.Sprintf(format, args...), " ")); t.err != nil {
		ts.Fatalf("%v", t.err)
	}
}

// say [TEXT…]: a line of the story.
func (t *teller) say(ts *testscript.TestScript, neg bool, args []string) {
	t.line(ts, "%s", strings.Join(args, " "))
}

// show [/REGEXP/] git|plumb ARG…: a command as one would type it, and what it prints, or only the
// lines that match.
func (t *teller) show(ts *testscript.TestScript, neg bool, args []string) {
	only, some := regexp.MustCompile(""), strings.HasPrefix(args[0], "/")
	if some {
		only, args = regexp.MustCompile(strings.Trim(args[0], "/")), args[1:]
	}
	if args[0] == "plumb" {
		args[0] = "entire-plumb"
	}
	t.line(ts, "     $ %s", typed(args))
	if err := ts.Exec(args[0], args[1:]...); err != nil {
		ts.Fatalf("%s: %v", typed(args), err)
	}
	for line := range strings.Lines(strings.TrimRight(ts.ReadFile("stdout"), "\n")) {
		if only.MatchString(line) {
			t.line(ts, "     %s", strings.TrimSuffix(line, "\n"))
		}
	}
	if some {
		t.line(ts, "       … (more is not shown)")
	}
}

// typed is a command line for a shell.
func typed(args []string) string {
	plain := regexp.MustCompile(`^[\w@%+=:,./^-]+$`)
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if !plain.MatchString(arg) {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// atCheckpoint VAR ID: the variable holds the directory of a checkpoint.
func atCheckpoint(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv(args[0], args[1][:2]+"/"+args[1][2:])
}
