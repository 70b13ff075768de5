package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/spelling"
)

// written is an option as a user wrote it.
type written struct {
	flag  cli.Flag // nil: the library's own, help
	words []string // as the library reads it
	wants bool     // its value is the next argument
	off   bool     // --no-…: it negates what came before
}

// options are a command's flags, read as git reads its own: abbreviated, in a cluster, with the
// value in the same word, or negated by --no-…
type options []cli.Flag

// read reads an argument that begins with "-".
func (o options) read(arg string) ([]written, error) {
	if !strings.HasPrefix(arg, "--") {
		return o.short(arg)
	}
	name, value, has := strings.Cut(arg[2:], "=")
	one, err := o.long(name)
	if err != nil {
		return nil, err
	}
	switch {
	case has && one.off:
		return nil, usagef("option %s takes no value", one.words[0])
	case has && takesWhen(one.flag) && !slices.Contains(whenColours, value):
		return nil, usagef(`option --color expects "always", "auto", or "never"`)
	case has:
		one.words, one.wants = []string{one.words[0] + "=" + value}, false
	// As for git: it is a value of its own, and not the absence of --color, which is auto.
	case one.off && takesWhen(one.flag):
		one.words, one.off = []string{"--color=never"}, false
	}
	return []written{one}, nil
}

// long finds the option with a name, which may be abbreviated as long as no other begins like that.
func (o options) long(name string) (written, error) {
	var like []written
	var names []string
	for _, one := range o.all() {
		switch full := one.words[0][2:]; {
		case full == name:
			return one, nil
		case len(name) > 0 && strings.HasPrefix(full, name):
			if !slices.ContainsFunc(like, func(w written) bool { return w.flag == one.flag && w.off == one.off }) {
				like, names = append(like, one), append(names, "--"+full)
			}
		}
	}
	switch len(like) {
	case 0:
		return written{}, o.unknown("--" + name)
	case 1:
		return like[0], nil
	}
	return written{}, usagef("ambiguous option: --%s (could be %s)", name, strings.Join(names, " or "))
}

// all are the long options, and those that take them back.
func (o options) all() []written {
	all := []written{{words: []string{"--help"}}}
	for _, f := range o {
		for _, name := range f.Names() {
			if len(name) > 1 {
				all = append(all, written{flag: f, words: []string{"--" + name}, wants: takesValue(f)})
			}
		}
	}
	for _, one := range all[1:] {
		off := written{flag: one.flag, words: []string{"--no-" + one.words[0][2:]}, off: true}
		if yes, ok := strings.CutPrefix(one.words[0], "--no-"); ok {
			off.words = []string{"--" + yes}
		}
		all = append(all, off)
	}
	return all
}

// short reads a cluster: letters, of which the last may have a value. A number is that of -n.
func (o options) short(arg string) ([]written, error) {
	name, _, _ := strings.Cut(arg[1:], "=")
	if f := o.named(name); takesNumber(f) {
		name = "" // the library would want a value
	}
	if f := o.named(name); f != nil || name == "h" || name == "help" { // the library also takes -json
		wants := f != nil && takesValue(f) && !strings.Contains(arg, "=")
		return []written{{flag: f, words: []string{arg}, wants: wants}}, nil
	}
	// git log -5; where -n is a dry run, as in clean, a number is no option.
	if f := o.named("n"); f != nil && takesValue(f) && strings.Trim(arg[1:], "0123456789") == "" {
		return []written{{flag: f, words: []string{"-n", arg[1:]}}}, nil
	}
	var all []written
	for i, letter := range arg[1:] {
		f := o.named(string(letter))
		rest := arg[1+i+len(string(letter)):]
		switch {
		case letter == 'h':
			return append(all, written{words: []string{"-h"}}), nil
		// Perhaps a long option with one dash: the whole word is named, and what is like it.
		case f == nil && i == 0:
			return nil, o.unknown(arg)
		case f == nil:
			return nil, o.unknown("-" + string(letter))
		case takesNumber(f):
			others := strings.TrimLeft(rest, "0123456789")
			all = append(all, written{flag: f, words: []string{"-" + string(letter) + "=" + strings.TrimSuffix(rest, others)}})
			if others == "" {
				return all, nil
			}
			more, err := o.short("-" + others)
			return append(all, more...), err
		case takesValue(f) && rest != "":
			return append(all, written{flag: f, words: []string{"-" + string(letter), rest}}), nil
		}
		all = append(all, written{flag: f, words: []string{"-" + string(letter)}, wants: takesValue(f)})
	}
	return all, nil
}

