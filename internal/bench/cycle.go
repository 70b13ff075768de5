package main

import (
	"fmt"
	"io"
	"time"
)

// The rows of the table, in its order.
const (
	rowSessionStart     = "session-start"
	rowPromptClean      = "user-prompt-submit, clean worktree"
	rowPrompt           = "user-prompt-submit"
	rowStopFirst        = "stop, all of the transcript new"
	rowStop             = "stop"
	rowStopUnchanged    = "stop, nothing changed"
	rowSessionEnd       = "session-end"
	rowPrepareAlone     = "prepare-commit-msg, no session"
	rowPrepare          = "prepare-commit-msg"
	rowCommitMsg        = "commit-msg"
	rowPostCommit       = "post-commit"
	rowPostCommitBefore = "post-commit, no checkpoints there" // with -checkpoints
	rowCommit           = "git commit with hooks"
	unmeasured          = ""
)

var rows = []string{rowSessionStart, rowPromptClean, rowPrompt, rowStopFirst, rowStop, rowStopUnchanged, rowSessionEnd,
	rowPrepareAlone, rowPrepare, rowCommitMsg, rowPostCommit, rowPostCommitBefore, rowCommit}

// sample is one measurement.
type sample struct {
	took      time.Duration
	status    time.Duration // of git status just before
	processes int           // of git, that the hook started
	cpu       time.Duration // the processor time of the hook, and of all that it waited for
	statusCPU time.Duration // that of git status
	peak      int64         // the memory of the largest process, in bytes; 0: the system doesn't tell
}

// results are what one run measured.
type results struct {
	samples map[string]sample
	commits []time.Duration // without hooks

	commitCPU []time.Duration // of the same
}

// cycle is one run: all hooks, in the order in which a session has them.
type cycle struct {
	*repository
	results
	o    options
	n    int // of the run; the one that isn't counted is 0
	turn int
	talk *conversation

	profile *profile // nil: hooks are measured as a whole
}

// playAll plays the runs, and one before them that fills caches and isn't counted.
func playAll(r *repository, o options, progress io.Writer, p *profile) ([]results, error) {
	fmt.Fprintf(progress, "bench: measuring in %s files\n", grouped(len(r.paths)))
	var all []results
	first := 0
	if o.cold {
		first = 1
	}
	for n := first; n <= o.runs; n++ {
		c := &cycle{repository: r, o: o, n: n, results: results{samples: map[string]sample{}}, profile: p}
		var err error
		if c.talk, err = newConversation(r, fmt.Sprintf("bench-%04d", n)); err != nil {
			return nil, err
		}
		if err := c.play(); err != nil {
			return nil, err
		}
		if n > 0 {
			all = append(all, c.results)
		}
	}
	return all, nil
}

func (c *cycle) play() error {
	turns := []func() error{c.secondTurn}
	if c.o.checkpoints > 0 {
		turns = append(turns, c.turnBeforeCheckpoints)
		if c.n%2 == 1 { // neither of the two is always the later one
			turns[0], turns[1] = turns[1], turns[0]
		}
	}
	steps := append([]func() error{c.withoutSession, c.sessionStart, c.firstTurn}, append(turns, c.idleTurn, c.sessionEnd)...)
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// withoutSession commits what no agent had a part in.
func (c *cycle) withoutSession() error {
	paths := c.nextFiles()
	if err := c.change(paths); err != nil {
		return err
	}
	if err := c.stage(paths); err != nil {
		return err
	}
	return c.commitByHand(byHand{prepare: rowPrepareAlone})
}

func (c *cycle) sessionStart() error { return c.event(rowSessionStart, "session-start", nil) }
func (c *cycle) sessionEnd() error   { return c.event(rowSessionEnd, "session-end", nil) }

// firstTurn begins in a clean worktree, and the transcript is all new at its end. An ordinary
// commit follows.
func (c *cycle) firstTurn() error {
	paths := c.nextFiles()
	if err := c.oneTurn(rowPromptClean, rowStopFirst, paths, c.o.transcript); err != nil {
		return err
	}
	if err := c.stage(paths); err != nil {
		return err
	}
	return c.measure(rowCommit, c.wholeCommit)
}

// secondTurn is the one that matters most: the worktree isn't clean when it begins, and the
// transcript is long.
func (c *cycle) secondTurn() error {
	if c.o.before != nil {
		if err := c.o.before(c.repository); err != nil {
			return err
		}
	}
	return c.workAndCommit(rowPrompt, rowStop, byHand{prepare: rowPrepare, commitMsg: rowCommitMsg, postCommit: rowPostCommit,
		linked: true})
}

// turnBeforeCheckpoints is the same turn with the branch of checkpoints as it was before the first
// of them.
func (c *cycle) turnBeforeCheckpoints() error {
	tip, err := c.setCheckpoints(refNone)
	if err != nil {
		return err
	}
	if err := c.workAndCommit(unmeasured, unmeasured, byHand{postCommit: rowPostCommitBefore, linked: true}); err != nil {
		return err
	}
	_, err = c.setCheckpoints(tip)
	return err
}

// workAndCommit plays a turn on top of changes of the user's in the same files, and commits both.
func (c *cycle) workAndCommit(prompt, stop string, by byHand) error {
	paths := c.nextFiles()
	if err := c.change(paths); err != nil {
		return err
	}
	if err := c.oneTurn(prompt, stop, paths, c.o.growth); err != nil {
		return err
	}
	if err := c.stage(paths); err != nil {
		return err
	}
	return c.commitByHand(by)
}

// idleTurn is a turn in which the agent only talks.
func (c *cycle) idleTurn() error { return c.oneTurn(unmeasured, rowStopUnchanged, nil, c.o.growth) }

// oneTurn is a turn in which the agent changes files, and talks so much.
func (c *cycle) oneTurn(prompt, stop string, paths []string, talk int) error {
	if err := c.event(prompt, "user-prompt-submit", paths); err != nil {
		return err
	}
	if err := c.talk.grow(talk); err != nil {
		return err
	}
	return c.event(stop, "stop", nil)
}

func (c *cycle) nextFiles() []string {
	c.turn++
	return c.next(c.o.changed, c.n*5+c.turn)
}
