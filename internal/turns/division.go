package turns

import (
	"cmp"
	"context"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
)

// withoutOthersLines removes from a turn what others wrote in its files, and what git brought
// there.
func withoutOthersLines(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, error) {
	if len(t.touched) == 0 || s.TranscriptPath == "" || t.estimated {
		return t, nil
	}
	e, known, err := linesEvidence(ctx, run, s, t.wrote)
	if err != nil || !known {
		return t, err
	}
	changes, err := run.DB.Versions(t.before, t.snap.Tree, t.touched...)
	if err != nil {
		return t, err
	}
	// Where the transcript has all edits, the lines alone decide: the time of the last save doesn't
	// matter.
	if e.Told = t.told(); !e.Told {
		if e.Apart, err = editedApart(ctx, run, s, t, e.Own, changes); err != nil {
			return t, err
		}
	}
	e.Index = t.snap.Index
	d, err := commits.PlaceOf(run).Divide(ctx, s, e, changes)
	if err != nil || len(d.Began) == 0 {
		return t, err
	}
	t.start = cmp.Or(t.start, t.before)
	if t.before, err = run.DB.EditTree(t.before, d.Began); err != nil {
		return t, err
	}
	t.touched, t.sources = changedSince(d.Began, changes), d.Sources
	s.TookFrom(d.Sources...)
	return t, nil
}

// editedApart are the files of a turn's tools, beside which commands ran, that the user saved last,
// while nothing of this turn or another one ran.
func editedApart(
	ctx context.Context, run *workspace.Run, s *session.State, t turn, own condense.Written, changes []gitexec.Change,
) (map[gitexec.Path]bool, error) {
	var stopped time.Time
	switch {
	// No later record shows that an agent which was stopped had gone on when the file was saved:
	// what counts is when it was stopped. A task has no such time.
	case t.wrote != nil && t.finished:
		stopped = t.wrote.Interrupted
	// The time of the last prompt is an earlier turn's, and the user has saved much since.
	case !t.startKnown:
		return nil, nil
	}
	return commits.EditedApart(ctx, run, s, own.Texts, changes, stopped)
}

// linesEvidence is what tells whose lines are in a turn's files; known is false where the turn's
// own tools were not read, and no other turn is beside it.
func linesEvidence(ctx context.Context, run *workspace.Run, s *session.State, wrote *transcript.Wrote) (e works.Evidence, known bool, err error) {
	states, err := run.Sessions()
	if err != nil {
		return e, false, err
	}
	e.Others = commits.TextsBeside(ctx, run, s, states)
	if wrote == nil && len(e.Others) == 0 {
		return e, false, nil
	}
	e.Own = writtenTexts(ctx, run.Repo, s, wrote)
	return e, true, nil
}

// writtenTexts is what a turn's tools were given to write: as it was read at the turn's end, else
// as the transcript says. Without either, nothing else is the turn's.
func writtenTexts(ctx context.Context, repo *gitexec.Repo, s *session.State, wrote *transcript.Wrote) condense.Written {
	if wrote != nil {
		return condense.Written{Files: commits.PathsInWorktree(repo, wrote.Files), Texts: commits.TextsIn(repo, wrote.Texts), All: wrote.All}
	}
	if own, ok := commits.WrittenBy(ctx, repo, s, nil); ok {
		return own
	}
	return condense.Written{All: true}
}

// changedSince are the changed files, without those that began as they ended: all of their changes
// are others'.
func changedSince(began gitexec.Edits, changes []gitexec.Change) (files []gitexec.Path) {
	for _, c := range changes {
		if version, divided := began[c.Path]; !divided || version != c.New {
			files = append(files, c.Path)
		}
	}
	return files
}
