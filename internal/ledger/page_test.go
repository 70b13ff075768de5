package ledger

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

var update = flag.Bool("update", false, "write the cases into docs/cases.md")

// TestPage: docs/cases.md has the stories.
func TestPage(t *testing.T) {
	var page strings.Builder
	for _, s := range stories {
		fmt.Fprintf(&page, "%s\n\n```\n%s\n```\n\n", strings.ToUpper(s.name[:1])+s.name[1:]+":", strings.TrimSpace(s.text))
	}
	testdir.Written(t, "../../docs/cases.md", "go test ./internal/ledger -run TestPage -args -update", page.String(), *update)
}
