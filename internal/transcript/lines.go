package transcript

import (
	"bufio"
	"errors"
	"io"
)

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
		ended := err == nil || errors.Is(err, io.EOF)
		if long = long || len(line)+len(part) > maxParse; !long {
			whole := part
			if len(line) > 0 || !ended {
				line = append(line, part...)
				whole = line
			}
			if ended && len(whole) > 0 {
				if err := each(whole); err != nil {
					return err
				}
			}
		} else if ended {
			if err := each(nil); err != nil {
				return err
			}
		}
		if ended {
			line, long = line[:0], false
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}
