package hooks

import (
	"cmp"
	"context"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// transcriptPatience is how long a turn's end waits for the transcript's last lines to reach the
// disk.
const transcriptPatience = 150 * time.Millisecond

// subagentPatience is that for a subagent's: what its tokens are is asked for once.
const subagentPatience = time.Second

// turnStart takes the snapshot that separates the agent's work from earlier changes. Six processes,
// one if the worktree is clean.
func (p *turns) turnStart(ctx context.Context, e TurnEvent) (string, error) {
	if err := p.finishPending(ctx); err != nil {
		p.WarnLater(explain.OneLine(err))
	}
	if err := p.finalizeUnfinished(ctx, e.SessionID); err != nil {
		p.WarnLater(explain.OneLine(err))
	}
	prompt := gitexec.InBackground(func() (string, error) { return p.Store.Secrets.Text(e.Prompt), nil })
	snap, err := p.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	e.Prompt, _ = prompt()
	p = p.on(snap.Head)
	outcome := "turn started"
	err = p.Locked(ctx, func() error {
		s, err := p.loadSession(e)
		if err != nil {
			return err
		}
		if len(s.TurnCheckpointIDs) > 0 {
			// The agent was killed or stopped after it made commits: they get their transcript now.
			if err := p.finalize(ctx, s, nil); err != nil {
				return err
			}
		}
		interrupted := s.Phase == session.Active && s.TurnStartTree != ""
		if transcript.Notification(e.Prompt) {
			if !interrupted {
				s.Apply(session.TurnStart, p.Now())
				s.StartsAt(snap.Tree, p.Head.ID)
			}
			outcome = "a background task ended; the turn continues"
			return p.Store.Save(s)
		}
		if interrupted {
			ended, err := p.checkpointInterrupted(ctx, s, snap)
			if err != nil {
				return err
			}
			interrupted = !ended
		}
		s.Apply(session.TurnStart, p.Now())
		s.BeginTurn(p.NewID(), p.agent())
		if interrupted {
			// No stop event ended the previous turn, and its changes are in no checkpoint: the new
			// turn includes them.
			outcome = "turn started; it includes the interrupted one before it"
		} else {
			s.StartsAt(snap.Tree, p.Head.ID)
			s.TurnStartStaged = nil
			if p.Settings.Strategy == settings.AutoCommit {
				s.TurnStartStaged = snap.Staged
			}
		}
		s.LeftOut = snap.LeftOut
		if p.Settings.StrategyOptions.MultiSessionWarning {
			if err := p.warnOfOthers(s); err != nil {
				return err
			}
		}
		if e.Prompt != "" {
			if err := p.Store.AddPrompt(s.SessionID, e.Prompt); err != nil {
				// The transcript has the prompt, too: the turn starts all the same.
				p.WarnLater(explain.OneLine(explain.Error(ctx, err)))
			}
			s.Prompted(shadow.Describe(e.Prompt))
		}
		if err := p.Store.Save(s); err != nil {
			return err
		}
		if p.Store.Crowded() { // by an agent without a session start event
			p.restSessions(ctx)
		}
		return nil
	})
	return outcome, err
}

// turnEnd writes the turn's checkpoint, the human's part and the agent's, on the stream that the
// work belongs to, and completes the transcript in the checkpoints of commits made during the turn.
func (p *turns) turnEnd(ctx context.Context, e TurnEvent, event session.Event) (string, error) {
	if err := p.finishPending(ctx); err != nil {
		p.WarnLater(explain.OneLine(err))
	}
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		if e.TranscriptPath != "" {
			redact.Warm()
			transcript.Wait(ctx, e.TranscriptPath, transcriptPatience)
		}
	}()
	snap, err := p.Snapshot(ctx)
	<-waited
	if err != nil {
		return "", err
	}
	p = p.on(snap.Head)
	outcome := ""
	err = p.Locked(ctx, func() error {
		s, err := p.loadSession(e)
		if err != nil {
			return err
		}
		if len(s.TurnCheckpointIDs) > 0 {
			p.DB.WarmCommits() // for those, and for the turn's own
		}
		head, err := p.currentHead()
		if err != nil {
			return err
		}
		p := p.on(head)
		turn, err := p.turnChanges(s, snap)
		if err != nil {
			return err
		}
		turn.open = e.Background && event == session.TurnEnd
		if s.TurnOpen {
			if turn, err = p.afterStop(ctx, s, turn); err != nil {
				return err
			}
		}
		switch {
		case !turn.startKnown && !e.Continues:
			turn, err = p.estimate(ctx, s, turn)
		case turn.startKnown && !s.TurnOpen:
			turn, err = p.unlessInterrupted(ctx, s, turn)
		}
		if err != nil {
			return err
		}
		turn.startKnown = turn.startKnown && event == session.TurnEnd
		made, err := p.commitTurn(ctx, s, turn)
		if err != nil {
			return err
		}
		outcome, turn, p = made.outcome, made.remainder, p.on(made.head)
		if len(turn.touched) == 0 && len(s.TurnCheckpointIDs) == 0 {
			outcome = cmp.Or(outcome, "turn ended, nothing changed")
			p.endTurn(s, turn, event)
			return p.Store.Save(s)
		}
		kept, err := p.checkpointTurn(ctx, s, turn, event)
		outcome = joinOutcomes(outcome, kept)
		return err
	})
	return outcome, err
}

