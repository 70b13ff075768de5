package main

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/replay"
	"entire-plumb/internal/testdir"
)

var update = flag.Bool("update", false, "rewrite what cmp compares in the scripts")

// whole begins a test that takes long and whose matter shorter ones hold, too.
func whole(t *testing.T) {
	if !all() {
		t.Skip("it takes long: CI sets ENTIRE_TEST_ALL; -run plays it, too")
	}
	testdir.InTime(t)
}

func all() bool {
	return os.Getenv("ENTIRE_TEST_ALL") != "" || flag.Lookup("test.run").Value.String() != ""
}

// rest is the value of ENTIRE_TEST_ALL that leaves out the scripts that play in full everywhere: CI
// has played them already.
const rest = "rest"

// skipping are the scripts that a plain go test doesn't play, or not everywhere: those that take long,
// and those that need a program.
func skipping(t *testing.T, dir string) (files []string) {
	all, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	testdir.Must(t, err)
	for _, file := range all {
		text, err := os.ReadFile(file)
		testdir.Must(t, err)
		if bytes.Contains(text, []byte("\n[!long]")) || bytes.Contains(text, []byte("\n[!exec:")) {
			files = append(files, file)
		}
	}
	if len(files) == 0 || len(files) == len(all) {
		t.Fatalf("%d of %d scripts", len(files), len(all))
	}
	return files
}

func TestMain(m *testing.M) {
	testdir.InMemory()
	testdir.NoHome()
	// Scripts wait for processes, and some for the clock. -parallel on the command line counts all
	// the same.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"entire-plumb": program})
}

// TestScripts plays every scenario of testdata/scripts with the program as it is installed: real
// git, real hooks. Whatever a script itself asserts, the promises must hold in all the repositories
// that it leaves behind; those that break a repository on purpose aside.
func TestScripts(t *testing.T) {
	params := replay.Params()
	params.Dir = "testdata/scripts"
	params.UpdateScripts = *update
	if os.Getenv("GIT_DEFAULT_HASH") == "sha256" {
		params.Dir, params.UpdateScripts = withoutIDs(t, params.Dir), false
		params.Cmds["drawn"] = drawn
	}
	if os.Getenv("ENTIRE_TEST_ALL") == rest {
		params.Dir, params.Files = "", testdir.Shuffled(t, skipping(t, params.Dir))
		t.Parallel() // with the tests in Go that take long: some of each play
	}
	params.Cmds["repo"] = copied(params.Cmds["repo"])
	params.Cmds["promises"] = noted(params.Cmds["promises"])
	params.Cmds["plumb"] = checkedJSON(params.Cmds["plumb"])
	params.Cmds["server"] = server
	condition := params.Condition
	params.Condition = func(name string) (bool, error) {
		switch name {
		case "long":
			return all(), nil
		case "server":
			return true, nil
		}
		return condition(name)
	}
	setup, bin := params.Setup, releaseBuild(t)
	params.Setup = func(env *testscript.Env) error {
		testdir.InTime(env.T())
		if short(t) {
			env.T().Skip("the machine is busy: go's time limit is near, see go help testflag, -timeout")
		}
		env.Setenv("PATH", bin+env.Getenv("PATH"))
		env.Setenv("GOCOVERDIR", os.Getenv(coverVariable))
		if err := setup(env); err != nil {
			return err
		}
		name := filepath.Base(env.WorkDir)
		text, err := os.ReadFile(filepath.Join("testdata/scripts", strings.TrimPrefix(name, "script-")+".txtar"))
		script := &script{first: beginsWithRepo(string(text))}
		env.Values[scriptOf{}] = script
		if !strings.HasPrefix(name, "script-bad_") {
			env.Defer(func() {
				if !endsWithPromises(string(text)) {
					script.kept = ""
				}
				keepPromises(t, name, script.kept, env)
			})
		}
		return err
	}
	testscript.Run(t, params)
}

// coverVariable names a directory in which the program, in all processes that scripts start, leaves
// which of its statements ran: see .ci/coverage.
const coverVariable = "ENTIRE_TEST_COVER"

