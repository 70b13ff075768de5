//go:build linux && amd64

package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entire-plumb/internal/replay"
	"entire-plumb/internal/testdir"
	"entire-plumb/shadow"
)

var (
	faultStep = flag.Int("fault.step", 0, "of so many points of each kind one fails; 0: some by ENTIRE_TEST_ALL, and few without")
	faultOnly = flag.String("fault.only", "", "an action, a way and a point, with slashes between")
)

// The ways in which git processes go wrong that the program starts, and in which system calls do by
// which it or its git changes a file: internal/faults has what each means.
var (
	processWays = []string{"gone", "orphan", "late", "term", "fail", "rubbish", "hang", "cut", "gc"}
	callWays    = []string{"kill", "alone", "term", "fail", "full"}
)

// step is a command, and what it reads.
type step struct {
	args  []string
	stdin []byte
}

// action is what a user, an agent or git does as something of ours goes wrong.
type action struct {
	name, word string                          // the latter is an argument of the runs that are meant; empty: the name
	before     func(w where)                   // nil: nothing
	step       func(w where) step              // nil: the command of that name
	args       []string                        // of the command
	drops      bool                            // what was recorded and not committed may be gone
	disables   bool                            // it may be that nothing is recorded afterwards
	once       bool                            // done again, there is nothing to do
	dir        string                          // where the next turn is; empty: in the repository
	wants      func(w where, done bool) string // what is missing once all is made up for, and the command was done again; nil: nothing
}

func agentStep(event, id, text string) func(where) step {
	return func(w where) step {
		return step{[]string{"entire-plumb", "hooks", "claude-code", event}, w.payload(event, id, text)}
	}
}

func taskStep(event string) func(where) step {
	return func(w where) step {
		payload := fmt.Sprintf(`{"session_id":"s1","transcript_path":%q,"tool_use_id":"toolu_A","tool_input":{"subagent_type":"dev","description":"Write it","todos":[{"content":"Test it","status":"in_progress"}]},"tool_response":{"agentId":"agent1"}}`,
			filepath.Join(w.home, "s1.jsonl"))
		return step{[]string{"entire-plumb", "hooks", "claude-code", event}, []byte(payload)}
	}
}

func userStep(args ...string) func(where) step { return func(where) step { return step{args: args} } }

// begun is a turn that has written files and is not over.
func begun(w where) {
	testdir.Must(w.t, w.agent(nil, "user-prompt-submit", "s1", "Write more"))
	w.write("four.txt", "what the agent wrote to four")
	w.write("two.txt", "what the agent wrote to two", "and some more")
	w.use("s1", "four.txt", "two.txt")
}

func (w where) stagedAll() { w.git("add", "-A") }

// beside makes a commit on another branch, with an agent's work.
func onSide(w where) {
	w.git("stash", "-q", "-u")
	w.git("switch", "-qc", "side", "HEAD~1")
	w.write("side.txt", "what the agent wrote aside")
	testdir.Must(w.t, errors.Join(w.agent(nil, "user-prompt-submit", "s2", "Aside"), nil))
	w.write("side.txt", "what the agent wrote aside", "in a turn")
	testdir.Must(w.t, w.agent(nil, "stop", "s2", "Done."))
	w.git("add", "-A")
	w.git("commit", "-qm", "Aside")
	w.git("switch", "-q", "main")
}

func hookless(w where) {
	w.git("add", "two.txt", "three.txt")
	w.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "Without hooks")
}

// linkedTo says what of a commit's work has no link.
func linkedTo(rev string, files ...string) func(where, bool) string {
	return func(w where, _ bool) string {
		id := w.git("rev-parse", rev)
		links := strings.Fields(w.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=%x20)", id))
		if beside, err := w.run(nil, nil, "git", "cat-file", "blob", "entire/checkpoints/v1:links/"+id[:2]+"/"+id[2:]+".json"); err == nil {
			for word := range strings.FieldsFuncSeq(beside, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
				if len(word) == 12 {
					links = append(links, word)
				}
			}
		}
		all := ""
		for _, link := range links {
			data, _ := w.run(nil, nil, "git", "cat-file", "blob", "entire/checkpoints/v1:"+link[:2]+"/"+link[2:]+"/metadata.json")
			all += data
		}
		for _, file := range files {
			if !strings.Contains(all, fmt.Sprintf("%q", file)) {
				return fmt.Sprintf("%s has no link to what was recorded of %s: %q", rev, file, links)
			}
		}
		return ""
	}
}

