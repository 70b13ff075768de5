package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/internal/agent"
)

// program is this program's name on PATH.
const program = "entire-plumb"

// command is the shell command that an agent runs for an event. The program's own path comes first,
// because an agent that a launcher started has a short PATH; PATH comes second, because the
// settings are often shared, and the program may be moved. With neither, the command does nothing.
//
// Whatever becomes of the program, the command ends with 0: an agent stops at a 2, with which Go's
// runtime ends where there is no memory. So the shell stays, which costs a fork more than exec did;
// the trap is for a shell that can't fork, and would end with 2 by itself.
//
// It is written so that any shell understands it, fish too: Codex runs it by the user's own. That
// of the user's own settings, which is called everywhere, says so.
func (r Request) command(a agent.Agent, verb string, user bool) string {
	call := " hooks " + a.Name + " " + verb
	if user {
		call = " hooks --user " + a.Name + " " + verb
	}
	path := below(r.Getenv("HOME"), r.Exe)
	return "trap 'exit 0' EXIT; test -x " + path + " && " + path + call + "; " +
		"test ! -x " + path + " && command -v " + program + " >/dev/null 2>&1 && " + program + call + "; exit 0"
}

// below is the shell word for a file: where it is below the home directory its name doesn't tell
// whose that is, so that the command is the same for all who have it there.
func below(home, file string) string {
	real, _ := filepath.EvalSymlinks(home) // empty if it can't be read
	for _, dir := range []string{home, real} {
		if name, ok := strings.CutPrefix(file, strings.TrimSuffix(dir, "/")+"/"); ok && len(dir) > 1 && filepath.IsAbs(dir) {
			return `"$HOME"/` + word(name)
		}
	}
	return word(file)
}

// word makes a single shell word, without quotes if it needs none.
func word(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+@,", r)
	}
	if strings.TrimFunc(s, plain) == "" {
		return s
	}
	return quoted(s)
}

// onPath reports whether the shell finds a program by its name.
func onPath(getenv func(string) string, name string) bool {
	return slices.ContainsFunc(filepath.SplitList(getenv("PATH")), func(dir string) bool {
		found, err := os.Stat(filepath.Join(dir, name))
		return err == nil && !found.IsDir()
	})
}
