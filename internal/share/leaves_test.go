package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
	"entire-plumb/internal/testdir"
	"entire-plumb/shadow"
)

// leavers are clones of a server whose users commit, amend, reset, switch and push at random.
type leavers struct {
	*testing.T
	server  string
	random  *rand.Rand
	clones  []*clone
	written int
	had     map[string]bool // checkpoints that commits linked which the server had at any time
}

// TestLeaves: at any time the server's refs of checkpoints, with their histories, have checkpoints
// of commits alone that the server has or had; and in the end all of those.
func TestLeaves(t *testing.T) {
	steps := testdir.Rounds(80, 40, 12)
	for seed := range testdir.Rounds(5, 2, 2) {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			defer func(n int) { lookedAt = n }(lookedAt)
			lookedAt = []int{200, 2}[seed%2] // then most pushes have too many commits to be read one by one
			top := t.TempDir()
			l := &leavers{T: t, server: filepath.Join(top, "server.git"), random: rand.New(rand.NewSource(int64(seed))), had: map[string]bool{}}
			git(t, top, "init", "-q", "--bare", l.server)
			for i := range 3 {
				l.clones = append(l.clones, newClone(t, filepath.Join(top, strconv.Itoa(i)), l.server))
			}
			for range steps {
				l.step(l.clones[l.random.Intn(len(l.clones))])
			}
			for range 2 {
				for _, c := range l.clones {
					l.must(c.open(t.Context(), func(s *Sharing) error { _, err := s.Sync(t.Context()); return err }))
				}
			}
			l.check()
			if got := l.shared(); !maps.Equal(got, l.had) {
				t.Errorf("the server has %v, and commits that it had link %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(l.had)))
			}
			for _, c := range l.clones {
				if len(c.written) == 0 {
					continue // it may have no branch
				}
				names := git(t, c.dir, "ls-tree", "-r", "--name-only", shadow.Checkpoints)
				for _, id := range c.written {
					if !strings.Contains(names, checkpoints.Dir(id)+"/0/metadata.json") {
						t.Errorf("%s is lost", id)
					}
				}
			}
			git(t, l.server, "fsck", "--strict")
			t.Logf("%d checkpoints, %d of them shared", l.written, len(l.had))
		})
	}
}

func (l *leavers) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// step is what one user does next.
func (l *leavers) step(c *clone) {
	switch what := l.random.Intn(20); {
	case what < 6:
		l.work(c)
	case what < 7:
		git(l.T, c.dir, "commit", "-q", "--amend", "--allow-empty", "--date=2026-01-01T00:00:00Z", "--no-edit")
	case what < 9:
		if git(l.T, c.dir, "rev-list", "--count", "HEAD") != "1" {
			git(l.T, c.dir, "reset", "-q", "--hard", "HEAD~1")
		}
	case what < 11:
		l.branch(c)
	case what < 16:
		l.push(c, l.random.Intn(5) > 0)
	case what < 18:
		l.must(c.open(l.Context(), func(s *Sharing) error { _, err := s.Take(l.Context(), true); return err }))
	default:
		l.must(c.open(l.Context(), func(s *Sharing) error { _, err := s.Sync(l.Context()); return err }))
		l.check()
	}
}

// branch switches to one of three branches, which begins here unless it is there.
func (l *leavers) branch(c *clone) {
	branch := "b" + strconv.Itoa(l.random.Intn(3))
	if git(l.T, c.dir, "branch", "--list", branch) == "" {
		git(l.T, c.dir, "switch", "-q", "-c", branch)
	} else {
		git(l.T, c.dir, "switch", "-q", branch)
	}
}

func (l *leavers) work(c *clone) {
	l.written++
	id := fmt.Sprintf("%012x", 0x100000000000+int64(l.written)*0x1357913579)
	git(l.T, c.dir, "commit", "-q", "--allow-empty", "-m", "Work\n\n"+message.LinkKey+": "+id)
	l.must(c.write(l.Context(), id))
}

