package checkpoints

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testrepo"
)

// TestBeginning: of a transcript that others may have written no more is read than ours may share
// with it.
func TestBeginning(t *testing.T) {
	r := testrepo.New(t)
	small := r.Blob("one\n").ID
	large := r.Blob(strings.Repeat("0", 1<<20)).ID
	huge := r.Blob(strings.Repeat("0", 3<<20)).ID
	for name, c := range map[string]struct {
		of, other []gitexec.OID
		want      int
	}{
		"as long":           {[]gitexec.OID{small, small}, []gitexec.OID{small, small}, 2},
		"longer":            {[]gitexec.OID{small, large, large, large}, []gitexec.OID{small, large}, 3},
		"one that is huge":  {[]gitexec.OID{huge}, []gitexec.OID{small}, 0},
		"a huge one at end": {[]gitexec.OID{small, huge}, []gitexec.OID{small}, 1},
		"as huge":           {[]gitexec.OID{huge}, []gitexec.OID{huge}, 1},
		"none":              {nil, []gitexec.OID{small}, 0},
		"not here":          {[]gitexec.OID{"0123456789012345678901234567890123456789"}, []gitexec.OID{small}, 1}, // reading it says so
	} {
		if got := beginning(r.DB, c.of, c.other); len(got) != c.want {
			t.Errorf("%s: %d chunks, want %d", name, len(got), c.want)
		}
	}
}
