// Package replay runs scenarios: txtar scripts in which a developer, an agent and git do one thing
// after the other, with the verbs that testdata/scripts/README.md explains.
package replay

// The test-suite and the replay command are the same code.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/safefile"
)

// Params are what scenarios run with; the caller adds where the scripts are. Everything that could
// differ between two runs is fixed: clock, identity, random IDs, configuration, terminal.
func Params() testscript.Params {
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Cmds:                verbs(),
		Condition:           condition,
	}
}

// formats are the variables by which git, and so a script, makes repositories of other formats than
// its own.
var formats = []string{"GIT_DEFAULT_HASH", "GIT_DEFAULT_REF_FORMAT"}

// condition is true of the formats that new repositories have, and of "long", since who plays a
// script by its name wants it played. Only the tests have a server.
func condition(name string) (bool, error) {
	switch name {
	case "sha256":
		return os.Getenv("GIT_DEFAULT_HASH") == "sha256", nil
	case "reftable":
		return os.Getenv("GIT_DEFAULT_REF_FORMAT") == "reftable", nil
	case "long":
		return true, nil
	case "server":
		return false, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// gitconfig keeps a scenario's git from what costs time and changes nothing: maintenance after each
// commit, and copies of the sample hooks in each repository. A push waits for its checkpoints
// however slow the machine is; scenarios of that limit set their own.
const gitconfig = `[user]
	name = Ada
	email = ada@example.com
[init]
	defaultBranch = main
	templateDir = ~/template
[maintenance]
	auto = false
[advice]
	detachedHead = false
[protocol "file"]
	allow = always
[core]
	editor = false
[entire-plumb]
	pushTimeoutSeconds = 120
`

func setup(env *testscript.Env) error {
	home, repo := filepath.Join(env.WorkDir, "home"), filepath.Join(env.WorkDir, "repo")
	for _, dir := range []string{repo, filepath.Join(home, "template", "hooks"), filepath.Join(home, "template", "info")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	env.Cd = repo
	if err := os.WriteFile(filepath.Join(home, "gitconfig"), []byte(gitconfig), 0o644); err != nil {
		return err
	}
	if err := ownProgram(env, filepath.Join(home, "bin")); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "gitconfig"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(env.WorkDir))
	env.Setenv("GIT_TERMINAL_PROMPT", "0")
	env.Setenv("LC_ALL", "C")
	env.Setenv("ENTIRE_TEST_TTY", "1")
	env.Setenv("ENTIRE_TEST_VERSION", "test")
	env.Setenv("ENTIRE_TEST_IDS", filepath.Join(home, "ids"))
	for _, name := range formats {
		if value, ok := os.LookupEnv(name); ok {
			env.Setenv(name, value)
		}
	}
	for _, name := range []string{"ENTIRE_TEST_NOW", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"} {
		env.Setenv(name, "2026-01-02T03:04:05Z")
	}
	return nil
}

// ownProgram has the program found below the script's home: what enable writes into an agent's
// settings names it from there, the same in each run.
func ownProgram(env *testscript.Env, bin string) error {
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		program := filepath.Join(dir, "entire-plumb")
		if _, err := os.Stat(program); err != nil {
			continue
		}
		if err := os.MkdirAll(bin, 0o755); err != nil {
			return err
		}
		env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
		return os.Symlink(program, filepath.Join(bin, "entire-plumb"))
	}
	return nil
}

// Files finds the scripts that arguments name: files, and the *.txtar and *.txt files of
// directories.
func Files(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, fmt.Errorf("no scenario can be read there: %w\nhint: entire-plumb replay FILE|DIR…", err)
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		before := len(files)
		for _, pattern := range []string{"*.txtar", "*.txt"} {
			files = append(files, safefile.Glob(arg, pattern)...)
		}
		if len(files) == before {
			return nil, fmt.Errorf("no *.txtar file in %s\nhint: entire-plumb replay FILE|DIR…", arg)
		}
	}
	return files, nil
}

// Result is how one scenario went.
type Result struct {
	Name    string
	Failed  bool
	Skipped bool
	Log     string
}

// Run runs scripts, a user's perhaps, with the program at exe, one after the other, and hands each
// result to the caller. An error says that the scripts could not be run at all.
func Run(exe string, files []string, each func(Result)) error {
	params := Params()
	params.Files = files
	addFormerNames(params.Cmds)
	return Play(exe, params, each)
}

// Play is Run for params that the caller has changed.
func Play(exe string, params testscript.Params, each func(Result)) error {
	bin, err := os.MkdirTemp(params.WorkdirRoot, "entire-plumb-replay-*")
	if err != nil {
		return err
	}
	if params.WorkdirRoot == "" { // else what is in it stays, and its hooks need the program
		defer os.RemoveAll(bin)
	}
	// Installed hooks and agents find the program by its name, also if this binary has another one.
	if err := os.Symlink(exe, filepath.Join(bin, "entire-plumb")); err != nil {
		return err
	}
	fixed := params.Setup
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
		return fixed(env)
	}
	root := &runner{each: each}
	return root.protect(func() { testscript.RunT(root, params) })
}

// runner is what a script sees of its test: it gathers the log, and ends by a panic that protect
// knows.
type runner struct {
	each    func(Result)
	log     strings.Builder
	failed  bool
	skipped bool
}

type ended struct{}

func (r *runner) Skip(args ...any)  { r.skipped = true; r.Log(args...); panic(ended{}) }
func (r *runner) Fatal(args ...any) { r.Log(args...); r.FailNow() }
func (r *runner) FailNow()          { r.failed = true; panic(ended{}) }
func (r *runner) Parallel()         {}
func (r *runner) Verbose() bool     { return true }
func (r *runner) Log(args ...any)   { fmt.Fprintln(&r.log, args...) }

func (r *runner) Run(name string, f func(testscript.T)) {
	one := &runner{}
	one.protect(func() { f(one) })
	r.each(Result{Name: name, Failed: one.failed, Skipped: one.skipped, Log: one.log.String()})
}

func (r *runner) protect(f func()) (err error) {
	defer func() {
		switch p := recover(); p.(type) {
		case nil:
		case ended:
			if r.failed {
				err = errors.New(strings.TrimSpace(r.log.String()))
			}
		default:
			panic(p)
		}
	}()
	f()
	return nil
}
