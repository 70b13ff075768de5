package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A world is a scratch repository with its worktrees, its human and its sessions, in a home of
// their own.
type world struct {
	*course
	dir      string             // of everything
	ops      []op[func(*world)] // what may be played
	commits  int                // how many messages were made
	actor    *session           // who runs commands; nil: the human
	at       *worktree
	trees    []*worktree
	script   *script
	objects  *objects
	takers   map[string][]string       // a line: the commits that took it out
	renamers relation[string]          // a file: who gave it its name, or an earlier one of it
	origins  map[string][]text         // a file: what it was under earlier names
	lax      map[string]bool           // a checkpoint and a session, whose link may be there or not
	cached   map[string]map[string]int // a commit: how often each line is in it
	seen     map[string]bool           // commits that were checked
	reverts  bool                      // the present step reverts
	replays  bool                      // its commits replay others, whose links they keep
	replaces bool                      // it takes commits back
	met      map[string]bool           // checkpoints that commits linked before this step
	// linkedNow are those that the present step's commits link, and the first of these.
	linkedNow map[string]string
	changed   map[string]bool // the files that they change
	linkless  map[string]bool // lines of the commit that is checked which need no link
	stops     []stopped
	rewinds   map[*worktree]aRewind
}

// A worktree is the main one or a linked one.
type worktree struct {
	name    string // of the directory, beside the others
	dir     string
	gitDir  string
	touched relation[string] // a session: the files with something uncommitted that it changed
	// A session: all files that it ever changed, in any worktree: a commit of one may be reset in
	// another.
	edited relation[string]
}

// touch notes that a session changed a file.
func (t *worktree) touch(session, file string) {
	t.touched.add(session, file)
	t.edited.add(session, file)
}

// takeBack notes that the commits from a revision to another one will be reset, or that a stash
// entry comes back: what sessions changed in them is not committed any more.
func (w *world) takeBack(to, from string) {
	for _, name := range w.names("diff", "--name-only", "--no-renames", to, from) {
		name = strings.Trim(name, "\"")
		for who, names := range w.at.edited {
			if names[name] {
				w.at.touch(who, name)
			}
		}
	}
}

// committed forgets files that commits changed, and of which nothing is uncommitted.
func (w *world) committed() {
	if len(w.changed) == 0 {
		return
	}
	uncommitted := map[string]bool{}
	for _, name := range w.list("-c", "core.quotePath=false", "status", "--porcelain", "--no-renames", "-uall") {
		uncommitted[strings.Trim(name[3:], "\"")] = true
	}
	for who, names := range w.at.edited {
		for name := range names {
			switch {
			case !uncommitted[name] && w.changed[name]:
				delete(w.at.touched[who], name)
			case uncommitted[name] && w.replaces:
				w.at.touch(who, name) // a commit with it was reset
			}
		}
	}
	clear(w.changed)
}

// gitconfig keeps git from what costs time and changes nothing.
const gitconfig = `[user]
	name = Ada
	email = ada@example.com
[init]
	defaultBranch = main
	templateDir = ~/template
[maintenance]
	auto = false
[gc]
	auto = 0
[advice]
	detachedHead = false
[core]
	editor = false
`

