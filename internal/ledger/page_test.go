package ledger

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

var update = flag.Bool("update", false, "write the cases into docs/cases.md, and the rules into docs/attribution.md")

// TestPage: docs/cases.md has the stories.
func TestPage(t *testing.T) {
	var page strings.Builder
	for _, s := range stories {
		fmt.Fprintf(&page, "%s\n\n```\n%s\n```\n\n", strings.ToUpper(s.name[:1])+s.name[1:]+":", strings.TrimSpace(s.text))
	}
	testdir.Written(t, "../../docs/cases.md", "go test ./internal/ledger -run TestPage -args -update", page.String(), *update)
}

// TestRules: docs/attribution.md has the rules in the order in which they are tried, each with a
// story in which it finds a line, and one in which it finds none.
func TestRules(t *testing.T) {
	page := "| | lines that have an owner by this rule | as in | not in |\n|---|---|---|---|\n"
	for i, r := range []struct{ name, text, in, out string }{
		{"in order", "stand so in the version before; in a new file, in the deleted one of which half is there",
			"half of a file under another name", "less than half is another file"},
		{"other base", "are rare, and stand so in HEAD, or in a stream that is carried forward",
			"a line of another base", "a common line of another base is new"},
		{"form", "have the words of old lines at this place, which are used up whole",
			"a paragraph is filled again", "a word less is a new line"},
		{"came back", "are rare, and were in any version of the file",
			"a line that comes back beside new ones", "a line that still stands elsewhere was written anew"},
		{"side", "are too short for that, and a version has them that git put together with the one before",
			"a short line of a side", "a short line that the version before has, too"},
		{"moved", "stood together in another file, and stand there no more",
			"a block is moved to another file", "a block that stands where it was is copied"},
		{"neighbours", "are braces or blank, beside lines that have an owner by the last four rules",
			"blank lines beside what came back", "a common line alone is new"},
		{"new", "are left: they belong to the actor", "a copy is new", "white space changes no author"},
	} {
		rule := InOrder + Rule(i)
		for name, want := range map[string]bool{r.in: true, r.out: false} {
			at := slices.IndexFunc(stories, func(s story) bool { return s.name == name })
			if at < 0 || slices.Contains(stories[at].play(t), rule) != want {
				t.Errorf("%s: the story %q finds a line: not %t", r.name, name, want)
			}
		}
		page += fmt.Sprintf("| %s | %s | %s | %s |\n", r.name, r.text, r.in, r.out)
	}
	testdir.Written(t, "../../docs/attribution.md", "go test ./internal/ledger -run TestRules -args -update", page, *update)
}
