package transcript

import (
	"slices"
	"strings"
)

// readers are programs that write no file, whatever options they have, and readersOfGit those of
// git's commands that write none in the worktree, and show nothing of other commits: a tool may be
// given what they show. With the options one may write, run another program, or show such.
var (
	readers      = []string{"ls", "cat", "head", "tail", "wc", "grep", "rg", "find", "cd", "pwd", "stat", "file", "which", "git"}
	readersOfGit = []string{"status", "log", "diff", "ls-files", "rev-parse", "add"}
	otherOptions = []string{"-exec", "-ok", "-delete", "-fprint", "-fls", "--pre", "--output", "--ext-diff", "--textconv", "-p", "-u", "-U", "-L", "--patch", "--unified",
		"--binary", "--remerge-diff", "--dd", "--cc"}
)

// withoutErrors takes out where a shell sends error messages.
var withoutErrors = strings.NewReplacer("2>/dev/null", " ", "2>&1", " ")

// onlyReads reports whether a command of a shell writes no file, by its words. Where they leave it
// open, as with a variable or a redirection, it doesn't: it may be the agent's work.
func onlyReads(command string) bool {
	command = withoutErrors.Replace(command)
	// A command that is not known, as of a tool with other parameters, may do anything; so may what
	// a shell puts in the place of these.
	if strings.TrimSpace(command) == "" || strings.ContainsAny(command, "<>`$\\(){}\n") {
		return false
	}
	for one := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune("|&;", r) }) {
		if words := strings.Fields(one); len(words) > 0 && !readsBy(words) {
			return false
		}
	}
	return true
}

// readsBy is onlyReads for the words of one command.
func readsBy(words []string) bool {
	option := func(word string) bool {
		return slices.ContainsFunc(otherOptions, func(option string) bool { return strings.HasPrefix(word, option) })
	}
	if !slices.Contains(readers, words[0]) || slices.ContainsFunc(words, option) {
		return false
	}
	if words[0] != "git" {
		return true
	}
	of := func(word string) bool { return !strings.HasPrefix(word, "-") } // a commit, perhaps
	// An option before the command, as -c, may have git run another program; after it, that shows
	// what merges change. git diff with a commit shows the content of that.
	return len(words) > 1 && slices.Contains(readersOfGit, words[1]) && !slices.Contains(words, "-c") && (words[1] != "diff" || !slices.ContainsFunc(words[2:], of))
}
