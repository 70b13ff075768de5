package suffix

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// TestAdded: which changes add lines that another file's version has.
func TestAdded(t *testing.T) {
	changes := []gitexec.Change{
		{Path: "a", Old: text("one line of it"), New: text("one line of it//  a moved line")},
		{Path: "b", New: text("}/else")},
		{Path: "c", Old: text("a moved line"), New: text("amovedline/}")},
		{Path: "d", New: text("something else/a moved line")},
		{Path: "e", New: text("de f")},
		{Path: "f", New: text("ab c/de f")},
	}
	for range 8 {
		changes = append(changes, gitexec.Change{New: text("each in all")})
	}
	added, err := AddedBy(changes, texts{})
	testdir.Must(t, err)
	for version, want := range map[string][]int{
		"x/a moved line/y": {0, 3},
		"one line of it/}": nil,
		"nothing of that":  nil,
		"de f/de f":        nil,
		"each in all":      {6, 7, 8, 9, 10, 11, 12, 13},
	} {
		if in, err := added.Have(text(version), texts{}); err != nil || !slices.Equal(in, want) {
			t.Errorf("%s: %v, %v", version, in, err)
		}
	}
}
