package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/testdir"
)

// TestMain runs the tests. Hooks that a test installs call this binary as the program: then it is
// that, and runs no tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(Main(os.Args))
	}
	time.Local = time.UTC // what is printed is compared
	testdir.InMemory()
	testdir.NoHome()
	os.Exit(m.Run())
}

// call runs the program in this process.
func call(t *testing.T, line string) (code int, stdout, stderr string) {
	t.Helper()
	args := []string{"entire-plumb"}
	for _, word := range strings.Fields(line) {
		args = append(args, strings.ReplaceAll(word, "~", " "))
	}
	return callWords(t, args)
}

// callWords is call with the words as they are.
func callWords(t *testing.T, args []string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// TestUsageErrors: a call that makes no sense is refused before anything is looked at, with a hint.
func TestUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir()) // in no repository
	for line, want := range map[string]string{
		"nonsense":                      `unknown command "nonsense"`,
		"hist":                          `unknown command "hist"`,
		"history":                       `unknown command "history"` + "\nhint: did you mean entire-plumb log?",
		"price":                         `unknown command "price"` + "\nhint: did you mean entire-plumb stats?",
		"site":                          `unknown command "site"` + "\nhint: did you mean entire-plumb report --site?",
		"shwo":                          `unknown command "shwo"` + "\nhint: did you mean entire-plumb show?",
		"status x":                      `unexpected argument "x"`,
		"status --bogus":                "unknown option --bogus",
		"log --color=sometimes":         `option --color expects "always", "auto", or "never"`,
		"log -n":                        "option -n needs a value\nhint: entire-plumb log --help",
		"log --since":                   "option --since needs a value\nhint: ",
		"log --json=x":                  "option --json takes no value\nhint: ",
		"today --days x":                `option --days needs a number, and not "x"` + "\nhint: ",
		"log -n99999999999999999999":    `option -n needs a number, and not "99999999999999999999"`,
		"doctor x":                      `unexpected argument "x"`,
		"doctor --bundle f --json":      "--bundle and --json exclude each other",
		"enable x":                      `unexpected argument "x"`,
		"enable --agent none":           `unknown agent "none"`,
		"enable --agent codex,none":     `unknown agent "none"`,
		"enable --user --write":         "--user and --write exclude each other",
		"enable --user --hide-streams":  "--user and --hide-streams exclude each other",
		"enable --user --agent generic": "the agent generic has no settings",
		"disable x":                     `unexpected argument "x"`,
		"disable --user --purge":        "--user and --purge exclude each other",
		"disable --dry-run":             "--dry-run needs --purge",
		"disable --user -n":             "--dry-run needs --purge",
		"why --rev HEAD~1 HEAD":         "--rev needs FILE:LINE",
		"config --project link":         "--project needs a key and a value",
		"show --json --raw a":           "--json and --raw exclude each other",
		"show --transcript --raw a":     "--transcript and --raw exclude each other",
		"checkpoints a":                 `unexpected argument "a"` + "\nhint: entire-plumb show a\n",
		"streams a":                     `unexpected argument "a"` + "\nhint: entire-plumb show a\n",
		"why a b":                       `unexpected argument "b"`,
		"why -n 3 a":                    "-n and a commit exclude each other",
		"log --graph --json":            "--graph and --json exclude each other",
		"blame":                         "which file?",
		"blame a b c":                   "only one file can be blamed",
		"blame --rev HEAD a b":          "only one file can be blamed",
		"blame -- a b":                  "only one file can be blamed",
		"blame --json --porcelain a":    "--json and --porcelain exclude each other",
		"attribution --format x":        `unknown format "x"`,
		"attribution --format agent-trace --json": "--json and --format exclude each other",
		"sessions a b":                         `unexpected argument "b"`,
		"sessions --diagram a":                 `unexpected argument "a"`,
		"sessions -n 1 a":                      `unexpected argument "a"`,
		"sessions --diagram -n 3":              "--diagram and -n exclude each other",
		"sessions --diagram --json":            "--diagram and --json exclude each other",
		"sessions show":                        "no session given",
		"sessions show a b":                    `unexpected argument "b"`,
		"report":                               "no output file given",
		"report a b":                           "no output file given",
		"export a":                             "what to export is missing",
		"export --markdown -- a":               `unexpected argument "a"`,
		"export --markdown a b":                `unexpected argument "b"`,
		"stats --csv --json":                   "--json and --csv exclude each other",
		"export --format x":                    `unknown format "x"`,
		"export --markdown --force a":          "--force needs --format git-ai",
		"export --markdown --since x a":        "--markdown is for one conversation, without --since",
		"export --markdown --format git-ai":    "--markdown and --format exclude each other",
		"import --format x":                    `unknown format "x"`,
		"import --format git-ai --agent codex": "--format and --agent exclude each other",
		"summary --fail-over x":                `"x" is no percentage`,
		"summary --json --markdown":            "--json and --markdown exclude each other",
		"attribution --fail-over 101":          `"101" is no percentage`,
		"today a":                              `unexpected argument "a"` + "\nhint: entire-plumb show a\n",
		"today --days -1":                      "--days must not be negative: -1",
		"report a":                             "no output file given",
		"report a -o f --json":                 "-o and --json exclude each other",
		"rewind --undo a":                      "--undo takes no checkpoint",
		"rewind --logs a -- f":                 "--logs restores the conversation alone",
		"rewind --limit 2 a":                   "--limit only lists checkpoints",
		"rewind --limit 2 --last":              "--limit only lists checkpoints",
		"rewind --undo --limit 2":              "--limit only lists checkpoints",
		"rewind --undo --last":                 "--undo and --last exclude each other",
		"rewind --undo --logs":                 "--undo and --logs exclude each other",
		"resume a b":                           `unexpected argument "b"`,
		"reset a":                              `unexpected argument "a"`,
		"clean a":                              `unexpected argument "a"`,
		"clean --force --dry-run":              "--force and --dry-run exclude each other",
		"condense":                             "a session is missing",
		"condense a b":                         `unexpected argument "b"`,
		"sync a":                               `unexpected argument "a"`,
		"sync --dry-run --accept-purge":        "--dry-run and --accept-purge exclude each other",
		"fetch a":                              `unexpected argument "a"`,
		"unlink":                               "a commit is missing",
		"unlink a b c":                         `unexpected argument "c"`,
		"redact":                               "a file is missing",
		"redact --json f":                      "--json needs -n",
		"purge":                                "what to purge is missing",
		"purge a b":                            `unexpected argument "b"`,
		"purge --session s a":                  `unexpected argument "a"`,
		"purge --session s --text":             "--text and --session exclude each other",
		"purge --session=":                     "--session is empty",
		"purge --regexp --text a":              "--regexp and --text exclude each other",
		"retain":                               "what to keep is missing",
		"retain --transcripts x":               `"x" is neither a time`,
		"retain --transcripts 0d":              `"0d" is neither a time`,
		"retain --transcripts 9999999y":        `"9999999y" is neither a time`,
		"retain --transcripts 12":              `"12" is neither a time`,
		"import a b":                           `unexpected argument "b"`,
		"demo a":                               `unexpected argument "a"`,
		"replay":                               "which script?",
		"version a":                            `unexpected argument "a"`,
	} {
		code, stdout, stderr := call(t, line)
		if code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "entire-plumb: "+want) || !strings.Contains(stderr, "\nhint: ") && !strings.Contains(want, "neither") {
			t.Errorf("%s: %d, %q, %q", line, code, stdout, stderr)
		}
	}
}

