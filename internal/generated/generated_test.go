package generated

import (
	"testing"

	"entire-plumb/gitexec"
)

func TestIs(t *testing.T) {
	for _, c := range []struct {
		file                gitexec.Path
		generated, vendored string
		want                bool
	}{
		{"main.go", "", "", false},
		{"main.go", "unspecified", "unspecified", false},
		{"api.pb.go", "set", "unspecified", true},
		{"api.pb.go", "true", "unspecified", true},
		{"third/party.c", "unspecified", "set", true},
		{"third/party.c", "unset", "set", true},
		{"go.sum", "unspecified", "unspecified", true},
		{"web/package-lock.json", "", "", true},
		{"package-lock.json/readme", "", "", false},
		{"my-go.sum", "", "", false},
		{"go.sum", "unset", "unspecified", false},
		{"go.sum", "false", "unspecified", false},
		{"main.go", "maybe", "unspecified", false},
	} {
		if got := Is(c.file, map[string]string{Attribute: c.generated, Vendored: c.vendored}); got != c.want {
			t.Errorf("%s, %q, %q: %v", c.file, c.generated, c.vendored, got)
		}
	}
}
