package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// together runs functions at the same time, and gives all their errors.
func together(run ...func() error) error {
	errs := make([]error, len(run))
	var wg sync.WaitGroup
	for i, f := range run {
		wg.Go(func() { errs[i] = f() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// TestTwoStopsAtOnce ends the turns of two sessions in one worktree at the same instant.
func TestTwoStopsAtOnce(t *testing.T) {
	t.Parallel()
	testdir.InTime(t)
	w := newWorld(t)
	rounds := testdir.Times(6, 2) // the last of a pair commits
	both := func(event, text string) error {
		return together(func() error { return w.agent(nil, event, "s1", text) }, func() error { return w.agent(nil, event, "s2", text) })
	}
	acked := acknowledged{}
	for round := range rounds {
		testdir.Must(t, both("user-prompt-submit", "Both at once"))
		one, two := fmt.Sprintf("one%d.txt", round), fmt.Sprintf("two%d.txt", round)
		w.write(one, "by the first", fmt.Sprint(round))
		w.write(two, "by the second", fmt.Sprint(round))
		testdir.Must(t, both("stop", "Done."))
		acked.stopped(w, one, two)
		testdir.Must(t, errors.Join(w.promises(), acked.lost(w)))
		if round%2 == 1 {
			w.git("add", "-A")
			w.git("commit", "-qm", "Both")
			testdir.Must(t, errors.Join(w.promises(), acked.committed(w, "HEAD")))
			link := w.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=%x20)")
			sessions := w.git("grep", "-h", `"session_id"`, "entire/checkpoints/v1", "--", link[:2]+"/"+link[2:])
			if !strings.Contains(sessions, `"s1"`) || !strings.Contains(sessions, `"s2"`) {
				t.Fatalf("round %d: the checkpoint holds only %s", round, sessions)
			}
		}
	}
	if len(acked) > 0 {
		t.Errorf("not committed: %q", slices.Collect(maps.Keys(acked)))
	}
}

// TestStopBesideCommit ends one session's turn while the user commits another's work in the same
// worktree, so that HEAD moves beneath the hook.
func TestStopBesideCommit(t *testing.T) {
	t.Parallel()
	testdir.InTime(t)
	w := newWorld(t)
	rounds := testdir.Times(6, 2) // the last of a pair commits
	acked := acknowledged{}
	for round := range rounds {
		for _, s := range []string{"s1", "s2"} {
			testdir.Must(t, w.agent(nil, "user-prompt-submit", s, "Beside a commit"))
		}
		one, two := fmt.Sprintf("one%d.txt", round), fmt.Sprintf("two%d.txt", round)
		w.write(one, "by the first", fmt.Sprint(round))
		testdir.Must(t, w.agent(nil, "stop", "s1", "Done."))
		acked.stopped(w, one)
		w.git("add", one)
		w.write(two, "by the second", fmt.Sprint(round))
		err := together(
			func() error {
				_, err := w.run(nil, nil, "git", "commit", "-qm", "The first's work")
				return err
			},
			func() error {
				time.Sleep(time.Duration(round) * 5 * time.Millisecond)
				_, err := w.run(nil, w.payload("stop", "s2", "Done."), "entire-plumb", "hooks", "claude-code", "stop")
				return err
			})
		testdir.Must(t, err)
		acked.stopped(w, two)
		commit := w.git("rev-parse", "HEAD")
		if err := errors.Join(w.promises(), acked.committed(w, commit), acked.lost(w)); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if round%2 == 1 {
			w.git("add", "-A")
			w.git("commit", "-qm", "The second's work")
			if err := errors.Join(w.promises(), acked.committed(w, "HEAD"), acked.lost(w)); err != nil {
				t.Fatalf("round %d, the second's: %v", round, err)
			}
		}
	}
}

// TestTurnCommitBesideCommit lets a turn's end commit (auto-commit) while the user commits work of
// their own. Nothing of either is lost: the turn's is in a commit of its own, or on a stream; and
// theirs is all but never refused.
func TestTurnCommitBesideCommit(t *testing.T) {
	t.Parallel()
	whole(t)
	w := newWorld(t)
	w.write(".entire/settings.local.json", `{"strategy": "auto-commit"}`)
	hook := func(event string) error {
		_, err := w.run(nil, w.payload(event, "s", "A turn"), "entire-plumb", "hooks", "claude-code", event)
		return err
	}
	least, rounds, turns, unlucky := 5, 0, 0, 0
	if testing.Short() {
		least = 4
	}
	delay := 60 * time.Millisecond // goes to where both come at the same instant, however fast the machine is
	for ; rounds < least || rounds < 80 && (turns == 0 || turns == rounds); rounds++ {
		round := rounds
		content := fmt.Sprint(round)
		w.write("mine.txt", content)
		w.git("add", "mine.txt")
		testdir.Must(t, hook("user-prompt-submit"))
		w.write("turn.txt", content)
		err := together(
			func() error { return hook("stop") },
			func() error {
				time.Sleep(delay)
				_, err := w.run(nil, nil, "git", "commit", "-qm", "Mine")
				// it has read HEAD just in the moment in which that moved
				if err != nil && strings.Contains(err.Error(), "cannot lock ref 'HEAD'") {
					unlucky++
					_, err = w.run(nil, nil, "git", "commit", "-qm", "Mine")
				}
				return err
			})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if got := w.git("show", "HEAD:mine.txt"); got != content {
			t.Fatalf("round %d: HEAD has %q of the user's\n%s", round, got, w.git("log", "-g", "-4", "-p", "--format=%n%h %p %gs %cd %s"))
		}
		if got := w.git("status", "--porcelain"); got == "" {
			turns++
			delay = delay * 3 / 4
		} else if streams := w.git("for-each-ref", "refs/heads/entire/", "--format=%(refname)"); !strings.Contains(streams, "-1") {
			t.Fatalf("round %d: the turn is nowhere: %q, %q", round, got, streams)
		} else {
			w.git("add", "-A")
			w.git("commit", "-qm", "What is left")
			delay = delay*5/4 + 2*time.Millisecond
		}
		if err := w.promises(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	t.Logf("%d of %d turns were committed, git refused the user's commit %d times", turns, rounds, unlucky)
	if turns == rounds || turns == 0 || unlucky > 2 {
		t.Error("that is not what was to be tried")
	}
}

// TestTurnCommitsAtOnce ends the turns of several sessions in one worktree at the same instant
// (auto-commit): each is a commit of its own file.
func TestTurnCommitsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".entire/settings.local.json", `{"strategy": "auto-commit"}`)
	hook := func(event, id string) error {
		_, err := w.run(nil, w.payload(event, id, "A turn"), "entire-plumb", "hooks", "claude-code", event)
		return err
	}
	ids := []string{"s1", "s2", "s3", "s4"}
	var stops []func() error
	for _, id := range ids {
		testdir.Must(t, hook("user-prompt-submit", id))
	}
	for _, id := range ids {
		w.write(id+".txt", id)
		w.record(filepath.Join(w.home, id+".jsonl"), map[string]any{"type": "assistant",
			"message": map[string]any{"role": "assistant", "content": []any{
				map[string]any{"type": "tool_use", "name": "Write", "input": map[string]any{"file_path": filepath.Join(w.repo, id+".txt")}}}}})
		stops = append(stops, func() error { return hook("stop", id) })
	}
	testdir.Must(t, together(stops...))
	for _, id := range ids {
		if got := strings.TrimSpace(w.git("log", "--format=%s", "--name-only", "--", id+".txt")); got != "A turn\n\n"+id+".txt" {
			t.Errorf("%s is in %q", id, got)
		}
	}
	if got := w.git("status", "--porcelain"); got != "" {
		t.Errorf("left: %q", got)
	}
	if err := w.promises(); err != nil {
		t.Error(err)
	}
}

// TestWorktreesAtOnce lets agents and users work in several worktrees at the same time, while git
// packs refs and collects garbage beside them. Nothing is lost.
func TestWorktreesAtOnce(t *testing.T) {
	t.Parallel()
	whole(t)
	const worktrees = 4
	rounds := 7
	if testing.Short() {
		rounds = 4 // the last of a pair commits
	}
	w := newWorld(t)
	desks := []*desk{{where: w, name: "main", acked: acknowledged{}}}
	for i := range worktrees - 1 {
		name := fmt.Sprintf("side%d", i)
		dir := filepath.Join(w.home, name)
		w.git("worktree", "add", "-q", "-b", name, dir)
		desks = append(desks, &desk{where: where{w.world, dir}, name: name, acked: acknowledged{}})
	}
	over := make(chan struct{})
	var beside sync.WaitGroup
	for _, args := range [][]string{{"pack-refs", "--all"}, {"gc", "-q"}} {
		beside.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(5 * time.Millisecond):
					w.run(nil, nil, "git", args...) // it may find a lock taken, as the user's would
				}
			}
		})
	}
	var work []func() error
	for _, d := range desks {
		work = append(work, func() error { return d.work(rounds) })
	}
	err := together(work...)
	close(over)
	beside.Wait()
	testdir.Must(t, err)
	for _, d := range desks {
		if err := d.check(); err != nil {
			t.Errorf("%s: %v", d.name, err)
		}
	}
	if err := w.promises(); err != nil {
		t.Error(err)
	}
}

