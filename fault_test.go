package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
)

// killVariable asks the program, as the tests run it, for its death on the way: "HOOK SCOPE DELAY
// LOG". Only the hook of that name dies. The scope is "group", with all its git processes, or
// "alone". The log gets a line for each such run.
const killVariable = "ENTIRE_TEST_KILL"

// program is entire-plumb as the tests run it.
func program() {
	if log := os.Getenv(memoryVariable); log != "" {
		os.Exit(measured(log))
	}
	var hook, scope, log string
	var delay time.Duration
	spec := strings.Fields(os.Getenv(killVariable))
	if len(spec) != 4 || !slices.Contains(os.Args, spec[0]) {
		main()
		return
	}
	hook, scope, log = spec[0], spec[1], spec[3]
	delay, err := time.ParseDuration(spec[2])
	if err != nil {
		panic(err)
	}
	os.Unsetenv(killVariable)
	code, outcome := cutShort(scope, delay)
	f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, hook, scope, outcome)
	f.Close()
	os.Exit(code)
}

// cutShort runs the program as a process group of its own and kills it after a while, unless it has
// ended by then.
func cutShort(scope string, delay time.Duration) (code int, outcome string) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(exe, os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	kill := killable(cmd, scope == "group")
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	// The process is not waited for before the timer has gone off, so that its ID stays its own
	// until then.
	time.Sleep(delay)
	kill()
	cmd.Wait()
	if cmd.ProcessState.ExitCode() >= 0 {
		return cmd.ProcessState.ExitCode(), "done"
	}
	return 137, "killed"
}

// world is a home directory, and repositories whose hooks are installed.
type world struct {
	t    *testing.T
	home string
	repo string
	env  []string
	log  string // what became of the runs that were to be killed
	bin  string // where the program is; empty: on PATH
}

// where is a worktree of the world, or another.
type where struct {
	*world
	dir string
}

func newWorld(t *testing.T) where {
	t.Helper()
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	return worldIn(t, tmp, filepath.Join(tmp, "repo"))
}

// worldIn makes a repository with one commit, enabled.
func worldIn(t *testing.T, home, repo string) where {
	t.Helper()
	return worldOf(t, home, repo, "sha1")
}

// worldOf makes one with an object format.
func worldOf(t *testing.T, home, repo, format string) where {
	t.Helper()
	return worldWith(t, &world{home: home, repo: repo}, "--object-format="+format)
}

// worldWith makes one, with options for git init.
func worldWith(t *testing.T, w *world, options ...string) where {
	t.Helper()
	w.t, w.log = t, filepath.Join(w.home, "kills")
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "ENTIRE_") &&
			name != "CLAUDECODE" {
			w.env = append(w.env, e)
		}
	}
	config := filepath.Join(w.home, "gitconfig")
	w.env = append(w.env, "HOME="+w.home, "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "ENTIRE_TEST_TTY=1")
	text := "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[core]\n\teditor = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	testdir.Must(t, os.WriteFile(config, []byte(text), 0o644))
	testdir.Must(t, os.MkdirAll(w.repo, 0o755))
	at := where{w, w.repo}
	at.git(append([]string{"init", "-q"}, options...)...)
	at.write("shared.txt", "the first line")
	at.git("add", "-A")
	at.git("commit", "-qm", "Initial commit")
	at.must("entire-plumb", "enable", "--agent", "claude-code")
	at.git("add", "-A")
	at.git("commit", "-qm", "Enable entire-plumb")
	return at
}

// mostTime is when a command counts as one that hangs.
const mostTime = 90 * time.Second

var errHookFailed = errors.New("the hook says that it failed")

// run runs a program and gives what it printed, on stdout and, if it failed, on stderr. An agent's
// hook that fails exits with 0, and says so.
func (w where) run(env []string, stdin []byte, name string, args ...string) (string, error) {
	if name == "entire-plumb" && w.bin != "" {
		name = filepath.Join(w.bin, name)
	}
	ctx, stop := context.WithTimeout(w.t.Context(), mostTime)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, append(slices.Clip(w.env), env...), bytes.NewReader(stdin)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if err == nil && strings.Contains(said.String(), "; the agent is not affected\n") {
		err = errHookFailed
	}
	if err != nil {
		err = fmt.Errorf("%s %q: %w: %s%s", name, args, err, out.String(), said.String())
	}
	return strings.TrimSuffix(out.String(), "\n"), err
}

