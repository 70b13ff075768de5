package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// errInterrupted is a command that the user ends instead of answering.
var errInterrupted = errors.New("interrupted")

// asks reports whether the user can be asked.
func asks() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && (term.IsTerminal(int(os.Stderr.Fd())) || os.Getenv("ENTIRE_TEST_TTY") == "1")
}

// typed reads what the user types or another program sends, until the command is interrupted: a
// read that has begun would go on, since the signal is caught.
type typed struct {
	ctx context.Context
	in  io.Reader
}

// stdin is what every command that reads its standard input reads.
func stdin(c *cli.Context) io.Reader { return typed{c.Context, os.Stdin} }

func (t typed) Read(buffer []byte) (int, error) {
	type read struct {
		n   int
		err error
	}
	done := make(chan read, 1)
	go func() {
		n, err := t.in.Read(buffer)
		done <- read{n, err}
	}()
	select {
	case <-t.ctx.Done():
		return 0, errInterrupted
	case r := <-done:
		return r.n, r.err
	}
}

// ask prints a question, and returns the answer in lower case. A terminal gives one line at a time.
func ask(c *cli.Context, question string) (string, error) {
	return askOn(c.App.ErrWriter, stdin(c), question)
}

func askOn(w io.Writer, in io.Reader, question string) (string, error) {
	fmt.Fprint(w, question)
	answer, err := bufio.NewReader(io.LimitReader(in, 100)).ReadString('\n')
	if errors.Is(err, errInterrupted) {
		fmt.Fprintln(w) // the terminal has ^C on the line
		return "", err
	}
	return strings.ToLower(strings.TrimSpace(answer)), nil
}

// agreed asks a question to which no answer means no.
func agreed(c *cli.Context, question string) (bool, error) {
	answer, err := ask(c, question)
	return answer == "y" || answer == "yes", err
}
