package fulltext

import (
	"encoding/binary"
	"time"

	"entire-plumb/internal/index"
)

// blockSize is how many bytes of texts are in a block, unless one text is longer.
const blockSize = 16 << 10

// mostBlock is how many bytes of a block are read. A text is far shorter.
const mostBlock = 64 << 20

// packBlock writes texts one after the other: kind, turn, milliseconds since the one before,
// length, text.
func packBlock(b []byte, docs []Doc) []byte {
	last := int64(0)
	for _, d := range docs {
		kind := d.Kind << 1
		if d.Aside {
			kind |= 1
		}
		when := d.When.UnixMilli()
		b = append(b, kind)
		b = binary.AppendUvarint(b, uint64(max(0, d.Turn)))
		b = binary.AppendVarint(b, when-last)
		b = binary.AppendUvarint(b, uint64(len(d.Text)))
		b = append(b, d.Text...)
		last = when
	}
	return b
}

// packed is a text as it is in a block.
type packed struct {
	Doc
	text []byte
}

// eachPacked passes on the texts of a block; Text is empty in each.
func eachPacked(b []byte, each func(packed)) error {
	last := int64(0)
	for len(b) > 0 {
		p := packed{Doc: Doc{Kind: b[0] >> 1, Aside: b[0]&1 != 0}}
		// Whatever the file says, nothing is read beyond the block: its checksum says only that it
		// is as it was written.
		turn, size := binary.Uvarint(b[1:])
		if size <= 0 {
			return index.ErrDamaged
		}
		b = b[1+size:]
		since, size := binary.Varint(b)
		if size <= 0 {
			return index.ErrDamaged
		}
		b = b[size:]
		length, size := binary.Uvarint(b)
		if size <= 0 || length > uint64(len(b)-size) {
			return index.ErrDamaged
		}
		last += since
		p.Turn, p.When = int(turn), time.UnixMilli(last).UTC()
		p.text, b = b[size:][:length], b[size+int(length):]
		each(p)
	}
	return nil
}