// TestOutsideOfARepository: commands that need one say so, and hooks are silent or harmless.
func TestOutsideOfARepository(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"status", "enable --agent codex", "disable", "disable --purge --dry-run", "doctor", "streams", "sessions", "show HEAD", "why",
		"log", "log --graph", "blame f", "attribution", "checkpoints", "report HEAD -o -", "export --markdown HEAD", "rewind --undo", "resume", "reset", "clean", "condense s",
		"sync", "fetch", "unlink HEAD", "purge text", "retain --transcripts 1d", "import", "decide-suffix"} {
		code, _, stderr := call(t, line)
		if code != exitFailed || !strings.Contains(stderr, "not a git repository") && !strings.Contains(stderr, "not in a git repository") {
			t.Errorf("%s: %d, %q", line, code, stderr)
		}
	}
	for line, want := range map[string]string{
		"hooks git post-commit":        "; the commit is not affected",
		"hooks git none":               `unknown git hook "none"; the commit is not affected`,
		"hooks git --none":             "; the commit is not affected",
		"hooks none":                   `unknown hook group "none"` + "\nhint: one of git, claude-code",
		"hooks cluade":                 `unknown hook group "cluade"` + "\nhint: did you mean",
		"hooks --user claude-code end": "",
	} {
		if code, _, stderr := call(t, line); !strings.Contains(stderr, want) || (want == "") != (stderr == "") {
			t.Errorf("%s: %d, %q", line, code, stderr)
		}
	}
}

