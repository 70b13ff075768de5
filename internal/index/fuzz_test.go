package index

import "testing"

// FuzzSegment: a table or a block that was not written by this program, and has a checksum all the
// same, is refused, or is read to an end.
func FuzzSegment(f *testing.F) {
	f.Add([]byte("\x01a\x00\x08\x01b\x08\x08"), uint64(16))
	f.Add([]byte("\x00\x01\x02ax\x01\x01\x00b"), uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, end uint64) {
		if blocks, err := parseTable(string(data), end); err == nil && len(blocks) > len(data) {
			t.Errorf("%d blocks in %d bytes", len(blocks), len(data))
		}
		c := &cursor{s: &segment{}, block: data}
		for n := 0; len(c.block) > 0; n++ {
			if _, err := c.entry(); err != nil {
				return
			}
			if n > len(data) {
				t.Fatalf("more than %d entries in %d bytes", n, len(data))
			}
		}
	})
}
