package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"sync"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"entire-plumb/gitexec"
)

// printer is what a command prints on. It remembers that something could not be printed, which
// nobody looks for where it happens.
type printer struct {
	to     io.Writer
	errors *patient
	failed error

	buffer *bufio.Writer                  // nil: what is printed goes out at once
	start  func() (*gitexec.Pager, error) // starts the pager when there is something to read; nil: none is wanted, or it was started
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

func (p out) Write(text []byte) (int, error) {
	if start := p.start; start != nil {
		p.printer.start = nil
		if pager, err := start(); err == nil && pager != nil { // without one the answer is read all the same
			p.printer.pager = pager
			p.errors.wait()
		}
	}
	to := p.to
	if p.pager != nil {
		to = p.pager
	}
	n, err := to.Write(text)
	if p.failed == nil {
		p.printer.failed = err
	}
	return n, err
}

// close prints what is left, and waits for the reader.
func (p *printer) close() {
	if p.buffer != nil {
		p.buffer.Flush() // an error is remembered
		p.buffer = nil
	}
	if p.pager != nil {
		p.pager.Close()
		p.pager = nil
	}
	p.errors.goOn()
}

// terminal gives the terminal that is printed on, if it is one.
func (p *printer) terminal() (*os.File, bool) {
	f, ok := p.to.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// onTerminal reports whether what is printed goes to a terminal.
func onTerminal(c *cli.Context) bool {
	p, ok := c.App.Writer.(*printer)
	if !ok {
		return false
	}
	_, ok = p.terminal()
	return ok
}

// takesColours reports whether what is printed is read on a terminal that takes colours: straight
// away, or through a pager, ours or that of the git that called us.
func (p *printer) takesColours() bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	called := os.Getenv("GIT_PAGER_IN_USE")
	_, ok := p.terminal()
	return ok || called == "true" || called == "1"
}

// paged makes a command print through the pager where a terminal reads.
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

// patient is stderr, which waits while a pager has the terminal.
type patient struct {
	to      io.Writer
	mu      sync.Mutex
	waiting bool
	held    bytes.Buffer
}

func (p *patient) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting {
		return p.held.Write(text)
	}
	return p.to.Write(text)
}

func (p *patient) wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = true
}

func (p *patient) goOn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = false
	p.held.WriteTo(p.to)
}
