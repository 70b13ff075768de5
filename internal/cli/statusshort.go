package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/workspace"
)

// printShort prints a line for a prompt, by the states of the sessions. Nothing is written. Where
// sessions touched no file no process is started, and else one, as long as all differ from HEAD.
// Where nothing is going on it is empty.
func printShort(c *cli.Context) error {
	short := shortJSON{Agents: []string{}}
	if dir, err := os.Getwd(); err == nil {
		if repo, ok := gitexec.Near(dir); ok {
			states, _ := session.Store{Dir: workspace.StateDir(repo), ReadOnly: true, Warn: func(string) {}}.List()
			states = slices.DeleteFunc(states, func(s *session.State) bool { return !s.In(repo.WorktreeID()) })
			short = shortStatus(states, notDismissed(c, dir, states))
		}
	}
	return output(c, short, func(w io.Writer) {
		if line := short.line(); line != "" {
			fmt.Fprintln(w, line)
		}
	})
}

// notDismissed are the files that sessions touched, by their IDs, but for those whose work was
// dismissed. Where each differs from HEAD, none was.
func notDismissed(c *cli.Context, dir string, states []*session.State) map[string][]gitexec.Path {
	touched := map[string][]gitexec.Path{}
	var files []gitexec.Path
	for _, s := range states {
		touched[s.SessionID], files = s.FilesTouched, append(files, s.FilesTouched...)
	}
	files = sets.Once(files)
	differing, err := gitexec.Here(dir, tracer(c)).Differing(c.Context, files)
	same := func(path gitexec.Path) bool { return !differing[path] }
	if err != nil || !slices.ContainsFunc(files, same) {
		return touched
	}
	e, err := environment(c)
	if err != nil {
		return touched
	}
	works := source(e).Whereabouts(c.Context, e)
	for id, files := range touched {
		touched[id] = query.Present(works, id, files)
	}
	return touched
}

// shortJSON is what `status --short` prints: the agents that work in this worktree, or have, with
// files that are not committed.
type shortJSON struct {
	Active bool     `json:"active"`            // a turn goes on
	Agents []string `json:"agents"`            // as enable --agent names them
	Files  int      `json:"uncommitted_files"` // of theirs
}

// shortStatus leaves out sessions without a turn that goes on and without such files. touched are
// the files, by the sessions' IDs.
func shortStatus(states []*session.State, touched map[string][]gitexec.Path) shortJSON {
	short, files := shortJSON{Agents: []string{}}, map[gitexec.Path]bool{}
	for _, s := range states {
		if s.Phase != session.Active && len(touched[s.SessionID]) == 0 {
			continue
		}
		if s.Phase == session.Active {
			short.Active = true
		}
		for _, path := range touched[s.SessionID] {
			files[path] = true
		}
		if name := shortAgent(s.AgentType); !slices.Contains(short.Agents, name) {
			short.Agents = append(short.Agents, name)
		}
	}
	short.Files = len(files)
	return short
}

// line is the same for a prompt: a filled circle while a turn goes on.
func (s shortJSON) line() string {
	if len(s.Agents) == 0 {
		return ""
	}
	line := map[bool]string{true: "●", false: "○"}[s.Active] + " " + strings.Join(s.Agents, "+")
	if s.Files > 0 {
		line += fmt.Sprintf(" %d uncommitted", s.Files)
	}
	return line
}

// shortAgent is what users type for an agent.
func shortAgent(title string) string {
	if a, ok := agent.ByTitle(title); ok {
		return a.Name
	}
	return printable(short(title, 20))
}
