package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/replay"
	"entire-plumb/internal/testdir"
)

const gitconfig = `[user]
	name = Ada
	email = ada@example.com
[init]
	defaultBranch = main
[maintenance]
	auto = false
[advice]
	detachedHead = false
`

// patience is how long a client may take for anything.
const patience = 2 * time.Minute

// setup gives a script a home, a repository's directory, and a model that plays what is in its
// directory plays; @DIR@ in those is the repository.
func (c client) setup(env *testscript.Env) error {
	if filepath.Base(env.WorkDir) != "script-turn" {
		testdir.InTime(env.T())
	}
	home, repo, plays := filepath.Join(env.WorkDir, "home"), filepath.Join(env.WorkDir, "repo"), filepath.Join(env.WorkDir, "plays")
	for _, dir := range []string{home, repo, plays} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(plays, "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte("@DIR@"), []byte(repo)), 0o644); err != nil {
			return err
		}
	}
	model, err := serve(plays)
	if err != nil {
		return err
	}
	env.Values[modelKey{}] = model
	env.Defer(func() { model.server.Close() })
	if err := os.WriteFile(filepath.Join(home, "gitconfig"), []byte(gitconfig), 0o644); err != nil {
		return err
	}
	env.Cd = repo
	for name, value := range map[string]string{
		"HOME": home, "GIT_CONFIG_GLOBAL": filepath.Join(home, "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": filepath.Dir(env.WorkDir),
		"LANG": "C.UTF-8", "TERM": "xterm-256color", "ENTIRE_TEST_TTY": "1", "MODEL": model.url,
	} {
		env.Setenv(name, value)
	}
	for _, each := range append(c.beside, c) {
		if err := each.configure(home, repo, model.url); err != nil {
			return err
		}
	}
	return nil
}

// modelKey is the key of a script's model.
type modelKey struct{}

// environment is all that the client gets of ours.
func (c client) env(ts *testscript.TestScript) []string {
	env := c.environment(ts.Getenv("MODEL"))
	for _, name := range []string{"PATH", "HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "LANG", "TERM", "TMPDIR"} {
		value := ts.Getenv(name)
		if name == "PATH" && c.needs != "" {
			value = filepath.Dir(c.program()) + string(filepath.ListSeparator) + value
		}
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

type verb = func(ts *testscript.TestScript, neg bool, args []string)

// verbs are those of scenarios that need no fixed clock, and the ones that drive a client.
func verbs(c client) map[string]verb {
	all := map[string]verb{
		"repo": c.repo, "agent": c.run, "resumed": c.resumed, "owners": owners,
		"open": c.open, "type": typeText, "press": press, "choose": choose, "see": see, "close": closeTerminal, "expect": expect, "asked": asked,
		"recorded": recorded, "sent": sent,
	}
	all["begin"], all["end"], all["interrupt"] = c.background()
	for _, other := range c.beside {
		all[other.name] = other.run
		all["begin-"+other.name], all["end-"+other.name], _ = other.background()
	}
	for name, verb := range replay.Params().Cmds {
		if slices.Contains([]string{"git", "plumb", "write", "add", "link", "streams", "snapshot", "checkpoint", "attribution", "promises"}, name) {
			all[name] = verb
		}
	}
	return all
}

// repo makes a repository with a first commit, in which entire-plumb is enabled for the client.
func (c client) repo(ts *testscript.TestScript, neg bool, args []string) {
	var text strings.Builder
	for i := range 10 {
		fmt.Fprintf(&text, "line %d\n", i+1)
	}
	ts.Check(os.WriteFile(ts.MkAbs("README.md"), []byte(text.String()), 0o644))
	for _, cmd := range [][]string{
		{"git", "init", "-q"}, {"git", "add", "-A"}, {"git", "commit", "-qm", "first"}, {"entire-plumb", "enable", "--agent", c.agent},
		{"git", "add", "-A"}, {"git", "commit", "-qm", "enabled"},
	} {
		ts.Check(ts.Exec(cmd[0], cmd[1:]...))
	}
	if c.user {
		ts.Check(ts.Exec("entire-plumb", "enable", "--user", "--agent", c.agent))
	}
}

// run gives the client a prompt and waits for its end: agent [FLAG…] PROMPT.
func (c client) run(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: agent [FLAG…] PROMPT")
	}
	process, ended := c.begin(ts, args)
	var err error
	select {
	case err = <-ended:
	case <-time.After(patience):
		process.Kill()
		err = fmt.Errorf("it did not end within %s", patience)
	}
	if (err != nil) != neg {
		ts.Fatalf("%s: %v", c.name, err)
	}
}

// resumed PROMPT: entire-plumb resume, and then the command that it prints, with a prompt.
func (c client) resumed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: resumed PROMPT")
	}
	cmd := exec.Command("entire-plumb", "resume", "--json")
	cmd.Path = filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], "entire-plumb")
	cmd.Dir, cmd.Env = ts.MkAbs("."), c.env(ts)
	out, err := cmd.Output()
	var resumed struct{ Sessions []struct{ Resume string } }
	if err2 := json.Unmarshal(out, &resumed); err != nil || err2 != nil || len(resumed.Sessions) != 1 {
		ts.Fatalf("entire-plumb resume: %v, %v: %s", err, err2, out)
	}
	ts.Logf("%s", out)
	c.run(ts, false, append(strings.Fields(resumed.Sessions[0].Resume)[1:], args[0]))
}

