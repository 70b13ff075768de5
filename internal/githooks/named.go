package githooks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostBeside limits how many files of a hooks directory are read; git has some thirty hooks.
const mostBeside = 1000

// theirs is a file of a hooks directory that is not ours, and that may run one that is: git's hooks
// don't tell what they run, so its text is searched.
type theirs struct {
	path string
	hook string // the hook that it is, or was, or is a part of
	body string
	// opaque says that its text can't be searched.
	opaque bool
}

// filesOfOthers are the files of hooks directories that are neither ours nor a manager's whose text
// is known.
func filesOfOthers(dirs ...string) (found []theirs) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // no directory
		}
		for _, e := range entries[:min(len(entries), mostBeside)] {
			if e.IsDir() || strings.HasSuffix(e.Name(), ".sample") {
				continue
			}
			path := filepath.Join(dir, e.Name())
			now, err := look(path)
			if f := theirsAt(path, now); err != nil || !f.ours(now) {
				found = append(found, f)
			}
		}
	}
	return found
}

func theirsAt(path string, now found) theirs {
	hook, _, _ := strings.Cut(filepath.Base(path), ".")
	return theirs{path, hook, now.body, now.body == "" || len(now.body) >= maxRead || strings.Contains(now.body, "\x00")}
}

// ours reports whether a file is a stub of ours, or the entire CLI's hook, which needs none of
// ours.
func (f theirs) ours(now found) bool {
	return OfEntire(f.body) || slices.ContainsFunc(Names, func(name string) bool { return isStub(name, now) })
}

// runs is the line that runs a file, which is beside it, by its name or by the hook's own name.
func (f theirs) runs(name, file string) string {
	base := asideName(name, file)
	for line := range f.code() {
		plain := quotes.Replace(line)
		if at := strings.Index(plain, base); at >= 0 && !continues(plain[at+len(base):]) {
			return line
		}
		for _, word := range strings.Fields(line) {
			if suffix := suffixOf(name, base); f.hook == name && ofOwnName(word) && strings.Contains(word, suffix) &&
				!strings.Contains(word, "%"+suffix) { // which takes it off

				return line
			}
		}
	}
	return ""
}

// mayRun reports whether it can't be ruled out that a file is run: its name may be put together.
func (f theirs) mayRun(name, file string) bool {
	if f.runs(name, file) != "" || f.hook == name && !f.ofManager() && !f.literal() {
		return true
	}
	suffix := suffixOf(name, asideName(name, file))
	for line := range f.code() {
		for _, word := range strings.Fields(line) {
			if strings.Contains(word, suffix) && f.putsTogether(name, word) {
				return true
			}
		}
	}
	return false
}

// putsTogether reports whether a word with the suffix of a hook's file may become its name.
func (f theirs) putsTogether(name, word string) bool {
	return f.hook == name || !slices.Contains(Names, f.hook) && strings.ContainsAny(word, "$`*?")
}

// ofManager reports whether the text is a hook manager's, of which is known what it runs.
func (f theirs) ofManager() bool {
	return ofLefthook(f.body) || runsLegacy(f.body) || namedBySelf(f.body)
}

// literal reports whether the text is a shell's, and each name in it stands there as it is.
func (f theirs) literal() bool {
	shell, _, _ := strings.Cut(f.body, "\n")
	if _, of, ok := strings.Cut(shell, "#!"); f.opaque || ok && !strings.HasSuffix(strings.TrimSpace(of), "sh") {
		return false
	}
	for line := range f.code() {
		if strings.ContainsAny(line, "$`*?[") {
			return false
		}
	}
	return true
}

// runsPlace reports whether a line runs a hook's file in its place, as by its path.
func (f theirs) runsPlace(name string) bool {
	for line := range f.code() {
		if _, rest, ok := strings.Cut(line, "/"+name); ok && !continues(rest) && f.hook != name {
			return true
		}
	}
	return false
}

// code is the text's lines without comments.
func (f theirs) code() func(func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(f.body) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !yield(line) {
				return
			}
		}
	}
}

// asideName is how others name a file: hooks that overcommit moved have a directory.
func asideName(name, file string) string {
	if base := filepath.Base(file); base != name {
		return base
	}
	return oldHookDir + "/" + name
}

func suffixOf(name, base string) string {
	return strings.TrimSuffix(strings.TrimPrefix(base, name), "/"+name)
}

// quotes are what a shell takes out of a word.
var quotes = strings.NewReplacer(`"`, "", `'`, "", `\`, "")

// ofOwnName reports whether a shell word is made of the name that the script was called by.
func ofOwnName(word string) bool {
	return strings.Contains(word, "$0") || strings.Contains(word, "${0")
}

// continues reports whether a name goes on after what was found.
func continues(rest string) bool {
	return rest != "" && strings.IndexByte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-./", rest[0]) >= 0
}

// runBy is the file of others that runs, or may run, a copy of our stub; empty if none does.
func (h Hook) runBy(file string) string {
	for _, f := range h.others() {
		if f.path != file && f.mayRun(h.Name, file) {
			return f.path
		}
	}
	return ""
}

// unused are those of the copies of our stub that nobody's hook runs; used are the others.
func (h Hook) unused(copies []string) (unused, used []string) {
	for _, file := range copies {
		if h.runBy(file) == "" {
			unused = append(unused, file)
		} else {
			used = append(used, file)
		}
	}
	return unused, used
}

// runInPlace is the file of others that runs our stub where git does, as the hook of another event.
func (h Hook) runInPlace() string {
	for _, f := range h.others() {
		if f.runsPlace(h.Name) {
			return f.path
		}
	}
	return ""
}
