package checkpoints

import "testing"

// TestUnitedParts: of two clones' links to one commit, either order gives the same parts, each
// checkpoint's once, and none of what is not linked.
func TestUnitedParts(t *testing.T) {
	a := SideLink{Checkpoints: []string{"aa", "bb"}, How: Content, Parts: []Part{{Checkpoint: "bb", Score: 1}, {Checkpoint: "aa", Score: 0.5}}}
	b := SideLink{Checkpoints: []string{"bb", "cc"}, How: Content, Parts: []Part{{Checkpoint: "bb", Score: 0.7}, {Checkpoint: "cc", Score: 0.6}, {Checkpoint: "xx"}}}
	for _, l := range []SideLink{a.united(b), b.united(a)} {
		got := ""
		for _, p := range l.Parts {
			got += p.Checkpoint
		}
		if got != "aabbcc" || l.Parts[1].Score != 1 {
			t.Errorf("%v", l.Parts)
		}
	}
}
