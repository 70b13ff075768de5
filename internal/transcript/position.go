package transcript

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
)

// Position is how far a session's transcript has been recorded. It is kept in
// the session's state file as JSON, and its size does not grow with the
// transcript. Zero value: nothing yet.
type Position struct {
	// Bytes of the file that are recorded, always at a line's end, with its
	// newline if there was one.
	Bytes int64 `json:"bytes"`
	// Lines recorded, blank ones and those that are no JSON included.
	Lines int `json:"lines"`
	// Copied are lines at the beginning that another session wrote: they are stored, and counted
	// there. See [Copied].
	Copied int `json:"copied,omitempty"`
	// SHA256 is the hash, in hex, of the recorded transcript as it is read
	// back: chunks joined by one "\n", without the newline after the last line.
	// It also proves that the file still begins with what was recorded.
	SHA256 string `json:"sha256,omitempty"`
	// Recent are the last messages counted, oldest first, since a message
	// spans several records and may straddle two readings. Subagents that work
	// side by side interleave theirs, hence more than one.
	Recent []Message `json:"recent,omitempty"`
	// Used is what was counted of the file.
	Used Usage `json:"used,omitzero"`
}

// cursor is a place in an open transcript, with the hash of what is before it.
type cursor struct {
	pos       Position
	sum       hash.Hash
	restarted bool
}

// resume leaves f, of the given size in bytes, where new lines begin: after
// pos if the file still begins with what was recorded, else at the file's start.
func resume(ctx context.Context, f *os.File, size int64, pos Position) (cursor, error) {
	if pos.Bytes == 0 && pos.SHA256 == "" {
		// Nothing was recorded. That a fork begins with another's lines is known before its first
		// reading.
		return cursor{sum: sha256.New(), pos: Position{Copied: pos.Copied}}, nil
	}
	at := cursor{pos: pos, sum: sha256.New()}
	ok, err := at.verify(ctx, f, size)
	if err != nil || ok {
		return at, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return cursor{sum: sha256.New(), pos: Position{Copied: pos.Copied}, restarted: true}, err
}

// verify reports whether f begins with what is recorded. The newline of a last
// line that was recorded without one is skipped; anything else that follows
// such a line makes it another line.
func (at *cursor) verify(ctx context.Context, f *os.File, size int64) (bool, error) {
	// It has become shorter, or the state is damaged.
	if at.pos.Bytes <= 0 || at.pos.Bytes > size {
		return false, nil
	}
	// Without the last byte, which may be a newline: the hash is of what is stored, which doesn't
	// have it.
	if ok, err := hashed(ctx, at.sum, f, at.pos.Bytes-1); !ok {
		return false, err
	}
	last, ok, err := next(f)
	if !ok {
		return false, err
	}
	ended := last == '\n'
	if !ended {
		at.sum.Write([]byte{last})
	}
	if hex.EncodeToString(at.sum.Sum(nil)) != at.pos.SHA256 {
		return false, nil
	}
	// The last line had no newline then, and still has none: nothing is new.
	if ended || at.pos.Bytes == size {
		return true, nil
	}
	// Another byte than the newline: what was recorded as a line goes on, and is another line now.
	follows, ok, err := next(f)
	if !ok || follows != '\n' {
		return false, err
	}
	at.pos.Bytes++
	return true, nil
}