// rewritten says that the history of the checkpoints is neither as it was nor without what a git log
// finds in it.
func rewritten(log ...string) func(where, bool) string {
	return func(w where, done bool) string {
		_, err := w.run(nil, nil, "git", "merge-base", "--is-ancestor", "refs/remotes/origin/entire/checkpoints/v1", "entire/checkpoints/v1")
		if found := w.git(log...); found != "" && (done || err != nil) {
			return "what was to go is still there: " + found
		}
		return ""
	}
}

var actions = []action{
	{name: "session-start", step: agentStep("session-start", "s1", "")},
	{name: "session-end", step: agentStep("session-end", "s1", "")},
	{name: "user-prompt-submit", step: agentStep("user-prompt-submit", "s1", "Write more")},
	{name: "first prompt", word: "user-prompt-submit", step: agentStep("user-prompt-submit", "s9", "Begin")},
	{name: "stop", before: begun, step: agentStep("stop", "s1", "Done.")},
	{name: "pre-task", before: begun, step: taskStep("pre-task")},
	{name: "post-todo", before: begun, step: taskStep("post-todo")},
	{name: "post-task", before: begun, step: taskStep("post-task")},
	{name: "stop of a turn that is committed", word: "stop", before: func(w where) {
		w.write(".entire/settings.local.json", `{"strategy": "auto-commit"}`)
		begun(w)
	}, step: agentStep("stop", "s1", "Done.")},
	{name: "prompt after a commit without hooks", word: "user-prompt-submit", before: hookless, step: agentStep("user-prompt-submit", "s1", "Write more"),
		wants: linkedTo("HEAD", "two.txt", "three.txt")},
	{name: "status after a commit without hooks", word: "why", before: hookless, step: userStep("entire-plumb", "why"), wants: linkedTo("HEAD", "two.txt")},
	{name: "prepare-commit-msg", before: where.stagedAll, step: userStep("git", "commit", "-qm", "Two"), wants: linkedTo("HEAD", "two.txt", "three.txt")},
	{name: "commit-msg", before: where.stagedAll, step: userStep("git", "commit", "-qm", "Two"), wants: linkedTo("HEAD", "two.txt", "three.txt")},
	{name: "post-commit", before: where.stagedAll, step: userStep("git", "commit", "-qm", "Two"), wants: linkedTo("HEAD", "two.txt", "three.txt")},
	{name: "post-commit of a part", word: "post-commit", before: func(w where) { w.git("add", "two.txt") }, step: userStep("git", "commit", "-qm", "Two"),
		wants: linkedTo("HEAD", "two.txt")},
	{name: "post-commit in a worktree", word: "post-commit", before: inWorktree, step: userStep("git", "-C", "../linked", "commit", "-qm", "Linked"), dir: "../linked"},
	{name: "amend", word: "post-rewrite", step: userStep("git", "commit", "-q", "--amend", "-m", "Amended"), wants: linkedTo("HEAD", "one.txt")},
	{name: "post-commit of an amend", word: "post-commit", step: userStep("git", "commit", "-q", "--amend", "-m", "Amended"), wants: linkedTo("HEAD", "one.txt")},
	{name: "rebase", word: "post-rewrite", before: onSide, step: userStep("git", "rebase", "-q", "side"), wants: linkedTo("HEAD", "one.txt")},
	{name: "post-merge", before: onSide, step: userStep("git", "merge", "-q", "--no-edit", "side")},
	{name: "pre-push", before: func(w where) { w.stagedAll(); w.git("commit", "-qm", "Two") }, step: userStep("git", "push", "-q", "origin", "main")},

	{name: "enable", args: []string{"--agent", "claude-code,gemini"}},
	{name: "enable at first", word: "enable", before: func(w where) { w.must("entire-plumb", "disable") },
		step: userStep("entire-plumb", "enable", "--agent", "claude-code"), disables: true},
	{name: "disable", disables: true},
	{name: "rewind", args: []string{"--last"}, before: func(w where) { w.write("two.txt", "worse") }},
	{name: "rewind --undo", word: "--undo", step: userStep("entire-plumb", "rewind", "--undo"), before: func(w where) {
		w.write("two.txt", "worse")
		w.must("entire-plumb", "rewind", "--last")
	}},
	{name: "reset", drops: true, once: true},
	{name: "clean", args: []string{"--force"}, drops: true, before: func(w where) { os.RemoveAll(filepath.Join(w.dir, ".git/worktrees")) }},
	{name: "condense", args: []string{"s1"}, drops: true, once: true},
	{name: "sync", before: apart},
	{name: "fetch", before: apart},
	{name: "import", before: conversation},
	{name: "unlink", before: func(w where) { hookless(w); w.must("entire-plumb", "why") }, args: []string{"HEAD"}, once: true},
	{name: "purge", args: []string{"marmalade-4711"}, once: true, wants: rewritten("log", "--format=%h", "-Smarmalade-4711", "entire/checkpoints/v1")},
	{name: "retain", args: []string{"--transcripts", "1KB", "--yes"}, once: true,
		wants: rewritten("log", "--format=%h", "entire/checkpoints/v1", "--", "*/full.jsonl")},
	{name: "resume", before: func(w where) { onSide(w); os.Remove(filepath.Join(w.home, "s2.jsonl")) }, args: []string{"side"}},
	{name: "config", args: []string{"link", "both"}},
}

