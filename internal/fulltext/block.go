package fulltext

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
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

// deflater compresses one block after the other.
type deflater struct {
	to   *flate.Writer
	data bytes.Buffer
}

// block is a content, compressed.
func (d *deflater) block(content []byte) []byte {
	d.data.Reset()
	var err error
	if d.to == nil {
		d.to, err = flate.NewWriter(&d.data, flate.BestSpeed)
	} else {
		d.to.Reset(&d.data)
	}
	if err == nil {
		_, err = d.to.Write(content)
	}
	if err == nil {
		err = d.to.Close()
	}
	if err != nil { // a buffer takes all, and the level is one
		panic(err)
	}
	return bytes.Clone(d.data.Bytes())
}

// inflater decompresses one block after the other.
type inflater struct {
	from io.ReadCloser
	data bytes.Buffer
}

// block is the content of a compressed one, valid until the next call.
func (f *inflater) block(value []byte) ([]byte, error) {
	in := bytes.NewReader(value)
	if f.from == nil {
		f.from = flate.NewReader(in)
	} else if err := f.from.(flate.Resetter).Reset(in, nil); err != nil {
		return nil, err
	}
	f.data.Reset()
	if n, err := io.Copy(&f.data, io.LimitReader(f.from, mostBlock)); err != nil || n == mostBlock {
		return nil, index.ErrDamaged
	}
	return f.data.Bytes(), nil
}