// desk is a worktree where a session is at work.
type desk struct {
	where
	name    string
	acked   acknowledged
	commits []string
}

// work makes turns, and a commit after every third, whose files it notes together with what was
// recorded of them.
func (d *desk) work(rounds int) error {
	for round := range rounds {
		prompt := func() error { return d.agent(nil, "user-prompt-submit", d.name, fmt.Sprintf("Round %d", round)) }
		if err := patiently(prompt); err != nil {
			return err
		}
		file := fmt.Sprintf("%s-%d.txt", d.name, round)
		d.write(file, "by the agent of "+d.name, fmt.Sprint(round))
		if err := patiently(func() error { return d.agent(nil, "stop", d.name, "Done.") }); err != nil {
			return err
		}
		d.acked.stopped(d.where, file)
		if round%3 != 1 {
			continue
		}
		commit := func() error {
			_, err := d.run(nil, nil, "sh", "-c", "git add -A && git commit -qm 'By the user'")
			return err
		}
		if err := patiently(commit); err != nil {
			return err
		}
		d.commits = append(d.commits, d.git("rev-parse", "HEAD"))
	}
	return nil
}

// patiently tries again what failed: git gc removes a directory while another git is about to write
// to it, and takes a pack away that another is about to read. The user's own git commit was seen to
// fail so. What is lost stays lost.
func patiently(try func() error) error {
	err := try()
	for n := 0; err != nil && n < 8; n++ {
		time.Sleep(100 * time.Millisecond)
		err = try()
	}
	return err
}

// check holds the commits, and then the streams, against what was recorded. The next turn begins
// before: it makes up for a hook beneath which git failed.
func (d *desk) check() error {
	if err := d.agent(nil, "user-prompt-submit", d.name, "Go on"); err != nil {
		return err
	}
	for _, c := range d.commits {
		if err := d.acked.committed(d.where, c); err != nil {
			return err
		}
	}
	return d.acked.lost(d.where)
}
