package cli

import "github.com/urfave/cli/v2"

// limitFlag limits a list as git log's -n does: 0 lists nothing, and a negative number all.
func limitFlag(name string, value int, usage string) cli.Flag {
	return &cli.IntFlag{Name: name, Value: value, Usage: usage + "; all with -1"}
}

// limit is the value of such a flag for a question, which takes 0 for all. Where nothing is to be
// listed it asks for one, so that wrong names are still errors, and limited leaves that out.
func limit(c *cli.Context, name string) int {
	switch n := c.Int(name); {
	case n < 0:
		return 0
	case n == 0:
		return 1
	default:
		return n
	}
}

// limited is a list, or nothing of it.
func limited[T any](c *cli.Context, name string, all []T) []T {
	if listsNone(c, name) {
		return all[:0]
	}
	return all
}

func listsNone(c *cli.Context, name string) bool { return c.Int(name) == 0 }
