package suffix

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// TestAdded: which changes add lines that another file's version has.
func TestAdded(t *testing.T) {
	added, err := AddedBy([]gitexec.Change{
		{Path: "a", Old: text("one line of it"), New: text("one line of it//  a moved line")},
		{Path: "b", New: text("}/else")},
		{Path: "c", Old: text("a moved line"), New: text("amovedline/}")},
		{Path: "d", New: text("something else/a moved line")},
	}, texts{})
	testdir.Must(t, err)
	for version, want := range map[string][]int{
		"x/a moved line/y": {0, 3},
		"one line of it/}": nil,
		"nothing of that":  nil,
	} {
		if in, err := added.Have(text(version), texts{}); err != nil || !slices.Equal(in, want) {
			t.Errorf("%s: %v, %v", version, in, err)
		}
	}
}
