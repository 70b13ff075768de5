// Command man writes the manual pages of all commands, from the texts that --help prints.
package main

// The library would put all commands into one page, without their descriptions. These are one for
// each command, as git's are.

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"entire-plumb/internal/cli"
)

const usage = `usage: go run ./internal/man -o DIR [flags]

Writes entire-plumb.1, entire-plumb-COMMAND.1, and git-entire-plumb.1, which git entire-plumb --help looks for.

`

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "man: %v\n", err)
		os.Exit(2)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("man", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	dir := flags.String("o", "", "the `directory` to write into")
	date := flags.String("date", time.Now().UTC().Format(time.DateOnly), "of the release, as 2006-01-02; today by default")
	version := flags.String("version", "", "of the release; empty: none is named")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case *dir == "" || flags.NArg() > 0:
		return errors.New("-o DIR is needed, and no more arguments")
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return err
	}
	for _, p := range pages(cli.Described()) {
		if err := os.WriteFile(filepath.Join(*dir, p.file()), []byte(p.roff(*date, *version)), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(*dir, "git-entire-plumb.1"), []byte(".so man1/entire-plumb.1\n"), 0o666)
}
