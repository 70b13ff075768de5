package cli

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/query"
	"entire-plumb/internal/settings"
)

// mostTime is how long the shell may wait for names, which mostly takes some 20 ms. Those that are
// not found by then are missing.
const mostTime = time.Second

// completeCommand is what the shells' scripts call. It runs none of the words, and writes nothing.
func completeCommand() *cli.Command {
	return &cli.Command{
		Name:      "complete",
		Usage:     "list what the last word of a call may become",
		ArgsUsage: "-- WORD...",
		Hidden:    true,
		Description: "The scripts of `completion` call it. A line has a word and, behind a tab, what it stands for. The line\n" +
			":files stands for the names of files.\n\nExamples:\n\n  entire-plumb complete -- log --col",
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if len(words) == 0 {
				words = []string{""}
			}
			a := completing(c.App, words)
			var names []query.Completion
			if of := a.nameable(); of != (query.Nameable{}) {
				if e, err := environment(c); err == nil {
					ctx, cancel := context.WithTimeout(c.Context, mostTime)
					defer cancel()
					names = source(e).Completions(ctx, of)
				}
			}
			a.print(c.App.Writer, names)
			return nil
		},
	}
}

// incomplete is the last word of a call, and what it may become.
type incomplete struct {
	word  string             // its beginning, that is to be completed
	kept  string             // what stands before that in the same word, as in --color=au and main..fe
	kinds []string           // of names, as ArgsUsage has them: COMMIT, FILE, …
	words []query.Completion // options, commands and values
	// back is set where a checkpoint is gone back to, which may be one that isn't committed.
	back bool
}

// completing finds out what the last word of a call may become, from the commands' own description.
func completing(app *cli.App, words []string) incomplete {
	at := place{flags: app.Flags, commands: app.Commands}
	for _, word := range words[:len(words)-1] {
		at = at.after(word)
	}
	if at.command != nil && at.command.Name == "help" {
		at.commands, at.command = app.Commands, nil
	}
	return at.last(words[len(words)-1])
}

// place is where in a call a word stands.
type place struct {
	flags     options
	commands  []*cli.Command
	command   *cli.Command // nil: none yet
	value     cli.Flag     // the word is its value; nil: it is none
	when      bool         // the word may be the value of --color
	paths     bool         // "--" came before
	arguments int          // so many came before
}

// after is the place after a word.
func (p place) after(word string) place {
	when := p.when && slices.Contains(whenColours, word)
	p.when = false
	switch {
	case when:
	case p.value != nil:
		p.value = nil
	case p.paths:
	case word == "--":
		p.paths = true
	case isFlag(word):
		p.value, p.when = p.flags.wanting(word)
	case p.arguments == 0 && named(p.commands, word) != nil:
		command := named(p.commands, word)
		return place{flags: command.Flags, commands: command.Subcommands, command: command}
	default:
		p.arguments++
	}
	return p
}

// wanting is the flag whose value the word behind an option is, or whether it may be that of
// --color.
func (o options) wanting(option string) (value cli.Flag, when bool) {
	set, err := o.read(option)
	if err != nil || len(set) == 0 || !set[len(set)-1].wants {
		return nil, false
	}
	if f := set[len(set)-1].flag; !takesWhen(f) {
		return f, false
	}
	return nil, true
}

// last is what a word at the place may become.
func (p place) last(word string) incomplete {
	switch option, value, has := strings.Cut(word, "="); {
	case p.value != nil:
		return valueOf(p.value, "", word)
	case p.paths:
		return incomplete{word: word, kinds: []string{"FILE"}}
	case has && isFlag(option):
		if set, err := p.flags.read(option); err == nil && len(set) == 1 && set[0].wants {
			return valueOf(set[0].flag, option+"=", value)
		}
		return incomplete{}
	case strings.HasPrefix(word, "-"):
		return incomplete{word: word, words: p.flags.listed()}
	}
	i := incomplete{word: word}
	if p.when {
		i.add(whenColours)
	}
	if p.arguments == 0 {
		for _, c := range p.commands {
			if !c.Hidden {
				i.words = append(i.words, query.Completion{Name: c.Name, About: c.Usage})
			}
		}
	}
	if p.command != nil {
		i.add(argument(p.command.ArgsUsage, p.arguments))
		i.back = strings.Contains(p.command.ArgsUsage, "CHECKPOINT") && strings.Contains(p.command.ArgsUsage, "[-- FILE")
	}
	if at := strings.LastIndex(word, ".."); at >= 0 && slices.ContainsFunc(i.kinds, isCommit) {
		at += len("..")
		at += len(word[at:]) - len(strings.TrimLeft(word[at:], "."))
		return incomplete{word: word[at:], kept: word[:at], kinds: []string{"COMMIT"}}
	}
	return i
}

