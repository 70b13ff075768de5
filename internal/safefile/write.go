package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write writes a file whole or not at all: beside, to a new file of an unpredictable name, which is
// renamed. What stands under the file's name, a symbolic link too, is replaced, and its mode
// doesn't matter: the mode is perm, less the umask, but its owner may read it, and execute it if
// perm says so.
func Write(file string, data []byte, perm fs.FileMode) error {
	return WriteFrom(file, perm, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// Rewrite is Write for a file of the user's, whose readers and writers stay those that it has.
// Nobody may execute it after: a mode that a repository brought along must not make a program of
// what is written here.
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

// WriteFrom is Write for what a function writes. Its error, too, leaves all as it was.
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

// Create makes a file that must not be there yet, and opens it for writing.
func Create(file string, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, perm)
	if err != nil {
		return nil, err
	}
	if info, err2 := f.Stat(); err2 != nil {
		err = err2
	} else if owner := perm & 0o500; info.Mode()&owner != owner {
		err = f.Chmod(info.Mode().Perm() | owner)
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
		if f, err = Create(filepath.Join(dir, fmt.Sprintf(".%s.new-%d", name, rand.Uint64())), perm); err == nil || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, err
}

// WriteNew writes a file that must not be there yet, in a directory that nobody else writes to.
func WriteNew(file string, data []byte, perm fs.FileMode) error {
	f, err := Create(file, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// WriteInto writes to what is no regular file, as a pipe or a terminal, which the user has named;
// it waits for the other end.
func WriteInto(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
