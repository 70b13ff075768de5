package clients

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/cli"
	"entire-plumb/internal/testdir"
)

// client is a coding agent as it is installed: npm's package, and the version that its scripts are
// known to pass with.
type client struct {
	name             string // of the program, and of the directory of its scripts
	scripts          string // another directory of scripts; empty: its name
	agent            string // as entire-plumb calls it
	archive, version string // npm's package
	needs            string // a package that is installed with it: its own node, if the machine's is too old
	user             bool   // its hooks are the user's own
	// once are its arguments for a prompt after which it ends, before the script's flags; prompt
	// those between the flags and the prompt; terminal those for a session in a terminal.
	once, prompt, terminal []string
	// environment is what it needs of its own to talk to the model at an address.
	environment func(url string) []string
	beside      []client // others, with which it is run in one worktree
	// configure answers the questions that it asks when it is started for the first time.
	configure func(home, repo, url string) error
}

var clients = []client{claude, codex, gemini, copilot, qwen, openCode, pi, kimi, cline}

// required says, by a list of their names, which clients must be there.
var required = strings.Fields(strings.ReplaceAll(os.Getenv("ENTIRE_TEST_CLIENTS"), ",", " "))

// runs is the version of the client that is run: ENTIRE_TEST_CLIENT_VERSIONS names others than
// those of the table, as in claude=2.1.0,codex=0.160.0.
func (c client) runs() string {
	for one := range strings.SplitSeq(os.Getenv("ENTIRE_TEST_CLIENT_VERSIONS"), ",") {
		if name, version, _ := strings.Cut(one, "="); name == c.name {
			return version
		}
	}
	return c.version
}

// cache is where the clients are: ENTIRE_TEST_CLIENTS_DIR, or a directory of the user's cache. Each
// is in NAME-VERSION there, as `npm install --prefix` leaves it.
func cache() string {
	if dir := os.Getenv("ENTIRE_TEST_CLIENTS_DIR"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "entire-plumb", "clients")
}

// program is the client's, empty if it isn't installed.
func (c client) program() string {
	file := filepath.Join(cache(), c.name+"-"+c.runs(), "node_modules", ".bin", c.name)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "entire-plumb" { // called by a script, or a hook
		testscript.Main(m, map[string]func(){"entire-plumb": program})
		return
	}
	for _, c := range clients {
		if c.program() == "" {
			continue
		}
		code, done, err := isolate()
		if done {
			os.Exit(code)
		}
		if err != nil {
			cannot = fmt.Sprintf("clients can't be kept from the network: %v", err)
		}
		break
	}
	testdir.InMemory()
	testscript.Main(m, map[string]func(){"entire-plumb": program})
}

// cannot says why no client may be run here; empty: they may.
var cannot string

func program() { os.Exit(cli.Main(os.Args)) }

func TestClaudeCode(t *testing.T) { run(t, claude) }

func TestCodex(t *testing.T) { run(t, codex) }

func TestGemini(t *testing.T) { run(t, gemini) }

func TestCopilot(t *testing.T) { run(t, copilot) }

func TestQwen(t *testing.T) { run(t, qwen) }

func TestTogether(t *testing.T) {
	both := claude
	both.beside, both.scripts = []client{codex}, "together"
	run(t, both)
}

// files are the scripts to play: where the client is required, as in CI, or in a run of its own; a run
// of all tests would take half a minute more. CI always has time for the first, a plain turn.
func (c client) files(t *testing.T) []string {
	if only := flag.Lookup("test.run").Value.String(); only == "" && !slices.Contains(required, c.name) {
		t.Skip("it takes long: CI requires it, -run plays it, too")
	}
	files, err := filepath.Glob(filepath.Join("testdata", cmp.Or(c.scripts, c.name), "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts for %s: %v", c.name, err)
	}
	files = testdir.Shuffled(t, files)
	if i := slices.IndexFunc(files, func(file string) bool { return filepath.Base(file) == "turn.txtar" }); i > 0 {
		files[0], files[i] = files[i], files[0]
	}
	return files
}

// run plays the scripts of a client.
func run(t *testing.T, c client) {
	why := cannot
	for _, c := range append(c.beside, c) {
		if c.program() == "" {
			why = fmt.Sprintf("%s is not there: npm install --prefix %s %s@%s %s", c.archive, filepath.Join(cache(), c.name+"-"+c.runs()), c.archive, c.runs(), c.needs)
		}
	}
	for _, name := range required {
		if why != "" && name == c.name {
			t.Fatal(why)
		}
	}
	if why != "" {
		t.Skip(why)
	}
	t.Parallel()
	testscript.Run(t, testscript.Params{Files: c.files(t), Setup: c.setup, Cmds: verbs(c), RequireExplicitExec: true, RequireUniqueNames: true})
}
