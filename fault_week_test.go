package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testserver"
)

// TestWeek plays the week of a team: three clones, and a server over http that asks for a password
// and behaves worse from day to day. In the evening git itself says what has arrived.
func TestWeek(t *testing.T) {
	t.Parallel()
	k := newWeek(t)
	for _, day := range []struct {
		name  string
		play  func()
		whole bool // only where all is tested
	}{
		{"two push at once", k.atOnce, false},
		{"a colleague goes on", k.colleague, true},
		{"a squash on the server", k.squash, true},
		{"what is never pushed, and what is replaced", k.private, true},
		{"a refusing server", k.refusing, false},
		{"a hanging server", k.hanging, true},
		{"a hook that takes longer than the push waits", k.slowHook, true},
		{"a slow line", k.slowLine, true},
		{"a connection that is cut, and a hook that is killed", k.killed, true},
		{"a password that no program answers", k.unasked, true},
		{"a server that lets nobody in", k.lockedOut, true},
	} {
		if day.whole && !all() {
			continue
		}
		testdir.InTime(t)
		begun := time.Now()
		day.play()
		k.evening(day.name)
		t.Logf("%s: %s", day.name, time.Since(begun).Round(time.Millisecond))
	}
}

const (
	weekPatience = 20               // push_timeout_seconds, on a busy machine
	weekMargin   = 10 * time.Second // what a push may take beside
	ofEntire     = "entire/"        // refs of the checkpoints, and not those of the user's
	weekPassword = "tom:secret"
)

// week is three clones and their server.
type week struct {
	t      *testing.T
	random *rand.Rand
	server *testserver.Server
	bare   where
	team   []*member
	turns  int
	once   map[string]bool // checkpoints that commits link which the server has or had
	hidden []string        // texts of conversations that must not leave
}

// member is one of the team, in a clone.
type member struct {
	where
	week  *week
	limit time.Duration   // how long a push may take
	stays map[string]bool // checkpoints that stay here
}

// inPush is what a push came to.
type inPush struct {
	said string // by the hook
	err  error
}

func newWeek(t *testing.T) *week {
	first := newWorld(t)
	k := &week{t: t, random: rand.New(rand.NewPCG(31, 5)), once: map[string]bool{}}
	root := filepath.Join(first.home, "served")
	k.bare = where{first.world, filepath.Join(root, "team.git")}
	testdir.Must(t, os.MkdirAll(root, 0o755))
	first.git("init", "-q", "--bare", k.bare.dir)
	server, err := testserver.Start(root)
	testdir.Must(t, err)
	t.Cleanup(server.Close)
	k.server = server
	server.Set(testserver.Mode{Password: weekPassword})
	for name, text := range map[string]string{"token": "case $1 in Username*) echo tom ;; *) echo secret ;; esac\n",
		"ssh-askpass": "case $1 in Username*) echo tom ;; *) echo secret ;; esac\n"} {
		testdir.Must(t, os.WriteFile(filepath.Join(first.home, name), []byte("#!/bin/sh\n"+text), 0o755))
	}
	first.env = append(first.env, "GIT_ASKPASS="+filepath.Join(first.home, "token"), "GIT_TERMINAL_PROMPT=0")
	k.join(first, server.URL+"/team.git")
	return k
}

// join makes the clones. Where the checkpoints go is said once, by enable if it can.
func (k *week) join(first where, address string) {
	first.git("remote", "add", "origin", address)
	for i, name := range []string{"ada", "ben", "cleo"} {
		m := &member{where: where{first.world, first.dir}, week: k, stays: map[string]bool{}}
		if i > 0 {
			m.dir = filepath.Join(first.home, name)
			first.git("clone", "-q", address, m.dir)
			m.must("entire-plumb", "enable", "--agent", "claude-code")
		}
		m.git("config", "user.name", name)
		m.waits(weekPatience)
		k.team = append(k.team, m)
		if i == 0 {
			m.ok(m.push("-u", "origin", "main"), "")
		}
		m.git("switch", "-qc", name)
		m.work("first of " + name)
		says := "" // enable has said it
		if i == 0 {
			says = "checkpoints go with pushes to origin"
		}
		m.ok(m.push("-u", "origin", name), says)
	}
	k.evening("the first day")
}