// apart has checkpoints here that the remote lacks, and others there that are not here.
func apart(w where) {
	other := where{w.world, filepath.Join(w.home, "other")}
	w.git("clone", "-q", filepath.Join(w.home, "origin.git"), other.dir)
	other.git("switch", "-qc", "theirs")
	other.must("entire-plumb", "enable", "--agent", "claude-code")
	testdir.Must(w.t, other.agent(nil, "user-prompt-submit", "s4", "There"))
	other.write("theirs.txt", "what the agent wrote in a clone")
	testdir.Must(w.t, other.agent(nil, "stop", "s4", "Done."))
	other.stagedAll()
	other.git("commit", "-qm", "Theirs")
	other.git("push", "-q", "origin", "theirs")
	w.stagedAll()
	w.git("commit", "-qm", "Two")
	w.git("push", "-q", "--no-verify", "origin", "main")
}

// inWorktree has an agent's work staged in a linked worktree.
func inWorktree(w where) {
	dir := filepath.Join(w.home, "linked")
	w.git("worktree", "add", "-q", "-b", "linked", dir)
	at := where{w.world, dir}
	testdir.Must(w.t, at.agent(nil, "user-prompt-submit", "s3", "There"))
	at.write("there.txt", "what the agent wrote there")
	testdir.Must(w.t, at.agent(nil, "stop", "s3", "Done."))
	at.git("add", "-A")
}

// conversation is one from before recording, which wrote a commit's file.
func conversation(w where) {
	text := []string{"func parseTheSizes(of string) (int, error) {", "suffixes := map[string]int{kilo: 1000, mega: 1000000}",
		"return strconv.Atoi(strings.TrimRight(of, suffixes))", "func formatTheSizes(of int) string { return humanised(of) }"}
	w.write("old.txt", text...)
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, w.dir)
	dir := filepath.Join(w.home, ".claude/projects", name)
	testdir.Must(w.t, os.MkdirAll(dir, 0o755))
	file := filepath.Join(dir, "talk-1.jsonl")
	at := time.Now().UTC().Add(-time.Minute).Format(time.RFC3339)
	w.record(file, map[string]any{"type": "user", "sessionId": "talk-1", "cwd": w.dir, "timestamp": at, "message": map[string]any{"role": "user", "content": "Parse"}})
	w.record(file, map[string]any{"type": "assistant", "sessionId": "talk-1", "cwd": w.dir, "timestamp": at, "message": map[string]any{"id": "m1", "role": "assistant",
		"content": []any{map[string]any{"type": "tool_use", "id": "t1", "name": "Write",
			"input": map[string]any{"file_path": filepath.Join(w.dir, "old.txt"), "content": strings.Join(text, "\n") + "\n"}}}}})
	w.git("add", "old.txt")
	w.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "Old", "--", "old.txt")
}

// stage is where an action is played again and again.
type stage struct {
	where
	action action
	kept   string // a copy of all that is there before it
	faults string // the program of internal/faults
	acked  acknowledged
	was    map[string]string // what is the user's, before
	is     map[string]string // and after it, where nothing goes wrong

	full    bool // the disk is
	mayFail bool // something of git's, or a write, and the program goes on
}

