package query

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/transcript"
)

// coder writes values one after the other, or reads what it wrote. So a function that passes it the
// values of a record, in their order, describes that record for both. After an error it reads
// zeros.
type coder struct {
	data  []byte // what was written, or the rest of what is read
	reads bool
	err   error
}

// pack writes a record.
func pack[T any](record T, fields func(*coder, *T)) []byte {
	c := coder{}
	fields(&c, &record)
	return c.data
}

// unpack reads a record that pack wrote.
func unpack[T any](value []byte, fields func(*coder, *T)) (record T, err error) {
	err = read(value, &record, fields)
	return record, err
}

// read is unpack into what stands for a record; a list that has no values stays as it is.
func read[T any](value []byte, into *T, fields func(*coder, *T)) error {
	c := coder{data: value, reads: true}
	fields(&c, into)
	return c.err
}

var errShort = errors.New("a value of the index is damaged")

func (c *coder) damaged() { c.data, c.err = nil, errShort }

func num[T ~int | ~int64](c *coder, n *T) {
	if !c.reads {
		c.data = binary.AppendVarint(c.data, int64(*n))
		return
	}
	read, size := binary.Varint(c.data)
	if size <= 0 {
		c.damaged()
		*n = 0
		return
	}
	*n, c.data = T(read), c.data[size:]
}

// count is how many values follow: each has a byte at least.
func (c *coder) count(n int) int {
	num(c, &n)
	// Before anything of that length is made: the file may have been damaged, or written by others.
	if c.reads && (n < 0 || n > len(c.data)) {
		c.damaged()
		return 0
	}
	return n
}

func str[T ~string | ~[]byte](c *coder, s *T) {
	n := c.count(len(*s))
	if !c.reads {
		c.data = append(c.data, *s...)
		return
	}
	*s, c.data = T(string(c.data[:n])), c.data[n:]
}

// texts are the values of a list of a known length.
func (c *coder) texts(all ...*string) {
	// The record has another number of fields than this version knows: it must not be read as if
	// they were others.
	if c.count(len(all)) != len(all) {
		c.damaged()
	}
	for _, s := range all {
		str(c, s)
	}
}

func list[T any](c *coder, all *[]T, each func(*coder, *T)) {
	n := c.count(len(*all))
	if c.reads {
		// n is at most what is left of the record: see count.
		*all = slices.Grow(*all, n)[:n]
	}
	for i := range *all {
		each(c, &(*all)[i])
	}
}

// rest are the bytes up to the end of the record: those that are read, and no copy.
func (c *coder) rest(all *[]byte) {
	if c.reads {
		*all, c.data = c.data, nil
		return
	}
	c.data = append(c.data, *all...)
}

// wide are numbers of eight bytes each, up to the end of the record.
func (c *coder) wide(all *[]uint64) {
	if !c.reads {
		for _, n := range *all {
			c.data = binary.LittleEndian.AppendUint64(c.data, n)
		}
		return
	}
	if len(c.data)%8 != 0 {
		c.damaged()
	}
	for ; len(c.data) > 0; c.data = c.data[8:] {
		*all = append(*all, binary.LittleEndian.Uint64(c.data))
	}
}

func (c *coder) flag(set *bool) {
	n := 0
	if *set {
		n = 1
	}
	num(c, &n)
	*set = n != 0
}

// entry is the ID of an object, in half of its length, and whether it is a tree.
func (c *coder) entry(e *gitexec.Entry) {
	if c.reads {
		n := c.count(0)
		*e = gitexec.Entry{Mode: gitexec.ModeFile, ID: gitexec.OID(hex.EncodeToString(c.data[:n]))}
		c.data = c.data[n:]
		tree := false
		if c.flag(&tree); tree {
			e.Mode = gitexec.ModeTree
		}
		return
	}
	id, _ := hex.DecodeString(string(e.ID)) // it is one
	str(c, &id)
	tree := e.IsTree()
	c.flag(&tree)
}

func (c *coder) time(t *time.Time) {
	b, err := t.MarshalBinary()
	if err != nil { // an offset that no clock has
		b, _ = t.UTC().MarshalBinary()
	}
	packed := string(b)
	if str(c, &packed); c.reads && t.UnmarshalBinary([]byte(packed)) != nil {
		c.damaged()
	}
}

func (c *coder) usage(u **transcript.Usage) {
	known := *u != nil
	if c.flag(&known); !known {
		return
	}
	if c.reads {
		*u = &transcript.Usage{}
	}
	v := *u
	for _, n := range []*int{&v.InputTokens, &v.CacheCreationTokens, &v.CacheReadTokens, &v.OutputTokens, &v.APICallCount} {
		num(c, n)
	}
	// A subagent's tokens may have subagents' again. Each level has a flag of its own, so a damaged
	// value ends with its bytes.
	c.usage(&v.SubagentTokens)
}
