package checkpoints

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
)

// TestUnitedRemovals: a removal stays, whoever unites what in which order, and counts for no link
// that hooks decided.
func TestUnitedRemovals(t *testing.T) {
	const one, two = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	gone := []Removal{{Checkpoint: one, By: "Ada", When: day(3)}}
	link := func(how How, at int, removed []Removal, ids ...string) SideLink {
		return SideLink{Commit: gitexec.OID(strings.Repeat("1", 40)), How: how, CreatedAt: day(at), Checkpoints: ids, Removed: removed}
	}
	for _, c := range []struct {
		what string
		a, b SideLink
		want []string
		how  How
	}{
		{"removed by content", link(Content, 1, gone), link(Content, 1, nil, one, two), []string{two}, Content},
		{"imported", link(Imported, 1, gone), link(Imported, 2, nil, one), nil, Imported},
		{"decided by hooks", link(Hookless, 2, nil, one), link(Hookless, 1, gone), []string{one}, Hookless},
		{"forged as found by content", link(Hookless, 2, nil, one), link(Content, 1, gone), []string{one}, Hookless},
	} {
		first, second := c.a.united(c.b), c.b.united(c.a)
		if !reflect.DeepEqual(first, second) {
			t.Errorf("%s: %+v, and the other way round %+v", c.what, first, second)
		}
		if strings.Join(first.Checkpoints, " ") != strings.Join(c.want, " ") || first.How != c.how || !reflect.DeepEqual(first.Removed, gone) {
			t.Errorf("%s: %+v", c.what, first)
		}
	}
}

// FuzzRemovals: no removal that anybody writes names anything but a checkpoint.
func FuzzRemovals(f *testing.F) {
	f.Add(`{"removed": [{"checkpoint": "../../x"}, {"checkpoint": "aaaaaaaaaaaa", "by": "\u001b[2J", "when": "x"}]}`)
	f.Add(`{"checkpoints": ["aaaaaaaaaaaa"], "removed": [{"checkpoint": "aaaaaaaaaaaa"}]}`)
	f.Fuzz(func(t *testing.T, data string) {
		l, err := parseSideLink([]byte(data), gitexec.OID(strings.Repeat("1", 40)), "")
		if err != nil || l == nil {
			return
		}
		for _, r := range l.Removed {
			if !ValidID(r.Checkpoint) {
				t.Errorf("removed %q", r.Checkpoint)
			}
		}
	})
}
