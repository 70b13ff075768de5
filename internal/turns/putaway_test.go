package turns

import (
	"testing"

	"entire-plumb/gitexec"
)

// TestPutAway: a stash entry holds what was made in the turn, and what no snapshot of it has.
func TestPutAway(t *testing.T) {
	at := func(id string) gitexec.Entry {
		if id == "" {
			return gitexec.Entry{}
		}
		return gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(id)}
	}
	for name, c := range map[string]struct {
		entry, began, now string
		want              bool
	}{
		"an edit":                                {"e", "b", "b", true},
		"a new file":                             {"e", "", "", true},
		"a deletion":                             {"", "b", "b", true},
		"an edit, and another in the file since": {"e", "b", "o", true},
		"the user's, from before the turn":       {"u", "u", "b", false},
		"an edit that was applied again":         {"e", "b", "e", false},
		"a file that the user had deleted":       {"", "", "b", false},
	} {
		if got := putAway(at(c.entry), gitexec.Change{Old: at(c.began), New: at(c.now)}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
