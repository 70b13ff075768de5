package conversation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"entire-plumb/gitexec"
)

// ErrDamaged is a stored conversation or checkpoint that differs from what was written.
var ErrDamaged = errors.New("damaged checkpoint")

const (
	// MostDirectory is how many bytes a directory has: 25,000 entries. The root of the branch of
	// checkpoints has 257, the directory of 256th of a million checkpoints 4,000, a session's one
	// for each chunk of its transcript, which is a turn or 8 MiB.
	MostDirectory = 1 << 20
	// mostSmall is for a hash, and for what is said of a task.
	mostSmall = 1 << 20
	// mostObjects is how many objects a file of JSON has: three bytes of it may come to a hundred
	// in memory.
	mostObjects = 1_000_000
)

// Dir reads a directory, which must not be changed; path is what errors call it. Its errors are
// ErrDamaged.
func Dir(db *gitexec.ODB, dir gitexec.Entry, path string) (gitexec.Tree, error) {
	if !dir.IsTree() {
		return nil, fmt.Errorf("%w: %s: %s is a file, not a directory", ErrDamaged, path, dir.ID)
	}
	trees, err := db.TreesUpTo(MostDirectory, dir.ID)
	if err != nil {
		return nil, Damage(path, err)
	}
	return trees[0], nil
}

// File reads a file of at most so many bytes. Its errors are ErrDamaged.
func File(db *gitexec.ODB, file gitexec.Entry, path string, most int64) (data []byte, err error) {
	switch {
	case !file.Exists():
		return nil, fmt.Errorf("%w: %s is missing", ErrDamaged, path)
	case file.IsTree():
		return nil, fmt.Errorf("%w: %s: %s is a directory, not a file", ErrDamaged, path, file.ID)
	}
	var unread error
	err = db.EachBlob(most, []gitexec.OID{file.ID}, func(_ []int, content []byte, err error) error {
		data, unread = content, err
		return nil
	})
	if err == nil {
		err = unread
	}
	if err == nil {
		return unsealed(db, data, path, most)
	}
	return data, Damage(path, err)
}

// JSON reads a file of JSON. Its errors are ErrDamaged.
func JSON(db *gitexec.ODB, file gitexec.Entry, path string, most int64, into any) error {
	data, err := File(db, file, path, most)
	if err == nil {
		err = Decode(data, path, file.ID, into)
	}
	return err
}

// Decode parses a file of JSON.
func Decode(data []byte, path string, id gitexec.OID, into any) error {
	if err := Unmarshal(data, into); err != nil {
		return fmt.Errorf("%w: %s: %v, in %s", ErrDamaged, path, err, id)
	}
	return nil
}

// Unmarshal is json.Unmarshal with a limit.
func Unmarshal(data []byte, into any) error {
	if n := bytes.Count(data, []byte("{")); n > mostObjects {
		return fmt.Errorf("%d objects are more than the limit of %d", n, mostObjects)
	}
	return json.Unmarshal(data, into)
}

// Damage makes a read error ErrDamaged, unless reading was cancelled or the writer failed.
func Damage(path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || !gitexec.IsUnreadable(err) &&
		!errors.As(err, new(*gitexec.Error)) {
		return err
	}
	if gitexec.IsUnfetched(err) {
		return &incompleteError{fmt.Errorf("%s: %w", path, err)}
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, path, err)
}

// incompleteError is what a partial clone lacks. It is handled as damage is.
type incompleteError struct{ err error }

func (e *incompleteError) Error() string        { return "incomplete checkpoint: " + e.err.Error() }
func (e *incompleteError) Unwrap() error        { return e.err }
func (e *incompleteError) Is(target error) bool { return target == ErrDamaged }
