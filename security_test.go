package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestSecurityPage: each row of docs/security.md names tests, and these exist.
func TestSecurityPage(t *testing.T) {
	page, err := os.ReadFile("docs/security.md")
	testdir.Must(t, err)
	tests := testNames(t)
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "---") || strings.TrimSpace(cells[2]) == "test" {
			continue
		}
		rows++
		names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1)
		if len(names) == 0 {
			t.Errorf("no test holds%s", cells[0])
		}
		for _, name := range names {
			_, script := os.Stat(filepath.Join("testdata/scripts", name[1]+".txtar"))
			found, _ := filepath.Glob(filepath.Join(name[1], "*_test.go"))
			if script != nil && len(found) == 0 && !tests[name[1]] {
				t.Errorf("%s is no script, no test and no package with tests", name[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d rows", rows)
	}
}

// testNames are the names of the test functions.
func testNames(t *testing.T) map[string]bool {
	names := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(".", func(file string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	testdir.Must(t, err)
	return names
}
