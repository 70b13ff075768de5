// Package ancestry finds the processes above this one: the git command that called a hook, and the
// agent, if any.
package ancestry

// It reads /proc, on macOS the kernel's own tables. Where a system has neither nothing is known,
// and callers use other evidence: see Unknown.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Process is a process, distinguishable from a later one with the same ID.
type Process struct {
	ID      int      `json:"pid"`
	Started string   `json:"started"` // in the system's own unit
	Space   string   `json:"pid_namespace,omitempty"`
	Name    string   `json:"-"`
	Args    []string `json:"-"` // of git alone; the first is its name
}

// Same reports whether both are the same process.
func (p Process) Same(q Process) bool { return p.ID == q.ID && p.Started == q.Started }

// Alive reports whether the process still runs.
func (p Process) Alive() bool {
	now, _, err := look(p.ID)
	return err == nil && p.Same(now)
}

// Visible reports whether a process here could see it. In another PID namespace, such as that of a
// container, it has another ID or none.
func (p Process) Visible() bool { return p.Space == "" || p.Space == space("/proc") }

// space names the PID namespace whose IDs this process sees; empty: not known.
func space(proc string) string {
	name, _ := os.Readlink(filepath.Join(proc, "self", "ns", "pid"))
	return name
}

// git reports whether the process is a git command, whose arguments are of interest.
func (p Process) git() bool { return p.Name == "git" || strings.HasPrefix(p.Name, "git-") }

// deepest limits the number of ancestors.
const deepest = 64

// Of lists the processes above this one, its parent first. It is empty if the system doesn't show
// them.
func Of() []Process { return above(look, os.Getppid()) }

// above follows the parents of a process, which look gives with it.
func above(look func(pid int) (p Process, parent int, err error), pid int) []Process {
	var found []Process
	for range deepest {
		if pid <= 0 {
			break
		}
		p, parent, err := look(pid)
		if err != nil {
			break
		}
		found = append(found, p)
		pid = parent
	}
	return found
}

// Below is the one of the processes above this one that another one of them started; ok is false
// where that one is not among them, or is the nearest.
func Below(above []Process, started Process) (p Process, ok bool) {
	i := slices.IndexFunc(above, started.Same)
	if i < 1 {
		return Process{}, false
	}
	return above[i-1], true
}

// read parses a process's stat file: "pid (name) state ppid …"; the start time is the 22nd field.
func read(proc string, pid int) (p Process, parent int, err error) {
	dir := filepath.Join(proc, strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return p, 0, err
	}
	begin, end := strings.IndexByte(string(stat), '('), strings.LastIndexByte(string(stat), ')') // a name may contain parentheses
	if begin < 0 || end < begin {
		return p, 0, fmt.Errorf("%s/stat is not understood", dir)
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 20 {
		return p, 0, fmt.Errorf("%s/stat is not understood", dir)
	}
	if parent, err = strconv.Atoi(fields[1]); err != nil {
		return p, 0, err
	}
	p = Process{ID: pid, Started: fields[19], Space: space(proc), Name: string(stat[begin+1 : end])}
	if p.git() {
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			return p, 0, err
		}
		p.Args = strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")
	}
	return p, parent, nil
}

// launchers are programs that only start others, and are never an agent.
var launchers = []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "env", "timeout", "nice", "setsid", "sudo", "su", "xargs"}

// Agent is the process that calls an agent's hook: the nearest one that isn't a launcher.
func Agent(above []Process) (Process, bool) {
	for _, p := range above {
		if !slices.Contains(launchers, p.Name) && p.ID > 1 {
			return p, true
		}
	}
	return Process{}, false
}

// Git is a git command that called a hook.
type Git struct {
	Verb string   // commit, rebase, …
	Args []string // after the verb
}

// Commands lists the git commands above, nearest first.
func Commands(above []Process) []Git {
	var found []Git
	for _, p := range above {
		if g, ok := parse(p); ok {
			found = append(found, g)
		}
	}
	return found
}

// Command is the git command that a process runs; ok is false if it runs none, or cannot be seen.
func Command(pid int) (g Git, ok bool) {
	p, _, err := look(pid)
	if err != nil {
		return g, false
	}
	return parse(p)
}

// takesValue are git's own options with a separate value.
var takesValue = []string{"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--exec-path",
	"--attr-source"}

func parse(p Process) (Git, bool) {
	if len(p.Args) == 0 {
		return Git{}, false
	}
	if verb, ok := strings.CutPrefix(filepath.Base(p.Args[0]), "git-"); ok {
		return Git{Verb: verb, Args: p.Args[1:]}, true
	}
	for i := 1; i < len(p.Args); i++ {
		switch arg := p.Args[i]; {
		case slices.Contains(takesValue, arg):
			i++
		case !strings.HasPrefix(arg, "-"):
			return Git{Verb: arg, Args: p.Args[i+1:]}, true
		}
	}
	return Git{}, false
}

// Commits reports whether the command makes a commit for the user: git commit, or git merge
// --continue, also abbreviated, which makes the commit itself. Other commands with --continue have
// git commit below them.
func (g Git) Commits() bool {
	return g.Verb == "commit" || g.Verb == "merge" && slices.ContainsFunc(g.Args, func(arg string) bool {
		return len(arg) >= len("--con") && strings.HasPrefix("--continue", arg)
	})
}

// Amends reports whether the command is `git commit --amend`, also abbreviated.
func (g Git) Amends() bool {
	return g.Verb == "commit" && slices.ContainsFunc(g.options(), func(arg string) bool {
		return len(arg) >= len("--am") && strings.HasPrefix("--amend", arg)
	})
}

// Cleanup is the value of `git commit --cleanup`; empty without the option.
func (g Git) Cleanup() string {
	value := ""
	options := g.options()
	for i, arg := range options {
		if v, ok := strings.CutPrefix(arg, "--cleanup="); ok {
			value = v
		} else if arg == "--cleanup" && i+1 < len(options) {
			value = options[i+1]
		}
	}
	return value
}

// withValue are long options of `git commit` with a separate value, unless it follows a "=".
var withValue = []string{"--message", "--file", "--author", "--date", "--template", "--reuse-message", "--reedit-message", "--fixup",
	"--squash", "--trailer", "--pathspec-from-file"}

// options are the arguments before the paths, without separate values, except that of --cleanup.
func (g Git) options() []string {
	var options []string
	for i := 0; i < len(g.Args) && g.Args[i] != "--"; i++ {
		arg := g.Args[i]
		options = append(options, arg)
		short := len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.ContainsRune("mFCct", rune(arg[len(arg)-1]))
		if short || slices.Contains(withValue, arg) {
			i++
		}
	}
	return options
}
