package gitexec

import "testing"

// TestControlsTerminal: characters that are not seen, or that may be taken for others, are found.
func TestControlsTerminal(t *testing.T) {
	for _, c := range []struct {
		text    string
		harmful bool // in a text
		quoted  bool // in a path
	}{
		{"plain", false, false}, {"Zoë, 名前", false, false}, {"a\u200bb", true, true}, {"a\u2060b", true, true}, {"\ufeffa", true, true},
		{"a\u00adb", true, true}, {"a\u3164b", true, true}, {"a\U000e0061b", true, true}, {"a\U000e0101b", true, true}, {"a\u202eb", true, true},
		{"\u0601\u0661", false, false}, {"\U0001f468\u200d\U0001f469", false, true}, {"\u2764\ufe0f", false, true}, {"a\u200cb", false, true},
	} {
		if got := Harmless(c.text) != c.text; got != c.harmful {
			t.Errorf("%q: %v", c.text, got)
		}
		if got := Path(c.text).Display() != c.text; got != c.quoted {
			t.Errorf("the path %q: %v", c.text, got)
		}
	}
}
