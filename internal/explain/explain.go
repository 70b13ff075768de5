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

// remedy is a hint for a fault of the system's, as Go or as git tells it.
type remedy struct {
	causes []syscall.Errno
	said   []string // in git's own words
	hint   string
}

var remedies = []remedy{
	{[]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}, []string{"No space left on device", "Out of diskspace", "Disk quota exceeded"},
		"free some disk space; recorded data is safe"},
	{[]syscall.Errno{syscall.EROFS, syscall.EACCES, syscall.EPERM}, []string{"Read-only file system", "Permission denied"},
		"check the permissions"},
	{[]syscall.Errno{syscall.EISDIR, syscall.ENOTDIR}, nil, "check what it is, and move it away"},
}

// Error adds to an error what only shows once something failed: that git itself is too old, or,
// if nobody has given a hint yet, one for a fault of the system's.
func Error(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var fault *gitexec.Error
	said := ""
	if errors.As(err, &fault) {
		said = fault.Stderr
		if _, old := gitexec.CheckVersion(ctx, nil); errors.Is(old, gitexec.ErrOldGit) {
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

func (r remedy) fits(err error, said string) bool {
	return slices.ContainsFunc(r.causes, func(cause syscall.Errno) bool { return errors.Is(err, cause) }) ||
		slices.ContainsFunc(r.said, func(words string) bool { return strings.Contains(said, words) })
}

// hintMark begins the second line of an error.
const hintMark = "\nhint: "

// OneLine brings an error with its hint to a line, as a terminal may show it.
func OneLine(err error) string {
	text, hint, ok := strings.Cut(gitexec.Harmless(err.Error()), hintMark)
	text = strings.ReplaceAll(text, "\n", "; ")
	if !ok {
		return text
	}
	return text + " (hint: " + strings.ReplaceAll(strings.ReplaceAll(hint, hintMark, "; "), "\n", "; ") + ")"
}