// begin starts the client with flags and a prompt. Its end comes on a channel.
func (c client) begin(ts *testscript.TestScript, args []string) (process *os.Process, ended chan error) {
	last := len(args) - 1
	command := slices.Concat(c.once, args[:last], c.prompt, args[last:])
	cmd := exec.Command(c.program(), command...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), c.env(ts)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ts.Check(cmd.Start())
	ended = make(chan error, 1)
	go func() {
		err := cmd.Wait()
		ts.Logf("%s: %s", c.name, out.String())
		ended <- err
	}()
	return cmd.Process, ended
}

// background are verbs that start the client with a prompt, wait for its end, and interrupt it, and
// wait for the end of all that it started.
func (c client) background() (begin, end, interrupt verb) {
	var running, processes sync.Map // by the directory of the script, of which several run at once
	begin = func(ts *testscript.TestScript, neg bool, args []string) {
		process, ended := c.begin(ts, args)
		running.Store(ts.Getenv("WORK"), ended)
		processes.Store(ts.Getenv("WORK"), process)
		ts.Defer(func() { process.Kill() })
	}
	wait := func(ts *testscript.TestScript) error {
		ended, ok := running.Load(ts.Getenv("WORK"))
		if !ok {
			ts.Fatalf("%s was not begun", c.name)
		}
		select {
		case err := <-ended.(chan error):
			return err
		case <-time.After(patience):
			ts.Fatalf("%s did not end within %s", c.name, patience)
		}
		return nil
	}
	end = func(ts *testscript.TestScript, neg bool, args []string) { ts.Check(wait(ts)) }
	interrupt = func(ts *testscript.TestScript, neg bool, args []string) {
		if process, ok := processes.Load(ts.Getenv("WORK")); ok {
			ts.Check(process.(*os.Process).Signal(os.Interrupt))
		}
		_ = wait(ts) // whatever it says of its end
	}
	return begin, end, interrupt
}

// owners says whose the lines of a file are: owners FILE WHO…, each the first word of a prompt, or
// human.
func owners(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: owners FILE WHO…")
	}
	cmd := exec.Command("entire-plumb", "blame", "--json", args[0])
	cmd.Dir, cmd.Env = ts.MkAbs("."), claude.env(ts)
	if path, err := exec.LookPath("entire-plumb"); err == nil {
		cmd.Path = path
	}
	out, err := cmd.Output()
	ts.Check(err)
	var lines []struct {
		Owner struct {
			Kind    string `json:"kind"`
			Prompt  string `json:"prompt"`
			Session string `json:"session_id"`
		} `json:"owner"`
	}
	ts.Check(json.Unmarshal(out, &lines))
	var all []string
	for _, l := range lines {
		who := l.Owner.Kind
		if l.Owner.Session != "" {
			who = append(strings.Fields(l.Owner.Prompt), "?")[0]
		}
		if !slices.Contains(all, who) {
			all = append(all, who)
		}
	}
	slices.Sort(all)
	want := slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(all, want) {
		journal, _ := os.ReadFile(ts.MkAbs(".git/entire-plumb/journal.jsonl")) // which hooks ran, and when
		ts.Fatalf("the lines of %s are of %q, not of %q\n%s", args[0], all, want, journal)
	}
}

// tmux runs a command of the script's terminal.
func tmux(ts *testscript.TestScript, args ...string) (string, error) {
	socket := ts.Getenv("TERMINAL")
	if socket == "" {
		ts.Fatalf("no terminal is open")
	}
	out, err := exec.Command("tmux", append([]string{"-S", socket}, args...)...).CombinedOutput()
	return string(out), err
}

// open starts the client in a terminal: open [FLAG…].
func (c client) open(ts *testscript.TestScript, neg bool, args []string) {
	dir, err := os.MkdirTemp("", "tmux") // a socket's name may not be long
	ts.Check(err)
	ts.Setenv("TERMINAL", filepath.Join(dir, "s"))
	ts.Defer(func() {
		tmux(ts, "kill-server")
		os.RemoveAll(dir)
	})
	command := append([]string{"-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", "-c", ts.MkAbs("."), "env", "-i"}, c.env(ts)...)
	command = slices.Concat(command, []string{c.program()}, c.terminal, args)
	out, err := tmux(ts, command...)
	if err != nil {
		ts.Fatalf("tmux: %v: %s", err, out)
	}
}

// typeText types a text and the return key: type TEXT.
func typeText(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: type TEXT")
	}
	_, err := tmux(ts, "send-keys", "-l", args[0])
	ts.Check(err)
	time.Sleep(300 * time.Millisecond) // a return key that comes with the text is a line break to the client
	_, err = tmux(ts, "send-keys", "Enter")
	ts.Check(err)
}

