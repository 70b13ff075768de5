package gitexec

import (
	"context"
	"slices"
	"testing"
)

// TestHeadMoves: the newest move is first, each knows where the one before it ended, and without a
// reflog there is none.
func TestHeadMoves(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		first := r.Head.ID
		git(t, r.Top, "commit", "-q", "--allow-empty", "-m", "a: b")
		second := OID(git(t, r.Top, "rev-parse", "HEAD"))
		git(t, r.Top, "reset", "-q", "HEAD~1")
		for _, c := range []struct {
			most int
			want []HeadMove
		}{
			{9, []HeadMove{{second, first, "reset: moving to HEAD~1"}, {first, second, "commit: a: b"}, {"", first, "commit (initial): first"}}},
			{2, []HeadMove{{second, first, "reset: moving to HEAD~1"}, {"", second, "commit: a: b"}}},
		} {
			got, err := r.HeadMoves(context.Background(), c.most)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%d: %v, %v", c.most, got, err)
			}
		}
		git(t, r.Top, "reflog", "expire", "--expire=all", "--all")
		if got, err := r.HeadMoves(context.Background(), 9); err != nil || got != nil {
			t.Errorf("without entries: %v, %v", got, err)
		}
	})
}
