package editors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/cli"
	"entire-plumb/internal/testdir"
)

// TestMain runs the tests, or this binary as the program, which the plugins and git's hooks start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(cli.Main(os.Args))
	}
	testdir.Main(m)
}

// hostile is a file's name that a shell, an option parser or an editor may misread.
const hostile = "-it's \"a\" $(touch ran)\n%#|`b`:7.txt"

// prompt is one that would be markup, a command or a control sequence.
const prompt = "Write **it**\n<script>x</script> [a](command:evil) \x1b[2J vim: set ft=lua:"

// world is a repository in which an agent has written two files, in a commit.
type world struct {
	*testing.T
	dir, bin string
	env      []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the test's program is a shell script")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	w := &world{T: t, dir: dir, bin: t.TempDir()}
	home := t.TempDir()
	w.env = append(os.Environ(), "PATH="+w.bin+":"+os.Getenv("PATH"), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@x", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@x")
	self, err := os.Executable()
	testdir.Must(t, err)
	w.program("exec '" + self + "' \"$@\"")
	w.run("", "git", "init", "-q")
	w.run("", "git", "commit", "-q", "--allow-empty", "-m", "First")
	w.run("", "entire-plumb", "enable", "--agent", "generic")
	event := func(verb string, more map[string]string) {
		more["session_id"] = "s1"
		data, err := json.Marshal(more)
		testdir.Must(t, err)
		w.run(string(data), "entire-plumb", "hooks", "generic", verb)
	}
	event("session-start", map[string]string{})
	event("user-prompt-submit", map[string]string{"prompt": prompt})
	testdir.Write(t, dir, hostile, "a line of the agent's\nand another\n", "a.txt", "a third line of the agent's\n")
	event("stop", map[string]string{})
	w.run("", "git", "add", "-A")
	w.run("", "git", "commit", "-q", "-m", "Work")
	return w
}

