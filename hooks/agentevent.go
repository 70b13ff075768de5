package hooks

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
)

// ErrUnknownEvent says that an agent's settings call a hook that this program doesn't have, perhaps
// because a newer version wrote them.
var ErrUnknownEvent = errors.New("unknown event")

// Agent runs one of an agent's hooks, which reads the event on stdin. The agent reads stdout: it
// holds only notices for the user, in the agent's JSON. Where this program is not enabled the error
// says so, and the agent is not disturbed: see workspace.NotRecorded. A hook of the user's own
// settings is silent there.
func (e Env) Agent(ctx context.Context, a agent.Agent, verb string) error {
	ctx, stop := context.WithTimeout(ctx, deadline)
	defer stop()
	return e.Guard(ctx, a.Name+" "+verb, func() error { return e.agentEvent(ctx, a, verb) })
}

func (e Env) agentEvent(ctx context.Context, a agent.Agent, verb string) error {
	payload, err := e.readEvent(ctx, a, verb)
	dir := e.projectDir(a, payload)
	if e.User && !e.mayBeEnabled(dir) && !e.mayBeEnabled(e.Getenv(a.Project)) {
		return nil
	}
	if err != nil {
		return err
	}
	begun := time.Now()
	run, err := e.openFor(ctx, a, verb, dir, payload.SessionID)
	if err != nil {
		return err
	}
	if run == nil {
		return nil
	}
	sender, known := payload.sender(a, e.Getenv)
	event := payload.event(sender, e.Dir)
	event.TranscriptPath = cmp.Or(event.TranscriptPath, sender.Kept(e.Getenv, payload.SessionID))
	ignored := ignores(run.Repo, run.Getenv, a, sender, verb, payload)
	switch {
	case !known:
		ignored = "the event is another agent's, and it is not known whose"
	case ignored == "" && heardTwice(ctx, run.Repo, run.Now, e, a, verb, payload):
		ignored = "the other of the agent's settings brought this event"
	}
	outcome, err := run.Retry(ctx, func() (string, error) {
		if ignored != "" {
			return ignored, nil
		}
		return turns.InWorktree(ctx, run, verb, event, func() (string, error) { return handlers[verb](ctx, run, event) })
	})
	restoreHooks(ctx, run, verb)
	if sender.Name != a.Name || a.Quiet { // it may read something else in them, or show nothing
		run.WarnOf(takeNotices(run.Workspace)...)
	}
	if err2 := printNotices(run.Workspace); err == nil {
		err = err2
	}
	err = run.Finish(journal.Entry{Hook: a.Name + " " + verb, Session: payload.SessionID, Outcome: outcome}, begun, err)
	return explain.Error(ctx, err)
}

// handlers are the functions that the verbs call.
var handlers = map[string]func(context.Context, *workspace.Run, turns.Event) (string, error){
	agent.SessionStart: turns.SessionStart,
	agent.Prompt:       turns.Start,
	agent.Stop: func(ctx context.Context, run *workspace.Run, e turns.Event) (string, error) {
		return turns.Stop(ctx, run, e, session.TurnEnd)
	},
	agent.TaskStart: turns.TaskStart,
	agent.TaskEnd:   turns.TaskEnd,
	agent.TaskStep:  turns.TaskStep,
	agent.WorktreeChange: func(context.Context, *workspace.Run, turns.Event) (string, error) {
		return "no turn is in progress elsewhere", nil
	},
	agent.SubagentStop: turns.SubagentStop,
	agent.SessionEnd:   turns.SessionEnd,
}

// openFor opens the workspace that an event is about, or, where nothing is recorded there, the one
// in which the agent was started: its turn goes on there. A hook of the user's own settings has
// nothing to do, and gets nil, where the user has not enabled recording.
func (e Env) openFor(ctx context.Context, a agent.Agent, verb, dir, sessionID string) (*workspace.Run, error) {
	run, err := commits.Open(ctx, e.Env, dir)
	if project := e.Getenv(a.Project); project != "" && project != dir && workspace.NotRecorded(err) {
		if run, err = commits.Open(ctx, e.Env, project); err == nil && verb == agent.WorktreeChange {
			run.Note("what session " + sessionID + " does in another worktree is not recorded: its settings are not there")
		}
	}
	if e.User && (workspace.NotRecorded(err) || err == nil && !enabledByUser(run.Repo)) {
		return nil, nil
	}
	return run, explain.Error(ctx, err)
}

// ignores says why an event of a known agent is not recorded; empty: it is.
func ignores(repo *gitexec.Repo, getenv func(string) string, a, sender agent.Agent, verb string, payload agentPayload) string {
	turn := slices.Contains([]string{agent.SessionStart, agent.Prompt, agent.Stop, agent.SessionEnd}, verb)
	switch {
	case verb == agent.Prompt && a.Requests && payload.Prompt == "":
		return "a further request of the turn"
	case verb == agent.Prompt && payload.steer:
		return "typed into the turn: its transcript has it"
	case turn && payload.subagents:
		return "a subagent's turn: its caller's has its work"
	case sender.Name == a.Name:
		return ""
	case !turn:
		return "a task of " + sender.Title + " is not recorded"
	}
	if slices.ContainsFunc(sender.OwnHooks(getenv, repo.Top), callsUs) {
		return sender.Title + " has hooks of its own, which bring this event"
	}
	return ""
}

// projectDir is the directory that an event is about. An agent may enter another worktree of its
// project, but it may also change its directory to a submodule or another repository, which it is
// not about.
func (e Env) projectDir(a agent.Agent, payload agentPayload) string {
	switch {
	case a.Project != "" && e.Getenv(a.Project) != "" && filepath.IsAbs(payload.Cwd):
		return gitexec.WorktreeOf(payload.Cwd, e.Getenv(a.Project))
	case a.Project != "":
		return cmp.Or(e.Getenv(a.Project), e.Dir)
	case filepath.IsAbs(payload.Cwd):
		return payload.Cwd
	}
	return e.Dir
}
