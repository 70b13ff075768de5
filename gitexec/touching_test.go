package gitexec

import (
	"maps"
	"slices"
	"testing"
)

// TestTouching: the files of a root commit, of a merge's sides, and below the directory of the call.
func TestTouching(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ids := history(t, r)
		touched := func(paths Pathspecs, commits ...string) []Path {
			var of []OID
			for _, name := range commits {
				of = append(of, ids[name])
			}
			found, err := r.Touching(t.Context(), of, paths)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Sorted(maps.Keys(found))
		}
		if got := touched(Pathspecs{}, "one", "side"); !slices.Equal(got, []Path{"a.txt", "dir/b.txt"}) {
			t.Errorf("of two commits: %q", got)
		}
		if got := touched(Pathspecs{All: []string{"dir"}}, "one", "side"); !slices.Equal(got, []Path{"dir/b.txt"}) {
			t.Errorf("in a directory: %q", got)
		}
		if got := touched(Pathspecs{All: []string{"."}, Dir: r.Top + "/dir"}, "one", "side", "merge"); !slices.Equal(got, []Path{"dir/b.txt"}) {
			t.Errorf("called in a directory: %q", got)
		}
		if got := touched(Pathspecs{}, "first"); len(got) == 0 {
			t.Error("a root commit touches its files")
		}
		if got := touched(Pathspecs{}); len(got) > 0 {
			t.Errorf("of no commits: %q", got)
		}
	})
}
