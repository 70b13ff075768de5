package ancestry

import (
	"bytes"
	"encoding/binary"
	"errors"
)

var errArguments = errors.New("a process's arguments are not understood")

// arguments parses what macOS gives for kern.procargs2: the number of arguments, 32 bits in the
// machine's order, the program's path, which zero bytes fill up, and the arguments, each with a
// zero byte after it. The environment follows.
func arguments(text []byte) ([]string, error) {
	if len(text) < 4 {
		return nil, errArguments
	}
	count := int(binary.NativeEndian.Uint32(text))
	_, rest, ok := bytes.Cut(text[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	if !ok || count < 1 || count > len(rest) {
		return nil, errArguments
	}
	args := make([]string, 0, min(count, 64))
	for range count {
		arg, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return nil, errArguments
		}
		args, rest = append(args, string(arg)), after
	}
	return args, nil
}
