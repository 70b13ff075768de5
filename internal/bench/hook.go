package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/shadow"
)

// noHooks makes git look for hooks where none can be.
const noHooks = "core.hooksPath=/dev/null"

// measure runs git status and then the hook, as the row named; a row without a name is run alone.
func (c *cycle) measure(row string, hook func() (time.Duration, error)) error {
	if c.profile != nil && slices.Contains(profiledRows, row) {
		return c.profile.take(c, row, hook)
	}
	var s sample
	var err error
	if row != unmeasured {
		if s.status, err = c.status(); err != nil {
			return err
		}
	}
	s.statusCPU, c.peak = c.cpu, 0
	c.traced() // what wasn't measured doesn't count
	if s.took, err = hook(); err != nil || row == unmeasured {
		return err
	}
	s.processes, s.peak, s.cpu = c.traced(), c.peak, c.cpu
	c.samples[row] = s
	return nil
}

// agentCommands reads what enable made the agent call, by the event, which is the word after "hooks
// claude-code".
func agentCommands(settings string) (map[string]string, error) {
	data, err := os.ReadFile(settings)
	if err != nil {
		return nil, err
	}
	var s struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	commands := map[string]string{}
	for _, groups := range s.Hooks {
		for _, group := range groups {
			for _, hook := range group.Hooks {
				_, call, found := strings.Cut(hook.Command, " hooks claude-code ")
				if !found {
					return nil, fmt.Errorf("%s: the command %q is not ours", settings, hook.Command)
				}
				commands[call[:strings.IndexFunc(call+" ", func(r rune) bool { return r == ' ' || r == ';' })]] = hook.Command
			}
		}
	}
	return commands, nil
}

// event has the agent's hook called as Claude Code does: by a shell, in the project's directory,
// with the event on stdin. After it, the agent changes the files given.
func (c *cycle) event(row, event string, changes []string) error {
	payload, err := json.Marshal(object{"session_id": c.talk.session, "transcript_path": c.talk.path, "cwd": c.dir,
		"hook_event_name": event,
		"permission_mode": "default", "source": "startup", "prompt": fmt.Sprintf("Please do part %d of the work", c.turn)})
	if err != nil {
		return err
	}
	command, ok := c.agent[event]
	if !ok {
		return fmt.Errorf("enable wrote no hook for %s", event)
	}
	err = c.measure(row, func() (time.Duration, error) {
		_, took, err := c.run(process{dir: c.dir, args: []string{"sh", "-c", command},
			env: []string{"CLAUDECODE=1", "CLAUDE_PROJECT_DIR=" + c.dir}, stdin: bytes.NewReader(payload)})
		return took, err
	})
	if err != nil {
		return err
	}
	return c.change(changes)
}

// gitHook calls an installed hook as git does in a main worktree.
func (c *cycle) gitHook(row, name string, args ...string) error {
	return c.measure(row, func() (time.Duration, error) {
		_, took, err := c.run(process{dir: c.dir, args: append([]string{filepath.Join(c.hooks, name)}, args...), env: []string{
			"GIT_INDEX_FILE=.git/index", "GIT_EDITOR=:", "GIT_PREFIX=",
			// No git commit is above the hook, and then the author's date of HEAD, which may be of
			// this very second, would make it an amend.
			"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", fmt.Sprintf("GIT_AUTHOR_DATE=@%d +0000",
				time.Now().Add(time.Hour).Unix())}})
		return took, err
	})
}

// byHand names the rows of the hooks of a commit that is made step by step.
type byHand struct {
	prepare, commitMsg, postCommit string
	linked                         bool // whether the commit must come out with a link
}

const messageFile = ".git/COMMIT_EDITMSG"

// commitByHand does what git commit does with hooks installed, with each hook apart and the commit
// itself without them, which is the other measure of all hooks.
func (c *cycle) commitByHand(by byHand) error {
	file := filepath.Join(c.dir, filepath.FromSlash(messageFile))
	if err := os.WriteFile(file, []byte(c.subject()+"\n"), 0o644); err != nil {
		return err
	}
	if err := c.gitHook(by.prepare, "prepare-commit-msg", messageFile, "message"); err != nil {
		return err
	}
	message, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if linked := strings.Contains(string(message), "\nEntire-Checkpoint: "); linked != by.linked {
		return fmt.Errorf("what was measured is not what should be: the message has a link: %t\n%s", linked, message)
	}
	if err := c.gitHook(by.commitMsg, "commit-msg", messageFile); err != nil {
		return err
	}
	_, took, err := c.run(process{dir: c.dir, args: []string{"git", "-c", noHooks, "commit", "-q", "-F", messageFile}})
	if err != nil {
		return err
	}
	c.commits, c.commitCPU = append(c.commits, took), append(c.commitCPU, c.cpu)
	return c.condensed(by.linked, func() error { return c.gitHook(by.postCommit, "post-commit") })
}

// wholeCommit is git commit with the installed hooks.
func (c *cycle) wholeCommit() (took time.Duration, err error) {
	err = c.condensed(true, func() error {
		_, took, err = c.run(process{dir: c.dir, args: []string{"git", "commit", "-qm", c.subject()}})
		return err
	})
	return took, err
}

// condensed checks that a commit made a checkpoint, or made none: a hook that gave up would be
// measured as a fast one.
func (c *cycle) condensed(wanted bool, commit func() error) error {
	before, _ := c.git("rev-parse", "--verify", "-q", shadow.Checkpoints) // there may be none yet
	if err := commit(); err != nil {
		return err
	}
	after, _ := c.git("rev-parse", "--verify", "-q", shadow.Checkpoints)
	if (before != after) != wanted {
		return errors.New("what was measured is not what should be: " + shadow.Checkpoints + " was at " + before + " and is at " + after)
	}
	return nil
}

// setCheckpoints points the branch of checkpoints to another commit, and gives the one that it was
// at.
func (c *cycle) setCheckpoints(to string) (from string, err error) {
	if from, err = c.git("rev-parse", "--verify", "-q", shadow.Checkpoints); err != nil {
		return "", err
	}
	_, err = c.git("update-ref", shadow.Checkpoints, to)
	return from, err
}

func (c *cycle) subject() string { return fmt.Sprintf("Work of turn %d in run %d", c.turn, c.n) }