// press presses keys, by tmux's names for them: press KEY…
func press(ts *testscript.TestScript, neg bool, args []string) {
	_, err := tmux(ts, append([]string{"send-keys"}, args...)...)
	ts.Check(err)
}

// see waits until the screen matches: see PATTERN.
func see(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: see PATTERN")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	shown := ""
	until(ts, func() bool {
		shown, err = tmux(ts, "capture-pane", "-p", "-S", "-200")
		return err == nil && pattern.MatchString(shown) != neg
	}, func() string { return fmt.Sprintf("%q is not on the screen:\n%s", args[0], shown) })
}

// choose presses keys until the screen matches, since a client that has just drawn a dialog may not read
// keys yet: choose KEY… PATTERN.
func choose(ts *testscript.TestScript, neg bool, args []string) {
	last := len(args) - 1
	if last < 1 || neg {
		ts.Fatalf("usage: choose KEY… PATTERN")
	}
	pattern, err := regexp.Compile(args[last])
	ts.Check(err)
	shown, pressed := "", time.Time{}
	until(ts, func() bool {
		if shown, err = tmux(ts, "capture-pane", "-p", "-S", "-200"); err == nil && pattern.MatchString(shown) {
			return true
		}
		if time.Since(pressed) > 2*time.Second {
			for i, key := range args[:last] {
				if i > 0 {
					time.Sleep(150 * time.Millisecond) // at once, they would be another key
				}
				press(ts, false, []string{key})
			}
			pressed = time.Now()
		}
		return false
	}, func() string { return fmt.Sprintf("%q is not on the screen:\n%s", args[last], shown) })
}

// expect waits for a file, or for one to hold a text: expect FILE [TEXT].
func expect(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: expect FILE [TEXT]")
	}
	until(ts, func() bool {
		files, _ := filepath.Glob(ts.MkAbs(args[0]))
		return slices.ContainsFunc(files, func(file string) bool {
			data, err := os.ReadFile(file)
			return err == nil && (len(args) == 1 || strings.Contains(string(data), args[1]))
		}) != neg
	}, func() string { return fmt.Sprintf("waited for %q in vain\n%s", args, screen(ts)) })
}

// screen is what the script's terminal shows, if it has one.
func screen(ts *testscript.TestScript) (text string) {
	if ts.Getenv("TERMINAL") != "" {
		text, _ = tmux(ts, "capture-pane", "-p")
	}
	return text
}

// asked waits until the client has asked the model for a step of a play: by then the tools of the
// steps before are done, and their hooks have run: asked PLAY STEP.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: asked PLAY STEP")
	}
	step, err := strconv.Atoi(args[1])
	ts.Check(err)
	model := ts.Value(modelKey{}).(*model)
	until(ts, func() bool {
		_, there := model.asked.Load(stepOf{args[0], step})
		return there
	}, func() string { return fmt.Sprintf("step %d of %s was not asked for\n%s", step, args[0], screen(ts)) })
}

// sent TEXT: a request to the model holds the text, as JSON has it.
func sent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: sent TEXT")
	}
	found := false
	ts.Value(modelKey{}).(*model).sent.Range(func(_, body any) bool {
		found = found || strings.Contains(body.(string), args[0])
		return !found
	})
	if found == neg {
		ts.Fatalf("whether a request holds %q: %t", args[0], found)
	}
}

// recorded waits until a transcript of the client holds a text: it shows an answer before it writes
// it down. recorded TEXT.
func recorded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: recorded TEXT")
	}
	until(ts, func() (found bool) {
		_ = filepath.WalkDir(ts.Getenv("HOME"), func(path string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".jsonl" {
				return nil // a file of the client's that went meanwhile
			}
			if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(args[0])) {
				found = true
				return filepath.SkipAll
			}
			return nil
		})
		return found
	}, func() string { return fmt.Sprintf("no transcript holds %q\n%s", args[0], screen(ts)) })
}

func until(ts *testscript.TestScript, holds func() bool, otherwise func() string) {
	for end := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%s", otherwise())
		}
	}
}

// closeTerminal ends the client as its user does, and waits for its end. On a loaded machine a key may
// be lost: then it is typed again.
func closeTerminal(ts *testscript.TestScript, neg bool, args []string) {
	typeText(ts, false, []string{"/exit"})
	shown, again := "", time.Now().Add(patience/4)
	until(ts, func() bool {
		if time.Now().After(again) {
			again = time.Now().Add(patience / 4)
			if _, err := tmux(ts, "send-keys", "Escape"); err == nil {
				_, _ = tmux(ts, "send-keys", "-l", "/exit") // it may have ended meanwhile
				time.Sleep(300 * time.Millisecond)
				_, _ = tmux(ts, "send-keys", "Enter")
			}
		}
		now, err := tmux(ts, "capture-pane", "-p")
		if err == nil {
			shown = now
		}
		if strings.Contains(shown, "Enter to confirm") { // what runs on in the background will stop
			_, _ = tmux(ts, "send-keys", "Enter")
		}
		return err != nil
	}, func() string { return "the client does not end:\n" + shown })
}
