package gitexec

import (
	"context"
	"testing"
)

// TestReadable: commits that are missing, and other objects, are omitted.
func TestReadable(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ids := history(t, r)
		db := r.ODB(context.Background())
		defer db.Close()
		one, err := db.Commits(ids["one"])
		if err != nil {
			t.Fatal(err)
		}
		found, err := db.Readable(ids["two"], one[0].Tree, "refs/heads/none", ids["one"])
		if err != nil || len(found) != 2 || found[0].ID != ids["two"] || found[1].ID != ids["one"] || found[1].Tree != one[0].Tree {
			t.Errorf("%+v, %v", found, err)
		}
	})
}
