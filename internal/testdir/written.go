package testdir

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Written compares a part of a page that a test writes, from its table of cases, with what the page
// has: the lines between a mark, which names the command that writes them, and the end of what is
// written. The page is relative to the package. With update it is written.
func Written(t *testing.T, page, by, text string, update bool) {
	t.Helper()
	begin, end := "<!-- written by: "+by+" -->\n", "<!-- end of what is written -->\n"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(data), begin)
	was, rest, ended := strings.Cut(after, end)
	if !found || !ended {
		t.Fatalf("%s has no part that is %s", page, strings.TrimSpace(begin))
	}
	switch text = fmt.Sprintf("\n%s\n\n", strings.TrimSpace(text)); {
	case was == text:
	case update:
		if err := os.WriteFile(page, []byte(before+begin+text+end+rest), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs from the cases here: run %s", page, by)
	}
}
