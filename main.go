// Command entire-plumb records what AI coding agents do, inside the user's own git repository,
// through git's plumbing commands alone.
package main

// See README.md.

import (
	"os"

	"entire-plumb/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args)) }
