package hooks

import (
	"cmp"
	"context"
	"fmt"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// checkpointTurn writes what the turn left, in one ref transaction.
func (p *turns) checkpointTurn(ctx context.Context, s *session.State, t turn, event session.Event) (string, error) {
	listing, meta, err := p.gather(ctx, s)
	if err != nil {
		return "", err
	}
	if p.Settings.Strategy != settings.AutoCommit {
		if t, err = p.besideOthers(ctx, s, t, listing); err != nil {
			return "", err
		}
	}
	var refs []shadow.RefChange
	outcome := "turn ended"
	if len(t.touched) > 0 {
		changes, decision, err := p.writeTurn(ctx, s, t, listing, meta)
		if err != nil {
			return "", err
		}
		refs = append(refs, changes...)
		outcome = "checkpoint on " + p.named(decision)
	}
	if len(s.TurnCheckpointIDs) > 0 {
		change, err := p.writeFinal(ctx, s, listing, meta)
		if err != nil {
			return "", err
		}
		refs = append(refs, change...)
		outcome += "; commits of the turn finalised"
	}
	p.ended(s, t, event)
	return outcome, shadow.Apply(ctx, p.Repo, p.Store, refs, []*session.State{s})
}

// gather reads what a checkpoint is written beside: the streams, legacy names adopted, and the
// session's conversation, brought up to date.
func (p *recorder) gather(ctx context.Context, s *session.State) (shadow.Listing, shadow.Metadata, error) {
	listing, err := shadow.List(ctx, p.Repo)
	if err == nil {
		listing, err = p.adopt(ctx, listing, s)
	}
	if err == nil {
		err = p.revive(listing, s)
	}
	if err == nil {
		err = p.recall(listing, s)
	}
	if err != nil {
		return listing, shadow.Metadata{}, err
	}
	meta, err := p.record(ctx, s)
	return listing, meta, err
}

// named names the stream that was decided for, and the reason.
func (p *recorder) named(d suffix.Decision) string {
	return shadow.NewName(p.Head.ID, p.Repo.WorktreeID(), d.Suffix).String() + ": " + d.Reason
}

// writeTurn decides on the stream and writes the commits.
func (p *recorder) writeTurn(ctx context.Context, s *session.State, t turn, listing shadow.Listing, meta shadow.Metadata) ([]shadow.RefChange, suffix.Decision, error) {
	target, err := p.target(ctx, s, t, listing)
	if err != nil || len(t.touched) == 0 && target.IsNew {
		return nil, target.Decision, err // what changes nothing begins no stream
	}
	steps := []shadow.Step{
		{Session: s.SessionID, Turn: s.TurnID, Part: shadow.Human, Subject: shadow.Describe("Before: " + s.LastPrompt), Tree: t.before},
		{Session: s.SessionID, Turn: s.TurnID, Part: shadow.Agent, Subject: cmp.Or(t.subject, s.LastPrompt), Task: t.task, Tree: t.snap.Tree, Overlay: meta.Files(), Estimated: t.estimated},
	}
	name := shadow.NewName(p.Head.ID, p.Repo.WorktreeID(), target.Suffix)
	written, err := shadow.WriteTemporary(ctx, p.DB,
		shadow.WriteTemporaryOptions{Stream: name, Base: p.Head, Tip: target.tip, Old: target.old, Who: p.Author(s), Steps: steps})
	if err != nil {
		return nil, target.Decision, err
	}
	if target.Suffix != s.ShadowBranchSuffix || s.BaseCommit != p.Head.ID {
		p.Note(fmt.Sprintf("session %s: suffix %d on %s → %d on %s: %s", s.SessionID, s.ShadowBranchSuffix, s.BaseCommit.Short(), target.Suffix, p.Head.ID.Short(), target.Reason))
		if s.FilesTouched, s.CheckpointCount, err = p.sessionOn(s, target.stream); err != nil {
			return nil, target.Decision, err
		}
	}
	s.OnStream(target.Suffix, p.Head.ID, t.touched)
	return append(target.moved, written.Change), target.Decision, nil
}

// target is where a turn's checkpoint goes.
type target struct {
	suffix.Decision                    // its suffix is the one on the present base
	stream          *shadow.Stream     // nil: a new one
	tip             shadow.Checkpoint  // to write on top of; zero for a new stream
	old             gitexec.OID        // what the target ref holds; empty: nothing yet
	moved           []shadow.RefChange // the stream's name on its old base goes, or abandoned streams do
}

// target decides which stream the turn's work belongs to. Evidence is the worktree as it was when
// the turn began: what the turn itself has changed says nothing about work before it.
func (p *recorder) target(ctx context.Context, s *session.State, t turn, listing shadow.Listing) (target, error) {
	streams, err := p.candidates(s, listing)
	if err != nil {
		return target{}, err
	}
	next := listing.Highest(p.Head.ID, p.Repo.WorktreeID()) + 1
	var to target
	decision, verdicts, err := p.decide(streams, cmp.Or(t.began, t.before), p.Settings.Match())
	if err != nil {
		return to, err
	}
	own := 0
	if !decision.IsNew {
		to.stream = &streams[decision.Suffix-1]
		to.tip = to.stream.Tip
		own = p.suffixHere(*to.stream)
	}
	to.Decision = decision.On(next, own)
	switch {
	case to.IsNew && len(t.touched) == 0:
	case to.IsNew && next > shadow.MaxSuffix:
		return to, fmt.Errorf("suffix %d is the last one that a base can have\nhint: commit, or delete streams that are not needed: git branch -D entire/%s-1", shadow.MaxSuffix, p.Head.ID.Short())
	case to.IsNew:
		to.moved, err = p.dropAbandoned(ctx, s, streams, verdicts)
	case own > 0:
		to.old = to.tip.ID
	default: // HEAD moved, and the work is still there: its stream moves along
		to.moved = []shadow.RefChange{{Ref: to.stream.Ref(), Old: to.tip.ID}}
	}
	return to, err
}

// suffixHere is a stream's suffix on HEAD, 0 if it hangs from another commit.
func (p *recorder) suffixHere(s shadow.Stream) int {
	if s.Base != p.Head.ID.Short() {
		return 0
	}
	return s.Suffix
}

// decide asks package suffix about the streams, given the worktree as a tree. The decision's suffix
// is a place in the list, from 1, or one past its end.
func (p *recorder) decide(streams []shadow.Stream, tree gitexec.OID, match suffix.Match) (suffix.Decision, []suffix.Verdict, error) {
	worktree, err := p.worktree(tree)
	if err != nil {
		return suffix.Decision{}, nil, err
	}
	decision, verdicts := suffix.Decide(p.plain(streams), worktree, &shadow.Texts{DB: p.DB}, match)
	return decision, verdicts, nil
}

// worktree is what a tree has otherwise than the base.
func (p *recorder) worktree(tree gitexec.OID) (suffix.Worktree, error) {
	diff, err := p.DB.DiffTrees(p.Head.Tree, tree)
	return suffix.NewWorktree(diff), err
}

// plain gives the streams to package suffix as values. Their suffixes are places in the list, from
// 1: streams of two bases may have the same ones.
func (p *recorder) plain(streams []shadow.Stream) []suffix.Stream {
	plain := make([]suffix.Stream, len(streams))
	for i, s := range streams {
		plain[i].Suffix = i + 1
		changes, err := s.AgentChanges(p.DB)
		plain[i].Err = err
		for _, c := range changes {
			plain[i].Changes = append(plain[i].Changes, condense.Plain(c))
		}
	}
	return plain
}

// candidates are the streams that the work may belong to: those of the present base, and before
// them those that this or another session left on an old one, since HEAD may have moved under work
// that is still there.
func (p *recorder) candidates(s *session.State, listing shadow.Listing) ([]shadow.Stream, error) {
	states, err := p.Sessions()
	if err != nil {
		return nil, err
	}
	var streams []shadow.Stream
	for _, base := range condense.Bases(p.Head.ID, append(states, s)) {
		found, err := listing.Streams(p.DB, base, p.Repo.WorktreeID())
		if err != nil {
			return nil, err
		}
		streams = append(streams, found...)
	}
	return streams, nil
}

// sessionOn is what a session has on a stream that it goes to: files that it touched, and
// checkpoints.
func (p *recorder) sessionOn(s *session.State, stream *shadow.Stream) ([]gitexec.Path, int, error) {
	if stream == nil {
		return nil, 0, nil
	}
	changes, err := stream.AgentChanges(p.DB)
	if err != nil {
		return nil, 0, err
	}
	var files []gitexec.Path
	turns := map[string]bool{}
	for _, c := range changes {
		if c.Session == s.SessionID {
			files = append(files, c.Path)
			turns[c.Turn] = true
		}
	}
	return condense.Union(nil, files), len(turns), nil
}
