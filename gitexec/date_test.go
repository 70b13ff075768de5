package gitexec

import (
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestDate: a date is read as git reads it, also one that looks like an option.
func TestDate(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		when, err := r.Date(t.Context(), "2026-01-03T00:00:00Z")
		testdir.Must(t, err)
		if want := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC); !when.Equal(want) {
			t.Errorf("%v, want %v", when, want)
		}
		when, err = r.Date(t.Context(), "2 weeks ago")
		testdir.Must(t, err)
		if days := time.Since(when).Hours() / 24; days < 13 || days > 15 {
			t.Errorf("two weeks are %.1f days", days)
		}
		if _, err := r.Date(t.Context(), "--all\nx"); err != nil {
			t.Error(err)
		}
	})
}
