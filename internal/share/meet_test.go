package share

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/testdir"
	"entire-plumb/shadow"
)

// TestPushesMeet: two clones push at once, again and again. Each push that says so has brought its
// checkpoint to the branch, so that a plain git fetch brings it, and none fails.
func TestPushesMeet(t *testing.T) {
	each := testdir.Rounds(60, 20, 3)
	top := t.TempDir()
	server := filepath.Join(top, "server.git")
	git(t, top, "init", "-q", "--bare", server)
	var reports [2][]Report
	var done sync.WaitGroup
	for i := range 2 {
		c := newClone(t, filepath.Join(top, fmt.Sprint(i)), server)
		done.Go(func() {
			for n := range each {
				id := fmt.Sprintf("%012x", 0x100000000000*int64(i+1)+int64(n)*0x1357913579)
				git(t, c.dir, "commit", "-q", "--allow-empty", "-m", "Work\n\nEntire-Checkpoint: "+id)
				if err := c.write(t.Context(), id); err != nil {
					t.Error(err)
				}
				c.pushWork(t)
				err := c.open(t.Context(), func(s *Sharing) error {
					s.patience, s.View.byHand, s.View.trusts = 0, false, false // as beside a push
					r, err := s.Push(t.Context())
					reports[i] = append(reports[i], r)
					return err
				})
				if err != nil {
					t.Errorf("push %d of clone %d: %v", n, i, err)
				}
			}
		})
	}
	done.Wait()
	tries, fetches, left := 0, 0, 0
	for _, all := range reports {
		for _, r := range all {
			tries, fetches = tries+r.Tries, fetches+r.Fetches
			if !r.Sent {
				left++
			}
		}
	}
	t.Logf("%d pushes: %.2f tries and %.2f fetches each; %d left in an inbox", 2*each, float64(tries)/float64(2*each), float64(fetches)/float64(2*each), left)
	names := git(t, server, "ls-tree", "-r", "--name-only", shadow.Checkpoints)
	if there := strings.Count(names, "/0/metadata.json"); there < 2*each-left {
		t.Errorf("%d checkpoints are on the branch, and %d pushes left theirs in an inbox", there, left)
	}
	if !strings.Contains(names, checkpoints.Dir(fmt.Sprintf("%012x", 0x100000000000))) {
		t.Error("the first is missing")
	}
}
