package query

import (
	"errors"
	"strings"
	"testing"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
)

func TestSession(t *testing.T) {
	var several *checkpoints.AmbiguousError
	for _, test := range []struct {
		ids, prefix, want string
		several           bool
	}{
		{"a ab abc", "ab", "ab", false}, // the one that is the same
		{"b abc", "ab", "abc", false},
		{"abc abc", "ab", "abc", false}, // known twice
		{"abd abc", "ab", "", true},
		{"a b", "c", "", false},
		{"a", "", "", false},
	} {
		got, err := Session(strings.Fields(test.ids), test.prefix)
		if got != test.want || errors.As(err, &several) != test.several {
			t.Errorf("%q among %q: %q, %v", test.prefix, test.ids, got, err)
		}
		if got == "" && !test.several && !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%q among %q: %v", test.prefix, test.ids, err)
		}
	}
}
