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
	if dir == e.Getenv(a.Project) && verb == agent.SubagentStart {
		return nil // it has no worktree of its own
	}
	begun := time.Now()
	run, err := commits.Open(ctx, e.Env, dir)
	if project := e.Getenv(a.Project); project != "" && project != dir && workspace.NotRecorded(err) {
		// Nothing is recorded there, but the turn goes on where it began.
		if run, err = commits.Open(ctx, e.Env, project); err == nil && verb == agent.WorktreeChange {
			run.Note("what session " + payload.SessionID + " does in another worktree is not recorded: its settings are not there")
		}
	}
	if err != nil {
		if e.User && workspace.NotRecorded(err) {
			return nil
		}
		return explain.Error(ctx, err)
	}
	if e.User && !enabledByUser(run.Repo) {
		return nil
	}
	sender, known := payload.sender(a, e.Getenv)
	event := turns.Event{SessionID: payload.SessionID, TranscriptPath: payload.TranscriptPath,
		Prompt: payload.Prompt, Model: payload.Model, Agent: payload.title(sender), Title: payload.Title,
		Terminals: sender.Terminals, Continues: payload.StopHookActive, Background: len(payload.Background) > 0}
	payload.task(&event)
	for _, path := range []*string{&event.TranscriptPath, &event.AgentTranscript} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(e.Dir, *path)
		}
	}
	ignored := ignores(run.Repo, run.Getenv, a, sender, verb, payload)
	if !known {
		ignored = "the event is another agent's, and it is not known whose"
	}
	twice := ignored == "" && heardTwice(ctx, run.Repo, run.Now, e, a, verb, payload)
	handle := func() (string, error) {
		switch verb {
		case agent.SessionStart:
			return turns.SessionStart(ctx, run, event)
		case agent.Prompt:
			return turns.Start(ctx, run, event)
		case agent.Stop:
			return turns.Stop(ctx, run, event, session.TurnEnd)
		case agent.TaskStart:
			return turns.TaskStart(ctx, run, event)
		case agent.TaskEnd:
			return turns.TaskEnd(ctx, run, event)
		case agent.TaskStep:
			return turns.TaskStep(ctx, run, event)
		case agent.WorktreeChange:
			return "no turn is in progress elsewhere", nil
		case agent.SubagentStart:
			return turns.SubagentStart(ctx, run, event)
		case agent.SubagentStop:
			return turns.SubagentStop(ctx, run, event)
		}
		return turns.SessionEnd(ctx, run, event)
	}
	outcome, err := run.Retry(ctx, func() (string, error) {
		if ignored != "" {
			return ignored, nil
		}
		if twice {
			return "the other of the agent's settings brought this event", nil
		}
		return turns.InWorktree(ctx, run, verb, event, handle)
	})
	restoreHooks(ctx, run, verb)
	if sender.Name != a.Name { // it may read something else in them
		run.WarnLaterAll(takeNotices(run))
	}
	if err2 := printNotices(run); err == nil {
		err = err2
	}
	err = run.Finish(journal.Entry{Hook: a.Name + " " + verb, Session: payload.SessionID, Outcome: outcome}, begun, err)
	return explain.Error(ctx, err)
}

// ignores says why an event of a known agent is not recorded; empty: it is.
func ignores(repo *gitexec.Repo, getenv func(string) string, a, sender agent.Agent, verb string, payload agentPayload) string {
	turn := slices.Contains([]string{agent.SessionStart, agent.Prompt, agent.Stop, agent.SessionEnd}, verb)
	switch {
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
