package gitexec

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Reasons why a directory has no usable repository. Each is wrapped with the place and a hint.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrBare          = errors.New("a bare repository has no worktree")
	ErrUnborn        = errors.New("the current branch has no commit yet")
	ErrBrokenHead    = errors.New("HEAD is broken")
	ErrNoGit         = errors.New("git was not found on PATH")
)

// OldGitError is a git that is older than oldest.
type OldGitError struct{ Version string }

func (e *OldGitError) Error() string {
	return fmt.Sprintf("git is older than 2.%d: this is git %s\nhint: install a newer one, or put it first on PATH", oldest, e.Version)
}

// Past is the error for who reads of it later.
func (e *OldGitError) Past() string {
	return fmt.Sprintf("git was older than 2.%d: it was git %s", oldest, e.Version)
}

// oldest is the oldest git that will do, 2.38: it introduced merge-tree --write-tree.
const oldest = 38

// Error is a git command that failed.
type Error struct {
	Args   []string // the command, from "git" on; none: it is known what git would say
	Dir    string   // where it ran
	Code   int      // exit code; -1 if it was killed or didn't start
	Stderr string   // without the last newline
	Err    error    // from os/exec, or the context's error
}

// Error is one line: the command, the directory, the exit code, git's message.
func (e *Error) Error() string {
	said := strings.ReplaceAll(e.Stderr, "\n", "; ")
	if said == "" && e.Err != nil {
		said = e.Err.Error()
	}
	if len(e.Args) == 0 { // git was not asked
		return said
	}
	return fmt.Sprintf("git %s (in %s, exit code %d): %s", firstWords(e.Args), e.Dir, e.Code, said)
}

// Unwrap returns the cause, so that errors.Is finds a cancelled context or a missing program.
func (e *Error) Unwrap() error { return e.Err }

// Is makes a git that is not on PATH ErrNoGit.
func (e *Error) Is(target error) bool {
	return target == ErrNoGit && errors.Is(e.Err, exec.ErrNotFound)
}

// firstWords shortens a command for an error line, because lists of paths can be very long.
func firstWords(args []string) string {
	const most = 120
	line := shellLine(args[1:])
	if len(line) > most {
		line = line[:most] + "…"
	}
	return line
}

// RefMovedError is a ref transaction that failed because a ref didn't have the expected value, or
// another process was writing it: read the refs and retry.
type RefMovedError struct {
	Cause *Error
	Lock  string // an existing lock file, which may be stale; empty: the ref has another value
}

func (e *RefMovedError) Error() string { return "a ref moved meanwhile: " + e.Cause.Error() }
func (e *RefMovedError) Unwrap() error { return e.Cause }

// RefConflictError is a ref that could not be created because of another one, as refs/heads/a and
// refs/heads/a/b.
type RefConflictError struct {
	Ref   string // the other one, full
	Cause *Error
}

func (e *RefConflictError) Error() string {
	name := strings.TrimPrefix(e.Ref, "refs/heads/")
	return fmt.Sprintf("the branch %s conflicts with this program's branches\nhint: git branch -m %s another-name", name, ShellQuote(name))
}
func (e *RefConflictError) Unwrap() error { return e.Cause }

// MissingError is an object or a revision that the repository doesn't have.
type MissingError struct {
	Name      string
	Unfetched bool // it is a partial clone, for which nothing can be fetched now
}

func (e *MissingError) Error() string {
	if e.Unfetched {
		return "this partial clone lacks object " + e.Name
	}
	return "no such object: " + e.Name
}

// IsMissing reports whether an error is a MissingError, or due to one.
func IsMissing(err error) bool { return errors.As(err, new(*MissingError)) }

// UnfetchedError is a command that failed because a partial clone lacks objects, and nothing can be
// fetched now.
type UnfetchedError struct{ Cause *Error }

func (e *UnfetchedError) Error() string { return "this partial clone lacks objects of it" }
func (e *UnfetchedError) Unwrap() error { return e.Cause }

// IsUnfetched reports whether a partial clone lacks an object, for which nothing can be fetched
// now.
func IsUnfetched(err error) bool {
	missing, ok := errors.AsType[*MissingError](err)
	return ok && missing.Unfetched || errors.As(err, new(*UnfetchedError))
}

// PrunedError is an object that was stored, and deleted before a ref kept it.
type PrunedError struct{ ID OID }

func (e *PrunedError) Error() string {
	return "another process, maybe git gc --prune=now, deleted " + e.ID.Short() + ", which was just stored\n" +
		"hint: nothing was changed; run the command again"
}

// TooLargeError is an object larger than the limit of its kind. None of it was read.
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

// ErrReadLimit is the end of reading data that others may have written: see Objects.EachBlob.
var ErrReadLimit = errors.New("more than a gigabyte of fetched data would have to be read")

// KindError is an object of a wrong type.
type KindError struct{ Name, Kind, Want string }

func (e *KindError) Error() string {
	return fmt.Sprintf("object %s is a %s, not a %s", e.Name, e.Kind, e.Want)
}
