package agent

import (
	"cmp"
	"flag"
	"fmt"
	"path"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/agents.md")

// TestPage: the tables of docs/agents.md are what the rows here say.
func TestPage(t *testing.T) {
	var page strings.Builder
	row := func(cells ...string) { page.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row("agent", "seen", "`enable` writes", "`enable --user` writes", "marks of its commands", "goes on by")
	page.WriteString(strings.Repeat("|---", 6) + "|\n")
	for _, a := range All {
		user := ""
		if a.UserSettings != "" {
			user = "~/" + path.Join(a.ConfigDir, a.UserSettings)
		}
		resume := strings.Join(a.ResumeArgs, " ")
		if resume != "" {
			resume += " ID"
		}
		row(a.Title, seen(a), code(a.Settings), code(user), code(append([]string{a.SessionMark}, a.Marks...)...), code(resume))
	}
	page.WriteString("\n")
	row("agent", "a session begins", "a turn begins", "a turn ends", "a subagent begins, ends", "a to-do list changes", "a session ends")
	page.WriteString(strings.Repeat("|---", 7) + "|\n")
	for _, a := range All {
		cells := []string{a.Title}
		for _, verbs := range [][]string{{SessionStart}, {Prompt}, {Stop}, {TaskStart, TaskEnd}, {TaskStep}, {SessionEnd}} {
			cells = append(cells, code(a.heard(verbs)...))
		}
		row(cells...)
	}
	testdir.Written(t, "../../docs/agents.md", "go test ./internal/agent -run TestPage -args -update", page.String(), *update)
}

// heard are the events that call some verbs, with their tools.
func (a Agent) heard(verbs []string) (names []string) {
	for _, verb := range verbs {
		for _, e := range a.Events {
			if e.Verb == verb {
				names = append(names, strings.TrimSpace(e.Name+" "+strings.ReplaceAll(e.Matcher, "|", ", ")))
			}
		}
	}
	return names
}

// seen is the version with which an agent was run, and others.
func seen(a Agent) string {
	if a.Seen == "" && a.Command != "" {
		return "*not run*"
	}
	if a.Since+a.Newest == "" {
		return either(a.Seen)
	}
	return fmt.Sprintf("%s; %s to %s", a.Seen, cmp.Or(a.Since, a.Seen), cmp.Or(a.Newest, a.Seen))
}

// code lists what is not empty.
func code(all ...string) string {
	var there []string
	for _, one := range all {
		if one != "" {
			there = append(there, "`"+one+"`")
		}
	}
	return either(strings.Join(there, ", "))
}

func either(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
