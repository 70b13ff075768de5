package transcript

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestDirectoriesNamed(t *testing.T) {
	const prompt = `{"type":"user","message":{"role":"user","content":"Go"}}`
	claude := func(command string) string {
		return `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","name":"Bash","input":{"command":"` + command + `"}}]}}`
	}
	write := func(file string) string {
		return `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","name":"Write","input":{"file_path":"` + file + `"}}]}}`
	}
	codex := func(arguments string) string {
		return `{"timestamp":"2026-11-23T08:00:00Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"` + arguments + `"}}`
	}
	for name, c := range map[string]struct {
		lines        []string
		wrote, named string
	}{
		"nothing":                      {[]string{prompt}, "", ""},
		"made by its name":             {[]string{prompt, claude("git worktree add ../w -b x")}, "", "/r/w"},
		"made by Codex":                {[]string{codex(`{\"cmd\":\"true\ngit worktree add \\\"../w\\\"\"}`)}, "", "/r/w"},
		"another is made":              {[]string{prompt, claude("git worktree add ../w2; ls ../w.old")}, "", ""},
		"from the other one":           {[]string{prompt, claude("cd ../w && touch f")}, "", "/r/w"},
		"from a directory of it":       {[]string{prompt, claude("cp f ../../w/f")}, "", "/r/w"},
		"where all only reads":         {[]string{prompt, claude("cat ../../w/f")}, "", ""},
		"before another command":       {[]string{prompt, claude("cd /r/w"), claude("touch f")}, "", "/r/w"},
		"a name that has it twice":     {[]string{prompt, claude("git worktree add ../ww")}, "", ""},
		"the name alone":               {[]string{prompt, claude("echo w")}, "", ""},
		"the path":                     {[]string{prompt, claude("cd /r/w\\ntouch f")}, "", "/r/w"},
		"a longer path":                {[]string{prompt, claude("cd /r/w2")}, "", ""},
		"below it":                     {[]string{prompt, claude("touch /r/w/f")}, "", "/r/w"},
		"before the prompt":            {[]string{prompt, claude("cd /r/w"), prompt}, "", ""},
		"a file of a tool's":           {[]string{prompt, write("/r/w/f")}, "/r/w", ""},
		"a file beside":                {[]string{prompt, write("/r/w2/f")}, "", ""},
		"what the user says":           {[]string{strings.Replace(prompt, "Go", "cd /r/w", 1)}, "", ""},
		"what a tool that reads reads": {[]string{strings.Replace(claude("/r/w"), "Bash", "Read", 1)}, "", ""},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600))
		got, err := DirectoriesNamed(t.Context(), file, 0, "/r/main", []string{"/r/w"})
		want := func(s string) []string { return strings.Fields(s) }
		if err != nil || !slices.Equal(got.Wrote, want(c.wrote)) || !slices.Equal(got.Named, want(c.named)) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := DirectoriesNamed(t.Context(), "/nowhere", 0, "", nil); err == nil {
		t.Error("a file that is not there")
	}
}
