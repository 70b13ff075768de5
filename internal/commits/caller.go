package commits

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// committers names the sessions whose agent makes the commit itself: their turn is in progress, and
// the agent runs git. The environment may name the session. An agent marks what it runs, or has no
// terminal.
func committers(run *workspace.Run, states []*session.State) []string {
	if named := activeIn(states, agent.Sessions(run.Getenv)); len(named) == 1 {
		return named
	}
	marked := agent.Marked(run.Getenv)
	if !marked && HasTerminal(run.Getenv) {
		return nil
	}
	return committersBelow(run.Ancestors(), marked, states)
}

// committersBelow names the sessions whose agent makes the commit, by the processes above the hook.
// marked says that an agent marks what it runs. A graphical client has no terminal either, but it
// does not run below the process that began the turn, where that process is known. Of several
// agents it takes those below which git runs, and those of unknown process only if there is no such
// agent.
func committersBelow(above []ancestry.Process, marked bool, states []*session.State) []string {
	if !marked && len(above) == 0 {
		return nil // where no process can be seen, as on macOS, it may be a graphical client's
	}
	var below, unknown, active []string
	for _, s := range states {
		if s.Phase != session.Active {
			continue
		}
		active = append(active, s.SessionID)
		switch {
		case s.AgentProcess == nil || len(above) == 0:
			unknown = append(unknown, s.SessionID)
		case slices.ContainsFunc(above, s.AgentProcess.Same):
			below = append(below, s.SessionID)
		}
	}
	switch {
	case len(below) > 0:
		return below
	case len(unknown) > 0 || !marked:
		return unknown
	}
	return active
}

// activeIn are the sessions among those of the given IDs whose turn is in progress.
func activeIn(states []*session.State, ids []string) (active []string) {
	for _, s := range states {
		if s.Phase == session.Active && slices.Contains(ids, s.SessionID) {
			active = append(active, s.SessionID)
		}
	}
	return active
}

// HasTerminal reports whether the hook has a terminal, as where the user commits by hand; an
// agent's commands mostly have none. ENTIRE_TEST_TTY, 0 or 1, answers for it in tests.
func HasTerminal(getenv func(string) string) bool {
	switch getenv("ENTIRE_TEST_TTY") {
	case "0":
		return false
	case "1":
		return true
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	tty.Close()
	return true
}

// replaying reports whether git replays or merges commits, which carry their links with them. Where
// a rebase has stopped for the user to edit, or runs a command of the user's (`git rebase --exec`),
// `git commit` makes the user's own commit. Not all git commands leave a file while they run: the
// process tree names the others.
func replaying(run *workspace.Run) bool {
	op := run.Repo.Operation()
	if op.Concludes() {
		return true
	}
	if op.Executes() {
		return false
	}
	commands := ancestry.Commands(run.Ancestors())
	if len(commands) == 0 {
		return op.Replays()
	}
	return slices.ContainsFunc(commands, func(g ancestry.Git) bool { return slices.Contains(replayers, g.Verb) })
}

// replayers are the commands that replay or merge commits.
var replayers = []string{"rebase", "cherry-pick", "revert", "merge", "pull", "am"}

// amending reports whether git commit --amend runs this hook. git names the message's source only
// where HEAD's message is used, and then as for -C HEAD. Where the command cannot be seen, an
// author date that equals HEAD's marks an amend, unless both commits are of this moment.
func amending(run *workspace.Run, source, object string) (bool, error) {
	if commands := ancestry.Commands(run.Ancestors()); len(commands) > 0 {
		return commands[0].Amends(), nil
	}
	if source == "commit" && object == "HEAD" {
		return true, nil
	}
	date := run.Getenv("GIT_AUTHOR_DATE")
	if source != "message" || date == "" || justNow(date, run.Now()) || run.Head.ID.IsZero() {
		return false, nil
	}
	c, err := run.DB.Commit(run.Head.ID)
	return err == nil && "@"+c.AuthorDate == date, err
}

// justNow reports whether an author date, as git gives it to hooks ("@SECONDS ZONE"), is of the
// last seconds: another commit may have the same. Then git's post-rewrite hook tells of an amend.
func justNow(date string, now time.Time) bool {
	text, _, _ := strings.Cut(strings.TrimPrefix(date, "@"), " ")
	seconds, err := strconv.ParseInt(text, 10, 64)
	// GIT_AUTHOR_DATE has seconds, and git sets it some time before the hook runs, which may wait
	// for the lock. With a minute an amend soon after its commit would count as a new one until
	// post-rewrite says what it was.
	const few = 3 * time.Second
	return err == nil && now.Sub(time.Unix(seconds, 0)).Abs() < few
}

// AgentProcess is the process that runs this hook for an agent; nil: not known.
func AgentProcess(run *workspace.Run) *ancestry.Process {
	if agent, ok := ancestry.Agent(run.Ancestors()); ok {
		return &agent
	}
	return nil
}
