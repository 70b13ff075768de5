package gitexec

import (
	"slices"
	"testing"
)

// TestReachable: other branches and tags count, our own don't, and there may be many commits.
func TestReachable(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		commit := func(name string) OID {
			git(t, r.Top, "commit", "-q", "--allow-empty", "-m", name)
			return OID(git(t, r.Top, "rev-parse", "HEAD"))
		}
		first := commit("first")
		tagged := commit("tagged")
		git(t, r.Top, "tag", "t")
		git(t, r.Top, "reset", "-q", "--hard", string(first))
		ours := commit("ours")
		git(t, r.Top, "branch", "entire/1-1")
		git(t, r.Top, "reset", "-q", "--hard", string(first))
		lost := commit("lost")
		git(t, r.Top, "reset", "-q", "--hard", string(first))
		all := slices.Repeat([]OID{first, tagged, ours, lost}, 20000)
		got, err := r.Reachable(t.Context(), all)
		if err != nil || !slices.Equal(got, slices.Repeat([]OID{first, tagged}, 20000)) {
			t.Errorf("%d, %v", len(got), err)
		}
	})
}