// releaseBuild builds the program as it is released, and returns what is to stand before a PATH:
// nothing where the test's own program has to do, which is half as large again and takes longer to
// start than to run.
func releaseBuild(t *testing.T) string {
	if info, ok := debug.ReadBuildInfo(); ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "-race" || s.Key == "-cover" }) {
		return ""
	}
	dir := t.TempDir()
	options := []string{"build", "-buildvcs=false", "-tags", "urfave_cli_no_docs", "-o", dir}
	if os.Getenv(coverVariable) != "" {
		options = append(options, "-cover", "-coverpkg=./...")
	}
	build := exec.Command("go", append(options, ".")...)
	build.Env = append(os.Environ(), "HOME="+userHome)
	if out, err := build.CombinedOutput(); err != nil {
		t.Logf("the scripts play with the test's own program: %v\n%s", err, out)
		return ""
	}
	return dir + string(os.PathListSeparator)
}

// userHome is where go has its cache.
var userHome = os.Getenv("HOME")

// short reports whether so much of go's time limit is over that the tests to come need the rest. On
// a busy machine the scripts that are left are skipped then; CI plays all of them, whatever the
// time.
func short(t *testing.T) bool {
	deadline, limited := t.Deadline()
	return limited && !all() && time.Until(deadline) < deadline.Sub(began)*2/5
}

var began = time.Now()

// withoutIDs copies the scripts, whose drawings have SHA-1 IDs, and has them compared by drawn.
func withoutIDs(t *testing.T, from string) string {
	files, err := filepath.Glob(filepath.Join(from, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	to := t.TempDir()
	for _, file := range files {
		data, err := os.ReadFile(file)
		testdir.Must(t, err)
		data = regexp.MustCompile(`(?m)^cmp `).ReplaceAll(data, []byte("drawn "))
		testdir.Must(t, os.WriteFile(filepath.Join(to, filepath.Base(file)), data, 0o644))
	}
	return to
}

var ids = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)

// drawn is cmp for what differs in object IDs alone.
func drawn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: drawn file1 file2")
	}
	got, want := ids.ReplaceAllString(ts.ReadFile(args[0]), "ID"), ids.ReplaceAllString(ts.ReadFile(args[1]), "ID")
	if got != want {
		ts.Fatalf("%s and %s differ in more than IDs:\n%s\n%s", args[0], args[1], got, want)
	}
}

// TestScriptsInReftables plays the scripts about what git is in the middle of in repositories whose
// refs are in reftables, where git can make such.
func TestScriptsInReftables(t *testing.T) {
	if out, err := exec.Command("git", "init", "-q", "--ref-format=reftable", t.TempDir()).CombinedOutput(); err != nil {
		t.Skipf("this git has no reftables: %s", out)
	}
	params := replay.Params()
	for _, pattern := range []string{"pick_*", "rebase_*", "merge_*", "commit_amend_*", "scenario_*", "hook_linked_worktree.*", "hook_sha256.*"} {
		files, err := filepath.Glob(filepath.Join("testdata/scripts", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		params.Files = append(params.Files, files...)
	}
	setup, condition := params.Setup, params.Condition
	params.Condition = func(name string) (bool, error) {
		if name == "reftable" {
			return true, nil
		}
		return condition(name)
	}
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("GIT_DEFAULT_REF_FORMAT", "reftable")
		return setup(env)
	}
	testscript.Run(t, params)
}

// keepPromises checks all repositories with a worktree under a script's directory, but for the one
// that the script has checked last, and that our private directories are in git directories alone.
func keepPromises(t *testing.T, name, checked string, env *testscript.Env) {
	err := filepath.WalkDir(env.WorkDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "entire-plumb" {
			_, noGitDir := os.Lstat(filepath.Join(filepath.Dir(path), "HEAD"))
			_, noTemp := os.Lstat(filepath.Join(path, "tmp"))
			if noGitDir != nil && noTemp == nil {
				t.Errorf("%s leaves %s outside of a git directory", name, path)
			}
		}
		if err != nil || d.Name() != ".git" {
			return err
		}
		if filepath.Dir(path) == checked {
			return skipDir(d)
		}
		if err := replay.Promises(func(args ...string) (string, error) {
			cmd := exec.Command("git", args...)
			cmd.Dir = filepath.Dir(path)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+filepath.Join(env.WorkDir, "home", "gitconfig"), "GIT_CONFIG_NOSYSTEM=1")
			out, err := cmd.Output()
			return string(out), err
		}, false); err != nil {
			t.Errorf("%s leaves %s with broken promises: %v", name, path, err)
		}
		return skipDir(d)
	})
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// skipDir has a walk leave out what is below a directory; a worktree's .git may be a file.
func skipDir(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
