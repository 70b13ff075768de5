package checkpoints

import (
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
)

// TestFollows: a commit in the history of the work's own is older than the work; in that of a later
// version of it, it need not be, as a squash to which that was rebased.
func TestFollows(t *testing.T) {
	r := newRepository(t)
	base := r.commit("Base", "f", "1\n")
	squash := r.commit("Squash", "f", "2\n")
	later := r.commit("Rebased", "f", "3\n")
	gone := gitexec.OID("0123456789012345678901234567890123456789")
	for name, c := range map[string]struct {
		own, after []gitexec.OID
		commit     gitexec.Commit
		want       bool
	}{
		"its own follows":                  {[]gitexec.OID{later.ID}, nil, squash, true},
		"it is its own":                    {[]gitexec.OID{squash.ID}, nil, squash, false},
		"its own is older":                 {[]gitexec.OID{base.ID}, nil, squash, false},
		"one of its own doesn't":           {[]gitexec.OID{later.ID, base.ID}, nil, squash, false},
		"a later version, without the own": {[]gitexec.OID{gone, later.ID}, nil, squash, false},
		"what the own followed":            {[]gitexec.OID{gone, later.ID}, []gitexec.OID{later.ID}, squash, true},
		"nothing is known":                 {nil, nil, squash, false},
	} {
		k := lineage.Checkpoint{Commits: c.own, After: c.after}
		if got := Follows(r.DB, k, c.commit.ID, c.commit.When.Unix()); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
