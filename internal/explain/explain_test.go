package explain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"entire-plumb/gitexec"
)

func TestExplain(t *testing.T) {
	system := func(cause syscall.Errno) error { return &fs.PathError{Op: "open", Path: "f", Err: cause} }
	said := func(words string) error { return &gitexec.Error{Args: []string{"git", "x"}, Code: 128, Stderr: words} }
	for name, c := range map[string]struct {
		err  error
		hint string
	}{
		"a full disk":             {system(syscall.ENOSPC), "free some disk space"},
		"a quota":                 {system(syscall.EDQUOT), "free some disk space"},
		"a full disk, wrapped":    {fmt.Errorf("x: %w", system(syscall.ENOSPC)), "free some disk space"},
		"a full disk, git's":      {said("fatal: write error: No space left on device"), "free some disk space"},
		"a full disk, git's own":  {said("fatal: sha1 file 'x' write error. Out of diskspace"), "free some disk space"},
		"read-only":               {system(syscall.EROFS), "check the permissions"},
		"read-only, git's":        {said("fatal: Unable to create 'x.lock': Read-only file system"), "check the permissions"},
		"no permission":           {system(syscall.EACCES), "check the permissions"},
		"a directory in the way":  {system(syscall.EISDIR), "check what it is"},
		"a file in the way":       {system(syscall.ENOTDIR), "check what it is"},
		"nothing known":           {errors.New("x"), ""},
		"of git's, nothing known": {said("fatal: bad revision"), ""},
	} {
		got := Error(context.Background(), c.err)
		text, hint, ok := strings.Cut(got.Error(), hintMark)
		if !errors.Is(got, c.err) || text != c.err.Error() || ok != (c.hint != "") || !strings.HasPrefix(hint, c.hint) {
			t.Errorf("%s: %q", name, got)
		}
	}
	hinted := fmt.Errorf("%w\nhint: do so", system(syscall.ENOSPC))
	if got := Error(context.Background(), hinted); got != hinted {
		t.Errorf("an error with a hint became %q", got)
	}
	if Error(context.Background(), nil) != nil {
		t.Error("no error became one")
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"it failed":                               "it failed",
		"it failed\nhint: do so":                  "it failed (hint: do so)",
		"it\nfailed\nhint: do so\nand so":         "it; failed (hint: do so; and so)",
		"one failed\nhint: do so\ntwo\nhint: and": "one failed (hint: do so; two; and)",
	} {
		if got := OneLine(errors.New(text)); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", text, got, want)
		}
	}
}
