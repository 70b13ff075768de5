package replay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/journal"
)

// verbs are what scripts can say beside testscript's own commands: what somebody does is in the
// imperative, what is checked is a noun.
func verbs() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"repo":        repo,
		"at":          at,
		"as":          as,
		"terminal":    terminal,
		"git":         run("git"),
		"plumb":       run("entire-plumb"),
		"write":       write,
		"add":         add,
		"start":       agent("session-start", "start SESSION"),
		"prompt":      agent("user-prompt-submit", "prompt SESSION TEXT"),
		"answer":      agent("stop", "answer SESSION [TEXT]"),
		"continue":    agent("stop", "continue SESSION [TEXT]"),
		"end":         agent("session-end", "end SESSION"),
		"use":         use,
		"edit":        edit,
		"run":         shell,
		"task":        task,
		"subagent":    subagent,
		"link":        link,
		"beside":      beside,
		"rev":         rev,
		"streams":     streams,
		"snapshot":    snapshot,
		"checkpoint":  checkpoint,
		"transcript":  transcriptIsWhole,
		"attribution": attribution,
		"report":      reportAgrees,
		"state":       state,
		"processes":   processes,
		"cost":        costOf,
		"promises":    promises,
		"index":       index,
	}
}

// formerNames are the verbs' former names, so that users' old scripts still work.
var formerNames = map[string]string{
	"starts": "start", "stops": "answer", "ends": "end", "uses": "use", "stored": "transcript", "reported": "report",
}

// addFormerNames makes the verbs known by their former names, too.
func addFormerNames(verbs map[string]func(*testscript.TestScript, bool, []string)) {
	for former, name := range formerNames {
		verbs[former] = verbs[name]
	}
}

// repo [FILE [LINE…]]: a repository with a first commit, of the files that are there and of the one
// that is named, in which the program is enabled.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, true, "repo [FILE [LINE…]]")
	git := func(args ...string) { expect(ts, false, ts.Exec("git", args...), "git "+strings.Join(args, " ")) }
	git("init", "-q")
	if len(args) > 0 {
		put(ts, args[0], os.O_TRUNC, args[1:])
	}
	git("add", "-A")
	git("commit", "-q", "--allow-empty", "-m", "first")
	run("entire-plumb")(ts, false, []string{"enable"})
	git("add", "-A")
	git("commit", "-qm", "enabled")
}

// at TIME: the clock of git and of the program stands there from now on.
func at(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 1, "at 2026-01-02T03:04:05Z")
	for _, name := range []string{"ENTIRE_TEST_NOW", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"} {
		ts.Setenv(name, args[0])
	}
}

// as NAME EMAIL: who commits from now on.
func as(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "as NAME EMAIL")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		ts.Setenv("GIT_"+who+"_NAME", args[0])
		ts.Setenv("GIT_"+who+"_EMAIL", args[1])
	}
}

// terminal on|off: whether commands run in one. An agent's don't.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 1 && (args[0] == "on" || args[0] == "off"), "terminal on|off")
	ts.Setenv("ENTIRE_TEST_TTY", map[string]string{"on": "1", "off": "0"}[args[0]])
}

// run makes a verb of a program; "!" expects it to fail.
func run(program string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		expect(ts, neg, ts.Exec(program, args...), program+" "+strings.Join(args, " "))
	}
}

func expect(ts *testscript.TestScript, neg bool, err error, what string) {
	switch {
	case err != nil && !neg:
		ts.Fatalf("%s: %v", what, err)
	case err == nil && neg:
		ts.Fatalf("%s succeeded, and should not have", what)
	}
}

// write FILE [LINE…]: the file holds these lines. add FILE LINE…: and these too.
func write(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) >= 1, "write FILE [LINE…]")
	put(ts, args[0], os.O_TRUNC, args[1:])
}

func add(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) >= 2, "add FILE LINE…")
	put(ts, args[0], os.O_APPEND, args[1:])
}

