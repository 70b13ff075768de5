package turns

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// checkpointOnStream writes what the turn changed, in one ref transaction.
func checkpointOnStream(ctx context.Context, run *workspace.Run, s *session.State, t turn, event session.Event) (string, error) {
	listing, meta, err := beginCheckpoint(ctx, run, s)
	if err != nil {
		return "", err
	}
	if t, err = withoutOthers(ctx, run, s, t, listing); err != nil {
		return "", err
	}
	var refs []shadow.RefChange
	outcome := "turn ended"
	run.Entry.Kind = ""
	if len(t.touched) > 0 {
		changes, decision, err := writeParts(ctx, run, s, t, listing, meta)
		if err != nil {
			return "", err
		}
		refs = append(refs, changes...)
		run.Entry.Kind, outcome = journal.Checkpoint, "checkpoint on "+describeDecision(run.Repo, run.Head, decision)
	}
	if len(s.TurnCheckpointIDs) > 0 && !t.elsewhere {
		change, err := writeFinal(run, s, listing, meta)
		if err != nil {
			return "", err
		}
		refs = append(refs, change...)
		outcome += "; commits of the turn finalised"
	}
	end(run, s, t, event)
	return outcome, shadow.Apply(ctx, run.DB, run.Store, refs, []*session.State{s})
}

// withoutOthers removes from a turn, or from what a task changed, what others wrote, where it is
// not committed at once.
func withoutOthers(ctx context.Context, run *workspace.Run, s *session.State, t turn, listing shadow.Listing) (turn, error) {
	if run.Settings.Strategy == settings.AutoCommit {
		return t, nil
	}
	t, err := movedByUser(run, t)
	if err != nil {
		return t, err
	}
	t, err = withoutOtherSessions(ctx, run, s, t, listing)
	if err != nil {
		return t, err
	}
	return withoutOthersLines(ctx, run, s, t)
}

// beginCheckpoint lists the streams, with legacy names replaced, and records the session's
// conversation.
func beginCheckpoint(ctx context.Context, run *workspace.Run, s *session.State) (shadow.Listing, shadow.Metadata, error) {
	listing, err := shadow.List(ctx, run.Repo)
	if err == nil {
		listing, err = commits.RenameLegacy(ctx, run, listing, s)
	}
	if err == nil {
		err = commits.RestoreSessions(run, listing, run.Head.ID, s)
	}
	if err == nil {
		err = commits.ImportConversation(run, listing, s)
	}
	if err != nil {
		return listing, shadow.Metadata{}, err
	}
	meta, err := recordConversation(ctx, run, s)
	return listing, meta, err
}

// describeDecision names the stream of a decision, and the reason.
func describeDecision(repo *gitexec.Repo, head gitexec.Head, d suffix.Decision) string {
	return shadow.NewName(head.ID, repo.WorktreeID(), d.Suffix).String() + ": " + string(d.Reason)
}

// writeParts chooses the stream and writes the commits.
func writeParts(
	ctx context.Context, run *workspace.Run, s *session.State, t turn, listing shadow.Listing, meta shadow.Metadata,
) ([]shadow.RefChange, suffix.Decision, error) {
	target, err := chooseTarget(ctx, run, s, t, listing)
	if err != nil || len(t.touched) == 0 && target.IsNew {
		return nil, target.Decision, err // a turn without changes begins no stream
	}
	began := time.Time{}
	if s.LastInteractionTime != nil {
		began = *s.LastInteractionTime
	}
	steps := []shadow.Step{
		{Session: s.SessionID, Turn: s.TurnID, Part: shadow.Human, Tree: t.before, Sources: t.sources,
			Subject: shadow.Describe("Before: " + s.LastPrompt)},
		{Session: s.SessionID, Turn: s.TurnID, Part: shadow.Agent, Tree: t.snap.Tree,
			Subject: cmp.Or(t.subject, s.LastPrompt), Task: t.task, Prompt: s.LastPrompt, Overlay: meta.Files(), Estimated: t.estimated, Began: began},
	}
	name := shadow.NewName(run.Head.ID, run.Repo.WorktreeID(), target.Suffix)
	written, err := shadow.WriteTemporary(ctx, run.DB,
		shadow.WriteTemporaryOptions{Stream: name, Base: run.Head, Tip: target.tip, Old: target.old, Who: run.Author(s), Steps: steps})
	if err != nil {
		return nil, target.Decision, err
	}
	if target.Suffix != s.ShadowBranchSuffix || s.BaseCommit != run.Head.ID {
		run.Note(fmt.Sprintf("session %s: suffix %d on %s → %d on %s: %s", s.SessionID,
			s.ShadowBranchSuffix, s.BaseCommit.Short(), target.Suffix, run.Head.ID.Short(), target.Reason))
		files, count, err := sessionStream(run.DB, s, target.stream)
		if err != nil {
			return nil, target.Decision, err
		}
		s.FollowsStream(files, count)
	}
	s.OnStream(target.Suffix, run.Head.ID, t.touched)
	after := listing.After(target.moved)
	session.KeepBases(s, func(base gitexec.OID) bool { return after.Highest(base, run.Repo.WorktreeID()) > 0 })
	s.CheckpointIn(t.task)
	return append(target.moved, written.Change), target.Decision, nil
}

