// Package safefile reads and writes files in directories that others can write: it opens only
// regular files of bounded size, and writes to a new file of an unpredictable name, which it
// renames.
package safefile

// It is the only package that opens files by name, so that a FIFO hangs nothing, a device is never
// opened, and nothing is written through a symbolic link.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Kind is the kind of a file that cannot be used, instead of a regular one.
type Kind string

// The kinds.
const (
	Directory Kind = "a directory"
	FIFO      Kind = "a FIFO"
	Socket    Kind = "a socket"
	Device    Kind = "a device"
	Irregular Kind = "something else"
	Link      Kind = "a symbolic link"
	Outside   Kind = "a symbolic link out of the worktree"
	GitDir    Kind = "a symbolic link into a git directory"
	Tracked   Kind = "a symbolic link that git tracks"
	TooLarge  Kind = "too large"
)

// Error is a file that cannot be used, and its kind.
type Error struct {
	Path   string
	Kind   Kind
	Target string // of a symbolic link, as it is written there
	Limit  int64  // in bytes, of a file that is larger
	Size   int64
}

func (e *Error) Error() string { return e.Path + ": " + e.Problem() }

// Problem is the error without the file's name.
func (e *Error) Problem() string {
	switch e.Kind {
	case Directory:
		return "is a directory"
	case TooLarge:
		return fmt.Sprintf("holds %d bytes, and at most %d are read", e.Size, e.Limit)
	case Link:
		return "is a symbolic link to " + e.Target
	case Outside:
		return "is a symbolic link to " + e.Target + ", outside the worktree"
	case GitDir:
		return "is a symbolic link to " + e.Target + ", in a git directory"
	case Tracked:
		return "is a symbolic link to " + e.Target + ", and tracked by git"
	}
	return "is " + string(e.Kind) + ", not a regular file"
}

// Hint is the hint for the user.
func (e *Error) Hint() string {
	switch e.Kind {
	case Link, Outside, GitDir, Tracked:
		return "replace the symbolic link by a file, or remove it"
	}
	return "check what it is, and move it away"
}

// Unwrap is the system's error for a directory.
func (e *Error) Unwrap() error {
	if e.Kind == Directory {
		return syscall.EISDIR
	}
	return nil
}

// Glob lists the files below a directory that a pattern of path.Match names; none where it can't be
// read. The directory is no part of the pattern: its own name may look like one.
func Glob(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names
}

// Read returns the content of a regular file of at most limit bytes. A symbolic link is followed.
func Read(file string, limit int64) ([]byte, error) { return read(file, limit, true) }

// ReadOwn is Read for this program's own files, which are never a symbolic link.
func ReadOwn(file string, limit int64) ([]byte, error) { return read(file, limit, false) }

func read(file string, limit int64, links bool) ([]byte, error) {
	f, err := open(file, os.O_RDONLY, 0, links)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	var data []byte
	if size <= limit { // one byte more tells whether it has grown beyond the limit
		buffer := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
		if _, err = buffer.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
			return nil, err
		}
		data = buffer.Bytes()
		size = max(size, int64(len(data)))
	}
	if size > limit {
		return nil, &Error{Path: file, Kind: TooLarge, Size: size, Limit: limit}
	}
	return data, nil
}

// Open opens a regular file of any size for reading. A symbolic link is followed.
func Open(file string) (*os.File, error) { return open(file, os.O_RDONLY, 0, true) }

// OpenOwn is Open for this program's own files, which are never a symbolic link.
func OpenOwn(file string) (*os.File, error) { return open(file, os.O_RDONLY, 0, false) }

// Append opens one of this program's own files to append to it, and creates it if it is missing.
func Append(file string, perm fs.FileMode) (*os.File, error) {
	return open(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, perm, false)
}

// Check is an error if one of this program's own files is not a regular file. It may be missing.
func Check(file string) error {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return regular(file, info)
}

// open opens a regular file. It checks the kind before, because opening a device may have an
// effect, and after, because the file may have been exchanged; it doesn't block on a FIFO.
func open(file string, flag int, perm fs.FileMode, links bool) (*os.File, error) {
	look := os.Lstat
	if links {
		look = os.Stat
	} else {
		flag |= noFollow
	}
	info, err := look(file)
	if err == nil {
		err = regular(file, info)
	}
	if err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	f, err := os.OpenFile(file, flag|nonBlock, perm)
	if err != nil {
		return nil, err
	}
	info, err = f.Stat()
	if err == nil {
		err = regular(file, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if flag&os.O_CREATE != 0 {
		share(f, info)
	}
	return f, nil
}

// regular says what a file is instead of a regular one.
func regular(file string, info fs.FileInfo) error {
	e := &Error{Path: file}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		e.Kind = Directory
	case mode&fs.ModeSymlink != 0:
		e.Kind = Link
		e.Target, _ = os.Readlink(file)
	case mode&fs.ModeNamedPipe != 0:
		e.Kind = FIFO
	case mode&fs.ModeSocket != 0:
		e.Kind = Socket
	case mode&fs.ModeDevice != 0:
		e.Kind = Device
	default:
		e.Kind = Irregular
	}
	return e
}
