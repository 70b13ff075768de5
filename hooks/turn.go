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

// turnStart takes the snapshot that tells the agent's work from what was there before. Six
// processes, one if the worktree is clean.
func (p *turns) turnStart(ctx context.Context, e TurnEvent) (string, error) {
	if err := p.finishPending(ctx); err != nil {
		p.WarnLater(explain.OneLine(err))
	}
	if err := p.finalizeLost(ctx, e.SessionID); err != nil {
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
		s, err := p.load(e)
		if err != nil {
			return err
		}
		if len(s.TurnCheckpointIDs) > 0 {
			// The agent died, or was stopped, after it had made commits: they get their transcript
			// now.
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
			outcome = "a task in the background ended; the turn goes on"
			return p.Store.Save(s)
		}
		if interrupted {
			known, err := p.checkpointInterrupted(ctx, s, snap)
			if err != nil {
				return err
			}
			interrupted = !known
		}
		s.Apply(session.TurnStart, p.Now())
		s.BeginTurn(p.NewID(), p.agent())
		if interrupted {
			// No stop came for the turn before, and what the agent did in it is in no checkpoint:
			// it goes on.
			outcome = "turn started; the interrupted one before it goes on in it"
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
				p.WarnLater(explain.OneLine(explain.Error(ctx, err))) // the transcript has the prompt, too; the turn counts for more
			}
			s.Prompted(shadow.Describe(e.Prompt))
		}
		if err := p.Store.Save(s); err != nil {
			return err
		}
		if p.Store.Crowded() { // by an agent that doesn't tell when sessions start
			p.putToRest(ctx)
		}
		return nil
	})
	return outcome, err
}

// turnEnd writes the turn's checkpoint: the human's part, if there is one, and the agent's, on the
// stream that the work belongs to; and gives the checkpoints that were committed in the middle of
// the turn their whole transcript.
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
		s, err := p.load(e)
		if err != nil {
			return err
		}
		if len(s.TurnCheckpointIDs) > 0 {
			p.DB.WarmCommits() // for those, and for the turn's own
		}
		head, err := p.headNow()
		if err != nil {
			return err
		}
		p := p.on(head)
		turn, err := p.turnOf(s, snap)
		if err != nil {
			return err
		}
		turn.open = e.Background && event == session.TurnEnd
		if s.TurnOpen {
			if turn, err = p.afterStop(ctx, s, turn); err != nil {
				return err
			}
		}
		if !turn.sure && !e.Continues {
			if turn, err = p.estimate(ctx, s, turn); err != nil {
				return err
			}
		}
		turn.sure = turn.sure && event == session.TurnEnd
		made, err := p.commitTurn(ctx, s, turn)
		if err != nil {
			return err
		}
		outcome, turn, p = made.outcome, made.left, p.on(made.head)
		if len(turn.touched) == 0 && len(s.TurnCheckpointIDs) == 0 {
			outcome = cmp.Or(outcome, "turn ended, nothing changed")
			p.ended(s, turn, event)
			return p.Store.Save(s)
		}
		kept, err := p.checkpointTurn(ctx, s, turn, event)
		outcome = joined(outcome, kept)
		return err
	})
	return outcome, err
}

// joined makes one outcome of two, of which the first may be empty.
func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// turn is what a turn did.
type turn struct {
	snap    shadow.Snapshot
	before  gitexec.OID    // the worktree as it was when the turn began, on the present HEAD, with what others have done since
	began   gitexec.OID    // and without; empty: the same
	touched []gitexec.Path // by the agent, and not committed
	subject string         // of its checkpoint; empty: the prompt
	sure    bool           // its start is known, and no end of it was heard of before
	task    string         // the tool's use that it was done by; empty: not a subagent's

	estimated bool // see shadow.Checkpoint
	open      bool // tasks of it go on in the background
}

// turnOf tells the agent's part of the turn: the difference between the snapshots at its start and
// its end, less what HEAD holds just so when HEAD has moved in between, since that was committed,
// or came with a pull or another branch.
func (p *turns) turnOf(s *session.State, snap shadow.Snapshot) (turn, error) {
	start, commit := s.TurnStartTree, s.TurnStartCommit
	sure := s.Phase == session.Active
	if !p.exist(start, commit) {
		start, commit, sure = p.Head.Tree, p.Head.ID, false // no start was heard of: all that isn't committed counts as the turn's
	}
	t := turn{snap: snap, before: start, sure: sure}
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
	return p.turnOverCommits(t, commit, diff)
}

// exist reports whether objects are there: no ref keeps a snapshot, and after weeks git may have
// pruned it.
func (p *recorder) exist(ids ...gitexec.OID) bool {
	if slices.Contains(ids, "") {
		return false
	}
	info, err := p.DB.Info(slices.DeleteFunc(slices.Clone(ids), gitexec.OID.IsZero)...) // before a first commit there is none
	return err == nil && !slices.ContainsFunc(info, func(o gitexec.Object) bool { return o.Type == "" })
}

func (p *turns) turnOverCommits(t turn, commit gitexec.OID, diff []gitexec.Change) (turn, error) {
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

// changedIn gives the files that differ between a turn's start and its end.
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
		files[i] = condense.TurnFile{Path: c.Path, Began: c.Old, Ended: c.New, Then: then[i], Now: now[i]}
	}
	return files, nil
}

// committedIn gives the files that were committed in the turn and that don't differ between its
// start and its end.
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
		files[i] = condense.TurnFile{Path: c.Path, Began: ends[i], Ended: ends[i], Then: c.Old, Now: c.New}
		_, touched := files[i].Uncommitted()
		undone = undone || touched
	}
	if !undone {
		return nil, nil
	}
	// Where HEAD went back, or elsewhere, the commit was taken back and not the work.
	if onward, err := p.onward(began.ID); err != nil || !onward {
		return nil, err
	}
	return files, nil
}

// onward reports whether HEAD was reached from a commit by a few more, as in a turn.
func (p *turns) onward(from gitexec.OID) (bool, error) {
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

// ended notes the turn's end. The snapshot stays: an agent that is sent on by another hook stops
// again without a prompt.
func (p *turns) ended(s *session.State, t turn, event session.Event) {
	s.StartsAt(t.snap.Tree, p.Head.ID)
	s.LeftOut = t.snap.LeftOut
	if s.TurnOpen = t.open; !t.open {
		s.Apply(event, p.Now())
	}
}