// push pushes the branch by force, with a hook or without one. Some hooks are stopped.
func (l *leavers) push(c *clone, hook bool) {
	to := "refs/heads/" + filepath.Base(c.dir) + "-" + git(l.T, c.dir, "symbolic-ref", "--short", "HEAD")
	sent := Sent{Tips: []gitexec.OID{gitexec.OID(git(l.T, c.dir, "rev-parse", "HEAD"))}}
	if old := git(l.T, l.server, "for-each-ref", "--format=%(objectname)", to); old != "" {
		sent.Had = []gitexec.OID{gitexec.OID(old)}
	}
	for id := range strings.FieldsSeq(git(l.T, c.dir, "rev-list", "HEAD", "--not", "--remotes=origin")) {
		sent.Add(gitexec.OID(id), []byte(git(l.T, c.dir, "log", "-1", "--format=%B", id)))
	}
	git(l.T, c.dir, "push", "-q", "--no-verify", "--force", l.server, "HEAD:"+to) // by its address: no remote-tracking branch moves
	l.note()
	if l.random.Intn(2) == 0 {
		git(l.T, c.dir, "fetch", "-q", "origin")
	}
	if !hook {
		git(l.T, c.dir, "fetch", "-q", "origin")
		return
	}
	patience := time.Hour
	if l.random.Intn(4) == 0 {
		patience = time.Duration(l.random.Intn(200)) * time.Millisecond
	}
	ctx, stop := context.WithTimeout(l.Context(), patience)
	defer stop()
	err := c.open(l.Context(), func(s *Sharing) error {
		s.Sent = sent
		_, err := s.Push(ctx)
		if err != nil {
			s.View.Owe(sent)
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		l.Fatal(err)
	}
	l.check()
}

var linkIn = regexp.MustCompile(message.LinkKey + ": ([0-9a-f]{12})")

// note notes what commits link that the server has.
func (l *leavers) note() {
	for _, found := range linkIn.FindAllStringSubmatch(git(l.T, l.server, "log", "--branches", "--exclude=*/entire/*", "--format=%B"), -1) {
		l.had[found[1]] = true
	}
}

// shared are the checkpoints that the server has, in any history.
func (l *leavers) shared() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(git(l.T, l.server, "log", "--all", "--name-only", "-m", "--format=")) {
		if id := checkpoints.EntryID(checkpoints.EntryOf(gitexec.Path(name))); id != "" {
			all[id] = true
		}
	}
	return all
}

func (l *leavers) check() {
	l.Helper()
	for id := range l.shared() {
		if !l.had[id] {
			l.Fatalf("%s has left, and no commit that the server has or had links it", id)
		}
	}
}

// TestLeavesToEachAddress: wherever a remote moves, and whichever is elected, each server gets
// checkpoints of commits alone that it has or had, and each push that succeeds brings those of its
// own commits.
func TestLeavesToEachAddress(t *testing.T) {
	steps := testdir.Rounds(120, 40, 12)
	for seed := range testdir.Rounds(10, 2, 2) {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			top := t.TempDir()
			var servers []*leavers
			random := rand.New(rand.NewSource(int64(seed)))
			for i := range 3 {
				l := &leavers{T: t, server: filepath.Join(top, strconv.Itoa(i)+".git"), random: random, had: map[string]bool{}}
				git(t, top, "init", "-q", "--bare", l.server)
				servers = append(servers, l)
			}
			c := newClone(t, filepath.Join(top, "clone"), servers[0].server)
			m := &mover{c: c, servers: servers, random: random, names: []string{"origin"}}
			for range steps {
				m.step(t)
				for _, l := range servers {
					l.check()
				}
			}
		})
	}
}

// mover is a user whose remotes change.
type mover struct {
	c       *clone
	servers []*leavers
	random  *rand.Rand
	names   []string // of the remotes
	renamed int
}

func (m *mover) step(t *testing.T) {
	any, l := m.names[m.random.Intn(len(m.names))], m.servers[m.random.Intn(len(m.servers))]
	switch what := m.random.Intn(20); {
	case what < 4:
		// The servers number the checkpoints together.
		m.servers[0].work(m.c)
	case what < 6:
		m.servers[0].branch(m.c)
	case what < 7:
		git(t, m.c.dir, "fetch", "-q", any)
	case what < 10:
		git(t, m.c.dir, "remote", "set-url", any, l.server)
	case what < 11:
		m.renamed++
		name := "r" + strconv.Itoa(m.renamed)
		git(t, m.c.dir, "remote", "rename", any, name)
		m.names[slices.Index(m.names, any)] = name
	case what < 12 && m.random.Intn(2) == 0: // by another address than it is fetched from, or by several
		how := "--replace-all"
		if m.random.Intn(2) == 0 {
			how = "--add"
		}
		git(t, m.c.dir, "config", how, "remote."+any+".pushurl", l.server)
	case what < 12 && len(m.names) < 3:
		m.renamed++
		name := "r" + strconv.Itoa(m.renamed)
		git(t, m.c.dir, "remote", "add", name, l.server)
		m.names = append(m.names, name)
	default:
		m.push(t, any, m.random.Intn(5) > 0)
	}
}

