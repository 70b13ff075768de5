package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestCIPage: the script command_in_ci runs each command of docs/ci.md, as it is there.
func TestCIPage(t *testing.T) {
	page, err := os.ReadFile("docs/ci.md")
	testdir.Must(t, err)
	script, err := os.ReadFile("testdata/scripts/command_in_ci.txtar")
	testdir.Must(t, err)
	played := regexp.MustCompile(`(?m)^plumb `).ReplaceAllString(string(script), "entire-plumb ")
	found := 0
	command := regexp.MustCompile("(?m)(?:^ +|- run: |^ +- |`)((?:entire-plumb|git fetch -q) [^\n`#]*)")
	for _, one := range command.FindAllStringSubmatch(string(page), -1) {
		call := strings.TrimSpace(one[1])
		if strings.HasPrefix(call, "entire-plumb show ") || strings.Contains(call, "refs/heads/$BASE") {
			continue // at home; and a base by name, which the script fetches as main
		}
		if found++; !strings.Contains(played, call) {
			t.Errorf("command_in_ci doesn't run %q", call)
		}
	}
	if found < 12 {
		t.Errorf("only %d commands were looked at", found)
	}
}
