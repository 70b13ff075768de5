package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/testdir"
)

// TestAgentsHooksExitWithZero: whatever an agent sends, and wherever from, its hook exits with 0 and
// says nothing on stdout. Some agents take any other code for a refusal, and JSON for a decision.
func TestAgentsHooksExitWithZero(t *testing.T) {
	t.Parallel()
	testdir.InTime(t)
	w := newWorld(t)
	broken := filepath.Join(w.home, "broken")
	testdir.Must(t, os.CopyFS(broken, os.DirFS(w.dir)))
	testdir.Must(t, os.WriteFile(filepath.Join(broken, ".entire", "settings.json"), []byte(`{"enabled": tru`), 0o644))
	rubbish := []string{
		"", "hello", "null", "[]", `{"session_id":`, `{"session_id":5}`, `{"session_id":"../s"}`, "\x00\xff\xfe",
		`{"session_id":"s1","tool_use_id":"","tool_input":7,"tool_response":[],"background_tasks":"x"}`,
		`{"sessionId":"s1","hookEventName":"x","cwd":"/nowhere","timestamp":17}`,
		`{"conversation_id":"s1","cursor_version":"1","workspace_roots":["/nowhere"],"tool_use_id":"a\nb"}`,
	}
	call := func(dir, stdin string, args ...string) {
		cmd := exec.Command("entire-plumb", append([]string{"hooks"}, args...)...)
		var out, said bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, w.env, strings.NewReader(stdin), &out, &said
		if err := cmd.Run(); err != nil || out.Len() > 0 || strings.Contains(said.String(), "goroutine ") {
			t.Errorf("%q in %s with %q: %v: %s%s", args, dir, stdin, err, out.String(), said.String())
		}
	}
	for _, a := range agent.All {
		verbs := append(a.Verbs(), "of-a-newer-version")
		for i, verb := range verbs {
			some := rubbish
			if !all() {
				some = rubbish[i%len(rubbish):][:1]
			}
			for _, stdin := range some {
				call(w.dir, stdin, a.Name, verb)
			}
			if !all() && (i > 0 || a.Name != agent.All[0].Name) {
				continue
			}
			const event = `{"session_id":"s2","prompt":"p","tool_use_id":"t"}`
			call(broken, event, a.Name, verb)
			call(w.home, event, a.Name, verb)
			call(w.home, event, "--user", a.Name, verb)
			call(broken, event, "--bogus", a.Name, verb)
			call(broken, event, a.Name, "--bogus", verb)
			call(broken, event, a.Name, verb, "--bogus", "more")
		}
	}
	call(w.dir, "", "of-a-newer-agent", "stop")
	call(w.dir, "", "--bogus")
}
