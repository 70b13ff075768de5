package gitexec

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestRefsWithMissingObjects: a ref whose object is missing, or was cut off by a crash, hides no
// others.
func TestRefsWithMissingObjects(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		if r.HasReftables() {
			t.Skip("refs are no files")
		}
		gone, empty := git(t, r.Top, "commit-tree", "-m", "gone", "HEAD^{tree}"), git(t, r.Top, "commit-tree", "-m", "empty", "HEAD^{tree}")
		git(t, r.Top, "update-ref", "refs/private/gone", gone)
		git(t, r.Top, "update-ref", "refs/private/empty", empty)
		git(t, r.Top, "update-ref", "refs/private/here", "HEAD")
		object := func(id string) string { return filepath.Join(r.CommonDir, "objects", id[:2], id[2:]) }
		testdir.Must(t, os.Remove(object(gone)))
		_ = os.Chmod(object(empty), 0o644)
		testdir.Must(t, os.Truncate(object(empty), 0))
		refs, err := r.Refs(context.Background(), "refs/private/")
		testdir.Must(t, err)
		var got []string
		for _, ref := range refs {
			got = append(got, ref.Name+" "+ref.Type)
		}
		if want := "refs/private/empty , refs/private/gone , refs/private/here commit"; strings.Join(got, ", ") != want {
			t.Errorf("got %q, want %q", strings.Join(got, ", "), want)
		}
	})
}

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
