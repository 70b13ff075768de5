package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Write writes a file atomically: to a new file of an unpredictable name in the same directory,
// which it renames. It replaces an existing file or symbolic link, regardless of its mode. The mode
// is perm, less the umask, but always readable by the owner, and executable if perm says so.
func Write(file string, data []byte, perm fs.FileMode) error {
	return WriteFrom(file, perm, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// Rewrite is Write for a user's file, and keeps its mode except for the executable bits: the mode
// of a committed file must not make a program of what is written here.
func Rewrite(file string, data []byte) error {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Write(file, data, 0o644)
	}
	if err == nil {
		err = regular(file, info)
	}
	if err != nil {
		return err
	}
	return WriteFrom(file, 0o600, func(f *os.File) error {
		if _, err := f.Write(data); err != nil {
			return err
		}
		return f.Chmod(info.Mode().Perm()&^0o111 | 0o600)
	})
}

// WriteFrom is Write with a function that writes the content. After its error nothing is changed.
func WriteFrom(file string, perm fs.FileMode, write func(*os.File) error) error {
	f, err := createBeside(file, perm)
	if err != nil {
		return err
	}
	err = write(f)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Create creates a file that must not exist, and opens it for writing.
func Create(file string, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if owner := perm & 0o500; err == nil && info.Mode()&owner != owner {
		err = f.Chmod(info.Mode().Perm() | owner)
		info, _ = f.Stat()
	}
	if err == nil && info != nil {
		share(f, info)
	}
	if err != nil {
		f.Close()
		os.Remove(file)
		return nil, err
	}
	return f, nil
}

// createBeside makes a new file in the directory of another, hidden, as os.CreateTemp does, but
// with a mode.
func createBeside(file string, perm fs.FileMode) (*os.File, error) {
	dir, name := filepath.Split(file)
	var err error
	for range 1000 {
		var f *os.File
		if f, err = Create(filepath.Join(dir, fmt.Sprintf(".%s.new-%d", name, rand.Uint64())), perm); err == nil ||
			!errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, err
}

// RemoveUnfinished removes what writers of a file that were killed have left beside it, if it was
// not written to since a time.
func RemoveUnfinished(file string, since time.Time) {
	dir, name := filepath.Split(file)
	all, _ := os.ReadDir(filepath.Clean(dir)) // without the directory there is nothing
	for _, e := range all {
		number, ok := strings.CutPrefix(e.Name(), "."+name+".new-")
		if _, err := strconv.ParseUint(number, 10, 64); !ok || err != nil || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(since) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// WriteNew writes a file that must not exist, in a directory that no other user can write.
func WriteNew(file string, data []byte, perm fs.FileMode) error {
	f, err := Create(file, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// WriteInto writes to a file that is not a regular one, such as a pipe or a terminal, which the
// user has named; it waits for the reader.
func WriteInto(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