func put(ts *testscript.TestScript, name string, how int, lines []string) {
	file := ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|how, 0o644)
	ts.Check(err)
	for _, line := range lines {
		_, err = f.WriteString(line + "\n")
		ts.Check(err)
	}
	ts.Check(f.Close())
}

// rev VAR REV: the variable holds the first seven digits of a revision.
func rev(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "rev VAR REV")
	ts.Setenv(args[0], ask(ts, "git", "rev-parse", "--verify", args[1])[:7])
}

// processes MAX VERB …: the verb's hooks start at most so many git processes, those that git itself
// starts not counted.
func processes(ts *testscript.TestScript, neg bool, args []string) {
	all := verbs()
	addFormerNames(all)
	want(ts, neg, len(args) >= 2 && all[args[1]] != nil, "processes MAX VERB …")
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	trace := filepath.Join(ts.Getenv("HOME"), "trace")
	os.Remove(trace)
	ts.Setenv("ENTIRE_PLUMB_TRACE", trace)
	all[args[1]](ts, false, args[2:])
	ts.Setenv("ENTIRE_PLUMB_TRACE", "")
	lines, _ := os.ReadFile(trace)
	if n := strings.Count(string(lines), "\n"); n > most {
		ts.Fatalf("%d git processes, at most %d are allowed:\n%s", n, most, lines)
	} else {
		ts.Logf("%d git processes", n)
	}
}

// cost HOOK MAX [OBJECTS]: the last run of a hook, as the journal names it, started at most so many
// git processes, and asked for at most so many objects.
func costOf(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2 || len(args) == 3, "cost HOOK MAX [OBJECTS]")
	most, err := strconv.Atoi(args[1])
	ts.Check(err)
	dir := ask(ts, "git", "rev-parse", "--path-format=absolute", "--git-common-dir")
	lines, err := os.ReadFile(journal.File(filepath.Join(dir, "entire-plumb")))
	ts.Check(err)
	last := journal.Entry{Processes: -1}
	for line := range strings.Lines(string(lines)) {
		var e journal.Entry
		ts.Check(json.Unmarshal([]byte(line), &e))
		if strings.TrimPrefix(e.Hook, "claude-code ") == args[0] {
			last = e
		}
	}
	ts.Logf("%d git processes", last.Processes)
	if last.Processes < 0 || last.Processes > most {
		ts.Fatalf("%s started %d git processes, at most %d are allowed", args[0], last.Processes, most)
	}
	if len(args) == 3 {
		most, err := strconv.Atoi(args[2])
		ts.Check(err)
		if last.Objects > most {
			ts.Fatalf("%s asked for %d objects, at most %d are allowed", args[0], last.Objects, most)
		}
	}
}

// index keep|same: saves the user's index byte for byte with its time stamp, and compares the
// present one against it.
func index(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 1 && (args[0] == "keep" || args[0] == "same"), "index keep|same")
	file := ask(ts, "git", "rev-parse", "--path-format=absolute", "--git-path", "index")
	data, err := os.ReadFile(file)
	ts.Check(err)
	info, err := os.Stat(file)
	ts.Check(err)
	now := string(data) + info.ModTime().String()
	kept := filepath.Join(ts.Getenv("HOME"), "index")
	if args[0] == "keep" {
		ts.Check(os.WriteFile(kept, []byte(now), 0o600))
	} else if old, err := os.ReadFile(kept); err != nil || string(old) != now {
		ts.Fatalf("the user's index was touched (%v)", err)
	}
}

// want explains a verb that was used wrongly.
func want(ts *testscript.TestScript, neg, ok bool, usage string) {
	if neg {
		ts.Fatalf("there is no ! form of this verb")
	}
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

// ask runs a program that must succeed, and gives what it prints, without the last newline.
func ask(ts *testscript.TestScript, program string, args ...string) string {
	if err := ts.Exec(program, args...); err != nil {
		ts.Fatalf("%s %s: %v", program, strings.Join(args, " "), err)
	}
	return strings.TrimSuffix(ts.ReadFile("stdout"), "\n")
}