func (o options) named(name string) cli.Flag {
	for _, f := range o {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// unknown is the error for an option that the command doesn't have. It names one that is meant
// perhaps.
func (o options) unknown(arg string) error {
	var names []string
	for _, one := range o.all() {
		if !one.off {
			names = append(names, one.words[0][2:])
		}
	}
	hint := ""
	if like := nearest(strings.TrimLeft(arg, "-"), names); len(like) > 0 {
		hint = "\nhint: did you mean --" + strings.Join(like, " or --") + "?"
	}
	return usagef("unknown option %s%s", arg, hint)
}

// inOurWords is the library's error about an option's value, with the option as users write it.
func inOurWords(err error) string {
	dashed := func(name string) string {
		name, _, _ = strings.Cut(name, ":")
		return dashed(name)
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fmt.Sprintf("option %s needs a value", dashed(name))
	}
	if of, name, ok := strings.Cut(text, " for -"); ok && strings.HasPrefix(of, "invalid boolean value ") {
		return fmt.Sprintf("option %s takes no value", dashed(name))
	}
	if of, name, ok := strings.Cut(text, " for flag -"); ok && strings.HasPrefix(of, "invalid value ") {
		return fmt.Sprintf("option %s needs a number, and not %s", dashed(name), strings.TrimPrefix(of, "invalid value "))
	}
	return text
}

// dashed is an option's name as users write it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func takesValue(f cli.Flag) bool {
	with, ok := f.(cli.DocGenerationFlag)
	return ok && with.TakesValue()
}

// whenColours are the values of --color, which is also an option without one: always.
var whenColours = []string{"auto", "always", "never"}

// numberFlag is an option of a letter, with which a number may stand in the same word; empty: none
// does. Other letters may follow.
type numberFlag struct{ cli.StringSliceFlag }

// TakesValue says that the next argument is none.
func (f *numberFlag) TakesValue() bool { return false }

func (f *numberFlag) String() string {
	return "-" + f.Name + "[N]\t" + strings.ReplaceAll(f.Usage, "`", "")
}

func takesNumber(f cli.Flag) bool {
	_, is := f.(*numberFlag)
	return is
}

func takesWhen(f cli.Flag) bool { return f != nil && f.Names()[0] == "color" }

// nearest are the words that a misspelt one may be meant for: the only one that begins like that,
// or one or two that differ by so few letters that most are right.
func nearest(word string, words []string) (like []string) {
	var begin []string
	for _, w := range words {
		if len(word) > 1 && strings.HasPrefix(w, word) {
			begin = append(begin, w)
		}
	}
	if len(begin) == 1 {
		return begin
	}
	least := min(2, (len([]rune(word))-1)/2)
	for _, w := range words {
		switch d := spelling.Distance(word, w); {
		case d < least:
			like, least = []string{w}, d
		case d == least:
			like = append(like, w)
		}
	}
	if len(like) > 2 {
		return nil
	}
	return like
}

// withHint adds how to see a command's options to a usage error without a hint.
func withHint(err error, command string) error {
	if err == nil || strings.Contains(err.Error(), "\nhint: ") {
		return err
	}
	return usageError{fmt.Sprintf("%s\nhint: %s --help", err, command)}
}
