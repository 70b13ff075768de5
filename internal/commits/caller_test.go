package commits

import (
	"testing"
	"time"
)

// TestJustNow: two commits within seconds have the same author date, and neither is an amend.
func TestJustNow(t *testing.T) {
	now := time.Unix(1_800_000_000, 900_000_000)
	for date, want := range map[string]bool{
		"@1800000000 +0100": true,
		"@1799999999 -0800": true, // begun a second ago
		"@1800000001 +0000": true,
		"@1799999997 +0000": false,
		"@1700000000 +0000": false,
		"":                  false,
		"yesterday":         false,
	} {
		if got := justNow(date, now); got != want {
			t.Errorf("%q: %t", date, got)
		}
	}
}
