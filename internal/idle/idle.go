// Package idle lets the stubs of prepare-commit-msg and post-commit end without starting the
// program, while no session has work that a commit could hold.
package idle

// The repository is idle while a file in our directory in the common git directory says so. Who
// takes the lock under which sessions and streams change removes it, and post-commit alone writes
// it, under that lock. For each worktree another file lists the commits that HEAD was at since
// then. The stubs append to it, so that the program can look at them later. A stub starts the
// program unless HEAD's branch is at the last of them: a reset, a switch, and commits without hooks
// change that. The file begins with the first one's text, so that it counts for no other time.

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// The names of the files in our directory inside the git directory.
const (
	File        = "idle"          // common: a random word
	CommitsFile = "idle-commits"  // a worktree's: that word, and the commits, one in a line
	PreparedAt  = "idle-prepared" // a worktree's: the commit on which prepare-commit-msg ended early last
)

// MostCommits is how many commits a stub lets pass before the program has to look at them.
const MostCommits = 20

// largest is how many bytes of these files are read: more than MostCommits lines.
const largest = 16 << 10

// Begin says that the repository is idle, and HEAD at the commit. The lock is held.
func Begin(sharedDir, privateDir string, head gitexec.OID) error {
	word := rand.Text()
	if err := write(privateDir, word, head); err != nil {
		return err
	}
	return safefile.Write(filepath.Join(sharedDir, File), []byte(word+"\n"), 0o600)
}

// Started says that prepare-commit-msg does not end early for the commit that is being made.
func Started(privateDir string) { os.Remove(filepath.Join(privateDir, PreparedAt)) }

// End says that it is not.
func End(sharedDir string) error {
	if err := os.Remove(filepath.Join(sharedDir, File)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Commits lists the commits in a worktree for which the program was not started, oldest first.
func Commits(privateDir string) []gitexec.OID {
	if _, ids := read(privateDir); len(ids) > 1 {
		return ids[1:]
	}
	return nil
}

// Seen says that the program has looked at these commits: the last of them begins the list now.
func Seen(privateDir string) error {
	word, ids := read(privateDir)
	if len(ids) < 2 {
		return nil
	}
	return write(privateDir, word, ids[len(ids)-1])
}

// read returns the word and the commits in a worktree's list. What is no commit's ID, as of a stub
// that was killed, ends it.
func read(privateDir string) (word string, ids []gitexec.OID) {
	data, err := safefile.ReadOwn(filepath.Join(privateDir, CommitsFile), largest)
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

func write(privateDir, word string, head gitexec.OID) error {
	if err := safefile.MkdirAll(privateDir, 0o700); err != nil {
		return err
	}
	return safefile.Write(filepath.Join(privateDir, CommitsFile), []byte(word+"\n"+string(head)+"\n"), 0o600)
}
