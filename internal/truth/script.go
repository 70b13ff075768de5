package main

import (
	"fmt"
	"io"
	"strings"
)

// A script is the workflow as a scenario for `entire-plumb replay`.
type script struct {
	body  strings.Builder
	files strings.Builder
	count int
	copy  io.Writer // for -v; nil: none
}

func (s *script) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	s.body.WriteString(line + "\n")
	if s.copy != nil {
		fmt.Fprintln(s.copy, line)
	}
}

// file adds a file to the scenario, and returns its name.
func (s *script) file(content string) string {
	s.count++
	name := fmt.Sprintf("in%d", s.count)
	fmt.Fprintf(&s.files, "-- %s --\n%s\n", name, content)
	return name
}

// String is the scenario.
func (s *script) String() string { return s.body.String() + s.files.String() }

// quoted are arguments as testscript reads them.
func quoted(args []string) string {
	var all []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t'\"#$;*?\\") {
			a = "'" + strings.ReplaceAll(a, "'", "''") + "'"
		}
		all = append(all, a)
	}
	return strings.Join(all, " ")
}