// target is the stream that a turn's checkpoint goes to.
type target struct {
	suffix.Decision                    // its suffix is the one on HEAD
	stream          *shadow.Stream     // nil: a new stream
	tip             shadow.Checkpoint  // to write on top of; zero for a new stream
	old             gitexec.OID        // the target ref's value; empty: it does not exist
	moved           []shadow.RefChange // deletes the stream's name on its old base, or abandoned streams
}

// chooseTarget decides which stream the turn's work belongs to. The evidence is the worktree at the
// start of the turn: the turn's own changes say nothing about earlier work.
func chooseTarget(ctx context.Context, run *workspace.Run, s *session.State, t turn, listing shadow.Listing) (target, error) {
	streams, err := candidates(run, s, listing)
	if err != nil {
		return target{}, err
	}
	next := listing.Highest(run.Head.ID, run.Repo.WorktreeID()) + 1
	var to target
	decision, verdicts, err := decideStream(run, streams, cmp.Or(t.start, t.before))
	if err != nil {
		return to, err
	}
	own := 0
	if !decision.IsNew {
		to.stream = &streams[decision.Suffix-1]
		to.tip = to.stream.Tip
		own = suffixHere(run.Head, *to.stream)
	}
	to.Decision = decision.OnBase(next, own)
	switch {
	case to.IsNew && len(t.touched) == 0:
	case to.IsNew && next > shadow.MaxSuffix:
		return to, fmt.Errorf("suffix %d is the last one that a base can have\n"+
			"hint: commit, or delete streams that are not needed: git branch -D entire/%s-1", shadow.MaxSuffix, run.Head.ID.Short())
	case to.IsNew:
		to.moved, err = dropAbandoned(ctx, run, s, streams, verdicts)
	case own > 0:
		to.old = to.tip.ID
	default: // HEAD moved and the work is still in the worktree: its stream moves, too
		to.moved = []shadow.RefChange{{Ref: to.stream.Ref(), Old: to.tip.ID}}
	}
	return to, err
}

// suffixHere is a stream's suffix on HEAD, 0 if its base is another commit.
func suffixHere(head gitexec.Head, s shadow.Stream) int {
	if s.Base != head.ID.Short() {
		return 0
	}
	return s.Suffix
}

// decideStream asks package suffix about the streams, given the worktree as a tree. The decision's
// suffix is a position in the list, from 1, or one past its end.
func decideStream(run *workspace.Run, streams []shadow.Stream, tree gitexec.OID) (suffix.Decision, []suffix.Verdict, error) {
	worktree, err := worktree(run.DB, run.Head, tree)
	if err != nil {
		return suffix.Decision{}, nil, err
	}
	decision, verdicts := suffix.Decide(StreamValues(run.Repo, run.DB, streams, worktree), worktree, &shadow.Texts{DB: run.DB})
	return decision, verdicts, nil
}

// worktree is the difference between the base and a tree.
func worktree(db *gitexec.ODB, head gitexec.Head, tree gitexec.OID) (suffix.Worktree, error) {
	diff, err := db.DiffTrees(head.Tree, tree)
	return gitexec.ByPath(diff), err
}

// StreamValues gives the streams to package suffix as values. Their suffixes are positions in the
// list, from 1: streams of two bases may have the same suffix. worktree is what they are compared
// with, if they are.
func StreamValues(repo *gitexec.Repo, db *gitexec.ODB, streams []shadow.Stream, worktree suffix.Worktree) []suffix.Stream {
	diff := worktree.Changes()
	values := make([]suffix.Stream, len(streams))
	for i, s := range streams {
		values[i].Suffix = i + 1
		changes, err := s.AgentChanges(db)
		values[i].Err = err
		for _, c := range changes {
			values[i].Changes = append(values[i].Changes, condense.Value(c))
		}
		since, err := works.SinceBase(db, s, values[i].Changes, diff, func(path gitexec.Path) bool { return commits.NotInWorktree(repo, path) })
		if err != nil {
			values[i].Err = err
		}
		values[i].Added, values[i].Removed = since.Added, since.Removed
	}
	return values
}

// candidates are the streams that the work may belong to: those of HEAD, after those that a session
// has on an older base, since HEAD may have moved while the work stayed in the worktree.
func candidates(run *workspace.Run, s *session.State, listing shadow.Listing) ([]shadow.Stream, error) {
	states, err := run.Sessions()
	if err != nil {
		return nil, err
	}
	var streams []shadow.Stream
	for _, base := range condense.Bases(run.Head.ID, append(states, s)) {
		found, err := listing.Streams(run.DB, base, run.Repo.WorktreeID())
		if err != nil {
			return nil, err
		}
		streams = append(streams, found...)
	}
	return streams, nil
}

// sessionStream returns what a session has on a stream that it moves to: the files that it touched,
// and the number of its checkpoints.
func sessionStream(db *gitexec.ODB, s *session.State, stream *shadow.Stream) ([]gitexec.Path, int, error) {
	if stream == nil {
		return nil, 0, nil
	}
	changes, err := stream.AgentChanges(db)
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