func (w where) must(name string, args ...string) string {
	w.t.Helper()
	out, err := w.run(nil, nil, name, args...)
	testdir.Must(w.t, err)
	return out
}

func (w where) git(args ...string) string {
	w.t.Helper()
	return w.must("git", args...)
}

func (w where) write(name string, lines ...string) {
	w.t.Helper()
	testdir.Must(w.t, os.WriteFile(filepath.Join(w.dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}

// kill is the environment in which a hook dies.
func (w where) kill(hook, scope string, delay time.Duration) []string {
	return []string{fmt.Sprintf("%s=%s %s %s %s", killVariable, hook, scope, delay, w.log)}
}

// agent calls one of Claude Code's hooks. The user's index must be the same afterwards, whatever
// happens.
func (w where) agent(env []string, event, id, text string) error {
	w.t.Helper()
	payload := w.payload(event, id, text)
	before := w.index()
	_, err := w.run(env, payload, "entire-plumb", "hooks", "claude-code", event)
	if w.index() != before {
		w.t.Fatalf("%s touched the user's index", event)
	}
	return err
}

// use has the agent's transcript say that its tools wrote files.
func (w where) use(id string, files ...string) {
	w.t.Helper()
	var calls []any
	for _, file := range files {
		calls = append(calls, map[string]any{"type": "tool_use", "id": file, "name": "Write", "input": map[string]any{"file_path": filepath.Join(w.dir, file)}})
	}
	w.record(filepath.Join(w.home, id+".jsonl"), map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "content": calls}})
}

// payload is what a hook reads from the agent, which has written its transcript before.
func (w where) payload(event, id, text string) []byte {
	w.t.Helper()
	transcript := filepath.Join(w.home, id+".jsonl")
	payload := map[string]any{"session_id": id, "transcript_path": transcript, "hook_event_name": event}
	switch event {
	case "user-prompt-submit":
		payload["prompt"] = text
		w.record(transcript, map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}})
	case "stop":
		w.record(transcript, map[string]any{"type": "assistant",
			"message": map[string]any{"id": text, "role": "assistant", "stop_reason": "end_turn",
				"content": []any{map[string]any{"type": "text", "text": text}}, "usage": map[string]any{"output_tokens": 1}}})
	}
	data, err := json.Marshal(payload)
	testdir.Must(w.t, err)
	return data
}

// index is the user's index byte for byte, with its time stamp.
func (w where) index() string {
	file := filepath.Join(w.dir, ".git", "index")
	data, err := os.ReadFile(file)
	if err != nil {
		return "" // a linked worktree's is elsewhere
	}
	info, err := os.Stat(file)
	testdir.Must(w.t, err)
	return info.ModTime().String() + string(data)
}

func (w where) record(transcript string, r any) {
	line, err := json.Marshal(r)
	testdir.Must(w.t, err)
	f, err := os.OpenFile(transcript, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	testdir.Must(w.t, err)
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		w.t.Fatal(err)
	}
}

// promises checks what must hold whenever nothing of ours is at work, and everything that was begun
// was taken up again.
func (w where) promises() error {
	if out, err := w.run(nil, nil, "git", "fsck", "--strict", "--no-dangling"); err != nil || out != "" {
		return fmt.Errorf("git fsck: %s %w", out, err)
	}
	return errors.Join(w.nothingLeft(), w.statesParse(), w.linksResolve())
}

// nothingLeft looks for files that a killed process may leave behind and that are in somebody's
// way.
func (w where) nothingLeft() error {
	return filepath.WalkDir(filepath.Join(w.repo, ".git"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		ref := strings.Contains(path, "/refs/heads/entire/") && strings.HasSuffix(path, ".lock")
		if data, _ := os.ReadFile(path); d.Name() == "pending.json" && strings.Contains(string(data), w.git("rev-parse", "HEAD")) {
			return nil // of a commit that was given up
		}
		if strings.Contains(path, "/entire-plumb/tmp/") {
			return nil // cleared some time later
		}
		if ref || slices.Contains([]string{"packed-refs.lock", "index.lock", "HEAD.lock", "index.next", "intent.json", "pending.json"},
			d.Name()) {
			return fmt.Errorf("%s was left behind", path)
		}
		return nil
	})
}

