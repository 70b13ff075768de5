package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/history"
	"entire-plumb/internal/imported"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/setup"
	"entire-plumb/internal/share"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/unheard"
	"entire-plumb/internal/upkeep"
)

// inState are all of git's hooks in a state.
func inState(state githooks.Standing) map[string]string {
	all := map[string]string{}
	for _, name := range githooks.Names {
		all[name] = string(state)
	}
	return all
}

// texts are problems as they are printed.
func texts(all []problem) string {
	var out bytes.Buffer
	printProblems(&out, all...)
	return out.String()
}

// TestHookProblems: hooks of which the same is wrong stand together, before one hint.
func TestHookProblems(t *testing.T) {
	with := func(base githooks.Standing, states ...string) map[string]string {
		all := inState(base)
		for i := 0; i < len(states); i += 2 {
			all[states[i]] = states[i+1]
		}
		return all
	}
	first, second, third := githooks.Names[0], githooks.Names[1], githooks.Names[2]
	for name, c := range map[string]struct {
		report statusReport
		want   string
	}{
		"all call us":   {statusReport{Enabled: true, GitHooks: inState(githooks.Current)}, ""},
		"chained":       {statusReport{Enabled: true, GitHooks: inState(githooks.Chained)}, ""},
		"by hand":       {statusReport{Enabled: true, GitHooks: inState(githooks.Manual)}, ""},
		"none is there": {statusReport{Enabled: true, GitHooks: inState(githooks.Absent)}, "git's hooks are not installed here, so nothing is linked\nhint: entire-plumb enable\n"},
		"not enabled":   {statusReport{GitHooks: inState(githooks.Absent)}, ""},
		"some": {statusReport{Enabled: true, GitHooks: with(githooks.Current, first, string(githooks.Absent), second, string(githooks.Edited), third, string(githooks.Absent))},
			"git's " + first + " hook is missing\ngit's " + third + " hook is missing\ngit's " + second + " hook was edited: it stays as it is\nhint: entire-plumb enable\n"},
		"one comes back": {statusReport{Enabled: true, GitHooks: with(githooks.Current, first, string(githooks.Absent), second, string(githooks.Absent)), restorable: []string{second}},
			"git's " + first + " hook is missing\ngit's " + second + " hook is missing; the agent's next event installs it again\nhint: entire-plumb enable\n"},
		"the entire CLI's": {statusReport{Enabled: true, GitHooks: with(githooks.Current, first, string(githooks.Foreign), second, string(githooks.Entire))},
			"git's " + second + " hook is the entire CLI's\nhint: entire-plumb enable --take-over\n" +
				"git's " + first + " hook is another program's, and doesn't call entire-plumb\nhint: entire-plumb enable\n"},
	} {
		if got := texts(c.report.hookProblems()); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	every := statusReport{Enabled: true, GitHooks: inState(githooks.Absent), restorable: githooks.Names}
	if got := texts(every.hookProblems()); strings.Count(got, "installs it again") != len(githooks.Names) {
		t.Error(got)
	}
}

func TestAgentStates(t *testing.T) {
	one := statusAgent{Name: "codex", title: "Codex", Settings: ".codex/hooks.json", Hooks: []string{"Stop"}}
	partly := one
	partly.Missing = []string{"Interrupt", "SessionEnd"}
	users := statusAgent{Name: "codex", title: "Codex", UserSettings: "/h/hooks.json", UserHooks: []string{"Stop"}, UserMissing: []string{"Interrupt"}}
	for name, c := range map[string]struct {
		agents []statusAgent
		want   string
	}{
		"none":   {[]statusAgent{{Name: "codex"}}, "no agent's hooks are installed, and no program has called entire-plumb hooks generic yet\nhint: entire-plumb enable --agent " + strings.TrimSuffix(strings.Join(agent.Names(), "|"), "|generic") + "\n"},
		"one":    {[]statusAgent{one}, "Codex's hooks are in .codex/hooks.json\n"},
		"partly": {[]statusAgent{partly}, "Codex's hooks are not all installed: Interrupt, SessionEnd missing in .codex/hooks.json\nhint: entire-plumb enable --agent codex\n"},
		"the user's": {[]statusAgent{users},
			"Codex's hooks are not all installed: Interrupt missing in /h/hooks.json\nhint: entire-plumb enable --user --agent codex\n"},
	} {
		if got := texts((&statusReport{Agents: c.agents}).agentStates()); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	there, missing := eventNames([]agent.Event{{Name: "a"}}, []agent.Event{{Name: "b"}})
	if !slices.Equal(there, []string{"a"}) || !slices.Equal(missing, []string{"b"}) {
		t.Error(there, missing)
	}
	if there, missing = eventNames(nil, []agent.Event{{Name: "b"}}); there == nil || missing != nil {
		t.Error("of an agent without hooks none is missing")
	}
}

// TestProblems: doctor has what of a status needs the user, and nothing else; that recording is off
// is a state.
func TestProblems(t *testing.T) {
	fine := statusReport{Enabled: true, GitHooks: inState(githooks.Current), Agents: []statusAgent{{title: "Codex", Settings: "f", Hooks: []string{"Stop"}}}}
	if all := fine.problems(); all == nil || len(all) != 0 {
		t.Errorf("%+v", all)
	}
	bad := statusReport{Why: "not enabled\nhint: enable it", Ignored: []settings.Ignored{{File: "f", Key: "k", Value: []byte(`"v"`), Why: "others can", Config: "x.y"}},
		Unheard: []statusUnheard{{Sessions: []string{"s"}, Reason: unheard.Earlier, one: unheard.Session{Agent: agent.Codex}}},
		Blocked: &statusBlocked{Lock: "l", Branches: []string{"a", "b"}}, NotShared: "why", notSharedHint: "how",
		Waiting: &share.Waiting{Remote: "origin", Commits: 2, Since: day, Fault: share.Refused, Words: "it refuses x"}, Orphaned: []string{"entire/x"}}
	var what []string
	for _, p := range bad.problems() {
		if what = append(what, p.What); p.Hint == "" {
			t.Errorf("%q has no hint", p.What)
		}
	}
	if want := []string{`ignored: "k": "v" in f: others can`, "no event arrived from 1 session of Codex", "a, b can't be updated while l exists", "checkpoints go to no remote: why",
		"checkpoints are not on origin since " + day.Local().Format("2006-01-02 15:04") + ": it refuses x; 2 commits wait",
		"stream entire/x of a removed worktree"}; !slices.EqualFunc(what, want, strings.HasPrefix) {
		t.Errorf("%q", what)
	}
	bad.Enabled = true
	if all := bad.problems(); !slices.ContainsFunc(all, func(p problem) bool {
		return p.What == "no agent's hooks are installed, and no program has called entire-plumb hooks generic yet"
	}) {
		t.Errorf("%+v", all)
	}
}

// TestUnheardReasons: each reason has something to do about it.
func TestUnheardReasons(t *testing.T) {
	for reason, hint := range map[unheard.Reason]string{unheard.Below: "entire-plumb enable --user --agent codex, then restart it", unheard.NoHooks: "entire-plumb enable --agent codex there",
		unheard.Earlier: "restart it", unheard.Untrusted: agent.Codex.Trust, unheard.Unknown: "restart it; its own list"} {
		p := statusUnheard{Sessions: []string{"a", "b"}, Directory: "/d", Reason: reason, Last: day, one: unheard.Session{Agent: agent.Codex}}.problem()
		if !strings.HasPrefix(p.Hint, hint) || !strings.HasPrefix(p.What, "no event arrived from 2 sessions of Codex in /d, last written 2026-01-02") {
			t.Errorf("%s: %+v", reason, p)
		}
	}
}

func TestPrintStatus(t *testing.T) {
	r := statusReport{Enabled: true, Strategy: settings.AutoCommit, Worktree: "/w", GitHooks: inState(githooks.Current), husky: ".husky", EncryptTo: []string{"age1"}, EncryptToKept: true,
		Agents:   []statusAgent{{title: "Codex", Settings: "f", Hooks: []string{"Stop"}}},
		Sessions: []statusSession{{ID: "s1", Agent: "Codex", Phase: "active", Stream: "entire/x", Checkpoints: 1, Title: "T", LastPrompt: "p", Files: []gitexec.Path{"a"}, LeftOut: []session.LeftOut{{Path: "b", Reason: "large"}}}, {ID: "s2", Phase: "idle"}},
		Streams:  []string{"entire/x", "entire/y"}, Orphaned: []string{"entire/y"}}
	want := `enabled in /w
strategy auto-commit: each turn ends in a commit
conversations are encrypted for age1
the settings that count name none of them any more; git config entire-plumb.encryptTo "" stops the encryption
husky runs git's hooks, and calls entire-plumb from files in .husky
Codex's hooks are in f
session s1: Codex, active, 1 checkpoint on entire/x
  title: T
  last prompt: p
  touched: a
  not in the last snapshot: b: large
session s2: , idle
stream entire/x
stream entire/y of a removed worktree
hint: restore its files with git restore -s entire/y -- FILE, or delete it with git branch -D entire/y
`
	prints(t, "enabled", want, r.print)
	prints(t, "not enabled", "no\nhint: enable\nno sessions\n", (&statusReport{Why: "no\nhint: enable"}).print)
	kept := statusReport{Why: "no", EncryptToKept: true, Ignored: []settings.Ignored{{File: "f", Key: "encrypt_to", Value: []byte("[]"), Why: "w"}}}
	var out bytes.Buffer
	if kept.print(&out); strings.Contains(out.String(), "stops the encryption") || !strings.Contains(out.String(), `ignored: "encrypt_to": [] in f: w`) {
		t.Error(out.String())
	}
}

func TestPrintDiagnosis(t *testing.T) {
	d := diagnosis{Version: "v", Git: "2", Fixed: []string{"fixed it"}, Unknown: []string{"unseen"}, Recorded: upkeep.Diagnosis{Checkpoints: 1, Streams: 2, Sessions: 0, Bytes: 2000,
		Hooks: []upkeep.Speed{{Hook: "stop", Runs: 1, Median: 5, Longest: 9, Processes: 2}}}, Advice: []setup.Advice{{What: "slow", Hint: "faster"}, {What: "fine"}}}
	head := "fixed it\ngit 2, entire-plumb v\nrecorded: 1 checkpoint, 2 streams, 0 sessions, 2.0 kB of private files\nunseen\n"
	prints(t, "fine", head+"nothing is wrong\n", func(w io.Writer) { d.print(w, false) })
	d.add("bad", "do it")
	prints(t, "with a problem", head+"stop: 5 ms, at most 9 ms, 2 git processes, of 1 run\nslow\nhint: faster\nfine\nbad\nhint: do it\n", func(w io.Writer) { d.print(w, true) })
	d = diagnosis{}
	d.addUnknown([]settings.Unknown{{File: "f", Key: "k"}, {File: "f", Key: "enabld", Like: "enabled"}})
	if want := []problem{{`f has the key "k", which means nothing`, "correct or remove it"}, {`f has the key "enabld", which means nothing`, `did you mean "enabled"?`}}; !slices.Equal(d.Problems, want) {
		t.Errorf("%+v", d.Problems)
	}
	if got := problemOf("what\nmore\nhint: do\nhint: this"); got != (problem{"what\nmore", "do\nhint: this"}) || problemOf("what") != (problem{What: "what"}) {
		t.Errorf("%+v", got)
	}
}

// TestIgnoredProblems: a long value of others is cut, and where it would count is said.
func TestIgnoredProblems(t *testing.T) {
	long := settings.Ignored{File: "f", Key: "k", Value: []byte(strings.Repeat("x", 300)), Why: "w"}
	if got := ignoredValue(long); got != `"k": `+strings.Repeat("x", 200)+" …" {
		t.Error(got)
	}
	all := ignoredProblems([]settings.Ignored{long, {File: "f", Key: "k", Value: []byte("1"), Why: "w", Config: "entire-plumb.k"}})
	if len(all) != 2 || strings.Contains(all[0].Hint, "git config") || !strings.HasSuffix(all[1].Hint, ", or with git config entire-plumb.k") {
		t.Errorf("%+v", all)
	}
}

// TestPrintNext: where an agent is to be started, by where its settings are read.
func TestPrintNext(t *testing.T) {
	request := func(agents ...agent.Agent) setup.Request {
		return setup.Request{Agents: agents, Named: true, Getenv: func(string) string { return "" }}
	}
	prints(t, "Claude Code", "Next: start Claude Code at the top of this worktree.\nA session that is running already may not see the hooks.\n"+
		"In a subdirectory Claude Code doesn't read these settings.\nIf you start it there, run entire-plumb enable --user, too.\n", func(w io.Writer) { printNext(w, request(agent.ClaudeCode, agent.Generic)) })
	prints(t, "Codex", "Next: start Codex at the top of this worktree.\nA session that is running already may not see the hooks.\n", func(w io.Writer) { printNext(w, request(agent.Codex)) })
	prints(t, "generic", "", func(w io.Writer) { printNext(w, request(agent.Generic)) })
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := anyOf(names); got != want {
			t.Errorf("%q: %q", names, got)
		}
	}
}

// TestBundle: a script of what hooks did, with numbers for sessions and files.
func TestBundle(t *testing.T) {
	entries := []journal.Entry{{Hook: "claude-code user-prompt-submit", Session: "x", Time: day, Milliseconds: 1, Processes: 1}, {Hook: "claude-code stop", Session: "x", Outcome: "checkpoint on s", Kind: journal.Checkpoint, Time: day, Processes: 2},
		{Hook: "claude-code stop", Session: "y", Outcome: "nothing changed", Time: day.Add(time.Minute)}, {Hook: "note", Outcome: "secret"}, {Hook: "prepare-commit-msg"}, {Hook: "post-commit", Time: day.Add(time.Minute), Error: "bad"}, {Hook: "Odd$ name-x"}}
	var out strings.Builder
	replayed{out: &out, sessions: map[string]string{}}.write(entries)
	if want := `
repo base
at 2026-01-02T03:04:05Z
prompt s1 'A prompt'
# 1 ms, 1 git process
write file1 'a line of turn 1 by the agent' 'and another line of it'
answer s1
# 0 ms, 2 git processes
at 2026-01-02T03:05:05Z
answer s2
# 0 ms, 0 git processes
write human3 'a line by the human, number 3'
git add -A
git commit -qm 'A commit'
# 0 ms, 0 git processes, failed
# dd name-x
# 0 ms, 0 git processes
`; out.String() != want {
		t.Errorf("%s", out.String())
	}
}

func TestParseRetain(t *testing.T) {
	for text, want := range map[string]history.Retain{"60d": {For: 60 * 24 * time.Hour}, "8w": {For: 8 * 7 * 24 * time.Hour}, "12h": {For: 12 * time.Hour}, "1y": {For: 365 * 24 * time.Hour}, "200MB": {Size: 200_000_000}, "1KiB": {Size: 1024}} {
		if got, err := parseRetain(text); err != nil || got.For != want.For || got.Size != want.Size {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "0h", "101y", "5", "0MB", "99999EB", "1x"} {
		if got, err := parseRetain(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
	prints(t, "nothing", "nothing to drop\n", func(w io.Writer) { printRetained(w, history.Retained{}) })
	some := history.Retained{Dropped: []string{"a", "b"}, Kept: 3, Files: 1, Frees: 2048}
	prints(t, "a preview", "would drop the transcripts of 2 checkpoints, and keep those of 3\nthat frees 1 file of 2.0 kB, before git compresses them\n", func(w io.Writer) { printRetained(w, some) })
	some.Done = true
	prints(t, "done", "dropped the transcripts of 2 checkpoints, and kept those of 3\nthat frees 1 file of 2.0 kB, before git compresses them\n", func(w io.Writer) { printRetained(w, some) })
}

func TestPrintImportedAndUnlinked(t *testing.T) {
	all := []*imported.Imported{{Session: "s1", Agent: "Codex", Commits: []imported.Commit{{Commit: oid, Subject: "S", Evidence: checkpoints.Evidence{"b": {1, 2}, "a": {3, 4}}}}}, {Session: "s2"}}
	prints(t, "linked", "linked 0123456 S to session s1 (Codex)\n  a: 3 of 4 lines that its tools wrote\n  b: 1 of 2 lines that its tools wrote\n1 conversation: no commit without a link certainly holds what it wrote\n",
		func(w io.Writer) { printImported(w, all, false) })
	prints(t, "a preview", "would link 0123456 S to session s1 (Codex)\n  a: 3 of 4 lines that its tools wrote\n  b: 1 of 2 lines that its tools wrote\n", func(w io.Writer) { printImported(w, all[:1], true) })
	prints(t, "none", "no conversation of this repository was found that is not recorded\n", func(w io.Writer) { printImported(w, nil, true) })
	prints(t, "unlinked", "removed the link of commit 0123456 to c1\nhooks decided it when the commit was made: other clones keep it\nit still links c2\n",
		func(w io.Writer) {
			printUnlinked(w, commits.Unlinked{Commit: oid, Removed: []string{"c1"}, OnlyHere: true, Links: []string{"c2"}})
		})
}

// TestEnterPrefix: a command that git calls for an alias runs where the user is; a hook doesn't.
func TestEnterPrefix(t *testing.T) {
	for name, c := range map[string]struct {
		prefix  string
		env     []string // names and values
		git     bool     // a .git is here
		entered bool
	}{
		"an alias":       {"sub", nil, true, true},
		"no prefix":      {"", nil, true, false},
		"outside":        {"../sub", nil, true, false},
		"a hook":         {"sub", []string{"GIT_INDEX_FILE", "i"}, true, false},
		"a rebase":       {"sub", []string{"GIT_CHERRY_PICK_HELP", "h"}, true, false},
		"no repository":  {"sub", nil, false, false},
		"with a git dir": {"sub", []string{"GIT_DIR", "g"}, false, true},
		"no directory":   {"none", nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			testdir.Must(t, err)
			t.Chdir(top)
			os.Mkdir("sub", 0o700)
			if c.git {
				os.Mkdir(".git", 0o700)
			}
			for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CHERRY_PICK_HELP"} {
				t.Setenv(name, "")
				os.Unsetenv(name)
			}
			t.Setenv("GIT_PREFIX", c.prefix)
			for i := 0; i < len(c.env); i += 2 {
				t.Setenv(c.env[i], c.env[i+1])
			}
			enterPrefix()
			here, _ := os.Getwd()
			if (here == filepath.Join(top, "sub")) != c.entered {
				t.Errorf("%s", here)
			}
			if len(c.env) > 0 && c.env[0] == "GIT_DIR" && (os.Getenv("GIT_DIR") != filepath.Join(top, "g") || os.Getenv("GIT_WORK_TREE") != top) {
				t.Errorf("%q %q", os.Getenv("GIT_DIR"), os.Getenv("GIT_WORK_TREE"))
			}
		})
	}
}

func TestPrintRedactions(t *testing.T) {
	prints(t, "none", "nothing would be redacted\n", func(w io.Writer) { printRedactions(w, nil) })
	prints(t, "two", "f:1:2: rule (3 bytes)\ng:4:5: rule (60 bytes, sk-…)\n", func(w io.Writer) {
		printRedactions(w, []redaction{{"f", redact.Finding{Line: 1, Column: 2, Bytes: 3, Rule: "rule"}}, {"g", redact.Finding{Line: 4, Column: 5, Bytes: 60, Rule: "rule", Hint: "sk-"}}})
	})
}

// TestEventUsage: the events on which a verb is called, and what it means.
func TestEventUsage(t *testing.T) {
	for _, c := range []struct {
		agent      agent.Agent
		verb, want string
	}{{agent.Codex, agent.Stop, "Stop, Interrupt: the turn ends"}, {agent.ClaudeCode, agent.TaskStep, "PostToolUse of TodoWrite, PostToolUse of TaskCreate, TaskUpdate: the to-do list changes"},
		{agent.Generic, agent.Stop, "the turn ends"}, {agent.Gemini, agent.TaskStart, "a subagent begins"}} {
		if got := eventUsage(c.agent, c.verb); got != c.want {
			t.Errorf("%s %s: %q", c.agent.Name, c.verb, got)
		}
	}
}
