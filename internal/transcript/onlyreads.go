package transcript

import (
	"slices"
	"strings"
)

// readers are programs that write no file, whatever options they have, and readersOfGit those of
// git's commands that write none in the worktree. With one of writing the others write, or run
// other programs.
var (
	readers      = []string{"ls", "cat", "head", "tail", "wc", "grep", "rg", "find", "cd", "pwd", "stat", "file", "which", "git"}
	readersOfGit = []string{"status", "log", "show", "diff", "blame", "ls-files", "rev-parse"}
	writing      = []string{"-exec", "-ok", "-delete", "-fprint", "-fls", "--pre", "--output", "--ext-diff", "--textconv"}
)

// withoutErrors takes out where a shell sends error messages.
var withoutErrors = strings.NewReplacer("2>/dev/null", " ", "2>&1", " ")

// onlyReads reports whether a command of a shell writes no file, by its words. Where they leave it
// open, as with a variable or a redirection, it doesn't: it may be the agent's work.
func onlyReads(command string) bool {
	command = withoutErrors.Replace(command)
	if strings.TrimSpace(command) == "" || strings.ContainsAny(command, "<>`$\\(){}\n") {
		return false
	}
	for one := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune("|&;", r) }) {
		words := strings.Fields(one)
		switch {
		case len(words) == 0:
		case !slices.Contains(readers, words[0]),
			words[0] == "git" && (len(words) == 1 || !slices.Contains(readersOfGit, words[1])),
			slices.ContainsFunc(words, func(word string) bool {
				return slices.ContainsFunc(writing, func(option string) bool { return strings.HasPrefix(word, option) })
			}):
			return false
		}
	}
	return true
}
