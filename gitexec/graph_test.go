package gitexec

import (
	"context"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestGraph: git draws, and each row with an asterisk has its commit.
func TestGraph(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ids := history(t, r)
		rows, err := r.Graph(context.Background(), History{Revs: []string{"main", string(ids["ours"])}, Most: 3})
		testdir.Must(t, err)
		var drawn []string
		var commits []OID
		for _, row := range rows {
			drawn = append(drawn, row.Drawn)
			if (row.Commit != "") != strings.Contains(row.Drawn, "*") {
				t.Errorf("%+v", row)
			}
			if row.Commit != "" {
				commits = append(commits, row.Commit)
			}
		}
		if len(commits) != 3 || !slices.Contains(commits, ids["ours"]) || !strings.Contains(strings.Join(drawn, "\n"), "|\\") {
			t.Errorf("%q %v", drawn, commits)
		}
	})
}