// newStage makes a repository with a commit that is pushed, and work that isn't committed.
func newStage(t *testing.T, a action, bin, faults string) *stage {
	s := &stage{action: a, faults: faults, kept: filepath.Join(t.TempDir(), "kept"), acked: acknowledged{}}
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	home := filepath.Join(tmp, "home")
	testdir.Must(t, os.Mkdir(home, 0o755))
	w := worldWith(t, &world{home: home, repo: filepath.Join(home, "repo"), bin: bin})
	s.where = w
	w.git("init", "-q", "--bare", filepath.Join(home, "origin.git"))
	w.git("remote", "add", "origin", filepath.Join(home, "origin.git"))
	turn := func(text string, files ...string) {
		testdir.Must(t, w.agent(nil, "user-prompt-submit", "s1", text))
		for _, file := range files {
			w.write(file, "what the agent wrote to "+file, strings.Repeat("more ", 40))
		}
		w.use("s1", files...)
		testdir.Must(t, w.agent(nil, "stop", "s1", "Done."))
	}
	turn(strings.Repeat("Say marmalade-4711. ", 80), "one.txt")
	w.git("add", "-A")
	w.git("commit", "-qm", "One")
	w.git("push", "-qu", "origin", "main")
	turn("Write on", "two.txt", "three.txt")
	w.write("mine.txt", "what I wrote")
	w.write("staged.txt", "what I staged")
	w.git("add", "staged.txt")
	s.acked.stopped(w, "two.txt", "three.txt")
	if a.before != nil {
		a.before(w)
	}
	for file, blob := range s.acked { // the action may begin with what is committed, or written over
		now, err := w.run(nil, nil, "git", "hash-object", file)
		if _, isNew := w.run(nil, nil, "git", "rev-parse", "-q", "--verify", "HEAD:"+file); err != nil || now != blob || isNew == nil {
			delete(s.acked, file)
		}
	}
	w.must("cp", "-a", home, s.kept)
	s.was = s.users()
	testdir.Must(t, s.play(nil))
	s.is = s.users()
	return s
}

// users are the user's index, HEAD, and files, which ours aside.
func (s *stage) users() map[string]string {
	head, err := os.ReadFile(filepath.Join(s.dir, ".git/HEAD"))
	testdir.Must(s.t, err)
	all := map[string]string{"HEAD": string(head), "tree": s.git("rev-parse", "HEAD^{tree}"), "index": s.git("ls-files", "-s")}
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", ".entire", ".claude", ".gemini"}, d.Name()) {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			all[path] = string(data)
			return err
		}
		return nil
	})
	testdir.Must(s.t, err)
	return all
}

// again brings back what was there before the action.
func (s *stage) again() {
	testdir.Must(s.t, os.RemoveAll(s.home))
	if out, err := exec.Command("cp", "-a", s.kept, s.home).CombinedOutput(); err != nil {
		s.t.Fatalf("cp: %v: %s", err, out)
	}
	s.git("update-index", "-q", "--refresh")
}

// play does the action, before the words of another command and with variables in its environment.
func (s *stage) play(env []string, before ...string) error {
	a := s.action
	does := step{args: append([]string{"entire-plumb", a.name}, a.args...)}
	if a.step != nil {
		does = a.step(s.where)
	}
	args := does.args
	if len(before) > 0 && args[0] == "entire-plumb" {
		args = append([]string{filepath.Join(s.bin, args[0])}, args[1:]...)
	}
	args = append(before, args...)
	_, err := s.run(env, does.stdin, args[0], args[1:]...)
	return err
}

// meets plays the action with one fault, and returns how many points there are.
func (s *stage) meets(way string, ofCalls bool, at int) (points int, err error) {
	s.again()
	count := filepath.Join(s.home, "count")
	word := s.action.word
	if word == "" {
		word = s.action.name
	}
	spec := []string{word, way, fmt.Sprint(at), count}
	begun := time.Now()
	if ofCalls {
		err = s.play(nil, append([]string{s.faults}, spec...)...)
	} else {
		err = s.play([]string{"ENTIRE_TEST_FAULT=" + strings.Join(spec, " "), "GIT_EXEC_PATH=" + filepath.Join(filepath.Dir(s.faults), "git.bin"),
			"PATH=" + filepath.Join(filepath.Dir(s.faults), "git.bin") + string(os.PathListSeparator) + os.Getenv("PATH")})
	}
	took := time.Since(begun)
	info, err2 := os.Stat(count)
	if err2 == nil {
		points = int(info.Size())
		os.Remove(count)
	}
	if points < at {
		return points, nil
	}
	s.full = way == "full"
	s.mayFail = slices.Contains([]string{"fail", "rubbish", "cut", "full", "hang"}, way)
	return points, errors.Join(s.failed(err, way), s.harmed(), s.madeUp(err == nil), s.slow(took))
}

