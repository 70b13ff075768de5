// Command entire-plumb records what AI coding agents do, inside the user's own git repository,
// through git's plumbing commands alone. See README.md.
package main

import (
	"os"

	"entire-plumb/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args)) }
