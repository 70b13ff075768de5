package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	plumb "entire-plumb/internal/cli"
)

// page is the help of a command.
type page struct {
	call        string // as it is typed, such as "entire-plumb sessions show"
	about       string // what it does, in a line
	synopsis    string // what may follow the call
	description string // paragraphs with empty lines between; those with indented lines stay as they are
	examples    string // lines
	commands    []item // below it
	options     []item
	above       string // the call of the command above it; empty: it is the program
}

// item is a line of a list: an option or a command.
type item struct{ name, about string }

func (p page) file() string { return name(p.call) + ".1" }

// name is the name of the page about a call.
func name(call string) string { return strings.ReplaceAll(call, " ", "-") }

// pages are those of the program and of its commands. What git and the agents call is listed on the
// page about the group of it.
func pages(app *cli.App) []page {
	root := page{call: app.Name, about: app.Usage, synopsis: "[global options] command [command options]",
		commands: commandItems(app.Commands), options: optionItems(app.Flags)}
	root.description, root.examples = split(app.Description)
	return append([]page{root}, below(root, app.Commands)...)
}

func below(above page, commands []*cli.Command) (all []page) {
	for _, c := range commands {
		if c.Hidden || c.Name == "help" || c.SkipFlagParsing {
			continue
		}
		p := page{call: above.call + " " + c.Name, about: c.Usage, synopsis: strings.TrimSpace("[command options] " + c.ArgsUsage),
			commands: commandItems(c.Subcommands), options: append(optionItems(c.Flags), item{"--help, -h", "show help"}), above: above.call}
		p.description, p.examples = split(c.Description)
		all = append(append(all, p), below(p, c.Subcommands)...)
	}
	return all
}

// split divides a description from the examples at its end.
func split(text string) (description, examples string) {
	description, examples, _ = strings.Cut(text, "Examples:\n\n")
	return strings.TrimSpace(description), strings.Trim(examples, "\n")
}

func commandItems(commands []*cli.Command) (all []item) {
	for _, c := range commands {
		if !c.Hidden {
			all = append(all, item{strings.Join(c.Names(), ", "), c.Usage})
		}
	}
	return all
}

func optionItems(flags []cli.Flag) (all []item) {
	for _, f := range flags {
		if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() {
			continue
		}
		name, about, _ := strings.Cut(f.String(), "\t")
		name = plumb.Repeated(name)
		all = append(all, item{name, about})
	}
	return all
}
