package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/agentsettings"
	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) { testdir.Main(m) }

func request(home, exe string) Request {
	return Request{Exe: exe, Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
}

func TestBelow(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	testdir.Must(t, os.Mkdir(real, 0o700))
	testdir.Must(t, os.Symlink(real, link))
	for _, c := range []struct{ home, exe, want string }{
		{"/home/ada", "/home/ada/go/bin/entire-plumb", `"$HOME"/go/bin/entire-plumb`},
		{"/home/ada/", "/home/ada/a b/entire-plumb", `"$HOME"/'a b/entire-plumb'`},
		{"/home/ada", "/home/adam/entire-plumb", "/home/adam/entire-plumb"},
		{"/home/ada", "/usr/local/bin/entire-plumb", "/usr/local/bin/entire-plumb"},
		{"/home/ada", "/opt/it's/entire-plumb", `'/opt/it'\''s/entire-plumb'`},
		{"/home/ada", "/opt/a$b/entire-plumb", `'/opt/a$b/entire-plumb'`},
		{"/home/ada", "/opt/a\nb/entire-plumb", "'/opt/a\nb/entire-plumb'"},
		{"", "/go/bin/entire-plumb", "/go/bin/entire-plumb"},
		{"/", "/go/bin/entire-plumb", "/go/bin/entire-plumb"},
		{".", "/go/bin/entire-plumb", "/go/bin/entire-plumb"},
		{link, filepath.Join(real, "entire-plumb"), `"$HOME"/entire-plumb`},
	} {
		if got := below(c.home, c.exe); got != c.want {
			t.Errorf("below(%q, %q) = %s; want %s", c.home, c.exe, got, c.want)
		}
	}
}

// The command runs the program by its path, or by PATH, or nothing, in each shell that is here; and
// Enable takes it.
func TestAgentCommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name, says string) string {
		file := filepath.Join(dir, name, program)
		testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		testdir.Must(t, os.WriteFile(file, []byte("#!/bin/sh\necho "+says+" \"$@\"\n"), 0o700))
		return file
	}
	here, onPath := write("ho me/it's", "here"), filepath.Dir(write("bin", "path"))
	home, nowhere := filepath.Join(dir, "ho me"), filepath.Join(dir, "nowhere", program)
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "fish"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		for _, c := range []struct{ exe, path, want string }{
			{here, onPath + ":/usr/bin:/bin", "here hooks codex stop\n"},
			{here, "/usr/bin:/bin", "here hooks codex stop\n"},
			{nowhere, onPath + ":/usr/bin:/bin", "path hooks codex stop\n"},
			{nowhere, "/usr/bin:/bin", ""},
		} {
			for _, homeIs := range []string{home, ""} {
				command := request(homeIs, c.exe).command(agent.Codex, agent.Stop, false)
				cmd := exec.Command(shell, "-c", command)
				cmd.Env = []string{"PATH=" + c.path, "HOME=" + home}
				out, err := cmd.CombinedOutput()
				if err != nil || string(out) != c.want {
					t.Errorf("%s -c %s: %q, %v; want %q", shell, command, out, err, c.want)
				}
			}
		}
	}
	for _, exe := range []string{here, nowhere, "/a b/" + program} {
		for _, a := range withSettings() {
			out, err := agentsettings.Enable(nil, a, func(verb string) string { return request(home, exe).command(a, verb, true) })
			if err != nil || strings.Contains(string(out), home) {
				t.Errorf("%s: %s, %v", exe, out, err)
			}
			if out, err := agentsettings.Disable(out, a); err != nil || out != nil {
				t.Errorf("%s: disabled: %q, %v", exe, out, err)
			}
		}
	}
}
