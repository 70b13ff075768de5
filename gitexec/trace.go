package gitexec

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"entire-plumb/internal/safefile"
)

// Tracer counts git processes, and prints each when it ends, as a line that can be pasted into a
// shell, with its milliseconds. The nil Tracer does nothing.
type Tracer struct {
	mu    sync.Mutex
	w     io.Writer
	count atomic.Int64
	asked atomic.Int64 // objects
}

// NewTracer makes a tracer for a value of ENTIRE_PLUMB_TRACE: "" and "0" only count, an absolute
// path appends to that regular file, anything else prints on stderr.
func NewTracer(setting string, stderr io.Writer) *Tracer {
	switch {
	case setting == "" || setting == "0":
		return &Tracer{}
	case strings.HasPrefix(setting, "/"):
		f, err := safefile.Append(setting, 0o600)
		if err != nil {
			fmt.Fprintln(stderr, "entire-plumb: cannot write the trace:", err)
			return &Tracer{}
		}
		return &Tracer{w: f}
	}
	return &Tracer{w: stderr}
}

// Count is the number of git processes started so far.
func (t *Tracer) Count() int {
	if t == nil {
		return 0
	}
	return int(t.count.Load())
}

// Asked is the number of objects requested from cat-file so far.
func (t *Tracer) Asked() int {
	if t == nil {
		return 0
	}
	return int(t.asked.Load())
}

func (t *Tracer) asks(objects int) {
	if t != nil {
		t.asked.Add(int64(objects))
	}
}

func (t *Tracer) started() {
	if t != nil {
		t.count.Add(1)
	}
}

func (t *Tracer) ended(dir string, env, args []string, took time.Duration) {
	if t == nil || t.w == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	line := "cd " + ShellQuote(dir) + " && "
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		line += name + "=" + ShellQuote(value) + " "
	}
	fmt.Fprintf(t.w, "%s%s # %.1f ms\n", line, shellLine(args), float64(took.Microseconds())/1000)
}

func shellLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = ShellQuote(a)
	}
	return strings.Join(quoted, " ")
}

// ShellQuote quotes s for a POSIX shell; with control characters, in the $'…' form that bash, zsh
// and newer POSIX shells read, so that a trace has one line per process.
func ShellQuote(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	control := strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\uFFFD' })
	if !control {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return "$'" + escape(s, '\'', `\x%02x`) + "'"
}