// TestPrintsAnywhere: what needs no repository.
func TestPrintsAnywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("ENTIRE_TEST_VERSION", "v1.2.3")
	testdir.Must(t, os.WriteFile("f", []byte("plain\n"), 0o600))
	for line, want := range map[string]string{
		"--version":               "entire-plumb v1.2.3 (",
		"version":                 "entire-plumb v1.2.3 (",
		"help":                    "NAME:",
		"":                        "NAME:",
		"sessions --diagram":      "stateDiagram-v2",
		"hooks":                   "NAME:",
		"hooks git":               "NAME:",
		"hooks git commit-msg -h": "NAME:",
		"hooks codex":             "NAME:",
		"hooks codex stop --help": "NAME:",
		"redact f":                "plain\n",
		"redact -n f":             "nothing would be redacted\n",
		"redact -n --json f":      "[]\n",
		"completion bash":         "#",
	} {
		if code, stdout, stderr := call(t, line); code != exitOK || !strings.HasPrefix(strings.TrimLeft(stdout, "\n"), want) || stderr != "" {
			t.Errorf("%s: %d, %.60q, %q", line, code, stdout, stderr)
		}
	}
}

// TestOutcome: the exit code of an error, and what is said of it.
func TestOutcome(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		code int
		text string
	}{
		"none":            {t.Context(), nil, exitOK, ""},
		"none, too late":  {canceled, nil, exitOK, ""},
		"interrupted":     {canceled, errors.New("x"), exitInterrupted, "interrupted"},
		"no answer":       {t.Context(), errors.Join(errors.New("x"), errInterrupted), exitInterrupted, "interrupted"},
		"printed already": {t.Context(), errQuiet, exitFailed, ""},
		"a refused push":  {canceled, errRefused, githooks.RefusePush, ""},
		"usage":           {t.Context(), usagef("bad %d", 7), exitUsage, "bad 7"},
		"a help topic":    {t.Context(), cli.Exit("no topic", 3), exitUsage, "no topic\nhint: entire-plumb --help lists the commands"},
		"any other":       {t.Context(), errors.New("a\x1bb"), exitFailed, "a" + gitexec.Harmless("\x1b") + "b"},
	} {
		if code, text := outcome(c.ctx, c.err); code != c.code || text != c.text {
			t.Errorf("%s: %d, %q", name, code, text)
		}
	}
}

// TestOutputFault: output that cannot be written fails the command, unless its reader has read
// enough.
func TestOutputFault(t *testing.T) {
	other := errors.New("other")
	for name, c := range map[string]struct {
		failed, err error
		want        string // empty: none
	}{
		"none":                     {nil, nil, ""},
		"of the command":           {nil, other, "other"},
		"of the output":            {other, nil, "the output cannot be written: other"},
		"of both":                  {errors.New("full"), other, "other"},
		"the reader is gone":       {syscall.EPIPE, nil, ""},
		"the reader is gone, both": {syscall.EPIPE, other, ""},
		"a refused push":           {syscall.EPIPE, errRefused, errRefused.Error()},
	} {
		err := (&printer{failed: c.failed}).fault(c.err)
		if (err != nil) != (c.want != "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHeldErrors: stderr is held back while a pager has the terminal.
func TestHeldErrors(t *testing.T) {
	var to bytes.Buffer
	errs := &heldWriter{to: &to}
	errs.Write([]byte("a"))
	errs.hold()
	errs.Write([]byte("b"))
	if to.String() != "a" {
		t.Errorf("%q", to.String())
	}
	errs.release()
	errs.Write([]byte("c"))
	if to.String() != "abc" {
		t.Errorf("%q", to.String())
	}
}
