package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// TurnEvent is what an agent says about a session, whichever agent it is.
type TurnEvent struct {
	SessionID      string
	TranscriptPath string // absolute, may be empty
	Prompt         string
	Model          string
	Agent          string // for people: "Claude Code"
	Continues      bool   // of a stop: another hook had sent the agent on after the one before
	Background     bool   // of a stop: tasks of the agent's go on

	ToolUseID   string // of a tool's use, where the event is about one
	Input       []byte // the tool's, as the agent gave it; JSON
	AgentID     string // the subagent's
	AgentType   string
	Description string // of its task
	Todos       []byte // the list of things to do; JSON
	By          session.By
}

// sessionStart notes that a session exists, and who the user is. Two processes; up to four if
// sessions may be put to rest.
func (p *events) sessionStart(ctx context.Context, e TurnEvent) (string, error) {
	name, email, err := p.Repo.User(ctx)
	if err != nil {
		p.WarnLater("git doesn't know who you are, so what is recorded is by entire-plumb <entire-plumb@localhost> (hint: git config --global user.name, and user.email)")
	}
	if err := p.finishPending(ctx); err != nil {
		p.WarnLater(explain.OneLine(err))
	}
	if err := p.finalizeLost(ctx, ""); err != nil {
		p.WarnLater(explain.OneLine(err))
	}
	err = p.Locked(ctx, func() error {
		s, err := p.load(e)
		if err != nil {
			return err
		}
		s.AuthorName, s.AuthorEmail = name, email
		s.Apply(session.SessionStart, p.Now())
		if err := p.Store.Save(s); err != nil {
			return err
		}
		p.putToRest(ctx)
		return nil
	})
	return "session known", err
}

// putToRest puts sessions that have no say where hooks don't read them.
func (p *turns) putToRest(ctx context.Context) {
	if err := p.Store.Rest(p.Now(), func() ([]string, error) { return p.onAnyStream(ctx) }); err != nil {
		p.WarnLater(explain.OneLine(err))
	}
}

// sessionEnd notes that a session is over. If its turn was not, that ends first, so that nothing of
// it is lost.
func (p *events) sessionEnd(ctx context.Context, e TurnEvent) (string, error) {
	s, err := p.Store.Load(e.SessionID)
	if errors.Is(err, session.ErrNotFound) {
		return "session not known", nil
	}
	if err != nil {
		return "", err
	}
	if s.Phase == session.Active {
		return p.turnEnd(ctx, e, session.SessionStop)
	}
	err = p.Locked(ctx, func() error {
		s, err := p.load(e)
		if err != nil {
			return err
		}
		s.Apply(session.SessionStop, p.Now())
		return p.Store.Save(s)
	})
	return "session ended", err
}

// ErrOtherWorktree says that a session belongs to another worktree (seed 003, Conflict Handling).
var ErrOtherWorktree = errors.New("the session belongs to another worktree")

// load reads the session of an event, or begins it.
func (p *turns) load(e TurnEvent) (*session.State, error) {
	s, err := p.Store.Load(e.SessionID)
	if errors.Is(err, session.ErrNotFound) {
		s = &session.State{SessionID: e.SessionID, StartedAt: p.Now().UTC(), BaseCommit: p.Head.ID, AttributionBaseCommit: p.Head.ID,
			WorktreePath: p.Repo.Top, WorktreeID: p.Repo.WorktreeID()}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if s.WorktreeID != p.Repo.WorktreeID() && !shadow.ReadWorktrees(p.Repo).Has(s.WorktreeID) {
		p.Note(fmt.Sprintf("session %s goes on in %s: its worktree %s was removed", s.SessionID, p.Repo.Top, s.WorktreePath))
		s.MoveToWorktree(p.Repo.WorktreeID(), p.Repo.Top, p.Head.ID)
	}
	if s.WorktreeID != p.Repo.WorktreeID() {
		return nil, fmt.Errorf("%w: %s began in the worktree %s, and this is %s\nhint: go on with it there, or start a new session here",
			ErrOtherWorktree, s.SessionID, s.WorktreePath, p.Repo.Top)
	}
	s.CLIVersion = p.Version
	if e.Agent != "" {
		s.AgentType = e.Agent
	}
	if e.TranscriptPath != "" {
		s.TranscriptPath = e.TranscriptPath
	}
	if e.Model != "" {
		s.ModelName = p.Store.Secrets.Name(e.Model)
	}
	return s, nil
}

// warnOfOthers tells the user, through the agent, of other sessions with checkpoints on the same
// base in this worktree that are not committed yet (seed 001: opt-in).
func (p *turns) warnOfOthers(s *session.State) error {
	mine, err := p.Sessions()
	if err != nil {
		return err
	}
	var others []string
	for _, o := range mine {
		if o.SessionID != s.SessionID && o.BaseCommit == s.BaseCommit && o.CheckpointCount > 0 {
			others = append(others, fmt.Sprintf("%s (%q)", o.SessionID, o.FirstPrompt))
		}
	}
	if len(others) == 0 {
		return nil
	}
	p.notify("other sessions have work here that is not committed yet: " + strings.Join(others, ", ") + ". Both go on; each keeps its own history")
	return nil
}