// waits sets how many seconds a push waits for the checkpoints.
func (m *member) waits(seconds int) {
	m.limit = time.Duration(seconds)*time.Second + weekMargin
	m.write(".entire/settings.local.json", fmt.Sprintf(`{"strategy_options": {"push_timeout_seconds": %d}}`, seconds))
}

// turn has an agent write a file of its own in a session, and commits that.
func (m *member) turn(id, text string) (link string) {
	m.week.t.Helper()
	m.week.turns++
	file := fmt.Sprintf("work%03d.txt", m.week.turns)
	testdir.Must(m.t, m.agent(nil, "user-prompt-submit", id, text))
	m.write(file, "what the agent wrote in "+file, text, fmt.Sprint(m.week.random.Uint64()))
	testdir.Must(m.t, m.agent(nil, "stop", id, "Done: "+text))
	m.git("add", file)
	m.git("commit", "-qm", text)
	link = m.link("HEAD")
	if link == "" {
		m.t.Fatalf("%s: no link", text)
	}
	return link
}

func (m *member) link(rev string) string {
	return m.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=%x20)", rev)
}

// work is a turn in a session of its own.
func (m *member) work(text string) string {
	return m.turn(fmt.Sprintf("session-%d", m.week.turns), text)
}

// hide is work that never leaves.
func (m *member) hide(text string) {
	marker := fmt.Sprintf("MARKER-%x", m.week.random.Uint64())
	m.week.hidden = append(m.week.hidden, marker)
	m.stays[m.work(text+" "+marker)] = true
}

// push is the user's push, with its hooks.
func (m *member) push(args ...string) inPush { return m.pushIn(nil, args...) }

