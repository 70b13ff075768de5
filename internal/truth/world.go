package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
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
	dir      string // of everything
	r        *rand.Rand
	step     int
	op       string
	ops      []op[world] // what may be played
	lines    int         // how many lines were written
	commits  int         // how many messages were made
	clock    time.Time
	actor    *session // who runs commands; nil: the human
	at       *worktree
	trees    []*worktree
	sessions []*session
	ledger   ledger
	script   *script
	objects  *objects
	takers   map[string][]string        // a line: the commits that took it out
	renamers map[string]map[string]bool // a file: who gave it its name, or an earlier one of it
	origins  map[string][]text          // a file: what it was under earlier names
	lax      map[string]bool            // a checkpoint and a session, whose link may be there or not
	cached   map[string]map[string]int  // a commit: how often each line is in it
	seen     map[string]bool            // commits that were checked
	reverts  bool                       // the present step reverts
	replays  bool                       // its commits replay others, whose links they keep
	replaces bool                       // it takes commits back
	met      map[string]bool            // checkpoints that commits linked before this step
	// linkedNow are those that the present step's commits link, and the first of these.
	linkedNow map[string]string
	changed   map[string]bool // the files that they change
	linkless  map[string]bool // lines of the commit that is checked which need no link
	tally     *tally
	stops     []stopped
	rewinds   map[*worktree]aRewind
}

// A worktree is the main one or a linked one.
type worktree struct {
	name    string // of the directory, beside the others
	dir     string
	gitDir  string
	touched map[string]map[string]bool // a session: the files with something uncommitted that it changed
	// A session: all files that it ever changed, in any worktree: a commit of one may be reset in
	// another.
	edited map[string]map[string]bool
}

func newWorktree(name, dir, gitDir string, edited map[string]map[string]bool) *worktree {
	return &worktree{name, dir, gitDir, map[string]map[string]bool{}, edited}
}

// touch notes that a session changed a file.
func (t *worktree) touch(session, file string) {
	for _, files := range []map[string]map[string]bool{t.touched, t.edited} {
		if files[session] == nil {
			files[session] = map[string]bool{}
		}
		files[session][file] = true
	}
}

