package gitexec

import "testing"

// TestMayHaveRefs: refs that git packed are there, too.
func TestMayHaveRefs(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		const below = "refs/private/of/"
		if r.MayHaveRefs(below) && !r.HasReftables() {
			t.Error("there is none yet")
		}
		git(t, r.Top, "update-ref", below+"one", "HEAD")
		if !r.MayHaveRefs(below) {
			t.Error("one is there")
		}
		git(t, r.Top, "pack-refs", "--all", "--prune")
		if !r.MayHaveRefs(below) {
			t.Error("one is packed")
		}
		if r.MayHaveRefs("refs/private/o/") && !r.HasReftables() {
			t.Error("another name begins in the same way")
		}
	})
}
