package hooks

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/autocommit"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// ownTurn leaves out of a turn what is known to be somebody else's: files that the agent of another
// turn that is going on here was told to write, and its own was not; and where its tools were told
// what to write and nothing else was used that writes, as a shell, all other files, which the user
// has saved meanwhile.
func (p *turns) ownTurn(ctx context.Context, s *session.State, t turn) (turn, error) {
	var own transcript.Wrote
	if s.TranscriptPath != "" {
		own, _ = transcript.Written(ctx, s.TranscriptPath) // what cannot be read tells nothing
	}
	mine := p.allInWorktree(own.Files)
	states, err := p.Sessions()
	if err != nil {
		return t, err
	}
	theirs := p.writtenElsewhere(ctx, states, s)
	t.touched = slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool {
		return !slices.Contains(mine, path) && (own.All && len(mine) > 0 || theirs[path])
	})
	t, err = p.remainderOfTurn(t, autocommit.Commit{Left: t.touched})
	return t, err
}

// writtenElsewhere gives the files that the agents of other turns that go on here were told to
// write. A turn whose agent is known to be gone goes on no more.
func (p *turns) writtenElsewhere(ctx context.Context, states []*session.State, s *session.State) map[gitexec.Path]bool {
	but := []string{s.SessionID}
	for _, o := range states {
		if o.Phase != session.Active {
			continue
		}
		if alive, known := p.AgentAlive(o); known && !alive {
			but = append(but, o.SessionID)
		}
	}
	theirs := map[gitexec.Path]bool{}
	for _, files := range p.written(ctx, states, but) {
		for _, file := range files {
			theirs[file] = true
		}
	}
	return theirs
}

// besideOthers leaves out of a turn what transcripts tell to be the agents' of other turns here:
// where a turn goes on, what its agent was told to write and this one was not; and what other
// sessions' checkpoints hold as it is now, if that one's agent was told to write it, or this one
// was told to write other files and used nothing else that writes. What nobody tells of counts for
// all whose turns it was changed in.
func (p *turns) besideOthers(ctx context.Context, s *session.State, t turn, listing shadow.Listing) (turn, error) {
	if len(t.touched) == 0 {
		return t, nil
	}
	states, err := p.Sessions()
	if err != nil {
		return t, err
	}
	recorded, err := p.recordedOfOthers(s, t, listing)
	if err != nil {
		return t, err
	}
	theirs := p.writtenElsewhere(ctx, states, s)
	if len(recorded) == 0 && !slices.ContainsFunc(t.touched, func(path gitexec.Path) bool { return theirs[path] }) {
		return t, nil
	}
	var own transcript.Wrote
	if s.TranscriptPath != "" {
		own, _ = transcript.Written(ctx, s.TranscriptPath) // what cannot be read tells nothing
	}
	mine := p.allInWorktree(own.Files)
	known := own.All && slices.ContainsFunc(mine, func(file gitexec.Path) bool { return slices.Contains(t.touched, file) })
	for _, o := range states {
		if len(recorded[o.SessionID]) == 0 {
			continue
		}
		told := map[gitexec.Path]bool{}
		if wrote, err := transcript.WrittenEver(ctx, o.TranscriptPath); err == nil {
			for _, file := range p.allInWorktree(wrote.Files) {
				told[file] = true
			}
		}
		for _, file := range recorded[o.SessionID] {
			theirs[file] = theirs[file] || told[file] || known
		}
	}
	left := slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool { return theirs[path] && !slices.Contains(mine, path) })
	if len(left) == len(t.touched) {
		return t, nil
	}
	began := t.before
	t, err = p.remainderOfTurn(t, autocommit.Commit{Left: left})
	t.began = began
	return t, err
}

// recordedOfOthers gives, by session, the files of the turn that are as other sessions' checkpoints
// left them.
func (p *turns) recordedOfOthers(s *session.State, t turn, listing shadow.Listing) (map[string][]gitexec.Path, error) {
	streams, err := p.candidates(s, listing)
	if err != nil {
		return nil, err
	}
	streams = slices.DeleteFunc(streams, func(stream shadow.Stream) bool {
		sessions, err := stream.Sessions(p.DB)
		return err == nil && len(sessions) == 1 && sessions[0] == s.SessionID
	})
	if len(streams) == 0 {
		return nil, nil
	}
	now, err := p.DB.Lookup(t.snap.Tree, t.touched...)
	if err != nil {
		return nil, err
	}
	at := map[gitexec.Path]gitexec.Entry{}
	for i, path := range t.touched {
		at[path] = now[i]
	}
	recorded := map[string][]gitexec.Path{}
	for _, stream := range streams {
		changes, err := stream.AgentChanges(p.DB)
		if err != nil {
			continue // what cannot be read tells nothing
		}
		for _, c := range changes {
			if entry, ok := at[c.Path]; ok && c.Session != s.SessionID && c.New == entry {
				recorded[c.Session] = append(recorded[c.Session], c.Path)
			}
		}
	}
	return recorded, nil
}

// headNow looks again at where HEAD is, now that the lock is held: another session's turn may have
// been committed just before.
func (p *turns) headNow() (gitexec.Head, error) {
	if p.Settings.Strategy != settings.AutoCommit || p.Head.ID.IsZero() {
		return p.Head, nil
	}
	now, err := p.DB.Info("HEAD^{commit}")
	if err != nil || now[0].Type != "commit" || now[0].ID == p.Head.ID {
		return p.Head, err
	}
	commits, err := p.DB.Commits(now[0].ID)
	if err != nil {
		return p.Head, err
	}
	return gitexec.Head{ID: commits[0].ID, Tree: commits[0].Tree}, nil
}

// checkpointInterrupted ends a turn that no stop event came for: it gets a checkpoint, and no commit,
// since what was saved since may be the human's. ended is false where it isn't known what of it is
// the agent's: then the turn goes on in the next one.
func (p *turns) checkpointInterrupted(ctx context.Context, s *session.State, snap shadow.Snapshot) (ended bool, err error) {
	t, err := p.turnOf(s, snap)
	if err != nil {
		return false, err
	}
	known := false
	if s.TurnOpen {
		t, err = p.afterStop(ctx, s, t)
		known = true
	} else {
		t, known, err = p.beforeInterruption(ctx, s, t)
	}
	if err != nil || !known && p.Settings.Strategy != settings.AutoCommit {
		return false, err
	}
	if len(t.touched) > 0 {
		_, err = p.checkpointTurn(ctx, s, t, session.TurnEnd)
	}
	return true, err
}

// remainderOfTurn is the turn without what was committed.
func (p *turns) remainderOfTurn(t turn, plan autocommit.Commit) (turn, error) {
	began, err := p.DB.Lookup(t.before, plan.Left...)
	if err != nil {
		return t, err
	}
	edits := gitexec.Edits{}
	for i, path := range plan.Left {
		edits[path] = began[i]
	}
	before, err := p.DB.EditTree(t.snap.Tree, edits)
	t.before, t.touched = before, plan.Left
	return t, err
}
