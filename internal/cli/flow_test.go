package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// inRepository is a repository with a commit, in which the test runs.
func inRepository(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	t.Chdir(top)
	t.Setenv("HOME", t.TempDir())
	for name, value := range map[string]string{"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@x", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@x",
		"ENTIRE_TEST_NOW": "2026-01-02T03:04:05Z", "ENTIRE_TEST_IDS": filepath.Join(t.TempDir(), "ids"), "ENTIRE_TEST_VERSION": "v1"} {
		t.Setenv(name, value)
	}
	git(t, "init", "-q", "-b", "main")
	git(t, "commit", "-q", "--allow-empty", "-m", "First")
	return top
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, file, text string) {
	t.Helper()
	testdir.Must(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)))
}

// event sends an agent's event, on stdin.
func event(t *testing.T, verb, data string) {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in")
	write(t, in, data)
	file, err := os.Open(in)
	testdir.Must(t, err)
	defer file.Close()
	before := os.Stdin
	os.Stdin = file
	defer func() { os.Stdin = before }()
	if code, _, stderr := call(t, "hooks generic "+verb); code != exitOK || stderr != "" {
		t.Fatalf("%s: %d, %s", verb, code, stderr)
	}
}

// recorded is a repository in which session s1 has written a file, and not committed it.
func recorded(t *testing.T) string {
	t.Helper()
	top := inRepository(t)
	if code, _, stderr := call(t, "enable --agent generic"); code != exitOK {
		t.Fatalf("%d, %s", code, stderr)
	}
	event(t, "session-start", `{"session_id":"s1"}`)
	event(t, "user-prompt-submit", `{"session_id":"s1","prompt":"Write the poem"}`)
	write(t, "poem.txt", "a significant line of the poem\nanother significant line of it\n")
	event(t, "stop", `{"session_id":"s1"}`)
	return top
}

// says runs commands, and looks for words in what each prints.
func says(t *testing.T, calls map[string][]string) {
	t.Helper()
	for line, want := range calls {
		code, stdout, stderr := call(t, line)
		for _, words := range want {
			if !strings.Contains(stdout+stderr, words) {
				t.Errorf("%s: no %q in %d\n%.900s%.900s", line, words, code, stdout, stderr)
			}
		}
	}
}

// TestViewsOfUncommittedWork: what each command shows of a session's work before its commit.
func TestViewsOfUncommittedWork(t *testing.T) {
	top := recorded(t)
	says(t, map[string][]string{
		"status":               {"enabled in " + top, "session s1: Generic, idle, 1 checkpoint on entire/", "last prompt: Write the poem", "touched: poem.txt", "session s1, Generic: 2 lines"},
		"status --json":        {`"session_id": "s1"`, `"enabled": true`, `"strategy": "manual-commit"`},
		"streams":              {"STREAM", "worktree", "s1"},
		"streams --graph":      {"◆ base ", "└─ entire/", "1 checkpoint; poem.txt"},
		"streams --json":       {`"sessions": [`},
		"log":                  {"1 checkpoint, 1 file, by s1, not committed", "First"},
		"log --graph":          {"o ", "not committed", "First"},
		"log --json":           {`"streams": [`, `"commits": [`},
		"sessions":             {"SESSION", "s1", "Write the poem"},
		"sessions --json":      {`"session_id": "s1"`},
		"sessions show s1":     {"session s1: Generic", "not committed: poem.txt"},
		"rewind":               {"files", "s1"},
		"rewind --json":        {`"session_id": "s1"`},
		"rewind -n --last":     {"the worktree matches the checkpoint already"},
		"decide-suffix":        {"suffix 1: the next checkpoint continues entire/", "reason: ", "otherwise: "},
		"checkpoints":          {"no checkpoints"},
		"why":                  {"First", "not linked"},
		"blame poem.txt":       {"0000000 (Generic s1 ", "a significant line of the poem"},
		"blame nowhere":        {"no such path 'nowhere' in HEAD"},
		"diff":                 {"A1   Generic s1 ", "A1   +a significant line of the poem", ": agent 2, human "},
		"diff --stat":          {"poem.txt (added)                   2      0"},
		"diff --json s1":       {`"kind": "session"`, `"prompt": "Write the poem"`},
		"diff s1":              {"turn 6b86b27 of session s1, not committed: Write the poem", "1 file: agent 2, human 0, unknown 0, removed 0"},
		"attribution":          {"no commit of HEAD has a link"},
		"show HEAD":            {"HEAD has no link", "hint: ask why with entire-plumb why HEAD"},
		"show --raw HEAD":      {"HEAD has no link, so no transcript"},
		"show s1":              {"checkpoint ", "on a stream, not committed", "session s1: Generic", "file poem.txt"},
		"report s1 -o -":       {"<!doctype html>", "Write the poem"},
		"report s1 --json":     {`"kind": "session"`},
		"reset -n":             {"would delete stream entire/"},
		"reset -n --json":      {`"kind": "`},
		"clean":                {"nothing to clean"},
		"sync":                 {"nothing is shared: there is no remote"},
		"fetch --json":         {`"why": "there is no remote"`},
		"purge -n significant": {"would rewrite refs/heads/entire/"},
		"purge nowhere-at-all": {"nothing that is recorded here holds it"},
		"disable --purge -n":   {"would delete branch entire/"},
		"resume":               {"hint: "},
	})
}

