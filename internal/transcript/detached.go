package transcript

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// goesOn reports whether a tool's result says that the agent no longer waits for the command: by
// the keys of the format, or, where it has none for that, by words, which may also be of what the
// command printed.
func (r results) goesOn(line []byte) bool {
	if r.detached != nil {
		return slices.ContainsFunc(r.detached, func(key string) bool { return names(line, key) })
	}
	said := bytes.ToLower(line[:min(len(line), 8<<10)])
	return bytes.Contains(said, []byte("background")) || bytes.Contains(said, []byte("still running")) || bytes.Contains(line, goesOn)
}

// detaches reports whether a command may go on when its shell has ended: by an ampersand that is no
// part of && or of a redirection, or by a program that starts others.
func detaches(command string) bool {
	command = strings.NewReplacer("&&", ";", ">&", " ", "&>", " ").Replace(withoutTexts(command))
	return strings.Contains(command, "&") || slices.ContainsFunc(strings.FieldsFunc(command, endsCommand), func(one string) bool {
		words := strings.Fields(one)
		program := slices.IndexFunc(words, func(word string) bool { return !before.MatchString(word) })
		return program >= 0 && slices.Contains(starters, path.Base(words[program])) || slices.Contains(words, "start")
	})
}

// starters leave programs running, or make another process do the work. So do many that are asked
// to start something, as `systemctl start`.
var starters = []string{"nohup", "setsid", "disown", "tmux", "screen", "zellij", "systemd-run", "at", "batch", "pm2", "docker", "podman",
	"docker-compose", "kubectl", "ssh", "daemonize"}

// endsCommand reports whether a character ends a command in a shell, or may begin one, as a quote
// does in `sh -c 'make'`.
func endsCommand(c rune) bool { return strings.ContainsRune("|;()`\"'\n", c) }

// before matches a word that may stand before a program: another one that runs it, an option or a
// number for that one, a variable, a word of the shell's.
var before = regexp.MustCompile(`^(sudo|env|exec|time|nice|command|timeout|xargs|then|do|else|if|while|[{!]|[-+\d].*|\w+=.*)$`)

// texts are what commands are given to keep or to print: a text that cat reads, as agents write a
// commit's message, and one in quotes.
var texts = []*regexp.Regexp{
	regexp.MustCompile(`(?s)\bcat\s+<<-?\s*['"]?EOF['"]?\n.*?\n\s*EOF\b`),
	regexp.MustCompile(`(?s)(?:\s-[a-z]*m|\s--message|\b(?:echo|printf|grep|rg))(?:\s+-\S+)*(?:\s+|=)(?:"[^"` + "`" + `]*"|'[^']*')`),
}

// withoutTexts is a command without them.
func withoutTexts(command string) string {
	for _, text := range texts {
		command = text.ReplaceAllStringFunc(command, func(found string) string {
			if strings.Contains(found, "$(") { // a command in it
				return found
			}
			return " "
		})
	}
	return command
}
