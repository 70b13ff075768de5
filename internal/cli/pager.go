package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"entire-plumb/gitexec"
)

// printer is a command's stdout. It keeps the first error of a write, which commands don't check.
type printer struct {
	to     io.Writer
	errors *heldWriter
	failed error

	buffer *bufio.Writer                  // nil: unbuffered
	start  func() (*gitexec.Pager, error) // starts the pager at the first write; nil: no pager, or started
	pager  *gitexec.Pager
}

func (p *printer) Write(text []byte) (int, error) {
	if p.buffer != nil {
		return p.buffer.Write(text)
	}
	return out{p}.Write(text)
}

// out is the printer behind its buffer.
type out struct{ *printer }

func (o out) Write(text []byte) (int, error) {
	if start := o.start; start != nil {
		o.printer.start = nil
		if pager, err := start(); err == nil && pager != nil { // without a pager, print directly
			o.printer.pager = pager
			o.errors.hold()
		}
	}
	to := o.to
	if o.pager != nil {
		to = o.pager
	}
	n, err := to.Write(text)
	if o.failed == nil {
		o.printer.failed = err
	}
	return n, err
}

// close flushes the buffer, and waits for the pager.
func (p *printer) close() {
	if p.buffer != nil {
		p.buffer.Flush() // the error is in p.failed
		p.buffer = nil
	}
	if p.pager != nil {
		p.pager.Close()
		p.pager = nil
	}
	p.errors.release()
}

// fault is the error of a command, given its own: it may be that its output cannot be written. A
// reader who has closed the pipe, as head does, has read enough.
func (p *printer) fault(err error) error {
	switch {
	case errors.Is(err, errRefused):
		return err
	case errors.Is(p.failed, syscall.EPIPE):
		return nil
	case err == nil && p.failed != nil:
		return fmt.Errorf("the output cannot be written: %w\nhint: check where stdout goes", p.failed)
	}
	return err
}

// terminal is stdout, if it is a terminal.
func (p *printer) terminal() (*os.File, bool) {
	f, ok := p.to.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// onTerminal reports whether stdout is a terminal.
func onTerminal(c *cli.Context) bool {
	p, ok := c.App.Writer.(*printer)
	if !ok {
		return false
	}
	_, ok = p.terminal()
	return ok
}

// takesColours reports whether the output is read on a terminal that shows colours, directly or
// through a pager, ours or that of a calling git.
func (p *printer) takesColours() bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	_, ok := p.terminal()
	return ok || pagerInUse()
}

// paged makes a command print through the pager if stdout is a terminal.
func paged(command *cli.Command) *cli.Command {
	action := command.Action
	command.Action = func(c *cli.Context) error {
		if p, ok := c.App.Writer.(*printer); ok {
			p.buffer = bufio.NewWriter(out{p}) // tables are written cell by cell
			if f, ok := p.terminal(); ok && !c.Bool("no-pager") {
				p.start = func() (*gitexec.Pager, error) { return startPager(c, f) }
			}
		}
		return action(c)
	}
	for _, sub := range command.Subcommands {
		paged(sub)
	}
	return command
}

func startPager(c *cli.Context, terminal *os.File) (*gitexec.Pager, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return gitexec.StartPager(context.WithoutCancel(c.Context), dir, tracer(c), terminal, os.Stderr)
}

// heldWriter is stderr. It holds its text back while a pager has the terminal.
type heldWriter struct {
	to     io.Writer
	mu     sync.Mutex
	paused bool
	held   bytes.Buffer
}

func (h *heldWriter) Write(text []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.paused {
		return h.held.Write(text)
	}
	return h.to.Write(text)
}

func (h *heldWriter) hold() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paused = true
}

func (h *heldWriter) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paused = false
	h.held.WriteTo(h.to)
}