// listed are the options, as users type them.
func (o options) listed() (all []query.Completion) {
	for _, f := range o {
		if seen, ok := f.(cli.VisibleFlag); ok && !seen.IsVisible() {
			continue
		}
		all = append(all, query.Completion{Name: dashed(f.Names()[0]), About: strings.ReplaceAll(usageOf(f), "`", "")})
	}
	return append(all, query.Completion{Name: "--help", About: "show help"})
}

func usageOf(f cli.Flag) string {
	if with, ok := f.(cli.DocGenerationFlag); ok {
		return with.GetUsage()
	}
	return ""
}

// placeholder is a value in a flag's usage.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`]+)`") })

// valueOf is what the value of a flag may become, by the word for it in its usage.
func valueOf(f cli.Flag, kept, word string) incomplete {
	i := incomplete{word: word, kept: kept}
	found := placeholder().FindStringSubmatch(usageOf(f))
	switch {
	case found == nil:
	case found[1] == "ID" && f.Names()[0] == "session":
		i.kinds = []string{"SESSION"}
	case takesWhen(f):
		i.add(whenColours)
	case found[1] == "AGENT", found[1] == "KIND": // several, with commas between
		at := strings.LastIndex(word, ",") + 1
		i.word, i.kept = word[at:], kept+word[:at]
		i.add(map[string][]string{"AGENT": agent.Names(), "KIND": searchedKinds}[found[1]])
	default:
		i.add(strings.FieldsFunc(found[1], func(r rune) bool { return r == '|' }))
	}
	return i
}

// argument lists the kinds of a command's argument, by its description of them.
func argument(usage string, at int) []string {
	names, _, _ := strings.Cut(usage, "[--")
	all := strings.Fields(names)
	if len(all) == 0 {
		return nil
	}
	more := strings.Contains(all[len(all)-1], "...") || strings.Contains(all[len(all)-1], "…")
	if at >= len(all) && !more {
		return nil
	}
	return strings.FieldsFunc(all[min(at, len(all)-1)], func(r rune) bool { return strings.ContainsRune("[]|.…", r) })
}

// add adds words in upper case as kinds of names, and others as they are.
func (i *incomplete) add(words []string) {
	for _, w := range words {
		switch {
		case w == "KEY":
			i.add(settings.Keys())
		case w == strings.ToUpper(w):
			i.kinds = append(i.kinds, w)
		default:
			i.words = append(i.words, query.Completion{Name: w})
		}
	}
}

func isCommit(kind string) bool {
	return slices.Contains([]string{"COMMIT", "BRANCH", "RANGE", "REV", "NAME"}, kind)
}

func isFile(kind string) bool { return slices.Contains([]string{"FILE", "PATH", "DIR"}, kind) }

// nameable says which names are needed.
func (i incomplete) nameable() query.Nameable {
	any := func(kinds ...string) bool {
		return slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(i.kinds, k) })
	}
	committed := any("CHECKPOINT", "NAME")
	return query.Nameable{Commits: slices.ContainsFunc(i.kinds, isCommit), Checkpoints: committed && !i.back, Points: committed && i.back,
		Sessions: any("SESSION", "NAME")}
}

// shortened are the names with those of sessions as short as they may be; what is typed of a longer
// one goes on.
func (i incomplete) shortened(names []query.Completion) []query.Completion {
	var ids []string
	var at []int
	for n, one := range names {
		if one.Session {
			ids, at = append(ids, one.Name), append(at, n)
		}
	}
	all := slices.Clone(names)
	for n, name := range shortNames(ids) {
		if len(i.word) <= len(name) {
			all[at[n]].Name = name
		}
	}
	return all
}

// mostAbout is how much is said of a word.
const mostAbout = 60

// print prints what the word may become.
func (i incomplete) print(w io.Writer, names []query.Completion) {
	seen := map[string]bool{}
	for _, one := range slices.Concat(i.words, i.shortened(names)) {
		if !strings.HasPrefix(one.Name, i.word) || seen[one.Name] || one.Name != inCell(one.Name) {
			continue
		}
		seen[one.Name] = true
		line := i.kept + one.Name
		if one.About != "" {
			line += "\t" + short(inCell(one.About), mostAbout)
		}
		fmt.Fprintln(w, line)
	}
	if slices.ContainsFunc(i.kinds, isFile) {
		fmt.Fprintln(w, ":files")
	}
}