func (s *stage) slow(took time.Duration) error {
	if took > mostTime-time.Second {
		return fmt.Errorf("it took %s", took)
	}
	return nil
}

// failed says what may not fail: git, and an agent's hook, unless it was killed.
func (s *stage) failed(err error, way string) error {
	var exit *exec.ExitError
	most := 1
	if s.fromUser() { // a warning may go ahead
		most = 2
	}
	if err != nil && strings.Contains(err.Error(), "faults: ") {
		return fmt.Errorf("the harness fails: %w", err)
	}
	if err != nil && (strings.Contains(err.Error(), "goroutine ") || strings.Count(err.Error(), "entire-plumb: ") > most) {
		return fmt.Errorf("it says more than that: %w", err)
	}
	if err == nil || errors.Is(err, errHookFailed) {
		return nil
	}
	if !errors.As(err, &exit) {
		return err
	}
	killed := exit.ExitCode() < 0 || exit.ExitCode() > 128
	if s.fromUser() || killed && s.isAgents() {
		return nil
	}
	return fmt.Errorf("it may not fail: %w", err)
}

// fromUser reports whether a user calls one of our commands.
func (s *stage) fromUser() bool {
	return s.action.step == nil || slices.Contains([]string{"why", "--undo", "enable"}, s.action.word)
}

func (s *stage) isAgents() bool {
	return slices.Contains(s.action.step(s.where).args, "hooks")
}

// harmed says what of the user's is neither as it was, nor as the action makes it.
func (s *stage) harmed() error {
	now := s.users()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] != s.was[name] && now[name] != s.is[name] {
			errs = append(errs, fmt.Errorf("%s was harmed: %q, not %q", name, now[name], s.was[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.was)) {
		_, here := now[name]
		if _, after := s.is[name]; after && !here && !s.saved(name) {
			errs = append(errs, fmt.Errorf("%s is gone", name))
		}
	}
	return errors.Join(errs...)
}

// saved reports whether a file that git took away, and could not write, is as it was in the undo
// point of the last rewind: a full disk takes nothing.
func (s *stage) saved(file string) bool {
	name, err := filepath.Rel(s.dir, file)
	if err != nil || !s.full {
		return false
	}
	text, err := s.run(nil, nil, "git", "show", shadow.Private+"rewind/main:"+filepath.ToSlash(name))
	return err == nil && strings.TrimSpace(text) == strings.TrimSpace(s.was[file])
}

// madeUp has the next commands run, after which all promises hold.
func (s *stage) madeUp(done bool) error {
	if s.action.disables {
		if _, err := s.run(nil, nil, "entire-plumb", "enable", "--agent", "claude-code"); err != nil {
			return err
		}
	}
	next := where{s.world, filepath.Join(s.dir, s.action.dir)}
	turn := func() error {
		_, err := next.run(nil, s.payload("user-prompt-submit", "s1", "Go on"), "entire-plumb", "hooks", "claude-code", "user-prompt-submit")
		_, err2 := next.run(nil, s.payload("stop", "s1", "Gone on."), "entire-plumb", "hooks", "claude-code", "stop")
		return errors.Join(err, err2)
	}
	if err := turn(); err != nil {
		return fmt.Errorf("the next turn: %w", err)
	}
	if err := s.keeps(done || s.action.step != nil); err != nil {
		return err
	}
	if s.action.step == nil && !done {
		if err := s.play(nil); err != nil && !s.action.once {
			return fmt.Errorf("once more: %w", err)
		}
		if s.action.disables {
			_, err := s.run(nil, nil, "entire-plumb", "enable", "--agent", "claude-code")
			return errors.Join(err, turn(), s.keeps(true))
		}
		return s.keeps(true)
	}
	return nil
}

// keeps checks the promises, and that nothing recorded is lost.
func (s *stage) keeps(done bool) error {
	promised := replay.Promises(func(args ...string) (string, error) {
		out, err := s.run(nil, nil, "git", args...)
		return out + "\n", err
	}, false)
	if s.mayFail {
		promised = uncounted(promised)
	}
	errs := []error{s.nothingLeft(), s.statesParse(), promised}
	acked := maps.Clone(s.acked)
	for file, blob := range acked {
		if out, err := s.run(nil, nil, "git", "rev-parse", "-q", "--verify", "HEAD:"+file); err == nil && out == blob {
			delete(acked, file)
		}
	}
	if !s.action.drops {
		errs = append(errs, acked.lost(s.where))
	}
	if s.action.wants != nil {
		if missing := s.action.wants(s.where, done); missing != "" {
			errs = append(errs, errors.New(missing))
		}
	}
	return errors.Join(errs...)
}

// uncounted passes over a checkpoint whose lines are not counted: where git fails as they are, it is
// written all the same, and the user hears of it.
func uncounted(err error) error {
	if err == nil {
		return nil
	}
	faults := slices.DeleteFunc(strings.Split(err.Error(), "\n"), func(fault string) bool { return strings.HasSuffix(fault, " don't add up: <nil>") })
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults, "\n"))
}

