package cli

import (
	"strings"
	"testing"
)

func TestVersionLine(t *testing.T) {
	v := versionJSON{Program: "v0.1.0", Go: "go1.26.8", System: "linux", Machine: "amd64"}
	for _, c := range []struct{ commit, date, want string }{
		{"", "", "(unknown commit, go1.26.8, linux/amd64)"},
		{"0ba0d975", "", "(commit 0ba0d975, go1.26.8, linux/amd64)"},
		{"0ba0d975", "2026-01-02T03:04:05Z", "(commit 0ba0d975, 2026-01-02, go1.26.8, linux/amd64)"},
	} {
		v.Commit, v.Date = c.commit, c.date
		if got := v.line(); !strings.HasPrefix(got, "entire-plumb v0.1.0 ") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}
