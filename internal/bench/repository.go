package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire-plumb/shadow"
)

// Refs that keep what a repository was made with, so that each measuring begins there. The last one
// to be made is ready: without it the repository is half made.
const (
	refBase        = "refs/bench/base"        // the commit of all files
	refCheckpoints = "refs/bench/checkpoints" // the branch of checkpoints, with those of -checkpoints
	refNone        = "refs/bench/none"        // the same branch before its first checkpoint
	refReady       = "refs/bench/ready"
)

// repository is one that measuring is done in.
type repository struct {
	*world
	dir     string
	program string
	hooks   string            // where git looks for hooks
	agent   map[string]string // what the agent has its shell run, by event
	paths   []string
	edits   int // so far
}

// openRepository makes the repository of n files, or finds it made, and enables the program in it.
func openRepository(w *world, program, where string, n int, o options, progress io.Writer) (*repository, error) {
	name := fmt.Sprintf("repository-%d-%d-%d", n, o.branches, o.checkpoints)
	r := &repository{world: w, dir: filepath.Join(where, name), program: program, paths: layout(n)}
	r.hooks = filepath.Join(r.dir, ".git", "hooks")
	if !r.ready() {
		fmt.Fprintf(progress, "bench: making a repository of %s files\n", grouped(n))
		if err := r.make(o); err != nil {
			return nil, err
		}
	} else if err := r.reset(); err != nil {
		return nil, err
	}
	return r, r.enable()
}

func (r *repository) ready() bool {
	if _, err := os.Stat(filepath.Join(r.dir, ".git")); err != nil {
		return false
	}
	_, err := r.git("rev-parse", "--verify", "-q", refReady)
	return err == nil
}

// init makes it an empty repository.
func (r *repository) init() error {
	if err := os.RemoveAll(r.dir); err != nil {
		return err
	}
	_, _, err := r.run(process{args: []string{"git", "init", "-q", "--template=", r.dir}})
	return err
}

func (r *repository) make(o options) error {
	if err := r.init(); err != nil {
		return err
	}
	if err := r.importAll(func(out io.Writer) { writeFiles(out, r.paths); writeCheckpoints(out, o.checkpoints, 0) }); err != nil {
		return err
	}
	refs := "create refs/heads/main " + refBase + "\n"
	for i := range o.branches {
		refs += fmt.Sprintf("create refs/heads/team%02d/topic-%d %s\n", i%40, i, refBase)
	}
	if err := r.updateRefs(refs); err != nil {
		return err
	}
	if err := r.reset(); err != nil {
		return err
	}
	return r.updateRefs("create " + refReady + " " + refBase + "\n")
}

// reset brings the repository back to how it was made: worktree, branches of the program's, its
// files and its objects.
func (r *repository) reset() error {
	if _, err := r.git("reset", "-q", "--hard", refBase); err != nil {
		return err
	}
	if _, err := r.git("clean", "-qfdx"); err != nil {
		return err
	}
	ours, err := r.git("for-each-ref", "--format=delete %(refname)", shadow.Prefix)
	if err != nil {
		return err
	}
	kept, err := r.git("for-each-ref", "--format=create "+shadow.Checkpoints+" %(objectname)", refCheckpoints)
	if err != nil {
		return err
	}
	for _, refs := range []string{ours, kept} { // apart: one ref twice in a transaction is refused
		if err := r.updateRefs(refs + "\n"); err != nil {
			return err
		}
	}
	for _, left := range []string{"entire-plumb", "entire-sessions", "hooks"} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(r.dir, ".git", left)))
	}
	if err != nil {
		return err
	}
	if _, err := r.git("reflog", "expire", "--expire=all", "--all"); err != nil {
		return err
	}
	// What an earlier measuring wrote would spare this one the writing.
	_, err = r.git("prune", "--expire=now")
	return err
}

// enable turns the program on and commits what it puts in the worktree, as a user would.
func (r *repository) enable() error {
	for _, args := range [][]string{{r.program, "enable", "--agent", "claude-code"}, {"git", "add", "-A"},
		{"git", "-c", noHooks, "commit", "-qm", "Enable entire-plumb"}} {
		if _, _, err := r.run(process{dir: r.dir, args: args}); err != nil {
			return err
		}
	}
	var err error
	if r.agent, err = agentCommands(filepath.Join(r.dir, ".claude", "settings.json")); err != nil {
		return err
	}
	select { // see age: an index that is a second younger than all files has nothing left to read again
	case <-time.After(1100 * time.Millisecond):
	case <-r.ctx.Done():
	}
	_, err = r.git("status", "--porcelain")
	return err
}

func (r *repository) git(args ...string) (string, error) {
	out, _, err := r.run(process{dir: r.dir, args: append([]string{"git"}, args...)})
	return out, err
}

func (r *repository) updateRefs(commands string) error {
	if strings.TrimSpace(commands) == "" {
		return nil
	}
	_, _, err := r.run(process{dir: r.dir, args: []string{"git", "update-ref", "--stdin"}, stdin: strings.NewReader(commands)})
	return err
}

// status is the measure of all hooks. It doesn't take the index's lock: rewriting the index would
// give the hook after it more to do, or less.
func (r *repository) status() (time.Duration, error) {
	_, took, err := r.run(process{dir: r.dir, args: []string{"git", "status", "--porcelain"}, env: []string{"GIT_OPTIONAL_LOCKS=0"}})
	return took, err
}

// next returns the files of the next turn, spread over the repository.
func (r *repository) next(n, turn int) []string {
	paths := make([]string, n)
	for i := range paths {
		paths[i] = r.paths[(turn*7+i*len(r.paths)/n)%len(r.paths)]
	}
	return paths
}

// age is how old the files are made that were just changed. Most builds of git compare time stamps
// by the second, so that a file as young as the index has to be read again; hooks of real turns
// come seconds after the changes.
const age = 10 * time.Second

// change edits files in the worktree.
func (r *repository) change(paths []string) error {
	for _, path := range paths {
		file := filepath.Join(r.dir, filepath.FromSlash(path))
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		r.edits++
		if err := os.WriteFile(file, []byte(edit(string(data), r.edits)), 0o644); err != nil {
			return err
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(file, then, then); err != nil {
			return err
		}
	}
	return nil
}

func (r *repository) stage(paths []string) error {
	_, err := r.git(append([]string{"add", "--"}, paths...)...)
	return err
}
