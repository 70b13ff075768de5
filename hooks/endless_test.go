package hooks

import (
	"context"
	"io"
	"strings"
	"testing"

	"entire-plumb/internal/commits"
)

// endless are lines without end, as whoever calls a hook may send; read counts their bytes.
type endless struct {
	line string
	read int
}

func (e *endless) Read(part []byte) (int, error) {
	n := 0
	for n+len(e.line) <= len(part) {
		n += copy(part[n:], e.line)
	}
	e.read += n
	return n, nil
}

// TestEndlessLinesOfGit: a hook that reads git's lines gives up after a number of bytes, not only at
// its deadline.
func TestEndlessLinesOfGit(t *testing.T) {
	id := strings.Repeat("1", 40)
	ctx := context.Background()
	for name, c := range map[string]struct {
		line string
		read func(io.Reader) error
	}{
		"pre-push":     {"refs/heads/a " + id + " refs/heads/a " + id + "\n", func(in io.Reader) error { _, _, err := pushedLines(ctx, in); return err }},
		"post-rewrite": {id + " " + id + "\n", func(in io.Reader) error { _, err := commits.Rewritten(fromGit(ctx, in)); return err }},
	} {
		in := &endless{line: c.line}
		if err := c.read(in); err == nil || err.Error() != "stdin holds more than 128 MiB" {
			t.Errorf("%s: %v", name, err)
		}
		if in.read > mostOfGit+1<<20 {
			t.Errorf("%s read %d bytes", name, in.read)
		}
	}
}
