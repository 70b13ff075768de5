package turns

import (
	"cmp"
	"context"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
)

// withoutOthersLines removes from a turn what others wrote in its files, and what git brought
// there.
func withoutOthersLines(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, error) {
	if len(t.touched) == 0 || s.TranscriptPath == "" || t.estimated {
		return t, nil
	}
	states, err := run.Sessions()
	if err != nil {
		return t, err
	}
	e := works.Evidence{Others: commits.TextsBeside(ctx, run, s, states)}
	if t.wrote == nil && len(e.Others) == 0 {
		return t, nil
	}
	e.Own = condense.Written{All: true}
	if t.wrote != nil {
		e.Own = condense.Written{Files: commits.PathsInWorktree(run.Repo, t.wrote.Files), Texts: commits.TextsIn(t.wrote.Texts, func(file string) (gitexec.Path, bool) { return commits.PathInWorktree(run.Repo, file) }), All: t.wrote.All}
	} else if own, ok := commits.WrittenBy(ctx, run.Repo, s, nil); ok {
		e.Own = own
	}
	began, err := run.DB.Files(t.before, t.touched...)
	if err != nil {
		return t, err
	}
	ends, err := run.DB.Files(t.snap.Tree, t.touched...)
	if err != nil {
		return t, err
	}
	changes := make([]gitexec.Change, len(t.touched))
	for i, path := range t.touched {
		changes[i] = gitexec.Change{Path: path, Old: began[i], New: ends[i]}
	}
	d, err := commits.PlaceOf(run).Divide(ctx, s, e, changes)
	if err != nil || len(d.Began) == 0 {
		return t, err
	}
	t.start = cmp.Or(t.start, t.before)
	if t.before, err = run.DB.EditTree(t.before, d.Began); err != nil {
		return t, err
	}
	var touched []gitexec.Path
	for i, path := range t.touched {
		if began, divided := d.Began[path]; !divided || began != ends[i] {
			touched = append(touched, path)
		}
	}
	t.touched, t.sources = touched, d.Sources
	s.TookFrom(d.Sources...)
	return t, nil
}
