package session

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// CommandFiles are files that the commands of shells name.
type CommandFiles []commandFiles

type commandFiles struct {
	task           BackgroundTask
	written, named fileWords
}

// fileWords are words of a command that may name files, by their last names.
type fileWords map[string][]string

func (w fileWords) add(word string) {
	word = path.Clean(word)
	w[path.Base(word)] = append(w[path.Base(word)], word)
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

// Writing is the first task whose command writes a file of the worktree at top, by its words: it
// names the file after a redirection or an option for the output, or, where the file is new,
// anywhere.
func (all CommandFiles) Writing(top string, file gitexec.Path, isNew bool) (BackgroundTask, bool) {
	at := path.Join(filepath.ToSlash(top), string(file))
	for _, of := range all {
		if of.written.name(at, file) || isNew && of.named.name(at, file) {
			return of.task, true
		}
	}
	return BackgroundTask{}, false
}

// name reports whether one of the words may be a file, by its absolute path. The directory in which
// the command runs is not known, nor what a variable stands for.
func (w fileWords) name(at string, file gitexec.Path) bool {
	top := strings.TrimSuffix(at, "/"+string(file))
	return slices.ContainsFunc(w[path.Base(at)], func(word string) bool {
		switch {
		case strings.HasPrefix(word, top+"/"):
			return word == at
		case path.IsAbs(word): // the worktree may be there, too, as through a symlink
			return strings.HasSuffix(word, path.Join("/", path.Base(top), string(file)))
		}
		dirs := strings.Split(word, "/")
		known := len(dirs) - 1
		for known > 0 && dirs[known-1] != ".." && !strings.ContainsAny(dirs[known-1], "$~*?[{") {
			known--
		}
		return strings.HasSuffix(at, "/"+path.Join(dirs[known:]...))
	})
}

var (
	// parts separates words, and marks where a command ends, and where a redirection begins.
	parts = strings.NewReplacer(">|", " > ", "&>", " > ", ">&", " ", ">", " > ", "&", " ; ", "|", " ; ", ";", " ; ", "\n", " ; ",
		"(", " ; ", ")", " ; ", "=", " ", `"`, " ", "'", " ", "`", " ")
	outputs   = []string{">", "-o", "-O", "-out", "--out", "--output", "--outfile", "--output-file", "of"} // the next word is written
	writers   = []string{"tee", "mv", "touch", "truncate", "patch"}                                        // so are all words of these
	copiers   = []string{"cp", "mv", "install", "rsync", "ln"}                                             // the last word of these, or in it one named as another
	searchers = []string{"grep", "egrep", "fgrep", "rg", "ag", "ack"}                                      // -o has another sense for these
)

// wordsOf are the names in a command: of files that it writes, and all.
func wordsOf(command string) (written, named fileWords) {
	written, named = fileWords{}, fileWords{}
	program, all, next := "", false, false
	var args []string
	for _, word := range append(strings.Fields(parts.Replace(command)), ";") {
		switch {
		case word == ";":
			if slices.Contains(copiers, program) {
				written.copied(args)
			}
			program, all, next, args = "", false, false, nil
		case slices.Contains(outputs, word) && (word == ">" || !slices.Contains(searchers, program)):
			next = true
		case next: // it may stand before the program
			named.add(word)
			written.add(word)
			next = false
		case program == "":
			program, all = path.Base(word), slices.Contains(writers, path.Base(word))
			named.add(word)
		case (program == "sed" || program == "perl") && strings.HasPrefix(word, "-i"):
			all = true
		default:
			named.add(word)
			args = append(args, word)
			if all {
				written.add(word)
			}
		}
	}
	return written, named
}

// copied adds what a command writes that copies its first words to the last one, which may be a
// directory.
func (w fileWords) copied(args []string) {
	for i, word := range args {
		if i < len(args)-1 {
			w.add(path.Join(args[len(args)-1], path.Base(word)))
			continue
		}
		w.add(word)
	}
}
