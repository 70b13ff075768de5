package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// ChunkSize is the most bytes that a chunk has, unless a single line is longer.
const ChunkSize = 8 << 20

const firstChunk = "full.jsonl"

var newline = []byte{'\n'}

// ChunkName returns the file name of chunk i, counted from 0: "full.jsonl",
// "full.jsonl.001", "full.jsonl.002".
func ChunkName(i int) string {
	if i <= 0 {
		return firstChunk
	}
	return fmt.Sprintf("%s.%03d", firstChunk, i)
}

// stretch is what is read of a file, in bytes from its beginning.
type stretch struct {
	from, to int64
	taken    int64 // with the last newline
}

// whole returns the lines of f, between from and size, that are written to their
// end. Of a last line without newline it reads as much as a line's, to see
// whether it is one.
func whole(ctx context.Context, f io.ReaderAt, from, size int64) (stretch, error) {
	end, err := lastNewline(ctx, f, from, size)
	if err != nil {
		return stretch{}, err
	}
	if end+1 < size {
		tail := make([]byte, size-end-1)
		if err := readAt(f, tail, end+1); err != nil {
			return stretch{}, err
		}
		// An agent that is killed, or has only flushed so far, may leave a whole last line without
		// its newline.
		if json.Valid(tail) {
			return stretch{from, size, size}, nil
		}
	}
	// Without the last newline; from, where no line is written to its end.
	return stretch{from, max(from, end), end + 1}, nil
}

// lastNewline is the place of the last one before to, from-1 if there is none.
func lastNewline(ctx context.Context, f io.ReaderAt, from, to int64) (int64, error) {
	buf := make([]byte, min(64<<10, to-from))
	for to > from {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := min(int64(len(buf)), to-from)
		if err := readAt(f, buf[:n], to-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return to - n + int64(i), nil
		}
		to -= n
	}
	return from - 1, nil
}

// firstNewline is the place of the first one from there on, to if there is
// none.
func firstNewline(ctx context.Context, f io.ReaderAt, from, to int64) (int64, error) {
	buf := make([]byte, min(64<<10, to-from))
	for from < to {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := min(int64(len(buf)), to-from)
		if err := readAt(f, buf[:n], from); err != nil {
			return 0, err
		}
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return from + int64(i), nil
		}
		from += n
	}
	return to, nil
}

// cutter cuts a stretch, which has no final newline, at line ends into chunks
// of at most size bytes, or of one line if that is longer.
type cutter struct {
	stretch
	ctx  context.Context
	f    io.ReaderAt
	size int
	buf  []byte
	done bool
}

// next returns the next chunk, void when the one after it is asked for.
func (c *cutter) next() (chunk []byte, more bool, err error) {
	if c.done {
		return nil, false, nil
	}
	if err := c.ctx.Err(); err != nil {
		return nil, false, err
	}
	end := c.to
	if c.to-c.from > int64(c.size) {
		// One byte more: a line that fills the chunk has its newline behind it.
		if end, err = lastNewline(c.ctx, c.f, c.from, c.from+int64(c.size)+1); err != nil {
			return nil, false, err
		}
		if end < c.from {
			if end, err = firstNewline(c.ctx, c.f, c.from+int64(c.size)+1, c.to); err != nil {
				return nil, false, err
			}
		}
	}
	n := int(end - c.from)
	if cap(c.buf) < n {
		c.buf = make([]byte, n)
	}
	// Without room behind it: who appends to a chunk gets a copy, and doesn't write into the
	// buffer.
	chunk = c.buf[:n:n]
	if err := readAt(c.f, chunk, c.from); err != nil {
		return nil, false, err
	}
	c.from, c.done = end+1, end == c.to
	return chunk, true, nil
}

// readAt fills buf.
func readAt(f io.ReaderAt, buf []byte, at int64) error {
	n, err := f.ReadAt(buf, at)
	if n == len(buf) {
		return nil
	}
	if err == io.EOF {
		// What was there when its size was taken has gone since.
		err = ErrShorter
	}
	return err
}