func (m *member) pushIn(env []string, args ...string) inPush {
	cmd := exec.Command("git", append([]string{"push", "-q"}, args...)...)
	cmd.Dir, cmd.Env = m.dir, append(slices.Clip(m.env), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	begun := time.Now()
	err := cmd.Run()
	if took := time.Since(begun); took > m.limit {
		err = errors.Join(err, fmt.Errorf("git push took %s", took))
	}
	return inPush{said.String(), err}
}

// ok checks that a push succeeded, and what its hook said of the checkpoints; empty: nothing.
func (m *member) ok(p inPush, says string) {
	m.t.Helper()
	if p.err != nil {
		m.t.Fatalf("git push: %v\n%s", p.err, p.said)
	}
	m.week.noteServer()
	if says == "" && p.said != "" || !regexp.MustCompile(says).MatchString(p.said) {
		m.t.Errorf("git push is to say %q, and says:\n%s", says, p.said)
	}
}

// behave has the server behave in a way, but for its password, and forgets what was counted.
func (k *week) behave(mode testserver.Mode) {
	k.server.Wait()
	mode.Password = weekPassword
	k.server.Set(mode)
	k.server.Counts()
}

// quiet checks that a push says nothing, and asks the server for no more than git does.
func (m *member) quiet(p inPush) {
	m.t.Helper()
	m.ok(p, "")
	if requests, _ := m.week.server.Counts(); requests > 4 { // two each, and each asks for the password
		m.t.Errorf("a push that is not to try makes %d requests", requests)
	}
}

func (m *member) commit(text string) { m.git("commit", "-q", "--allow-empty", "-m", text) }

func (k *week) someone() *member { return k.team[k.random.IntN(len(k.team))] }

func (k *week) atOnce() {
	rounds := 1
	if all() {
		rounds = 4
	}
	for round := range rounds {
		a := k.random.IntN(3)
		pair := []*member{k.team[a], k.team[(a+1)%3]}
		var done [2]inPush
		for _, m := range pair {
			m.work(fmt.Sprint("at once ", round))
		}
		push := func(i int) func() error {
			return func() error { done[i] = pair[i].push("origin", "HEAD"); return done[i].err }
		}
		if err := together(push(0), push(1)); err != nil {
			k.t.Fatalf("two pushes at once: %v\n%s\n%s", err, done[0].said, done[1].said)
		}
		for i := range done {
			pair[i].ok(done[i], "")
		}
	}
}

func (k *week) colleague() {
	a, b := k.team[0], k.team[1]
	a.git("switch", "-qc", "handed-over")
	a.turn("shared", "Begin it")
	a.ok(a.push("-u", "origin", "handed-over"), "")
	b.git("fetch", "-q", "origin")
	if out := b.must("entire-plumb", "resume", "handed-over"); !strings.Contains(out, "shared") {
		k.t.Errorf("resume restores no conversation: %s", out)
	}
	b.turn("shared", "Go on with it")
	b.ok(b.push("origin", "handed-over"), "")
	a.git("pull", "-q")
	if out := a.must("entire-plumb", "show", "--transcript", "--all", "HEAD"); !strings.Contains(out, "Begin it") || !strings.Contains(out, "Go on with it") {
		k.t.Errorf("the conversation is not whole:\n%s", out)
	}
	a.git("switch", "-q", "ada")
	b.git("switch", "-q", "ben")
}

func (k *week) squash() {
	m, c := k.team[2], k.team[0]
	m.git("switch", "-qc", "topic", "origin/main")
	m.work("the first half")
	m.work("the second half")
	m.ok(m.push("origin", "topic"), "")
	web := where{c.world, filepath.Join(c.home, "web")}
	c.git("clone", "-q", k.bare.dir, web.dir)
	web.git("merge", "-q", "--squash", "origin/topic")
	web.git("commit", "-qm", "Topic (#1)")
	web.git("push", "-q", "origin", "main", ":topic")
	c.git("switch", "-q", "main")
	c.git("pull", "-q")
	if out := c.must("entire-plumb", "why", "HEAD"); !strings.Contains(out, "beside the commit") {
		k.t.Errorf("the squash is not found:\n%s", out)
	}
	c.git("switch", "-q", "ada")
	m.git("switch", "-q", "cleo")
}

func (k *week) private() {
	m := k.someone()
	mine := m.git("branch", "--show-current")
	m.git("switch", "-qc", "never-pushed")
	m.hide("on a branch")
	m.git("switch", "-q", mine)
	m.hide("undone")
	m.git("reset", "-q", "--hard", "HEAD~1")
	m.work("amended")
	m.git("commit", "-q", "--amend", "-m", "Amended")
	m.ok(m.push("origin", mine), "")
	m.git("commit", "-q", "--amend", "-m", "Amended again")
	m.ok(m.push("--force", "origin", mine), "")
	m.git("switch", "-q", "--detach")
	m.work("detached")
	m.ok(m.push("origin", "HEAD:refs/heads/detached"), "")
	m.git("switch", "-q", mine)
	m.ok(m.push("origin", ":detached"), "")
	m.hide("undone by another way")
	m.git("update-ref", "-m", "away", "refs/heads/"+mine, "HEAD~1")
	m.git("reset", "-q", "--hard")
	m.commit("Nothing of an agent's")
	m.ok(m.push("origin", mine), "")
}

func (k *week) refusing() {
	m := k.someone()
	k.behave(testserver.Mode{Of: ofEntire, Refuse: true})
	m.work("refused")
	m.ok(m.push("origin", "HEAD"), "it refuses entire/checkpoints/v1: .*\nhint: .*pushSessions.*\nhint: .*checkpointRemote.*\nhint: .*entire-plumb sync")
	m.work("refused, too")
	k.behave(testserver.Mode{Of: ofEntire, Refuse: true})
	m.quiet(m.push("origin", "HEAD"))
	k.behave(testserver.Mode{})
}

func (k *week) hanging() {
	m := k.someone()
	m.waits(1)
	k.behave(testserver.Mode{Of: ofEntire, Hang: true})
	m.work("it hangs")
	m.ok(m.push("origin", "HEAD"), "(no answer within|takes longer than) .*\nhint: they go with the next push")
	m.work("it hangs again")
	m.ok(m.push("origin", "HEAD"), "(no answer within|takes longer than) .*\nhint: pushes try again after 5 minutes")
	m.commit("Meanwhile")
	k.behave(testserver.Mode{Of: ofEntire, Hang: true})
	m.quiet(m.push("origin", "HEAD"))
	k.behaveAtOnce()
	m.waits(weekPatience)
}

// slowHook: the server takes the checkpoints after the hook has given up. The next push asks.
func (k *week) slowHook() {
	m := k.someone()
	m.waits(1)
	k.behave(testserver.Mode{Of: ofEntire, Hold: true})
	m.work("a hook that takes its time")
	m.ok(m.push("origin", "HEAD"), "(no answer within|takes longer than)")
	k.behaveAtOnce()
	m.waits(weekPatience)
	m.work("after it")
	m.ok(m.push("origin", "HEAD"), "")
}

// behaveAtOnce ends a mode before its requests have ended.
func (k *week) behaveAtOnce() {
	k.server.Set(testserver.Mode{Password: weekPassword})
	k.behave(testserver.Mode{})
}

// slowLine: what doesn't fit into the time of one push goes in portions. Where two pushes in a row
// brought none, others try some time later.
func (k *week) slowLine() {
	const much = 6
	m := k.someone()
	m.waits(2)
	for n := range much {
		var noise strings.Builder
		for noise.Len() < 5_000 {
			fmt.Fprintf(&noise, "%x", k.random.Uint64())
		}
		m.work(fmt.Sprint("much ", n, noise.String()))
	}
	m.git("push", "-q", "--no-verify", "origin", "HEAD")
	k.behave(testserver.Mode{Of: ofEntire, Rate: 30_000})
	pushes, want := 0, len(k.arrived())+much
	for ; len(k.arrived()) < want; pushes++ {
		if pushes == 3*much {
			k.t.Fatalf("%d of %d checkpoints have arrived by %d pushes", len(k.arrived()), want, pushes)
		}
		m.commit("Meanwhile")
		later := time.Now().AddDate(0, 0, 2*pushes).UTC().Format(time.RFC3339)
		if p := m.pushIn([]string{"ENTIRE_TEST_NOW=" + later}, "origin", "HEAD"); p.err != nil {
			k.t.Fatal(p.err, p.said)
		}
		k.server.Wait()
	}
	k.t.Logf("%d checkpoints arrived by %d pushes", much, pushes)
	k.behave(testserver.Mode{})
	m.waits(weekPatience)
}

func (k *week) killed() {
	m := k.someone()
	m.work("cut off")
	k.behave(testserver.Mode{Of: ofEntire, Cut: 600})
	m.ok(m.push("origin", "HEAD"), "checkpoints are not on origin yet: .*\nhint: they go with the next push")
	k.behave(testserver.Mode{})
	for range 3 {
		m.work("killed")
		delay := time.Duration(10+k.random.IntN(150)) * time.Millisecond
		m.pushIn(m.kill("pre-push", "group", delay), "origin", "HEAD") // git's push may fail by it
		k.server.Wait()
		m.ok(m.push("origin", "HEAD"), "")
	}
}

// unasked: a window asks the user for the password of their own push, and not again.
func (k *week) unasked() {
	m := k.someone()
	env := []string{"GIT_ASKPASS=" + filepath.Join(m.home, "ssh-askpass")}
	m.work("by a password that is typed")
	m.ok(m.pushIn(env, "origin", "HEAD"), "could not read Username.*\nhint: git config credential.helper cache")
	m.work("by another")
	m.ok(m.pushIn(env, "origin", "HEAD"), "")
}

// lockedOut: the user's own push fails, and nothing of the checkpoints is tried.
func (k *week) lockedOut() {
	m := k.someone()
	m.work("locked out")
	k.server.Set(testserver.Mode{Password: "another"})
	if p := m.push("origin", "HEAD"); p.err == nil || strings.Contains(p.said, "entire-plumb") {
		k.t.Errorf("%v: %s", p.err, p.said)
	}
	k.behave(testserver.Mode{})
	m.ok(m.push("origin", "HEAD"), "")
}

// noteServer notes which checkpoints the commits of the server link.
func (k *week) noteServer() {
	for _, id := range strings.Fields(k.bare.git("log", "--exclude=refs/heads/entire/*", "--branches", "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=%x20)")) {
		k.once[id] = true
	}
}

// arrived are the checkpoints on the server's branch.
func (k *week) arrived() map[string]bool { return checkpointsIn(k.bare, "entire/checkpoints/v1") }

func checkpointsIn(w where, rev string) map[string]bool {
	found := map[string]bool{}
	for _, name := range strings.Fields(w.git("ls-tree", "-r", "--name-only", rev)) {
		if parts := strings.Split(name, "/"); len(parts) == 3 && parts[2] == "metadata.json" {
			found[parts[0]+parts[1]] = true
		}
	}
	return found
}

// evening has all clones come to the same, and holds the server against what git says.
func (k *week) evening(day string) {
	k.t.Helper()
	k.server.Wait()
	k.noteServer()
	for range 2 {
		for _, m := range k.team {
			m.must("entire-plumb", "sync")
		}
	}
	k.noteServer()
	there := k.arrived()
	if !maps.Equal(there, k.once) {
		k.t.Errorf("%s: the server has checkpoints %q, and had commits with %q", day, slices.Sorted(maps.Keys(there)), slices.Sorted(maps.Keys(k.once)))
	}
	objects := k.bare.git("cat-file", "--batch-all-objects", "--batch", "--unordered")
	for _, text := range k.hidden {
		if strings.Contains(objects, text) {
			k.t.Errorf("%s: the server has %s, which no commit there is about", day, text)
		}
	}
	if left := k.bare.git("for-each-ref", "refs/entire-plumb"); strings.Count(left, "\n") >= len(k.team) {
		k.t.Errorf("%s: inboxes are left: %s", day, left)
	}
	k.bare.git("fsck", "--strict", "--no-dangling")
	for _, m := range k.team {
		m.check(day, there)
	}
	if k.t.Failed() {
		k.t.FailNow()
	}
}

// check holds a clone against the server.
func (m *member) check(day string, there map[string]bool) {
	m.git("fetch", "-q", "origin")
	m.git("fsck", "--strict", "--no-dangling")
	want := m.week.bare.git("rev-parse", "entire/checkpoints/v1")
	if got := m.git("rev-parse", "origin/entire/checkpoints/v1"); got != want {
		m.t.Errorf("%s: %s has fetched %s, and the server has %s", day, m.dir, got, want)
	}
	all := maps.Clone(there)
	maps.Copy(all, m.stays)
	if got := checkpointsIn(m.where, "entire/checkpoints/v1"); !maps.Equal(got, all) {
		m.t.Errorf("%s: %s has %q, not %q", day, m.dir, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(all)))
	}
	for line := range strings.Lines(m.git("diff", "--name-status", "--no-renames", want, "entire/checkpoints/v1")) {
		status, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		id := strings.Join(strings.SplitN(name, "/", 3)[:2], "")
		if status != "A" || !m.stays[id] {
			m.t.Errorf("%s: %s differs from the server: %s", day, m.dir, line)
		}
	}
}
