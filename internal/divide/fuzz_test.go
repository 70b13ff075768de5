package divide

import (
	"bytes"
	"slices"
	"testing"

	"entire-plumb/internal/transcript"
)

// FuzzBefore: whatever a transcript says, the version that a turn began from has only lines of the
// version before it and of the one after it.
func FuzzBefore(f *testing.F) {
	f.Add([]byte("one\ntwo\n"), []byte("one\nthree by the tool\nfour by a human\n"), "two", "three by the tool", "other", true)
	f.Add([]byte("a"), []byte("b\r\na\r\n"), "", "a\n", "b", false)
	f.Fuzz(func(t *testing.T, was, now []byte, before, after, others string, told bool) {
		edit := transcript.Edit{Old: before, New: after, Located: before != "", Every: told, Whole: before == ""}
		file := File{Was: was, Now: now, Told: told, Sources: slices.All([][]byte{[]byte(others)}),
			Own:    transcript.Texts{Parts: []string{after}, Edits: []transcript.Edit{edit, edit}},
			Others: transcript.Texts{Parts: []string{others}}}
		got, from, ok := file.Before()
		if !ok {
			return
		}
		known := append(bytes.Split(was, []byte("\n")), bytes.Split(now, []byte("\n"))...)
		for line := range bytes.SplitSeq(got, []byte("\n")) {
			if !slices.ContainsFunc(known, func(k []byte) bool { return bytes.Equal(bytes.TrimRight(k, "\r"), bytes.TrimRight(line, "\r")) }) {
				t.Errorf("%q is in neither version", line)
			}
		}
		for _, b := range from {
			if b.Source != 0 {
				t.Errorf("there is no source %d", b.Source)
			}
		}
	})
}
