package hooks

import (
	"context"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// checkpointTurn writes what the turn left, in one ref transaction.
func (p *place) checkpointTurn(ctx context.Context, s *session.State, t turn, event session.Event) (string, error) {
	listing, err := shadow.List(ctx, p.repo)
	if err != nil {
		return "", err
	}
	meta, err := p.record(ctx, s)
	if err != nil {
		return "", err
	}
	var refs []shadow.RefChange
	outcome := "turn ended"
	if len(t.touched) > 0 {
		changes, decision, err := p.writeTurn(ctx, s, t, listing, meta)
		if err != nil {
			return "", err
		}
		refs = append(refs, changes...)
		outcome = "checkpoint on " + shadow.NewName(p.repo.Head, p.repo.WorktreeID(), decision.Suffix).String() + ": " + decision.Reason
	}
	if len(s.TurnCheckpointIDs) > 0 {
		change, err := p.writeFinal(ctx, s, listing, meta)
		if err != nil {
			return "", err
		}
		refs = append(refs, change...)
		outcome += "; commits of the turn finalised"
	}
	p.ended(s, t.snap, event)
	return outcome, shadow.Apply(ctx, p.repo, p.store, refs, []*session.State{s})
}

// writeTurn decides on the stream and writes the commits.
func (p *place) writeTurn(ctx context.Context, s *session.State, t turn, listing shadow.Listing, meta shadow.Metadata) ([]shadow.RefChange, suffix.Decision, error) {
	target, err := p.target(s, t, listing)
	if err != nil {
		return nil, target.Decision, err
	}
	steps := []shadow.Step{
		{Session: s.SessionID, Turn: s.TurnID, Part: shadow.Human, Subject: shadow.Describe("Before: " + s.LastPrompt), Tree: t.before},
		{Session: s.SessionID, Turn: s.TurnID, Part: shadow.Agent, Subject: s.LastPrompt, Tree: t.snap.Tree, Overlay: meta.Files()},
	}
	id, err := shadow.Write(ctx, p.repo, p.db, p.repo.Head, target.tip, p.author(s), steps)
	if err != nil {
		return nil, target.Decision, err
	}
	if target.Suffix != s.ShadowBranchSuffix || s.BaseCommit != p.repo.Head {
		if s.FilesTouched, s.CheckpointCount, err = p.sessionOn(s, target.stream); err != nil {
			return nil, target.Decision, err
		}
	}
	s.ShadowBranchSuffix, s.BaseCommit = target.Suffix, p.repo.Head
	s.CheckpointCount++
	s.FilesTouched = condense.Union(s.FilesTouched, t.touched)
	name := shadow.NewName(p.repo.Head, p.repo.WorktreeID(), target.Suffix)
	return append(target.moved, shadow.RefChange{Ref: name.Ref(), Old: target.old, New: id}), target.Decision, nil
}

// target is where a turn's checkpoint goes.
type target struct {
	suffix.Decision                    // its suffix is the one on the present base
	stream          *shadow.Stream     // nil: a new one
	tip             shadow.Checkpoint  // to write on top of; zero for a new stream
	old             gitexec.OID        // what the target ref holds; empty: nothing yet
	moved           []shadow.RefChange // the stream's name on its old base goes
}

// target decides which stream the turn's work belongs to. Evidence is the worktree as it was when the turn began: what
// the turn itself has changed says nothing about work before it.
func (p *place) target(s *session.State, t turn, listing shadow.Listing) (target, error) {
	streams, err := p.candidates(s, listing)
	if err != nil {
		return target{}, err
	}
	worktree := suffix.Worktree{}
	diff, err := p.db.DiffTrees(p.repo.HeadTree, t.before)
	if err != nil {
		return target{}, err
	}
	for _, c := range diff {
		worktree[c.Path] = c.New
	}
	next := listing.Highest(p.repo.Head, p.repo.WorktreeID()) + 1
	var to target
	to.Decision, _ = suffix.Decide(p.plain(streams), worktree, &shadow.Texts{DB: p.db}, p.settings.Match())
	if to.IsNew {
		to.Suffix = next
		return to, nil
	}
	to.stream = &streams[to.Suffix-1]
	to.tip = to.stream.Tip
	if to.stream.Base == p.repo.Head.Short() {
		to.Suffix, to.old = to.stream.Suffix, to.tip.ID
	} else { // HEAD moved, and the work is still there: its stream moves along
		to.Suffix = next
		to.moved = []shadow.RefChange{{Ref: to.stream.Ref(), Old: to.tip.ID}}
	}
	return to, nil
}

// plain gives the streams to package suffix as values. Their suffixes are places in the list, from 1: streams of two
// bases may have the same ones.
func (p *place) plain(streams []shadow.Stream) []suffix.Stream {
	plain := make([]suffix.Stream, len(streams))
	for i, s := range streams {
		plain[i].Suffix = i + 1
		changes, err := s.AgentChanges(p.db)
		plain[i].Err = err
		for _, c := range changes {
			plain[i].Changes = append(plain[i].Changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
		}
	}
	return plain
}

// candidates are the streams that the work may belong to: those of the present base, and, if HEAD has moved since, those
// that the session left on the old one.
func (p *place) candidates(s *session.State, listing shadow.Listing) ([]shadow.Stream, error) {
	var streams []shadow.Stream
	if s.BaseCommit != "" && s.BaseCommit != p.repo.Head {
		old, err := listing.Streams(p.db, s.BaseCommit, p.repo.WorktreeID())
		if err != nil {
			return nil, err
		}
		streams = old
	}
	here, err := listing.Streams(p.db, p.repo.Head, p.repo.WorktreeID())
	return append(streams, here...), err
}

// sessionOn is what a session has on a stream that it goes to: files that it touched, and checkpoints.
func (p *place) sessionOn(s *session.State, stream *shadow.Stream) ([]gitexec.Path, int, error) {
	if stream == nil {
		return nil, 0, nil
	}
	changes, err := stream.AgentChanges(p.db)
	if err != nil {
		return nil, 0, err
	}
	var files []gitexec.Path
	turns := map[string]bool{}
	for _, c := range changes {
		if c.Session == s.SessionID {
			files = condense.Union(files, []gitexec.Path{c.Path})
			turns[c.Turn] = true
		}
	}
	return files, len(turns), nil
}
