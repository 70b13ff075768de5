package rewind

import (
	"context"

	"entire-plumb/internal/query"
)

// Points lists the checkpoints that Rewind goes to, at most so many, and marks the one at which the
// files were as they are now, where recording is enabled.
func Points(ctx context.Context, from query.Source, most int) ([]query.RewindPoint, error) {
	r, err := from.OpenFor(ctx, query.Selection{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	points, err := r.RewindPoints(ctx, most)
	if err != nil || len(points) == 0 {
		return points, err
	}
	w := from.OpenStates(ctx, r.Repo)
	if w == nil {
		return points, nil
	}
	defer w.DB.Close()
	snap, err := w.Snapshot(ctx)
	if err != nil {
		return points, nil // a rewind says why
	}
	return points, query.MarkHere(r, points, snap.Tree)
}