// joinOutcomes joins two outcomes, of which the first may be empty.
func joinOutcomes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// turn is what a turn changed.
type turn struct {
	snap       shadow.Snapshot
	before     gitexec.OID    // the worktree at the turn's start, rebased on HEAD, with what others have done since
	start      gitexec.OID    // the same without others' changes; empty: equal
	touched    []gitexec.Path // by the agent, uncommitted
	subject    string         // of its checkpoint; empty: the prompt
	startKnown bool           // a start event came, and no end event before this one
	task       string         // the tool use of the subagent; empty: none
	estimated  bool           // see shadow.Checkpoint
	open       bool           // tasks of it continue in the background
	elsewhere  bool           // it continues in another worktree, or is a subagent's: its commits are not final
}

// turnChanges is the agent's part of the turn: the difference between the snapshots at its start
// and its end. Where HEAD has moved in between, it omits what HEAD holds with the same content:
// that was committed, or came with a pull or another branch.
func (p *turns) turnChanges(s *session.State, snap shadow.Snapshot) (turn, error) {
	start, commit := s.TurnStartTree, s.TurnStartCommit
	sure := s.Phase == session.Active
	if !p.objectsExist(start, commit) {
		start, commit, sure = p.Head.Tree, p.Head.ID, false // no start event: all uncommitted changes count as the turn's
	}
	t := turn{snap: snap, before: start, startKnown: sure}
	diff, err := p.DB.DiffTrees(start, snap.Tree)
	if err != nil {
		return t, err
	}
	if commit == p.Head.ID {
		for _, c := range diff {
			t.touched = append(t.touched, c.Path)
		}
		return t, nil
	}
	return p.turnAcrossCommits(t, commit, diff)
}

// objectsExist reports whether objects exist: no ref keeps a snapshot, and git may have pruned it
// after weeks.
func (p *recorder) objectsExist(ids ...gitexec.OID) bool {
	if slices.Contains(ids, "") {
		return false
	}
	ids = slices.DeleteFunc(slices.Clone(ids), gitexec.OID.IsZero) // before the first commit
	info, err := p.DB.Info(ids...)
	return err == nil && !slices.ContainsFunc(info, func(o gitexec.Object) bool { return o.Type == "" })
}

func (p *turns) turnAcrossCommits(t turn, commit gitexec.OID, diff []gitexec.Change) (turn, error) {
	old, err := p.DB.Commits(commit)
	if err != nil {
		return t, err
	}
	files, err := p.changedIn(old[0], diff)
	if err != nil {
		return t, err
	}
	committed, err := p.committedIn(t, old[0], diff)
	if err != nil {
		return t, err
	}
	undo := gitexec.Edits{}
	for _, f := range append(files, committed...) {
		if before, touched := f.Uncommitted(); touched {
			t.touched, undo[f.Path] = append(t.touched, f.Path), before
		}
	}
	slices.Sort(t.touched)
	t.before, err = p.DB.EditTree(t.snap.Tree, undo)
	return t, err
}

// changedIn lists the files that differ between a turn's start and its end.
func (p *turns) changedIn(began gitexec.Commit, diff []gitexec.Change) ([]condense.TurnFile, error) {
	paths := make([]gitexec.Path, len(diff))
	for i, c := range diff {
		paths[i] = c.Path
	}
	then, err := p.DB.Lookup(began.Tree, paths...)
	if err != nil {
		return nil, err
	}
	now, err := p.DB.Lookup(p.Head.Tree, paths...)
	if err != nil {
		return nil, err
	}
	files := make([]condense.TurnFile, len(diff))
	for i, c := range diff {
		files[i] = condense.TurnFile{Path: c.Path, Began: c.Old, Ended: c.New, HeadAtStart: then[i], HeadAtEnd: now[i]}
	}
	return files, nil
}

// committedIn lists the files that were committed during the turn and are equal at its start and
// its end.
func (p *turns) committedIn(t turn, began gitexec.Commit, diff []gitexec.Change) ([]condense.TurnFile, error) {
	changed := map[gitexec.Path]bool{}
	for _, c := range diff {
		changed[c.Path] = true
	}
	committed, err := p.DB.DiffTrees(began.Tree, p.Head.Tree)
	if err != nil {
		return nil, err
	}
	committed = slices.DeleteFunc(committed, func(c gitexec.Change) bool { return changed[c.Path] })
	paths := make([]gitexec.Path, len(committed))
	for i, c := range committed {
		paths[i] = c.Path
	}
	ends, err := p.DB.Lookup(t.snap.Tree, paths...)
	if err != nil {
		return nil, err
	}
	files := make([]condense.TurnFile, len(committed))
	undone := false
	for i, c := range committed {
		files[i] = condense.TurnFile{Path: c.Path, Began: ends[i], Ended: ends[i], HeadAtStart: c.Old, HeadAtEnd: c.New}
		_, touched := files[i].Uncommitted()
		undone = undone || touched
	}
	if !undone {
		return nil, nil
	}
	// Where HEAD moved back or to another branch, the commit was undone, not the work.
	if onward, err := p.reachedFrom(began.ID); err != nil || !onward {
		return nil, err
	}
	return files, nil
}

// reachedFrom reports whether a commit is a near first-parent ancestor of HEAD.
func (p *recorder) reachedFrom(from gitexec.OID) (bool, error) {
	const few = 100
	at := p.Head.ID
	for range few {
		if at == from {
			return true, nil
		}
		if at.IsZero() {
			return false, nil
		}
		commits, err := p.DB.Commits(at)
		if err != nil {
			return false, err
		}
		at = p.parentOf(commits[0])
	}
	return false, nil
}

// endTurn records the turn's end. The snapshot stays: an agent that another hook makes continue
// stops again without a prompt.
func (p *turns) endTurn(s *session.State, t turn, event session.Event) {
	s.StartsAt(t.snap.Tree, p.Head.ID)
	s.LeftOut = t.snap.LeftOut
	if s.TurnOpen = t.open; !t.open {
		s.AgentID = ""
		s.Apply(event, p.Now())
	}
}