// takeBack notes that the commits from a revision to another one will be reset, or that a stash
// entry comes back: what sessions changed in them is not committed any more.
func (w *world) takeBack(to, from string) {
	for _, name := range w.names("diff", "--name-only", "--no-renames", to, from) {
		for who, names := range w.at.edited {
			if names[strings.Trim(name, "\"")] {
				w.at.touch(who, strings.Trim(name, "\""))
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
func newWorld(dir, program string, r *rand.Rand, t *tally, trace io.Writer) *world {
	w := &world{dir: dir, r: r, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ledger: newLedger(), script: &script{copy: trace},
		seen: map[string]bool{}, met: map[string]bool{}, linkedNow: map[string]string{}, changed: map[string]bool{}, linkless: map[string]bool{},
		takers: map[string][]string{}, renamers: map[string]map[string]bool{},
		rewinds: map[*worktree]aRewind{}, lax: map[string]bool{}, origins: map[string][]text{}, cached: map[string]map[string]int{}, tally: t}
	w.at = newWorktree("repo", filepath.Join(dir, "repo"), filepath.Join(dir, "repo", ".git"), map[string]map[string]bool{})
	w.trees = []*worktree{w.at}
	for _, made := range []string{"repo", "home/bin", "home/template/hooks", "home/template/info", "home/transcripts"} {
		must(os.MkdirAll(filepath.Join(dir, made), 0o755))
	}
	must(os.WriteFile(filepath.Join(dir, "home", "gitconfig"), []byte(gitconfig), 0o644))
	must(os.Symlink(program, filepath.Join(dir, "home", "bin", "entire-plumb")))
	w.sessions = []*session{{id: "s1", agent: "claude-code"}, {id: "s2", agent: "claude-code"}, {id: "s3", agent: "generic"},
		{id: "s4", agent: "claude-code"}}
	w.script.say("# A workflow of the tester.")
	return w
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

// result is what a command left.
type result struct {
	out, errs string
	failed    bool
}

// call is a command that is to be run.
type call struct {
	args  []string
	env   []string // in addition
	stdin string
}

func (w *world) exec(c call) result {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.at.dir, append(w.environment(), c.env...), strings.NewReader(c.stdin)
	if c.args[0] == "entire-plumb" {
		cmd.Path = filepath.Join(w.dir, "home", "bin", "entire-plumb")
		cmd.Err = nil
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		must(err)
	}
	if strings.Contains(errs.String(), "panic") || strings.Contains(errs.String(), "goroutine 1 [") {
		w.fail(panics, fmt.Sprintf("%q: %s", c.args, errs.String()))
	}
	return result{out.String(), errs.String(), err != nil}
}

// git runs a command of the workflow, and reports whether it succeeded.
func (w *world) git(args ...string) bool { return w.gitWith(nil, args...) }

// gitWith has more variables in its environment.
func (w *world) gitWith(env []string, args ...string) bool {
	w.tick()
	res := w.exec(call{args: append([]string{"git"}, args...), env: env})
	not := ""
	if res.failed {
		not = "! "
	}
	w.setting(env, true)
	w.script.say("%sgit %s", not, quoted(args))
	w.setting(env, false)
	w.complain("git "+strings.Join(args, " "), res)
	return !res.failed
}

// complain notes what our hooks say: they have nothing to say in a sound repository.
func (w *world) complain(command string, res result) {
	for line := range strings.Lines(res.errs) {
		if strings.HasPrefix(line, "entire-plumb:") {
			w.fail(complaints, command+": "+strings.TrimSpace(line))
		}
	}
}

// setting writes variables into the script, or takes them back.
func (w *world) setting(env []string, set bool) {
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		if !set {
			value = ""
			if name == "GIT_EDITOR" {
				value = "false"
			}
		}
		w.script.say("env %s", quoted([]string{name + "=" + value}))
	}
}

// as has a session's agent do something.
func (w *world) as(s *session, do func()) {
	before := w.actor
	w.actor = s
	w.setting(s.marks(), true)
	do()
	w.actor = before
	if s != nil {
		w.script.say("env CLAUDECODE= CLAUDE_CODE_SESSION_ID= ENTIRE_TEST_TTY=1")
	}
}

// ask runs git for the generator's own ends: not part of the workflow.
func (w *world) ask(args ...string) string {
	return strings.TrimSuffix(w.exec(call{args: append([]string{"git"}, args...)}).out, "\n")
}

// asks reports whether it succeeds.
func (w *world) asks(args ...string) bool {
	return !w.exec(call{args: append([]string{"git"}, args...)}).failed
}

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

// plumb runs our program; nothing that it does may touch the worktree or the index.
func (w *world) plumb(args ...string) result {
	return w.untouched("entire-plumb "+strings.Join(args, " "), func() result {
		return w.exec(call{args: append([]string{"entire-plumb"}, args...)})
	})
}

// untouched checks that the worktree and the index are the same before and after.
func (w *world) untouched(what string, do func() result) result {
	before, index := read(w.at.dir), w.index()
	res := do()
	w.complain(what, res)
	if index != w.index() {
		w.fail(bytesChanged, what+" changed the index")
	}
	if name, same := equal(before, read(w.at.dir)); !same {
		w.fail(bytesChanged, what+" changed "+name)
	}
	return res
}

// equal compares all bytes of two worktrees, and names a file that differs.
func equal(a, b files) (string, bool) {
	for _, pair := range [][2]files{{a, b}, {b, a}} {
		for name, text := range pair[0] {
			if other, ok := pair[1][name]; !ok || other != text {
				return name, false
			}
		}
	}
	return "", true
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

// write writes a file at the clock's time. Another version of the same size is of a later second:
// git compares no more of a file's time.
func (w *world) write(name string, content text) {
	file := filepath.Join(w.at.dir, filepath.FromSlash(name))
	if info, err := os.Lstat(file); err == nil && info.Size() == int64(len(content)) && info.ModTime().Unix() == w.clock.Unix() {
		w.clock = w.clock.Add(time.Second)
		w.script.say("at %s", w.clock.Format(time.RFC3339))
	}
	must(os.MkdirAll(filepath.Dir(file), 0o755))
	must(os.WriteFile(file, []byte(content), 0o644))
	must(os.Chtimes(file, w.clock, w.clock))
	w.script.say("write %s", quoted(append([]string{name}, content.lines()...)))
}

// remove deletes a file, as `rm` does.
func (w *world) remove(name string) {
	must(os.Remove(filepath.Join(w.at.dir, filepath.FromSlash(name))))
	w.script.say("rm %s", quoted([]string{name}))
}

// rename moves a file, as `mv` does.
func (w *world) rename(from, to string) {
	file := filepath.Join(w.at.dir, filepath.FromSlash(to))
	must(os.MkdirAll(filepath.Dir(file), 0o755))
	w.script.say("mkdir %s", quoted([]string{path.Dir(to)}))
	must(os.Rename(filepath.Join(w.at.dir, filepath.FromSlash(from)), file))
	w.script.say("mv %s", quoted([]string{from, to}))
}

// cd has what follows happen in another worktree.
func (w *world) cd(to *worktree) {
	if to != w.at {
		w.at = to
		w.script.say("cd ../%s", to.name)
	}
}

// chance is true once in n times.
func (w *world) chance(n int) bool { return w.r.IntN(n) == 0 }
