package gitexec

import (
	"context"
	"slices"
	"testing"
)

// TestStashes: the newest is first, and names the untracked files only where they were stashed.
func TestStashes(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		if got, err := r.Stashes(context.Background()); err != nil || got != nil {
			t.Errorf("an empty stash: %v, %v", got, err)
		}
		write(t, r.Top, "a.txt", "changed\n")
		git(t, r.Top, "stash", "-q")
		write(t, r.Top, "new", "new\n")
		git(t, r.Top, "stash", "-q", "-u")
		id := func(rev string) OID { return OID(git(t, r.Top, "rev-parse", rev)) }
		want := []Stash{
			{id("stash@{0}"), id("stash@{0}^{tree}"), r.Head.ID, id("stash@{0}^3")},
			{id("stash@{1}"), id("stash@{1}^{tree}"), r.Head.ID, ""},
		}
		if got, err := r.Stashes(context.Background()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v\nwant %v", got, err, want)
		}
	})
}
