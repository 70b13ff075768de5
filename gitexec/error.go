package gitexec

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// The ways in which a directory has no repository that can be worked in. Each comes wrapped with
// the place and a hint.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrBare          = errors.New("a bare repository has no worktree")
	ErrUnborn        = errors.New("the repository has no commit yet")
	ErrBrokenHead    = errors.New("HEAD is broken")
	ErrNoGit         = errors.New("git was not found on PATH")
	ErrOldGit        = errors.New("git is older than 2.36")
)

// Error is a git command that failed.
type Error struct {
	Args   []string // the command, from "git" on
	Dir    string   // where it ran
	Code   int      // exit code; -1 when it was killed or didn't start
	Stderr string   // what git said, without the last newline
	Err    error    // the cause as os/exec tells it, or the context's error
}

// Error is one line: the command, the place, the outcome, git's words.
func (e *Error) Error() string {
	said := strings.ReplaceAll(e.Stderr, "\n", "; ")
	if said == "" && e.Err != nil {
		said = e.Err.Error()
	}
	return fmt.Sprintf("git %s (in %s, exit code %d): %s", firstWords(e.Args), e.Dir, e.Code, said)
}

// Unwrap gives the cause, so that errors.Is finds a cancelled context or a program that isn't
// there.
func (e *Error) Unwrap() error { return e.Err }

// Is makes a git that could not be started findable as ErrNoGit.
func (e *Error) Is(target error) bool {
	return target == ErrNoGit && errors.Is(e.Err, exec.ErrNotFound)
}

// firstWords shortens a command for an error line: options in full say little there, and path lists
// can be endless.
func firstWords(args []string) string {
	const most = 120
	line := shellLine(args[1:])
	if len(line) > most {
		line = line[:most] + "…"
	}
	return line
}

// RefMovedError says that a ref transaction was refused because a ref wasn't what it was expected
// to be, or was being written by another process: read again and retry.
type RefMovedError struct {
	Cause *Error
	Lock  string // the lock file that another process holds, or left; empty: the ref has another value
}

func (e *RefMovedError) Error() string { return "a ref moved meanwhile: " + e.Cause.Error() }
func (e *RefMovedError) Unwrap() error { return e.Cause }

// RefInTheWayError says that a ref could not be made because another one is named as a directory of
// it, or lies below it.
type RefInTheWayError struct {
	Ref   string // the other one, full
	Cause *Error
}

func (e *RefInTheWayError) Error() string {
	name := strings.TrimPrefix(e.Ref, "refs/heads/")
	return fmt.Sprintf("the branch %s is in the way of this program's branches\nhint: git branch -m %s another-name", name, ShellQuote(name))
}
func (e *RefInTheWayError) Unwrap() error { return e.Cause }

// MissingError names an object or a revision that the repository doesn't have.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return "no such object: " + e.Name }

// TooLargeError names an object that is larger than what is read of its kind. None of it was read.
type TooLargeError struct {
	Name       string
	Size, Most int64 // bytes; Most is 0 for a commit or a tree
}

func (e *TooLargeError) Error() string {
	most := e.Most
	if most == 0 {
		most = mostTree
	}
	return fmt.Sprintf("object %s has %d bytes, and at most %d are read", e.Name, e.Size, most)
}

// ErrEnough says that so much was read already that no more will be: see Objects.EachBlob.
var ErrEnough = errors.New("more than a gigabyte of what others may have written would have to be read")

// KindError names an object that is of another type than the one that is needed.
type KindError struct{ Name, Kind, Want string }

func (e *KindError) Error() string {
	return fmt.Sprintf("object %s is a %s, not a %s", e.Name, e.Kind, e.Want)
}
