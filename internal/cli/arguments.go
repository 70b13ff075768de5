package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves the flags after a command's arguments before them, because the library takes
// everything after the first argument for arguments, and spells them as the library reads them.
// "--" ends the flags. Calls of hooks are not changed. How many arguments are after "--" is noted
// for namesAndPaths.
func flagsFirst(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 || isHook(words(args)) && !checksEvents(args) {
		return args, nil
	}
	call := args[:1:1]
	flags, commands, rest, help := options(app.Flags), app.Commands, args[1:], false
	for len(commands) > 0 {
		set, n, err := flags.leading(rest)
		if err != nil {
			return nil, withHint(err, called(call))
		}
		help = help || wants(set, "help")
		var command *cli.Command
		if n < len(rest) {
			command = named(commands, rest[n])
		}
		switch {
		case len(call) == 1 && wants(set, "version"):
			return append(call, "--version"), nil
		case len(call) == 1 && command == nil && help:
			return append(call, "--help"), nil
		case len(call) == 1 && command == nil: // none, or one that doesn't exist
			return append(append(call, spelt(set)...), rest[min(n, len(rest)):]...), nil
		case command == nil:
			return flags.last(app, call, rest, help)
		}
		if help {
			set = nil
		}
		call = append(append(call, spelt(set)...), rest[n])
		flags, commands, rest = command.Flags, command.Subcommands, rest[n+1:]
	}
	return flags.last(app, call, rest, help)
}

// last reads what follows the last command's name.
func (o options) last(app *cli.App, call, rest []string, help bool) ([]string, error) {
	set, arguments, err := o.split(rest)
	// Who asks for help may not know how the other options are written.
	if help || wants(set, "help") || err != nil && haveHelp(rest) {
		return append(call, "--help"), nil
	}
	if err != nil {
		return nil, withHint(err, called(call))
	}
	if end := slices.Index(rest, "--"); end >= 0 {
		app.Metadata = map[string]any{pathsKey: len(rest) - end - 1}
	}
	return append(append(call, spelt(set)...), arguments...), nil
}

// haveHelp reports whether --help is among arguments that can't be read.
func haveHelp(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--help")
}

const pathsKey = "paths"

// namesAndPaths are a command's arguments before and after "--".
func namesAndPaths(c *cli.Context) (names, paths []string) {
	all := c.Args().Slice()
	after, _ := c.App.Metadata[pathsKey].(int)
	before := max(0, len(all)-after)
	return all[:before], all[before:]
}

// called is a command's name, with the program's.
func called(call []string) string {
	return strings.Join(append([]string{"entire-plumb"}, words(call)...), " ")
}

// leading reads the flags before a command's name, and says where that is.
func (o options) leading(args []string) (set []written, n int, err error) {
	for n < len(args) && isFlag(args[n]) {
		if set, n, err = o.take(set, args, n); err != nil {
			return nil, 0, err
		}
	}
	return set, n, nil
}

// split tells flags, each with its value, from arguments, among which "--" stays.
func (o options) split(args []string) (set []written, rest []string, err error) {
	for i := 0; i < len(args); {
		switch arg := args[i]; {
		case arg == "--":
			return set, append(append([]string{"--"}, rest...), args[i+1:]...), nil
		case !isFlag(arg):
			rest = append(rest, arg)
			i++
		default:
			if set, i, err = o.take(set, args, i); err != nil {
				return nil, nil, err
			}
			// The library then says which option it is.
			if i > len(args) { // an argument would be taken for the missing value
				return set, nil, nil
			}
		}
	}
	return set, rest, nil
}

// take reads a flag with its value, and says where what follows begins.
func (o options) take(set []written, args []string, at int) ([]written, int, error) {
	more, err := o.read(args[at])
	if err != nil {
		return nil, 0, err
	}
	at++
	for _, one := range more {
		// The last one counts, as for git: --no-json after --json leaves nothing set, so that
		// neither excludes another option.
		if one.off {
			set = slices.DeleteFunc(set, func(w written) bool { return w.flag == one.flag })
			continue
		}
		switch {
		case !one.wants:
		case takesWhen(one.flag) && (at == len(args) || !slices.Contains(whenColours, args[at])):
			one.words[0] += "=always"
		default:
			one.words = append(one.words, args[min(at, len(args)):min(at+1, len(args))]...)
			at++
		}
		set = append(set, one)
	}
	return set, at, nil
}

// spelt are flags as the library reads them.
func spelt(set []written) (words []string) {
	for _, one := range set {
		words = append(words, one.words...)
	}
	return words
}

// wants reports whether a flag with this name is set.
func wants(set []written, name string) bool {
	return slices.ContainsFunc(set, func(w written) bool {
		if w.flag == nil {
			return name == "help"
		}
		return w.flag.Names()[0] == name
	})
}

// isFlag reports whether an argument is one; "-" is stdin or stdout.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' && arg != "--" }

func named(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}