// push pushes the branch to a remote that is elected, with a hook or without one.
func (m *mover) push(t *testing.T, name string, hook bool) {
	urls := strings.Fields(git(t, m.c.dir, "remote", "get-url", "--push", "--all", name))
	to := slices.DeleteFunc(slices.Clone(m.servers), func(l *leavers) bool { return !slices.Contains(urls, l.server) })
	git(t, m.c.dir, "config", "entire-plumb.remote", name)
	branch := git(t, m.c.dir, "symbolic-ref", "--short", "HEAD")
	sent := Sent{Tips: []gitexec.OID{gitexec.OID(git(t, m.c.dir, "rev-parse", "HEAD"))}}
	for id := range strings.FieldsSeq(git(t, m.c.dir, "rev-list", "HEAD", "--not", "--remotes="+name)) {
		sent.Add(gitexec.OID(id), []byte(git(t, m.c.dir, "log", "-1", "--format=%B", id)))
	}
	declines := m.random.Intn(6) == 0
	if declines {
		git(t, m.c.dir, "config", "remote."+name+".uploadpack", "false")
	}
	arrives := func(address string) error {
		if !hook {
			return nil
		}
		return m.c.open(t.Context(), func(s *Sharing) error {
			s.patience, s.View.byHand, s.View.trusts, s.Background, s.Sent = 0, false, false, time.Minute, sent
			s.View.PushesTo(name, address)
			_, err := s.Push(t.Context())
			if err != nil {
				s.View.Owe(sent)
			}
			return err
		})
	}
	ids := strings.Fields(git(t, m.c.dir, "log", "--format=%(trailers:key="+message.LinkKey+",valueonly)"))
	for _, l := range to {
		for _, id := range ids {
			l.had[id] = true
		}
	}
	var errs []error
	for _, address := range urls {
		errs = append(errs, arrives(address))
	}
	err := errors.Join(errs...)
	git(t, m.c.dir, "push", "-q", "--no-verify", "--force", name, branch)
	if declines {
		git(t, m.c.dir, "config", "--unset", "remote."+name+".uploadpack")
	}
	if !hook || err != nil && declines {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if from := git(t, m.c.dir, "remote", "get-url", name); (len(urls) > 1 || urls[0] != from) && m.random.Intn(2) == 0 {
		if err := m.c.open(t.Context(), func(s *Sharing) error { _, err := s.Sync(t.Context()); return err }); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range to {
		shared := l.shared()
		for _, id := range ids {
			if !shared[id] {
				t.Errorf("%s is not at %s, which got its commit", id, name)
			}
		}
	}
}

// TestCleared: of commits that did not arrive, the next push looks at the new ones alone, and what
// stays among them stays.
func TestCleared(t *testing.T) {
	c, _, _ := slowly(t, "5")
	git(t, c.dir, "config", "--unset", "entire-plumb.pushAll")
	testdir.Must(t, os.WriteFile(filepath.Join(c.dir, ".entire", "settings.json"), []byte("{}"), 0o600))
	defer func(n int) { lookedAt = n }(lookedAt)
	lookedAt = 5
	ids, text := []string{}, "Work\n\n"
	for i := range 12 {
		id := fmt.Sprintf("%012x", 0x100000000000+int64(i)*0x1357913579)
		if ids = append(ids, id); i < 11 {
			text += message.LinkKey + ": " + id + "\n"
		}
	}
	git(t, c.dir, "commit", "-q", "--allow-empty", "-m", text)
	for _, id := range ids[:10] {
		testdir.Must(t, c.write(t.Context(), id))
	}
	choose := func(heads ...gitexec.OID) (l leaving, cleared gitexec.OID) {
		testdir.Must(t, c.open(t.Context(), func(s *Sharing) error {
			s.patience, s.View.byHand, s.View.trusts = 0, false, false
			s.Sent = Sent{Tips: []gitexec.OID{gitexec.OID(git(t, c.dir, "rev-parse", "HEAD"))}}
			testdir.Must(t, s.View.readRefs(t.Context()))
			for _, head := range heads {
				s.View.refs[s.View.seenRef()] = head
			}
			testdir.Must(t, s.choose(t.Context(), true))
			l, cleared = s.leaving, s.View.readHeld().Cleared
			return nil
		}))
		return l, cleared
	}
	l, first := choose()
	if l.commits != 11 || l.tip != first || first == "" {
		t.Fatalf("%d commits, up to %s; %s is cleared", l.commits, l.tip, first)
	}
	testdir.Must(t, c.write(t.Context(), ids[10]))
	testdir.Must(t, c.write(t.Context(), ids[11]))
	l, second := choose()
	if l.commits != 12 || l.tip == first || l.tip != second || len(l.changes) != 2 || len(l.stays()) != 1 {
		t.Errorf("%d commits, up to %s; %s is cleared; %d changes were looked at, %d stay", l.commits, l.tip, second, len(l.changes), len(l.stays()))
	}
	if l, _ = choose(first); l.commits != 1 || l.tip != second {
		t.Errorf("after a part has arrived: %d commits, up to %s, and not to %s", l.commits, l.tip, second)
	}
	git(t, c.dir, "update-ref", shadow.Checkpoints, string(first)+"~3")
	if l, _ = choose(); l.commits != 8 || len(l.changes) != 7 {
		t.Errorf("of a branch that was rewritten: %d commits, %d changes were looked at", l.commits, len(l.changes))
	}
	testdir.Must(t, c.write(t.Context(), ids[11]))
	git(t, c.dir, "config", "entire-plumb.pushAll", "true")
	if l, _ = choose(); l.commits != 9 {
		t.Errorf("as a whole: %d commits", l.commits)
	}
	git(t, c.dir, "config", "--unset", "entire-plumb.pushAll")
	if l, _ = choose(); len(l.stays()) != 1 {
		t.Errorf("what was to leave with pushAll leaves without it: %d stay", len(l.stays()))
	}
}
