package query

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"entire-plumb/internal/message"
)

// TestManyLinksOfACommit holds that show and why read a message once, however many links it has:
// whoever can push a commit can put any number into it.
func TestManyLinksOfACommit(t *testing.T) {
	const few, times = 200, 4
	allocated := func(n int) [2]uint64 {
		r := newRepository(t)
		var text strings.Builder
		text.WriteString("Many\n\n")
		for i := range n {
			fmt.Fprintf(&text, "%s: %012x\n", message.LinkKey, i)
		}
		commit := r.Commit(text.String(), "f", "1")
		r.open()
		var all [2]uint64
		for i, ask := range []func() error{
			func() error { _, err := shownBy(t.Context(), r.Reader, string(commit)); return err },
			func() error {
				_, err := r.source.Why(t.Context(), Selection{Names: []string{string(commit)}})
				return err
			},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := ask(); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			all[i] = after.TotalAlloc - before.TotalAlloc
		}
		return all
	}
	one, more := allocated(few), allocated(times*few)
	for i, what := range []string{"show", "why"} {
		if more[i] > times*one[i]*3/2 {
			t.Errorf("%s allocates %d KiB for %d links, %d KiB for %d", what, one[i]>>10, few, more[i]>>10, times*few)
		}
	}
}
