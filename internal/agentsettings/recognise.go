package agentsettings

import (
	"slices"
	"strings"

	"entire-plumb/internal/agent"
)

// kind says whose a command is.
type kind int

const (
	foreign kind = iota
	byHand       // the user's own command, which calls us among other things
	ours         // our program's call, perhaps in a guard, and nothing else
)

// recognise finds our program's `hooks AGENT VERB` in a shell command. Two calls of one verb are
// ours where the second is what is done if the first isn't possible: exec makes it so, or a test.
func recognise(command string) (verb string, k kind) {
	words := split(command)
	k = ours
	replaced := false // the shell, by the calls so far
	first := 0        // where the first call begins
	after := 0        // where the words behind it do
	for i := 0; i < len(words); i++ {
		called, n := call(words[i:])
		switch {
		case n > 0:
			execs := i > 0 && words[i-1] == "exec"
			if verb != "" && (verb != called || !(replaced && execs) && !isElse(words[after:i], words[first])) {
				k = byHand
			}
			verb, replaced, first, i = called, execs, i, i+n-1
			after = i + 1
		case !isProgram(words[i]) && !isGuard(words[i]):
			k = byHand
			// A whole command in quotes, as for sh -c.
			if strings.Contains(words[i], " ") && verb == "" && words[i] != command {
				verb, _ = recognise(words[i])
			}
		}
	}
	if verb == "" {
		return "", foreign
	}
	return verb, k
}

// isElse reports whether the words between two calls have the second done only if the program of
// the first isn't there.
func isElse(words []string, program string) bool {
	return slices.Equal(words, []string{";", "test", "!", "-x", program, "&", "&", "command", "-v", "entire-plumb", ">/dev/null", "2>&1", "&", "&"})
}

// call is the verb with which words begin to call our program for an agent, and how many words that
// takes; none: they don't.
func call(words []string) (verb string, n int) {
	n = 4
	if len(words) > 2 && words[2] == "--user" {
		n++
	}
	if len(words) < n || !isProgram(words[0]) || words[1] != "hooks" || !slices.Contains(agent.Names(), words[n-2]) {
		return "", 0
	}
	return words[n-1], n
}

// isProgram reports whether a word names our program, wherever it is.
func isProgram(word string) bool {
	name := word[strings.LastIndexAny(word, `/\`)+1:]
	return name == "entire-plumb" || name == "entire-plumb.exe"
}

// isGuard reports whether a word only decides whether our program is run and
// how that ends, so that a command of such words is no work of the user's.
func isGuard(word string) bool {
	switch word {
	case "test", "[", "]", "[[", "]]", "-f", "-x", "-e", "if", "then", "else", "fi", "command", "-v", "exec", "exit", "0", "trap", "exit 0", "EXIT", "true", ":",
		";", "&", "|", "&&", "||", "!", "{", "}", "(", ")", ">", "<", ">/dev/null", "2>/dev/null", "2>", "&>", ">&1", "2>&1", "/dev/null", "1":
		return true
	}
	return false
}

// split cuts a command into shell words, quotes taken off, with the operators
// ; & | and parentheses as words of their own.
func split(command string) []string {
	var words []string
	var word strings.Builder
	var quoted byte
	open := false // a word is under way, be it an empty one in quotes
	end := func() {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
	}
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case c == '\\' && quoted != '\'' && i+1 < len(command) && escapes(command[i+1], quoted):
			i++
			word.WriteByte(command[i])
			open = true
		case quoted != 0 && c == quoted:
			quoted = 0
		case quoted != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quoted, open = c, true
		case c == '&' && strings.HasSuffix(word.String(), ">"):
			word.WriteByte(c)
		case strings.IndexByte(" \t\n", c) >= 0:
			end()
		case strings.IndexByte(";&|()", c) >= 0:
			end()
			words = append(words, string(c))
		default:
			word.WriteByte(c)
			open = true
		}
	}
	end()
	return words
}

// escapes reports whether a backslash before c takes its meaning away; inside
// double quotes only some characters have one, and in a Windows path the
// backslash is part of the name.
func escapes(c, quoted byte) bool {
	if quoted == '"' {
		return strings.IndexByte("$`\"\\", c) >= 0
	}
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9')
}
