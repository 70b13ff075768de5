package transcript

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
)

// eachLine passes on the lines of the transcript at path that come after so many bytes of it, or
// all if it has become shorter. Errors are those of Read.
func eachLine(ctx context.Context, path string, from int64, each func(line []byte)) error {
	f, size, err := open(path)
	if err != nil {
		return failed(path, err)
	}
	defer f.Close()
	if from > size {
		from = 0
	}
	if size-from > maxNew {
		return failed(path, ErrTooLarge)
	}
	err = lines(io.NewSectionReader(f, from, size-from), func(line []byte) error {
		each(compacted(line))
		return ctx.Err()
	})
	if err != nil {
		return failed(path, err)
	}
	return nil
}

// lines returns a transcript's lines, one after the other, with their newlines.
// In the place of one that is too long to be parsed it gives nil: its end alone is in memory.
func lines(in io.Reader, each func(line []byte) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return err
		}
		ended, whole := !errors.Is(err, bufio.ErrBufferFull), part
		if long = long || len(line)+len(part) > maxParse; long {
			whole = nil
		} else if len(line) > 0 || !ended {
			line = append(line, part...)
			whole = line
		}
		if !ended {
			continue
		}
		if long || len(whole) > 0 {
			if err := each(whole); err != nil {
				return err
			}
		}
		line, long = line[:0], false
		if err != nil {
			return nil
		}
	}
}

// compacted is a line without blanks between its words, as agents write them: what is sought in a
// line before it is parsed has none. Other programs' have some, in each line or in none.
func compacted(line []byte) []byte {
	at := bytes.IndexByte(line, ':') + 1
	if len(line) < 2 || line[0] != '{' || line[1] != ' ' && (at == len(line) || line[at] != ' ') {
		return line
	}
	var out bytes.Buffer
	if json.Compact(&out, line) != nil {
		return line
	}
	if line[len(line)-1] == '\n' {
		out.WriteByte('\n')
	}
	return out.Bytes()
}
