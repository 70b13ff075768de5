package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"entire-plumb/internal/safefile"
)

// maxNew is how many new bytes one reading takes: an agent waits for it.
const maxNew = 1 << 30

// ErrTooLarge tells that more than maxNew bytes are new.
var ErrTooLarge = errors.New("more than 1 GiB is new")

// ErrShorter tells that the file became shorter while it was read.
var ErrShorter = errors.New("became shorter while it was read")

// blockSize is how many bytes are read between two looks at the context.
const blockSize = 1 << 20

// open opens a transcript, and gives its size in bytes at this moment: it may
// grow while it is read, and what comes later is the next reading's.
func open(path string) (*os.File, int64, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// failed names the path in an error, once.
func failed(path string, err error) error {
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		err = bad.Err
	}
	if bad, ok := errors.AsType[*safefile.Error](err); ok {
		return fmt.Errorf("transcript %w", bad)
	}
	return fmt.Errorf("transcript %s: %w", path, err)
}

// hashed feeds the next n bytes of f to sum; false if f has fewer.
func hashed(ctx context.Context, sum hash.Hash, f *os.File, n int64) (bool, error) {
	buf := make([]byte, min(n, blockSize))
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		got, err := io.ReadFull(f, buf[:min(n, blockSize)])
		if err != nil {
			return false, short(err)
		}
		sum.Write(buf[:got])
		n -= int64(got)
	}
	return true, nil
}

// next reads one byte; false at the file's end.
func next(f *os.File) (byte, bool, error) {
	var b [1]byte
	if _, err := io.ReadFull(f, b[:]); err != nil {
		return 0, false, short(err)
	}
	return b[0], true, nil
}

// short drops the error that only says that a file ended.
func short(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// ErrNone tells that a file is no transcript of any format.
var ErrNone = errors.New("is no transcript: it does not begin with a JSON object")

// check refuses what is no transcript, so that an event that names another file does not have it
// stored. An empty file may become one.
func check(path string) error {
	f, size, err := open(path)
	if err != nil {
		return failed(path, err)
	}
	defer f.Close()
	head := make([]byte, min(size, firstTail))
	if err := readAt(f, head, 0); err != nil {
		return failed(path, err)
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("[")), " \t\r\n") // one array, in place of lines
	if len(head) > 0 && head[0] != '{' {
		return failed(path, ErrNone)
	}
	return nil
}
