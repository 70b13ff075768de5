package attribution

import (
	"testing"

	"entire-plumb/internal/checkpoints"
)

// TestSettle: a note counts where nothing else is recorded, and stands in for what is missing.
func TestSettle(t *testing.T) {
	recorded := checkpoints.Recorded{ID: "recorded", Found: true, Doubts: []string{"d"}}
	noted := checkpoints.Recorded{ID: "noted", Found: true, Noted: true, Doubts: []string{"d"}, Owners: checkpoints.Owners{"f": {}}}
	missing := checkpoints.Recorded{ID: "missing", Doubts: []string{"d"}}
	purged := checkpoints.Recorded{ID: "purged", Purged: "2026-01-01", Doubts: []string{"d"}}
	for _, c := range []struct {
		links []checkpoints.Recorded
		want  string // of each: whether it has owners, and doubts
	}{
		{[]checkpoints.Recorded{recorded, missing}, "-d -d "},
		{[]checkpoints.Recorded{missing, noted}, "-- od "},
		{[]checkpoints.Recorded{noted, purged}, "od -d "},
		{[]checkpoints.Recorded{recorded, noted, missing}, "-d -- -d "},
	} {
		settle(c.links)
		got := ""
		for _, r := range c.links {
			got += map[bool]string{true: "o", false: "-"}[len(r.Owners) > 0] + map[bool]string{true: "d", false: "-"}[len(r.Doubts) > 0] + " "
		}
		if got != c.want {
			t.Errorf("%v: %s", c.links, got)
		}
	}
}
