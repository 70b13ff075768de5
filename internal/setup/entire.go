package setup

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/agentsettings"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// EntireError says that the entire CLI is installed. Nothing was changed.
type EntireError struct {
	Found []string // its hooks, one line each
	Mixed []string // what calls it among other things, one line each: only the user can change that
}

func (e *EntireError) Unwrap() error { return githooks.ErrEntire }

func (e *EntireError) Error() string {
	if len(e.Mixed) > 0 {
		return "the entire CLI is called from files that do other work, too:\n  " + strings.Join(e.Mixed, "\n  ") +
			"\nhint: remove these commands, then try again"
	}
	return "the entire CLI records here already:\n  " + strings.Join(e.Found, "\n  ") + "\n" +
		"Two programs would record each turn and link each commit, and at its next event that one installs its git hooks again.\n" +
		"hint: entire-plumb enable --take-over puts its hooks aside; disable gives them back. What it has recorded stays, and the\n" +
		"next commit is linked to it. Don't run `entire disable --uninstall` before that commit: it deletes the sessions."
}

// entire is what is installed of the entire CLI.
type entire struct {
	EntireError
	agents []edit // that make its hooks in the agents' settings do nothing
}

// beside finds the entire CLI's hooks, in git's hooks and all agents' settings.
func beside(ctx context.Context, repo *gitexec.Repo) (*entire, error) {
	e := &entire{}
	theirs, mixed, err := githooks.Beside(repo.HooksDir)
	if err != nil {
		return nil, err
	}
	if len(theirs) > 0 {
		var names []string
		for _, h := range theirs {
			names = append(names, h.Name)
		}
		e.Found = append(e.Found, "git's hooks "+strings.Join(names, ", ")+", in "+gitexec.Harmless(rel(repo, repo.HooksDir)))
	}
	for _, h := range mixed {
		e.Mixed = append(e.Mixed, gitexec.Harmless(rel(repo, h.Path)+": "+h.Line))
	}
	for _, a := range withTheirs() {
		old, err := readAgent(repo, a)
		if err != nil {
			continue // where it matters, enabling says so
		}
		now, found, mixed, err := agentsettings.TakeOver(old, a)
		if err != nil {
			continue
		}
		for _, command := range mixed {
			e.Mixed = append(e.Mixed, gitexec.Harmless(a.Settings+": "+command))
		}
		if found == 0 {
			continue
		}
		if err := checkFiles(ctx, repo, a.Settings); err != nil {
			return nil, err
		}
		e.Found = append(e.Found, fmt.Sprintf("%s in %s", amount.Of(found, "hook"), a.Settings))
		e.agents = append(e.agents, edit{agent: a, old: old, now: now})
	}
	return e, nil
}

// theirCopilot is the file in which the entire CLI keeps its hooks for Copilot CLI, which reads all
// in that directory.
const theirCopilot = ".github/hooks/entire.json"

// withTheirs are the agents with the settings that may have hooks of the entire CLI. Its plugins
// for OpenCode and pi are programs: they are not among them.
func withTheirs() []agent.Agent {
	theirs := agent.Copilot
	theirs.Settings = theirCopilot
	return append(withSettings(), theirs)
}

// Leftovers says where agents' settings, or other programs' files, call the entire CLI beside this
// program, one line each: at its next event it installs git's hooks again.
func Leftovers(ctx context.Context, repo *gitexec.Repo) ([]string, error) {
	e, err := beside(ctx, repo)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, edit := range e.agents {
		found = append(found, edit.agent.Settings+" calls the entire CLI, too")
	}
	for _, line := range e.Mixed {
		found = append(found, "the entire CLI is called, too: "+line)
	}
	return found, nil
}

// takeOver puts the entire CLI's hooks aside. From then on a key of git's configuration enables us,
// since that program obeys "enabled" in .entire/settings.json as well.
func (e *entire) takeOver(ctx context.Context, repo *gitexec.Repo) (done []string, err error) {
	if len(e.Found) == 0 {
		return nil, nil
	}
	if err := settings.Switch(ctx, repo, true); err != nil {
		return nil, err
	}
	for _, edit := range e.agents { // first, since by these it would install git's hooks again
		if _, err := edit.apply(repo.Top); err != nil {
			return done, err
		}
		done = append(done, "stopped the entire CLI's hooks in "+edit.agent.Settings)
	}
	if len(e.agents) > 0 {
		done = append(done, "hint: restart running agents: until then they call the entire CLI, which installs its git hooks again")
	}
	taken, err := githooks.TakeOver(repo.HooksDir)
	if len(taken) > 0 {
		done = append(done, putAside(taken))
	}
	return append(done, elsewhere(repo)...), err
}

func putAside(taken []string) string {
	return "put the entire CLI's hooks aside: " + strings.Join(taken, ", ")
}

// elsewhere hints at the other worktrees whose settings call the entire CLI: an agent that is
// started there has it install git's hooks again, which all worktrees share.
func elsewhere(repo *gitexec.Repo) (hints []string) {
	for _, top := range append([]string{repo.MainTop()}, shadow.ReadWorktrees(repo).Tops...) {
		if top == "" || top == repo.Top {
			continue
		}
		for _, a := range withTheirs() {
			data, err := safefile.ReadInside(top, a.Settings, mostSettings)
			if err != nil {
				continue
			}
			if _, found, mixed, err := agentsettings.TakeOver(data, a); err == nil && found+len(mixed) > 0 {
				hints = append(hints, "hint: run entire-plumb enable --take-over in "+gitexec.Harmless(top)+", too: "+a.Settings+" calls the entire CLI there")
			}
		}
	}
	return hints
}

// besideEntire reports whether the settings are the entire CLI's as well: its hooks are there, or
// were taken over.
func besideEntire(ctx context.Context, repo *gitexec.Repo) (bool, error) {
	theirs, _, err := githooks.Beside(repo.HooksDir)
	if err != nil || len(theirs) > 0 {
		return err == nil, err
	}
	return settings.Switched(ctx, repo)
}

// gaveBack reports whether an edit gives hooks of the entire CLI back.
func (e edit) gaveBack() bool {
	return bytes.Contains(e.old, []byte(agentsettings.Taken)) && !bytes.Contains(e.now, []byte(agentsettings.Taken))
}
