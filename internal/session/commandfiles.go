package session

import (
	"path"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// CommandFiles are files that the commands of shells name, by their last names.
type CommandFiles []commandFiles

type commandFiles struct {
	task           BackgroundTask
	written, named map[string]bool
}

// Files are those that the commands of the tasks name.
func (b BackgroundTasks) Files() (all CommandFiles) {
	for _, task := range b {
		if task.Shell {
			written, named := wordsOf(task.Command)
			all = append(all, commandFiles{task, written, named})
		}
	}
	return all
}

// Writing is the first task whose command writes a file, by its words: it names the file after a
// redirection or an option for the output, or, where the file is new, anywhere.
func (all CommandFiles) Writing(file gitexec.Path, isNew bool) (BackgroundTask, bool) {
	name := path.Base(string(file))
	for _, of := range all {
		if of.written[name] || isNew && of.named[name] {
			return of.task, true
		}
	}
	return BackgroundTask{}, false
}

var (
	// parts separates words, and marks where a command ends, and where a redirection begins.
	parts = strings.NewReplacer(">|", " > ", "&>", " > ", ">&", " ", ">", " > ", "&", " ; ", "|", " ; ", ";", " ; ", "\n", " ; ",
		"(", " ; ", ")", " ; ", "=", " ", `"`, " ", "'", " ", "`", " ")
	outputs   = []string{">", "-o", "-O", "-out", "--out", "--output", "--outfile", "--output-file", "of"} // the next word is written
	writers   = []string{"tee", "cp", "mv", "install", "touch", "truncate", "rsync", "patch", "ln"}        // so are all words of these
	searchers = []string{"grep", "egrep", "fgrep", "rg", "ag", "ack"}                                      // -o has another sense for these
)

// wordsOf are the names in a command: of files that it writes, and all.
func wordsOf(command string) (written, named map[string]bool) {
	written, named = map[string]bool{}, map[string]bool{}
	program, all, next := "", false, false
	for _, word := range strings.Fields(parts.Replace(command)) {
		name := path.Base(word)
		switch {
		case word == ";":
			program, all, next = "", false, false
		case slices.Contains(outputs, word) && (word == ">" || !slices.Contains(searchers, program)):
			next = true
		case next: // it may stand before the program
			named[name], written[name], next = true, true, false
		case program == "":
			program, all = name, slices.Contains(writers, name)
			named[name] = true
		case (program == "sed" || program == "perl") && strings.HasPrefix(word, "-i"):
			all = true
		default:
			named[name] = true
			written[name] = written[name] || all
		}
	}
	return written, named
}
