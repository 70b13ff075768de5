package share

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testserver"
	"entire-plumb/shadow"
)

func TestFirstParents(t *testing.T) {
	graph := [][]gitexec.OID{{"a", "base"}, {"o", "base"}, {"b", "a"}, {"m", "b", "o"}, {"c", "m"}}
	for _, c := range []struct {
		tip  gitexec.OID
		has  []gitexec.OID
		want string
	}{{"c", nil, "a b m c"}, {"m", []gitexec.OID{"base"}, "a b m"}, {"c", []gitexec.OID{"b"}, "m c"}, {"x", nil, ""}} {
		var got []string
		for _, commit := range firstParents(graph, c.tip, c.has) {
			got = append(got, string(commit[0]))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for _, c := range []struct {
		graph [][]gitexec.OID
		heads []gitexec.OID
		onto  gitexec.OID
		known bool
	}{
		{graph, []gitexec.OID{"base"}, "base", true}, {graph, []gitexec.OID{"other"}, "", false}, {graph, []gitexec.OID{"base", "b2"}, "", false},
		{[][]gitexec.OID{{"a"}, {"b", "a"}}, nil, "", true}, {[][]gitexec.OID{{"a"}, {"b", "a"}}, []gitexec.OID{"x"}, "", false}, {nil, nil, "", false},
	} {
		if onto, known := (&ahead{graph: c.graph}).stands(c.heads); onto != c.onto || known != c.known {
			t.Errorf("%v on %v: %s, %v", c.graph, c.heads, onto, known)
		}
	}
}

func TestPortionOfMemory(t *testing.T) {
	m := &Memory{}
	m.timedOut("a")
	first := m.Portion
	m.timedOut("b")
	if first != firstPortion || m.Portion != firstPortion/4 || m.Tried != "b" {
		t.Errorf("%d, then %+v", first, m.Attempts)
	}
	for range 20 {
		m.timedOut("c")
	}
	if m.Portion != leastPortion {
		t.Errorf("%d", m.Portion)
	}
	for bytes, want := range map[int64]int64{0: leastPortion, 125_000: 125_000, 1 << 40: quick} {
		if m.arrived(bytes); m.Portion != want {
			t.Errorf("%d: %d", bytes, m.Portion)
		}
	}
}

// slowly is a clone with a remote on a server, and so many seconds for each push.
func slowly(t *testing.T, patience string) (c *clone, server *testserver.Server, remote string) {
	root := t.TempDir()
	remote = filepath.Join(root, "server.git")
	git(t, root, "init", "-q", "--bare", remote)
	server, err := testserver.Start(root)
	testdir.Must(t, err)
	t.Cleanup(server.Close)
	c = newClone(t, filepath.Join(root, "clone"), server.URL+"/server.git")
	testdir.Must(t, os.WriteFile(filepath.Join(c.dir, ".entire", "settings.json"), []byte(`{"strategy_options": {"push_timeout_seconds": `+patience+`}}`), 0o600))
	git(t, c.dir, "config", "entire-plumb.pushAll", "true") // no commits link these checkpoints
	return c, server, remote
}

// grow writes checkpoints of some bytes that can't be compressed.
func (c *clone) grow(t *testing.T, from, n, bytes int) {
	t.Helper()
	data := make([]byte, bytes)
	for i := range n {
		rand.Read(data)
		c.more = data
		testdir.Must(t, c.write(t.Context(), fmt.Sprintf("%012x", 0x100000000000+(from+i)*0x1357913579)))
	}
}

// beside pushes as beside a push of the user's, and remembers what became of it as the hook does.
func (c *clone) beside(t *testing.T) (report Report, waited bool, err error) {
	t.Helper()
	c.pushes++
	now := time.Now().Add(time.Duration(c.pushes) * 6 * time.Minute) // later than after a second failure
	testdir.Must(t, c.open(t.Context(), func(s *Sharing) error {
		s.patience, s.View.byHand, s.View.trusts = 0, false, false
		if MemoryOf(s).Waits(t.Context(), now) {
			waited = true
			return nil
		}
		report, err = s.Push(t.Context())
		m := MemoryOf(s)
		if fault, ok := errors.AsType[*TargetError](err); ok {
			m.Fail(t.Context(), "origin", fault, now)
		} else if err == nil && (report.Sent || report.Portions > 0) {
			m.Succeed(now)
		}
		return nil
	}))
	return report, waited, err
}

func there(t *testing.T, remote string) int {
	t.Helper()
	n := 0
	fmt.Sscan(git(t, remote, "rev-list", "--count", shadow.Checkpoints), &n)
	return n
}

// TestPortionsArrive: what takes much longer than a push has arrives all the same, a part with each
// push, and nothing of it is sent twice; the pushes are done in time.
func TestPortionsArrive(t *testing.T) {
	t.Parallel() // it waits for the server, most of the time
	c, server, remote := slowly(t, "6")
	c.grow(t, 0, 60, 10_000)
	server.Set(testserver.Mode{Rate: 70_000, Of: "entire/"})
	for push := 1; ; push++ {
		begun := time.Now()
		report, waited, err := c.beside(t)
		if took := time.Since(begun); took > 30*time.Second {
			t.Errorf("push %d took %s", push, took)
		}
		t.Logf("push %d: %d portions, %d commits left, sent %v, %v; %s", push, report.Portions, report.New, report.Sent, err, time.Since(begun))
		// Else it was taken after the push. On a slow machine a push may wait, after others that
		// failed.
		if report.Sent || err == nil && !waited && report.Portions+report.New == 0 {
			break
		}
		if push == 20 {
			t.Fatal("it doesn't arrive")
		}
	}
	server.Wait()
	if n := there(t, remote); n < 60 {
		t.Errorf("%d commits", n)
	}
	server.Set(testserver.Mode{})
	server.Counts()
	c.grow(t, 60, 1, 10)
	if report, _, err := c.beside(t); err != nil || !report.Sent || report.Portions > 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if requests, _ := server.Counts(); requests != 2 {
		t.Errorf("an ordinary push makes %d requests", requests)
	}
}

// TestTakenTooLate: a server whose hook takes longer than a push has takes the branch all the same.
// The next push finds that, and goes on, whatever is new since. One in time ends the failures.
func TestTakenTooLate(t *testing.T) {
	t.Parallel()
	c, server, remote := slowly(t, "5")
	for push := range 3 {
		c.grow(t, push, 1, 10)
		server.Set(testserver.Mode{Hold: true, Of: "entire/"})
		report, waited, err := c.beside(t)
		if waited || err == nil {
			t.Errorf("push %d: %+v, waited %v, %v", push, report, waited, err)
		}
		server.Set(testserver.Mode{})
		server.Wait()
	}
	if report, _, err := c.beside(t); err != nil || report.New != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if n := there(t, remote); n < 3 {
		t.Errorf("%d commits", n)
	}
	testdir.Must(t, c.open(t.Context(), func(s *Sharing) error {
		if m := MemoryOf(s); m.Failures != 1 || m.Tried != "" {
			t.Errorf("%+v", m.Attempts)
		}
		return nil
	}))
	c.grow(t, 3, 1, 10)
	_, _, err := c.beside(t)
	testdir.Must(t, err)
	testdir.Must(t, c.open(t.Context(), func(s *Sharing) error {
		if m := MemoryOf(s); m.Failures != 0 {
			t.Errorf("in time: %+v", m.Attempts)
		}
		return nil
	}))
}

// TestPortionsBesideOthers: where others have pushed to the branch, portions go to the inbox, and at
// last the branch has all.
func TestPortionsBesideOthers(t *testing.T) {
	t.Parallel()
	c, server, remote := slowly(t, "20")
	c.grow(t, 0, 1, 10)
	_, _, err := c.beside(t)
	testdir.Must(t, err)
	other := newClone(t, filepath.Join(filepath.Dir(c.dir), "other"), server.URL+"/server.git")
	git(t, other.dir, "config", "entire-plumb.pushAll", "true")
	other.grow(t, 1, 1, 10)
	_, _, err = other.beside(t)
	testdir.Must(t, err)
	c.grow(t, 100, 70, 5000)
	testdir.Must(t, c.open(t.Context(), func(s *Sharing) error {
		if err := s.Fetch(t.Context()); err != nil {
			return err
		}
		return s.Unite(context.Background())
	}))
	report, _, err := c.beside(t)
	if err != nil || !report.Sent || report.Portions == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	dirs := git(t, remote, "ls-tree", "-r", "--name-only", shadow.Checkpoints)
	for _, id := range append(c.written, other.written...) {
		if !strings.Contains(dirs, checkpoints.Dir(id)+"/metadata.json") {
			t.Errorf("%s is not there", id)
		}
	}
}