// TestFaultAtAnyPoint has each git process that a hook or a command starts go wrong in each way, and
// each system call by which they change a file. After each, git goes on, what is the user's is as it
// was, the next command runs, and all promises hold.
func TestFaultAtAnyPoint(t *testing.T) {
	whole(t)
	t.Parallel()
	bin, faults := builtFaults(t)
	stepOf, few := *faultStep, *faultStep == 0 && os.Getenv("ENTIRE_TEST_ALL") == rest
	switch {
	case few:
		stepOf = 1 << 20
	case stepOf == 0:
		stepOf = 997
	}
	only := strings.Split(*faultOnly, "/")
	var mu sync.Mutex
	counted, tried := 0, 0
	t.Run("of", func(t *testing.T) {
		var names []string
		for _, a := range actions {
			names = append(names, a.name)
		}
		for _, name := range testdir.Shuffled(t, names) {
			n := slices.IndexFunc(actions, func(a action) bool { return a.name == name })
			a := actions[n]
			if few && n%18 != 4 || *faultOnly != "" && only[0] != a.name {
				continue
			}
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				testdir.InTime(t)
				s := newStage(t, a, bin, faults)
				for i, way := range slices.Concat(processWays, callWays) {
					testdir.InTime(t)
					ofCalls := i >= len(processWays)
					if few && i%3 != 0 {
						continue
					}
					if len(only) > 1 && only[1] != way+map[bool]string{true: "!"}[ofCalls] {
						continue
					}
					points, _ := s.meets(way, ofCalls, 1<<30) // what is killed counts no further
					first := 1 + (n*7+i*3)%min(stepOf, max(points, 1))
					if len(only) > 2 {
						fmt.Sscan(only[2], &first)
					}
					for at := first; ; at += stepOf {
						found, err := s.meets(way, ofCalls, at)
						if err != nil {
							t.Errorf("-fault.only='%s/%s%s/%d': %v", a.name, way, map[bool]string{true: "!"}[ofCalls], at, err)
						}
						mu.Lock()
						if found >= at {
							tried++
						}
						mu.Unlock()
						if points = max(points, found); at+stepOf > points || len(only) > 2 {
							break
						}
					}
					mu.Lock()
					counted += points
					mu.Unlock()
					if points == 0 && !(a.word == "" && a.name == "commit-msg") {
						t.Errorf("%s: there is no point of %s", a.name, way)
					}
				}
			})
		}
	})
	t.Logf("%d points tried of %d", tried, counted)
}

// builtFaults builds the program as it is released, and what breaks it.
func builtFaults(t *testing.T) (bin, faults string) {
	bin = strings.TrimSuffix(releaseBuild(t), string(os.PathListSeparator))
	if bin == "" {
		t.Skip("the program can't be built as it is released")
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(dir, "faults"), "./internal/faults")
	build.Env = append(os.Environ(), "HOME="+userHome)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// git's hooks find git where git keeps its commands.
	commands := testdir.Git(t, ".", "--exec-path")
	all, err := os.ReadDir(commands)
	testdir.Must(t, errors.Join(err, os.Mkdir(filepath.Join(dir, "git.bin"), 0o755)))
	for _, e := range all {
		from, name := filepath.Join(commands, e.Name()), filepath.Join(dir, "git.bin", e.Name())
		if e.Name() == "git" {
			testdir.Must(t, os.Link(filepath.Join(dir, "faults"), name))
			continue
		}
		testdir.Must(t, os.Symlink(from, name))
	}
	return bin, filepath.Join(dir, "faults")
}
