package demo

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// story runs the demo's verbs, and prints to w.
type story struct {
	ctx      context.Context
	w        io.Writer
	err      error  // the first error of writing to w
	workDir  string // of the script
	measured []cost // of the agent's hooks, so far
}

// line prints one line, unbuffered, so that the reader sees it in time. It ends the script if w is
// closed.
func (t *story) line(ts *testscript.TestScript, format string, args ...any) {
	ts.Check(t.ctx.Err())
	if _, t.err = fmt.Fprintln(t.w, strings.TrimRight(fmt.Sprintf(format, args...), " ")); t.err != nil {
		ts.Fatalf("%v", t.err)
	}
}

// say [TEXT…]: prints a line.
func (t *story) say(ts *testscript.TestScript, neg bool, args []string) {
	t.line(ts, "%s", strings.Join(args, " "))
}

// show [/REGEXP/] git|plumb ARG…: runs a command, and prints it with its output, or only the lines
// that match.
func (t *story) show(ts *testscript.TestScript, neg bool, args []string) {
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

// typed is a command as a shell line.
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