func (w where) statesParse() error {
	dir := filepath.Join(w.repo, ".git", "entire-sessions")
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if strings.Contains(f.Name(), "damaged") {
			return fmt.Errorf("a state file was damaged: %s", f.Name())
		}
		if strings.HasSuffix(f.Name(), ".json") {
			if _, err := (session.Store{Dir: dir}).Load(strings.TrimSuffix(f.Name(), ".json")); err != nil {
				return err
			}
		}
	}
	return nil
}

// linksResolve follows the links of all commits to the checkpoints and the files that these name.
func (w where) linksResolve() error {
	log, err := w.run(nil, nil, "git", "log", "--branches", "--format=%h %(trailers:key=Entire-Checkpoint,valueonly,separator=%x20)")
	if err != nil {
		return err
	}
	held := map[string]bool{}
	list, _ := w.run(nil, nil, "git", "ls-tree", "-r", "--name-only", "entire/checkpoints/v1") // there may be none yet
	for name := range strings.Lines(list) {
		held[strings.TrimSuffix(name, "\n")] = true
	}
	for line := range strings.Lines(log) {
		words := strings.Fields(line)
		if len(words) > 2 {
			return fmt.Errorf("%s carries %d links", words[0], len(words)-1)
		}
		for _, id := range words[1:] {
			at := id[:2] + "/" + id[2:] + "/"
			if !held[at+"metadata.json"] || !held[at+"0/metadata.json"] || !held[at+"0/full.jsonl"] {
				return fmt.Errorf("the link %s of %s does not resolve", id, words[0])
			}
		}
	}
	return nil
}

// recorded are the blobs that the streams' tips hold.
func (w where) recorded() (map[string]bool, error) {
	refs, err := w.run(nil, nil, "git", "for-each-ref", "--format=%(refname)", "refs/heads/entire/")
	if err != nil {
		return nil, err
	}
	blobs := map[string]bool{}
	for _, ref := range strings.Fields(refs) {
		if strings.HasSuffix(ref, "/checkpoints/v1") {
			continue
		}
		tree, err := w.run(nil, nil, "git", "ls-tree", "-r", ref)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(tree) {
			blobs[strings.Fields(line)[2]] = true
		}
	}
	return blobs, nil
}

// acknowledged is what successful stops have recorded and nobody has committed yet: blobs by file.
type acknowledged map[string]string

// stopped notes that a stop has recorded the files as they are.
func (a acknowledged) stopped(w where, files ...string) {
	for _, f := range files {
		a[f] = w.git("hash-object", f)
	}
}

// lost holds the streams against what was acknowledged.
func (a acknowledged) lost(w where) error {
	blobs, err := w.recorded()
	if err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(a)) {
		if !blobs[a[file]] {
			return fmt.Errorf("%s as the agent left it (%s) was recorded and is on no stream", file, a[file])
		}
	}
	return nil
}

// committed takes the files of a commit off the list. All that was recorded of them must be linked.
func (a acknowledged) committed(w where, rev string) error {
	id := w.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=%x20)", rev)
	var summary struct {
		Files []string `json:"files_touched"`
	}
	for _, line := range strings.Split(w.git("diff-tree", "-r", "--root", "--no-commit-id", rev), "\n") {
		fields := strings.Fields(line)
		blob, file := fields[3], fields[5]
		if a[file] == "" {
			continue
		}
		if id == "" {
			return fmt.Errorf("%s was recorded and committed, and the commit has no link", file)
		}
		if summary.Files == nil {
			data, err := w.run(nil, nil, "git", "cat-file", "blob", "entire/checkpoints/v1:"+id[:2]+"/"+id[2:]+"/metadata.json")
			if err == nil {
				err = json.Unmarshal([]byte(data), &summary)
			}
			if err != nil {
				return err
			}
		}
		if !slices.Contains(summary.Files, file) {
			return fmt.Errorf("%s was recorded and committed, and the checkpoint %s lists only %q", file, id, summary.Files)
		}
		if a[file] == blob {
			delete(a, file)
		}
	}
	return nil
}
