// Package explain turns errors into sentences with a hint for the user.
package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// remedy is a hint for a system error, as reported by Go or by git.
type remedy struct {
	causes []syscall.Errno
	texts  []string // in git's messages
	hint   string
}

var remedies = []remedy{
	{[]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}, []string{"No space left on device", "Out of diskspace", "Disk quota exceeded"},
		"free some disk space; recorded data is safe"},
	{[]syscall.Errno{syscall.EROFS, syscall.EACCES, syscall.EPERM}, []string{"Read-only file system", "Permission denied"},
		"check the permissions"},
	{[]syscall.Errno{syscall.EISDIR, syscall.ENOTDIR}, nil, "check what it is, and move it away"},
}

// Error explains an error: if git is too old, it returns that; if the error has no hint, it adds
// one for a system error.
func Error(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var fault *gitexec.Error
	said := ""
	if errors.As(err, &fault) {
		said = fault.Stderr
		if _, old := gitexec.CheckVersion(ctx, nil); errors.As(old, new(*gitexec.OldGitError)) {
			return old
		}
	}
	if strings.Contains(err.Error(), hintMark) {
		return err
	}
	if unusable := new(safefile.Error); errors.As(err, &unusable) {
		return fmt.Errorf("%w%s%s", err, hintMark, unusable.Hint())
	}
	for _, r := range remedies {
		if r.fits(err, said) {
			return fmt.Errorf("%w%s%s", err, hintMark, r.hint)
		}
	}
	return err
}

// Past is an error's text for who reads of it later, when git may be another one.
func Past(err error) string {
	var old *gitexec.OldGitError
	if errors.As(Error(context.Background(), err), &old) {
		return old.Past()
	}
	return err.Error()
}

func (r remedy) fits(err error, stderr string) bool {
	return slices.ContainsFunc(r.causes, func(cause syscall.Errno) bool { return errors.Is(err, cause) }) ||
		slices.ContainsFunc(r.texts, func(text string) bool { return strings.Contains(stderr, text) })
}

// hintMark begins the second line of an error.
const hintMark = "\nhint: "

// What is an error in one line, without its hint.
func What(err error) string {
	text, _, _ := strings.Cut(gitexec.Harmless(err.Error()), hintMark)
	return strings.ReplaceAll(text, "\n", "; ")
}

// OneLine is an error with its hint in one line, harmless in a terminal.
func OneLine(err error) string {
	text, hint, ok := strings.Cut(gitexec.Harmless(err.Error()), hintMark)
	text = strings.ReplaceAll(text, "\n", "; ")
	if !ok {
		return text
	}
	return text + " (hint: " + strings.ReplaceAll(strings.ReplaceAll(hint, hintMark, "; "), "\n", "; ") + ")"
}