// commitPoem commits what session s1 has written, and is the checkpoint's ID.
func commitPoem(t *testing.T) string {
	t.Helper()
	git(t, "add", "poem.txt")
	message := filepath.Join(t.TempDir(), "message")
	write(t, message, "Add the poem\n")
	if code, _, stderr := call(t, "hooks git prepare-commit-msg "+message+" message"); code != exitOK || stderr != "" {
		t.Fatal(code, stderr)
	}
	text, err := os.ReadFile(message)
	if err != nil || !strings.Contains(string(text), "Entire-Checkpoint: ") {
		t.Fatalf("%s, %v", text, err)
	}
	git(t, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-F", message)
	if code, _, stderr := call(t, "hooks git post-commit"); code != exitOK || stderr != "" {
		t.Fatal(code, stderr)
	}
	_, id, _ := strings.Cut(string(text), "Entire-Checkpoint: ")
	return strings.Fields(id)[0]
}

// TestViewsOfACommit: what each command shows of a session's work that a commit links.
func TestViewsOfACommit(t *testing.T) {
	recorded(t)
	id := commitPoem(t)
	says(t, map[string][]string{
		"status":                           {"session s1: Generic"},
		"log":                              {"Add the poem", id, "s1", "100 %"},
		"checkpoints":                      {id, "main", "Write the poem"},
		"checkpoints --json":               {`"checkpoint_id": "` + id + `"`},
		"checkpoints --text nothing":       {"no checkpoints"},
		"checkpoints --file poem.txt":      {id},
		"show HEAD":                        {"checkpoint " + id, "commit ", "Add the poem", "the link: in the message", "the lines: recorded here", "lines: 2 of 2 by the agent, 100 %"},
		"show --json " + id:                {`"checkpoint_id": "` + id + `"`},
		"show --transcript HEAD":           {"session s1"},
		"why HEAD":                         {"linked to " + id + ": session s1", "why: ", "otherwise: "},
		"why -v HEAD":                      {"session s1, ", "poem.txt: ", "post-commit: "},
		"why --json HEAD":                  {`"links": [`},
		"blame poem.txt":                   {"Generic s1", "Write the poem", "a significant line of the poem"},
		"blame --porcelain poem.txt":       {"entire-session s1"},
		"blame --json -L 1,1 poem.txt":     {`"session_id": "s1"`},
		"attribution":                      {"s1 (Generic)", "100 %", "poem.txt"},
		"attribution --json":               {`"agent_lines": 2`},
		"attribution --format agent-trace": {`"version":"0.1.0"`},
		"report HEAD -o -":                 {"<!doctype html>", "Add the poem"},
		"rewind -n " + id:                  {"the worktree is unchanged: git has the files of a committed checkpoint"},
		"purge -n " + id:                   {"would rewrite refs/heads/entire/checkpoints/v1"},
		"purge -n 0123456789ab":            {"hint: --text purges it as a text"},
		"unlink HEAD":                      {"message"},
		"retain -n --transcripts 1d":       {"nothing to drop"},
		"clean":                            {"nothing to clean"},
		"condense none":                    {"none"},
	})
}

// TestEnableAndDisable: a second enable changes nothing, and disable says what it removes.
func TestEnableAndDisable(t *testing.T) {
	inRepository(t)
	says(t, map[string][]string{"status": {"recording is not enabled here", "no sessions"}, "doctor": {"recording is not enabled here"}, "disable": {"not enabled"},
		"doctor --json": {`"why": "recording is not enabled here\nhint: entire-plumb enable --agent claude-code"`, `"problems": []`}})
	if code, stdout, stderr := call(t, "enable --agent generic"); code != exitOK || !strings.Contains(stdout, "wrote .entire/settings.json") || !strings.Contains(stdout, "Your agent has to call `entire-plumb hooks generic EVENT`") {
		t.Fatalf("%d, %s%s", code, stdout, stderr)
	}
	if code, stdout, _ := call(t, "enable --agent generic"); code != exitOK || !strings.HasPrefix(stdout, "already enabled\n") {
		t.Errorf("%d, %s", code, stdout)
	}
	testdir.Must(t, os.Remove(".git/hooks/post-commit"))
	says(t, map[string][]string{"status": {"git's post-commit hook is missing; the agent's next event installs it again\nhint: entire-plumb enable\n"},
		"doctor": {"git's post-commit hook is missing", "recorded: 0 checkpoints, 0 streams, 0 sessions"}})
	if code, stdout, _ := call(t, "doctor --fix"); !strings.Contains(stdout, "installed the post-commit hook") || code != exitOK && !strings.Contains(stdout, "hint: ") {
		t.Errorf("%d, %s", code, stdout)
	}
	_, stdout, _ := call(t, "doctor --json")
	var d diagnosis
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || d.Version != "v1" || d.Problems == nil || slices.ContainsFunc(d.Problems, func(p problem) bool { return p.Hint == "" }) {
		t.Errorf("%+v, %v", d, err)
	}
	write(t, ".entire/settings.json", `{"enabled": true, "strategy": "auto-commit", "enabld": 1}`)
	says(t, map[string][]string{"status": {`ignored: "strategy": "auto-commit" in .entire/settings.json`, "hint: confirm it with entire-plumb enable --trust-settings"},
		"doctor": {`the key "enabld", which means nothing`, `hint: did you mean "enabled"?`}})
	if _, stdout, _ := call(t, "enable --agent generic --trust-settings"); !strings.Contains(stdout, `confirmed "strategy": "auto-commit" in .entire/settings.json`) {
		t.Error(stdout)
	}
	says(t, map[string][]string{"status": {"strategy auto-commit: each turn ends in a commit"}})
	if code, stdout, stderr := call(t, "disable"); code != exitOK || !strings.Contains(stdout, "removed the post-commit hook") {
		t.Errorf("%d, %s%s", code, stdout, stderr)
	}
	says(t, map[string][]string{"status": {"recording is disabled here"}})
}

// TestWritePage: a report is written as a whole, through a link of the user's and not through one
// of the worktree that points outside.
func TestWritePage(t *testing.T) {
	top := recorded(t)
	outside := t.TempDir()
	for link, to := range map[string]string{"out": outside, "in": "inner"} {
		testdir.Must(t, os.Symlink(to, link))
	}
	testdir.Must(t, os.Mkdir("inner", 0o755))
	for file, want := range map[string]string{
		"page.html": "", filepath.Join(top, "page2.html"): "", "in/page.html": "", filepath.Join(outside, "page.html"): "",
		"out/page.html": "the page cannot be written to out/page.html: ", "none/page.html": "the page cannot be written to none/page.html: ", "inner": "inner is a directory\nhint: name a file in it",
	} {
		code, _, stderr := call(t, "report s1 -o "+file)
		if (code == exitOK) != (want == "") || want != "" && !strings.HasPrefix(stderr, "entire-plumb: "+want) {
			t.Errorf("%s: %d, %s", file, code, stderr)
		}
		data, err := os.ReadFile(file)
		if want == "" && (err != nil || !strings.Contains(string(data), "</html>")) {
			t.Errorf("%s: %d bytes, %v", file, len(data), err)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "page.html")); errors.Is(err, fs.ErrNotExist) {
		t.Error("the user's own directory has no page")
	}
}

// TestRedact: secrets are taken out of texts and of records, by the rules of the repository.
func TestRedact(t *testing.T) {
	inRepository(t)
	write(t, ".entire/settings.local.json", `{"redaction": {"rules": [{"id": "mine", "regex": "zebra-[0-9]+"}]}}`)
	write(t, "a.txt", "one zebra-17\nplain\n")
	write(t, "b.jsonl", `{"text":"zebra-18"}`+"\n")
	says(t, map[string][]string{"redact a.txt": {"one REDACTED\nplain\n"}, "redact b.jsonl": {`{"text":"REDACTED"}`},
		"redact -n a.txt b.jsonl": {"a.txt:1:5: mine (8 bytes)\n", "b.jsonl:1:", "mine"}, "redact -n --json a.txt": {`"file": "a.txt"`, `"rule": "mine"`}, "redact none": {"none"}})
}
