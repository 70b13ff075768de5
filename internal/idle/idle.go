// Package idle lets the stubs of prepare-commit-msg and post-commit end without starting the
// program, while no session has work that a commit could hold.
package idle

// The repository is idle while a file in our directory in its git directory says so. Who takes the
// lock under which sessions and streams change removes it, and post-commit alone writes it, under
// that lock. Another file lists the commits that HEAD was at since then. The stubs append to it, so
// that the program can look at them later. A stub starts the program unless HEAD's branch is at the
// last of them: a reset, a switch, and commits without hooks change that. The file begins with the
// first one's text, so that it counts for no other time.
//
// Two files say that prepare-commit-msg ended for the commit in progress, early or not. Post-commit
// compares one without a link for which it did not.
//
// But for these two, all of this is of the main worktree. A linked one may be removed, with what is
// known of its commits, before anything has looked at them: there the stubs find no file, and start
// the program.

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// The names of the files in our directory inside the git directory.
const (
	File        = "idle"          // a random word
	CommitsFile = "idle-commits"  // that word, and the commits, one in a line
	PreparedAt  = "idle-prepared" // the commit on which prepare-commit-msg ended early last
	preparedAt  = "prepared"      // and that on which the program did so to its end last
)

// MostCommits is how many commits a stub lets pass before the program has to look at them.
const MostCommits = 20

// largest is how many bytes of these files are read: more than MostCommits lines.
const largest = 16 << 10

// Begin says that the repository is idle, and HEAD at the commit. The lock is held.
func Begin(dir string, head gitexec.OID) error {
	word := rand.Text()
	if err := write(dir, word, head); err != nil {
		return err
	}
	return safefile.Write(filepath.Join(dir, File), []byte(word+"\n"), 0o600)
}

// Started says that prepare-commit-msg has not ended for the commit that is being made, or that
// post-commit has succeeded: the next one may come without it.
func Started(dir string) {
	os.Remove(filepath.Join(dir, PreparedAt))
	os.Remove(filepath.Join(dir, preparedAt))
}

// Prepared says that it ended for a commit on the one at HEAD. Where that cannot be written, and
// the commit has no link, post-commit compares it once more.
func Prepared(dir string, head gitexec.OID) {
	if err := safefile.MkdirAll(dir, 0o700); err == nil {
		_ = safefile.Write(filepath.Join(dir, preparedAt), []byte(head+"\n"), 0o600)
	}
}

// IsPrepared reports whether it ended, early or not, for a commit on the one at HEAD. The stub of
// post-commit empties its file before it decides to start the program.
func IsPrepared(dir string, head gitexec.OID) bool {
	return slices.ContainsFunc([]string{PreparedAt, preparedAt}, func(name string) bool {
		data, err := safefile.ReadOwn(filepath.Join(dir, name), largest)
		return err == nil && (string(data) == string(head)+"\n" || name == PreparedAt && len(data) == 0)
	})
}

// End says that it is not.
func End(dir string) error {
	if err := os.Remove(filepath.Join(dir, File)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Commits lists the commits for which the program was not started, oldest first.
func Commits(dir string) []gitexec.OID {
	if _, ids := read(dir); len(ids) > 1 {
		return ids[1:]
	}
	return nil
}

// Seen says that the program has looked at the commits until one: it begins the list now. A stub
// may have added others meanwhile.
func Seen(dir string, last gitexec.OID) error {
	word, ids := read(dir)
	if at := slices.Index(ids, last); at > 0 {
		return write(dir, word, ids[at:]...)
	}
	return nil
}

// read returns the word and the commits in the list. What is no commit's ID, as of a stub that was
// killed, ends it.
func read(dir string) (word string, ids []gitexec.OID) {
	data, err := safefile.ReadOwn(filepath.Join(dir, CommitsFile), largest)
	if err != nil {
		return "", nil
	}
	word, rest, _ := strings.Cut(string(data), "\n")
	for line := range strings.Lines(rest) {
		id, whole := strings.CutSuffix(line, "\n")
		if !whole || !gitexec.ValidOID(id) {
			break
		}
		ids = append(ids, gitexec.OID(id))
	}
	return word, ids
}

func write(dir, word string, ids ...gitexec.OID) error {
	if err := safefile.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	text := word + "\n"
	for _, id := range ids {
		text += string(id) + "\n"
	}
	return safefile.Write(filepath.Join(dir, CommitsFile), []byte(text), 0o600)
}