// newWorld makes the directory ready: no repository yet.
func newWorld(c *course, p plan) *world {
	dir, err := os.MkdirTemp(p.dir, "truth-")
	must(err)
	dir, err = filepath.EvalSymlinks(dir)
	must(err)
	w := &world{course: c, dir: dir, ops: ops, script: &script{copy: p.trace}, takers: map[string][]string{}, renamers: relation[string]{},
		origins: map[string][]text{}, lax: map[string]bool{}, cached: map[string]map[string]int{}, seen: map[string]bool{}, met: map[string]bool{},
		linkedNow: map[string]string{}, changed: map[string]bool{}, linkless: map[string]bool{}, rewinds: map[*worktree]aRewind{}}
	if p.further {
		w.ops, w.ledger.strict = slices.Concat(ops, further), true
	}
	w.sessions = []*session{{id: "s1", agent: "claude-code"}, {id: "s2", agent: "claude-code"}, {id: "s3", agent: "generic"},
		{id: "s4", agent: "claude-code"}}
	w.at = &worktree{"repo", filepath.Join(dir, "repo"), filepath.Join(dir, "repo", ".git"), relation[string]{}, relation[string]{}}
	w.trees = []*worktree{w.at}
	for _, name := range []string{"repo", "home/bin", "home/template/hooks", "home/template/info", "home/transcripts"} {
		must(os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	must(os.WriteFile(filepath.Join(dir, "home", "gitconfig"), []byte(gitconfig), 0o644))
	must(os.Symlink(p.program, filepath.Join(dir, "home", "bin", "entire-plumb")))
	w.script.say("# A workflow of the tester.")
	return w
}

// close returns the scenario.
func (w *world) close(keep bool) string {
	if w.objects != nil {
		w.objects.close()
	}
	if !keep {
		os.RemoveAll(w.dir)
	}
	return w.script.String()
}

// environment is that of a command: nothing of the caller's but PATH.
func (w *world) environment() []string {
	home, now := filepath.Join(w.dir, "home"), w.clock.Format(time.RFC3339)
	env := []string{"HOME=" + home, "PATH=" + filepath.Join(home, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"TMPDIR=" + os.TempDir(), "LC_ALL=C", "GIT_CONFIG_GLOBAL=" + filepath.Join(home, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES=" + filepath.Dir(w.dir), "GIT_TERMINAL_PROMPT=0", "ENTIRE_TEST_VERSION=test",
		"ENTIRE_TEST_IDS=" + filepath.Join(home, "ids"), "ENTIRE_TEST_NOW=" + now, "GIT_AUTHOR_DATE=" + now, "GIT_COMMITTER_DATE=" + now}
	return append(env, w.actor.marks()...)
}

// result is what a command printed, and whether it failed.
type result struct {
	out, errs string
	failed    bool
}

// run runs a command.
func (w *world) run(args ...string) result { return w.exec(nil, "", args...) }

// exec runs a command with more variables in its environment, and an input.
func (w *world) exec(env []string, stdin string, args ...string) result {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.at.dir, append(w.environment(), env...), strings.NewReader(stdin)
	if args[0] == "entire-plumb" {
		cmd.Path, cmd.Err = filepath.Join(w.dir, "home", "bin", "entire-plumb"), nil
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		must(err)
	}
	if strings.Contains(errs.String(), "panic") || strings.Contains(errs.String(), "goroutine 1 [") {
		w.fail(panics, "%q: %s", args, errs.String())
	}
	return result{out.String(), errs.String(), err != nil}
}

// git runs a command of the workflow, and reports whether it succeeded.
func (w *world) git(args ...string) bool { return w.gitWith(nil, args...) }

// gitWith has more variables in its environment.
func (w *world) gitWith(env []string, args ...string) bool {
	w.tick()
	args = append([]string{"git"}, args...)
	res := w.exec(env, "", args...)
	w.setting(env, true)
	w.script.ran(res.failed, args...)
	w.setting(env, false)
	w.complain(strings.Join(args, " "), res)
	return !res.failed
}

// complain notes what our hooks say: they have nothing to say in a sound repository.
func (w *world) complain(command string, res result) {
	for line := range strings.Lines(res.errs) {
		if strings.HasPrefix(line, "entire-plumb:") {
			w.fail(complaints, "%s: %s", command, strings.TrimSpace(line))
		}
	}
}

// setting sets variables in the script, or resets them.
func (w *world) setting(env []string, set bool) {
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case set:
		case name == "GIT_EDITOR":
			v = name + "=false"
		default:
			v = name + "="
		}
		w.script.say("env %s", quoted([]string{v}))
	}
}

// as has a session's agent do something.
func (w *world) as(s *session, do func()) {
	before := w.actor
	w.actor = s
	w.setting(s.marks(), true)
	do()
	w.actor = before
	w.script.say("env CLAUDECODE= CLAUDE_CODE_SESSION_ID= ENTIRE_TEST_TTY=1")
}

// asked runs git for the generator's own ends: not part of the workflow.
func (w *world) asked(args ...string) result { return w.run(append([]string{"git"}, args...)...) }

// ask returns what it prints.
func (w *world) ask(args ...string) string { return strings.TrimSuffix(w.asked(args...).out, "\n") }

// asks reports whether it succeeds.
func (w *world) asks(args ...string) bool { return !w.asked(args...).failed }

func (w *world) list(args ...string) []string {
	return slices.DeleteFunc(strings.Split(w.ask(args...), "\n"), func(s string) bool { return s == "" })
}

// names lists the files that git names, but our settings.
func (w *world) names(args ...string) []string {
	return slices.DeleteFunc(w.list(append([]string{"-c", "core.quotePath=false"}, args...)...), func(n string) bool { return n[0] == '.' })
}

// tick moves the clock, and sometimes doesn't.
func (w *world) tick() {
	if w.r.IntN(4) > 0 {
		w.clock = w.clock.Add(time.Duration(1+w.r.IntN(90)) * time.Second)
		w.script.say("at %s", w.clock.Format(time.RFC3339))
	}
}

// second moves the clock by one.
func (w *world) second() {
	w.clock = w.clock.Add(time.Second)
	w.script.say("at %s", w.clock.Format(time.RFC3339))
}

// plumb runs our program; nothing that it does may touch the worktree or the index.
func (w *world) plumb(args ...string) result {
	args = append([]string{"entire-plumb"}, args...)
	return w.untouched(strings.Join(args, " "), func() result { return w.run(args...) })
}

// untouched checks that the worktree and the index are the same before and after.
func (w *world) untouched(what string, do func() result) result {
	before, index := read(w.at.dir), w.index()
	res := do()
	w.complain(what, res)
	if index != w.index() {
		w.fail(bytesChanged, "%s changed the index", what)
	}
	if name, same := equal(before, read(w.at.dir)); !same {
		w.fail(bytesChanged, "%s changed %s", what, name)
	}
	return res
}

// equal compares two maps, and names a key whose values differ.
func equal[K, V comparable](a, b map[K]V) (differs K, same bool) {
	for _, pair := range [][2]map[K]V{{a, b}, {b, a}} {
		for key, value := range pair[0] {
			if other, ok := pair[1][key]; !ok || other != value {
				return key, false
			}
		}
	}
	return differs, true
}

// index is the index's content, with its time.
func (w *world) index() string {
	name := filepath.Join(w.at.gitDir, "index")
	data, err := os.ReadFile(name)
	info, err2 := os.Stat(name)
	if cmp.Or(err, err2) != nil {
		return ""
	}
	return string(data) + info.ModTime().String()
}

// path is where a file of the worktree is.
func (w *world) path(name string) string { return filepath.Join(w.at.dir, filepath.FromSlash(name)) }

// write writes a file at the clock's time. Another version of the same size is of a later second:
// git compares no more of a file's time.
func (w *world) write(name string, content text) {
	file := w.path(name)
	if info, err := os.Lstat(file); err == nil && info.Size() == int64(len(content)) && info.ModTime().Unix() == w.clock.Unix() {
		w.second()
	}
	must(os.MkdirAll(filepath.Dir(file), 0o755))
	must(os.WriteFile(file, []byte(content), 0o644))
	must(os.Chtimes(file, w.clock, w.clock))
	w.script.say("write %s", quoted(append([]string{name}, content.lines()...)))
}

// remove deletes a file, as `rm` does.
func (w *world) remove(name string) {
	must(os.Remove(w.path(name)))
	w.script.say("rm %s", quoted([]string{name}))
}

// rename moves a file, as `mv` does.
func (w *world) rename(from, to string) {
	file := w.path(to)
	must(os.MkdirAll(filepath.Dir(file), 0o755))
	w.script.say("mkdir %s", quoted([]string{path.Dir(to)}))
	must(os.Rename(w.path(from), file))
	w.script.say("mv %s", quoted([]string{from, to}))
}

// cd has what follows happen in another worktree.
func (w *world) cd(to *worktree) {
	if to != w.at {
		w.at = to
		w.script.say("cd ../%s", to.name)
	}
}

// A script is the workflow as a scenario for `entire-plumb replay`.
type script struct {
	body  strings.Builder
	files strings.Builder
	count int
	copy  io.Writer // for -v; nil: none
}

func (s *script) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	s.body.WriteString(line + "\n")
	if s.copy != nil {
		fmt.Fprintln(s.copy, line)
	}
}

// ran writes a command, and whether it failed.
func (s *script) ran(failed bool, args ...string) {
	not := ""
	if failed {
		not = "! "
	}
	s.say("%s%s", not, quoted(args))
}

// file adds a file to the scenario, and returns its name.
func (s *script) file(content string) string {
	s.count++
	name := fmt.Sprintf("in%d", s.count)
	fmt.Fprintf(&s.files, "-- %s --\n%s\n", name, content)
	return name
}

// String is the scenario.
func (s *script) String() string { return s.body.String() + s.files.String() }

// quoted are arguments as testscript reads them.
func quoted(args []string) string {
	var all []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t'\"#$;*?\\") {
			a = "'" + strings.ReplaceAll(a, "'", "''") + "'"
		}
		all = append(all, a)
	}
	return strings.Join(all, " ")
}
