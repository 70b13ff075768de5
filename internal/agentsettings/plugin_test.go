package agentsettings

import (
	"strings"
	"testing"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/testdir"
)

// TestPlugin: a plugin is ours as a whole: it is written, replaced where it calls another command,
// and removed. Another file by its name is neither.
func TestPlugin(t *testing.T) {
	calling := func(program string) func(string) string {
		return func(verb string) string {
			return "test -x '" + program + "' && '" + program + "' hooks opencode " + verb + "; exit 0"
		}
	}
	first, err := Enable(nil, agent.OpenCode, calling("/a <b>/entire-plumb"))
	testdir.Must(t, err)
	if there, missing, err := Installed(first, agent.OpenCode); err != nil || len(missing) > 0 || len(there) != len(agent.OpenCode.Events) {
		t.Errorf("%v, %v is missing, %v", there, missing, err)
	}
	if text := string(first); strings.Contains(text, noCommands) || !strings.Contains(text, "/a <b>/entire-plumb") {
		t.Errorf("the commands are not in it:\n%s", text)
	}
	moved, err := Enable(first, agent.OpenCode, calling("/c/entire-plumb"))
	if err != nil || strings.Contains(string(moved), "<b>") {
		t.Errorf("moved: %v\n%s", err, moved)
	}
	if again, err := Enable(moved, agent.OpenCode, calling("/c/entire-plumb")); err != nil || string(again) != string(moved) {
		t.Errorf("again: %v\n%s", err, again)
	}
	if back, err := Disable(moved, agent.OpenCode); err != nil || back != nil {
		t.Errorf("Disable leaves %q, %v", back, err)
	}
	if _, err := Enable(nil, agent.OpenCode, func(verb string) string { return "other hooks opencode " + verb }); err == nil {
		t.Error("a command of another program is taken")
	}
	first = []byte(strings.Replace(string(first), "commands = {", "commands = [", 1))
	if there, _, err := Installed(first, agent.OpenCode); err != nil || len(there) > 0 {
		t.Errorf("broken: %v, %v", there, err)
	}

	const theirs = "export const Theirs = async () => ({}) // /*COMMANDS*/{}\n"
	if _, err := Enable([]byte(theirs), agent.OpenCode, calling("/c/entire-plumb")); err == nil {
		t.Error("another plugin is replaced")
	}
	if back, err := Disable([]byte(theirs), agent.OpenCode); err != nil || string(back) != theirs {
		t.Errorf("another plugin: %q, %v", back, err)
	}
	if there, _, err := Installed([]byte(theirs), agent.OpenCode); err != nil || len(there) > 0 {
		t.Errorf("another plugin: %v, %v", there, err)
	}
}
