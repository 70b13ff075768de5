package hooks

import (
	"context"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// ownTurn leaves out of a turn what is known to be somebody else's: files that the agent of another turn that is going on here was told to write, and its own was not;
// and where its tools were told what to write and nothing else was used that writes, as a shell, all other files, which the user has saved meanwhile.
func (p *place) ownTurn(ctx context.Context, s *session.State, t turn) (turn, error) {
	var own transcript.Wrote
	if s.TranscriptPath != "" {
		own, _ = transcript.Written(ctx, s.TranscriptPath) // what cannot be read tells nothing
	}
	mine := p.allInWorktree(own.Files)
	states, err := p.mine()
	if err != nil {
		return t, err
	}
	var theirs []gitexec.Path
	for _, files := range p.written(ctx, states, []string{s.SessionID}) {
		theirs = append(theirs, files...)
	}
	t.touched = slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool {
		return !slices.Contains(mine, path) && (own.All && len(mine) > 0 || slices.Contains(theirs, path))
	})
	t, err = p.leftOfTurn(t, condense.TurnCommit{Left: t.touched})
	return t, err
}

// besideOthers leaves out of a turn what the agents of other turns, which go on here or ended since it began, were told to write, and its own was not. Each
// counts in the turn of its own.
func (p *place) besideOthers(ctx context.Context, s *session.State, t turn) (turn, error) {
	if len(t.touched) == 0 || s.LastInteractionTime == nil {
		return t, nil
	}
	others, err := p.mine()
	if err != nil {
		return t, err
	}
	var theirs []gitexec.Path
	for _, o := range others {
		ended := o.Phase != session.Active
		if o.SessionID == s.SessionID || ended && (o.LastInteractionTime == nil || !o.LastInteractionTime.After(*s.LastInteractionTime)) {
			continue
		}
		files := p.writtenBy(ctx, o)
		if ended {
			if files, err = p.asLeft(o, files, t.snap.Tree); err != nil {
				return t, err
			}
		}
		theirs = append(theirs, files...)
	}
	if len(theirs) == 0 {
		return t, nil
	}
	mine := p.writtenBy(ctx, s)
	own := slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool {
		return slices.Contains(theirs, path) && !slices.Contains(mine, path)
	})
	if len(own) == len(t.touched) {
		return t, nil
	}
	began := t.before
	t, err = p.leftOfTurn(t, condense.TurnCommit{Left: own})
	t.began = began
	return t, err
}

// asLeft gives those of the files that are as a session's last turn left them: nobody has changed them since.
func (p *place) asLeft(o *session.State, files []gitexec.Path, tree gitexec.OID) ([]gitexec.Path, error) {
	if o.ShadowBranchSuffix == 0 || len(files) == 0 {
		return nil, nil
	}
	tip, err := p.db.Info(gitexec.OID(shadow.NewName(o.BaseCommit, o.WorktreeID, o.ShadowBranchSuffix).Ref() + "^{tree}"))
	if err != nil || tip[0].Type != "tree" {
		return nil, err
	}
	left, err := p.db.Lookup(tip[0].ID, files...)
	if err != nil {
		return nil, err
	}
	now, err := p.db.Lookup(tree, files...)
	if err != nil {
		return nil, err
	}
	var same []gitexec.Path
	for i, file := range files {
		if left[i] == now[i] {
			same = append(same, file)
		}
	}
	return same, nil
}

// headNow looks again at where HEAD is, now that the lock is held: another session's turn may have been committed just before.
func (p *place) headNow() error {
	if p.settings.Strategy != settings.AutoCommit || p.repo.Head.IsZero() {
		return nil
	}
	now, err := p.db.Info("HEAD^{commit}")
	if err != nil || now[0].Type != "commit" || now[0].ID == p.repo.Head {
		return err
	}
	commits, err := p.db.Commits(now[0].ID)
	if err == nil {
		p.repo.Head, p.repo.HeadTree = commits[0].ID, commits[0].Tree
	}
	return err
}

// checkpointInterrupted ends a turn that no stop event came for.
func (p *place) checkpointInterrupted(ctx context.Context, s *session.State, snap shadow.Snapshot) error {
	t, err := p.turnOf(s, snap)
	if err != nil || len(t.touched) == 0 {
		return err
	}
	_, err = p.checkpointTurn(ctx, s, t, session.TurnEnd)
	return err
}

// leftOfTurn is the turn without what was committed.
func (p *place) leftOfTurn(t turn, plan condense.TurnCommit) (turn, error) {
	began, err := p.db.Lookup(t.before, plan.Left...)
	if err != nil {
		return t, err
	}
	edits := gitexec.Edits{}
	for i, path := range plan.Left {
		edits[path] = began[i]
	}
	before, err := p.db.EditTree(t.snap.Tree, edits)
	t.before, t.touched = before, plan.Left
	return t, err
}