// program has entire-plumb be a script.
func (w *world) program(script string) {
	testdir.Must(w, os.WriteFile(filepath.Join(w.bin, "entire-plumb"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

func (w *world) run(stdin string, args ...string) string {
	w.Helper()
	name := args[0]
	if name == "entire-plumb" {
		name = filepath.Join(w.bin, name)
	}
	cmd := exec.Command(name, args[1:]...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = w.dir, w.env, strings.NewReader(stdin), &errs
	out, err := cmd.Output()
	if err != nil {
		w.Fatalf("%q: %v\n%s%s", args, err, out, errs.String())
	}
	return string(out)
}

// show runs an editor's script, and reads what it prints into a value.
func (w *world) show(into any, env []string, args ...string) {
	w.Helper()
	before := w.env
	defer func() { w.env = before }()
	w.env = append(append([]string{}, before...), env...)
	out := w.run("", args...)
	if at := strings.Index(out, "{"); at < 0 || json.Unmarshal([]byte(out[at:]), into) != nil {
		w.Fatalf("%q printed %q", args, out)
	}
	if _, err := os.Lstat(filepath.Join(w.dir, "ran")); err == nil {
		w.Fatal("a file's name was run by a shell")
	}
}

// wants are what is said of an agent's line, each in a line of its own.
var wants = []string{"by Generic, session s1", "prompt:", "  Write **it**", "commit "}

func here(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	testdir.Must(t, err)
	return dir
}

// inNeovim is what the plugin shows.
type inNeovim struct {
	Window, Virtual, Said []string
	Filetype              string
	Modifiable            bool
	Took                  int // milliseconds
}

func (w *world) neovim(file string, env ...string) (shown inNeovim) {
	w.Helper()
	env = append(env, "FILE="+filepath.Join(w.dir, file))
	if !strings.Contains(strings.Join(env, "\n"), "\nLINE=") && !strings.HasPrefix(env[0], "LINE=") {
		env = append(env, "LINE=1")
	}
	w.show(&shown, env, "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", "set runtimepath+="+filepath.Join(here(w.T), "nvim"),
		"--cmd", "runtime plugin/entire.lua", "-S", filepath.Join(here(w.T), "testdata", "blame.lua"))
	return shown
}

// TestNeovim: the plugin shows who wrote a line, as plain text, whatever the file is called.
func TestNeovim(t *testing.T) {
	if _, err := exec.LookPath("nvim"); err != nil {
		t.Skip("nvim is not installed")
	}
	w := newWorld(t)
	for _, file := range []string{"a.txt", hostile} {
		shown := w.neovim(file)
		text := strings.Join(shown.Window, "\n")
		for _, want := range wants {
			if !strings.Contains("\n"+text, "\n"+want) {
				t.Errorf("%q: no %q in %+v", file, want, shown)
			}
		}
		if !strings.Contains(text, `\x1b[2J`) || shown.Filetype != "" || shown.Modifiable {
			t.Errorf("%q: it is not plain: %+v", file, shown)
		}
	}
	if shown := w.neovim("a.txt", `SETUP={"virtual_text":true}`); len(shown.Virtual) != 1 || len(shown.Window) != 0 ||
		!strings.HasPrefix(shown.Virtual[0], "  by Generic, session s1: Write **it**") {
		t.Errorf("%+v", shown)
	}
	testdir.Write(t, w.dir, "mine.txt", "by hand\n")
	w.run("", "git", "add", "-A")
	w.run("", "git", "commit", "-q", "-m", "By hand")
	if shown := w.neovim("mine.txt", `SETUP={"virtual_text":true}`); len(shown.Virtual) != 1 || shown.Virtual[0] != "  by Ada" {
		t.Errorf("%+v", shown)
	}
	for want, env := range map[string][]string{
		"entire-plumb: save the file first":             {"CHANGE=1"},
		"entire-plumb: none-such is not on PATH":        {`SETUP={"program":"none-such"}`},
		"entire-plumb: no answer within 300 ms: it was": {`SETUP={"program":"hangs","timeout":300}`},
		"entire-plumb: its answer is no JSON":           {`SETUP={"program":"babbles"}`},
		"entire-plumb: no such thing hint: do that":     {`SETUP={"program":"fails"}`},
	} {
		for name, script := range map[string]string{"hangs": "exec sleep 60", "babbles": "echo nonsense", "fails": "printf 'entire-plumb: no such thing\\nhint: do that\\n' >&2; exit 1"} {
			testdir.Must(t, os.WriteFile(filepath.Join(w.bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		}
		shown := w.neovim("a.txt", env...)
		if len(shown.Said) != 1 || !strings.HasPrefix(shown.Said[0], want) || len(shown.Window)+len(shown.Virtual) > 0 || shown.Took > 5000 {
			t.Errorf("%s: %+v", want, shown)
		}
	}
}

// inCode is what the extension shows.
type inCode struct {
	Warned  []string
	Output  string
	Took    int // milliseconds
	Command bool
	Hover   *struct {
		Text          string
		Trusted, HTML bool
	}
	Subscriptions int
}

func (w *world) code(file string, env ...string) (shown inCode) {
	w.Helper()
	w.show(&shown, append([]string{"LINE=1", "EXTENSION=" + filepath.Join(here(w.T), "vscode"), "FILE=" + filepath.Join(w.dir, file)}, env...),
		"node", filepath.Join(here(w.T), "testdata", "blame.js"))
	return shown
}

// TestCode: the extension's command and hover show who wrote a line, as plain text.
func TestCode(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	w := newWorld(t)
	for _, file := range []string{"a.txt", hostile} {
		shown := w.code(file)
		if !shown.Command || shown.Subscriptions != 3 || len(shown.Warned) > 0 || shown.Hover == nil || shown.Hover.Trusted || shown.Hover.HTML ||
			shown.Hover.Text+"\n" != shown.Output {
			t.Errorf("%q: %+v", file, shown)
		}
		for _, want := range wants {
			if !strings.Contains("\n"+shown.Output, "\n"+want) {
				t.Errorf("%q: no %q in %+v", file, want, shown)
			}
		}
		if !strings.Contains(shown.Output, `\u001b[2J`) {
			t.Errorf("%q: a control character: %+v", file, shown)
		}
	}
	if shown := w.code("a.txt", "CANCEL=1"); shown.Hover != nil || shown.Output == "" {
		t.Errorf("a canceled hover: %+v", shown)
	}
	for name, script := range map[string]string{"hangs": "sleep 60 & wait", "babbles": "echo nonsense", "fails": "echo 'entire-plumb: no such thing' >&2; exit 1"} {
		testdir.Must(t, os.WriteFile(filepath.Join(w.bin, name), []byte("#!/bin/sh\ntrap 'kill $!; exit 1' TERM\n"+script+"\n"), 0o755))
	}
	for want, env := range map[string]string{
		"entire-plumb: save the file first":             "CHANGE=1",
		"entire-plumb: this is no file on disk":         "SCHEME=untitled",
		"entire-plumb: none-such is not on PATH":        `SETTINGS={"program":"none-such"}`,
		"entire-plumb: ./hangs is not on PATH":          `SETTINGS={"program":"./hangs"}`,
		"entire-plumb: no answer within 300 ms: it was": `SETTINGS={"program":"hangs","timeout":300}`,
		"entire-plumb: its answer is no JSON":           `SETTINGS={"program":"babbles"}`,
		"entire-plumb: no such thing":                   `SETTINGS={"program":"fails"}`,
	} {
		begun := time.Now()
		shown := w.code("a.txt", env)
		if len(shown.Warned) != 1 || !strings.HasPrefix(shown.Warned[0], want) || shown.Output != "" || shown.Hover != nil || shown.Took > 5000 {
			t.Errorf("%s: %+v", want, shown)
		}
		if time.Since(begun) > 20*time.Second {
			t.Errorf("%s: what was started goes on", want)
		}
	}
}

// TestManifest: no workspace can name the program that the extension starts.
func TestManifest(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("vscode", "package.json"))
	testdir.Must(t, err)
	var manifest struct {
		Main         string
		Capabilities struct {
			UntrustedWorkspaces struct{ Supported bool }
		}
		Contributes struct {
			Configuration struct {
				Properties map[string]struct{ Scope string }
			}
		}
		Scripts, Dependencies map[string]string
	}
	testdir.Must(t, json.Unmarshal(data, &manifest))
	if p := manifest.Contributes.Configuration.Properties["entire-plumb.program"]; p.Scope != "machine" || manifest.Capabilities.UntrustedWorkspaces.Supported {
		t.Errorf("%+v", manifest)
	}
	if _, err := os.Stat(filepath.Join("vscode", manifest.Main)); err != nil || fmt.Sprint(manifest.Scripts, manifest.Dependencies) != "map[] map[]" {
		t.Errorf("%v: it needs a build step: %+v", err, manifest)
	}
}

// TestNoShell: nothing in the plugins goes through a shell, or is run as code. That go test reads the
// files also has it run again when they change.
func TestNoShell(t *testing.T) {
	for pattern, least := range map[string]int{"nvim/*/*.lua": 2, "vscode/*.js": 2, "testdata/*": 2} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < least {
			t.Errorf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			testdir.Must(t, err)
			for _, way := range []string{"os.execute", "io.popen", "fn.system", "termopen", "shell: true", "execSync", "exec(", "eval(", "loadstring", "isTrusted = true", "supportHtml = true", "appendMarkdown("} {
				if strings.Contains(string(text), way) && !strings.HasPrefix(pattern, "testdata") {
					t.Errorf("%s: %s", file, way)
				}
			}
		}
	}
}
