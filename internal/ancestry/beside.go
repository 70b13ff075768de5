package ancestry

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Beside gives the verb of a git command that runs in a directory or below it, whoever started it: the first that is found of those asked for; empty if none
// does, or the system doesn't tell.
func Beside(dir string, verbs []string) string { return beside("/proc", dir, verbs) }

func beside(proc, dir string, verbs []string) string {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		name, err := os.ReadFile(filepath.Join(proc, e.Name(), "comm")) // the shortest to read: most are no git
		if err != nil || !strings.HasPrefix(string(name), "git") {
			continue
		}
		p, _, err := read(proc, pid)
		if err != nil {
			continue
		}
		g, ok := parse(p)
		if !ok || !slices.Contains(verbs, g.Verb) {
			continue
		}
		at, err := os.Readlink(filepath.Join(proc, e.Name(), "cwd"))
		if err == nil && (at == dir || strings.HasPrefix(at, strings.TrimSuffix(dir, "/")+"/")) {
			return g.Verb
		}
	}
	return ""
}
