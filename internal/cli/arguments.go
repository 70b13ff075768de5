package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves the flags after a command's arguments before them, because the library takes
// everything after the first argument for arguments. "--" ends the flags. Hooks and completion are
// not changed. How many arguments are after "--" is noted for pathsIn.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) == 0 || args[len(args)-1] == "--generate-bash-completion" {
		return args
	}
	at, flags, commands := 1, app.Flags, app.Commands
	for {
		for at < len(args) && isFlag(args[at]) { // before the command
			at += 1 + values(flags, args[at])
		}
		if at >= len(args) {
			return args
		}
		command := named(commands, args[at])
		if command == nil {
			break
		}
		if command.Name == "hooks" || command.SkipFlagParsing {
			return args
		}
		at, flags, commands = at+1, command.Flags, command.Subcommands
	}
	if end := slices.Index(args[at:], "--"); end >= 0 {
		app.Metadata = map[string]any{pathsKey: len(args) - (at + end) - 1}
	}
	if at == 1 || args[at] == "--" { // no command, or only arguments
		return args
	}
	return append(slices.Clone(args[:at]), moved(flags, args[at:])...)
}

const pathsKey = "paths"

// namesAndPaths are a command's arguments before and after "--".
func namesAndPaths(c *cli.Context) (names, paths []string) {
	all := c.Args().Slice()
	after, _ := c.App.Metadata[pathsKey].(int)
	before := max(0, len(all)-after)
	return all[:before], all[before:]
}

// moved returns the flags among args, each with its value, and then the arguments.
func moved(flags []cli.Flag, args []string) []string {
	var first, rest []string
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return append(append(append(first, "--"), rest...), args[i+1:]...)
		case !isFlag(arg):
			rest = append(rest, arg)
		case values(flags, arg) == 0:
			first = append(first, arg)
		case i+1 == len(args):
			return append(first, arg) // an argument would be taken for the missing value
		default:
			first = append(first, arg, args[i+1])
			i++
		}
	}
	return append(first, rest...)
}

// isFlag reports whether the library takes an argument for a flag; "-" is stdin or stdout.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' && arg != "--" }

// values is the number of following arguments that belong to a flag, 0 for an unknown flag.
func values(flags []cli.Flag, arg string) int {
	name := strings.TrimLeft(arg, "-")
	for _, f := range flags {
		if with, ok := f.(cli.DocGenerationFlag); ok && with.TakesValue() && slices.Contains(f.Names(), name) {
			return 1
		}
	}
	return 0
}

func named(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}
