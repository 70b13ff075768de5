package cli

import (
	"io"
	"strings"
	"testing"

	"entire-plumb/internal/githooks"
)

func TestExitCodesOfHooks(t *testing.T) {
	for line, want := range map[string][4]int{ // of 1, 2, 130, RefusePush
		"hooks git post-commit":                 {0, 0, 0, githooks.RefusePush},
		"--trace hooks git pre-push origin url": {0, 0, 0, githooks.RefusePush},
		"hooks --bogus git":                     {0, 0, 0, githooks.RefusePush},
		"hooks claude-code stop":                {0, 0, 0, 0},
		"hooks --user claude-code stop":         {0, 0, 0, 0},
		"hooks":                                 {0, 0, 0, 0},
		"status":                                {1, 2, 130, githooks.RefusePush},
		"show hooks git":                        {1, 2, 130, githooks.RefusePush},
		"":                                      {1, 2, 130, githooks.RefusePush},
	} {
		args := append([]string{"entire-plumb"}, strings.Fields(line)...)
		for i, code := range []int{exitFailed, exitUsage, exitInterrupted, githooks.RefusePush} {
			if got := hookExitCode(args, code); got != want[i] {
				t.Errorf("%q: %d becomes %d, want %d", line, code, got, want[i])
			}
		}
		if got := hookExitCode(args, exitOK); got != exitOK {
			t.Errorf("%q: 0 becomes %d", line, got)
		}
	}
	if got := hookExitCode(nil, exitUsage); got != exitUsage {
		t.Errorf("without arguments: %d", got)
	}
}

// TestOtherNames: each of the other programs' commands means a command here, and is none itself.
func TestOtherNames(t *testing.T) {
	app := newApp(io.Discard, io.Discard)
	for name, means := range otherNames() {
		command, _, _ := strings.Cut(means, " ")
		if there := app.Command(command) != nil; !there || app.Command(name) != nil {
			t.Errorf("%q means %q", name, means)
		}
	}
}

// TestWrongCommands: a hint is the command that is meant, or the list of all.
func TestWrongCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{
		"shwo": "show", "statsu": "status or stats", "stauts": "status or stats", "satus": "status", "lgo": "log", "blmae": "blame", "rewnid": "rewind", "rew": "rewind", "check-points": "checkpoints",
		"checkpoint": "checkpoints", "session": "sessions", "Undo": "rewind --undo", "x": "", "ab": "", "xyzzy": "", "sh": "show", "histroy": "", "s": "",
		"commit": "", "rewind2": "rewind", "config-get": "",
	} {
		_, _, stderr := call(t, name)
		hint := "hint: did you mean entire-plumb " + want + "?\n"
		if want == "" {
			hint = "hint: entire-plumb --help lists the commands\n"
		}
		if !strings.HasSuffix(stderr, hint) {
			t.Errorf("%s: %q, want %q", name, stderr, hint)
		}
	}
	for name, means := range map[string]string{"pr": "summary", "cost": "stats"} {
		if _, _, stderr := call(t, name); !strings.Contains(stderr, "did you mean entire-plumb "+means+"?") {
			t.Errorf("%s: %q", name, stderr)
		}
	}
}

// TestPrintsHelp: what takes long to write is written only if it may be read.
func TestPrintsHelp(t *testing.T) {
	for line, want := range map[string]bool{"": true, "help log": true, "log --help": true, "log": false, "hooks": true, "hooks git": true, "hooks git post-commit": false, "hooks git post-commit -h": true, "status --short": false, "--version": false, "--version --help": true} {
		if got := printsHelp(append([]string{"entire-plumb"}, strings.Fields(line)...)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
