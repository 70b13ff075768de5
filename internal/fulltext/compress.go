package fulltext

import (
	"encoding/binary"
	"math/bits"

	"entire-plumb/internal/index"
)

// Content is compressed for speed: a search of frequent words reads a hundred megabytes of it. It
// is a number of sequences, each of literal bytes and a match, which are bytes that stood before:
//
//	token     literals in the upper four bits, length of the match less 4 in the lower ones
//	more      if either is 15: bytes that are added to it, up to the first that isn't 255
//	literals
//	offset    two bytes, the least significant one first: how far back the match is
//	more      of the match
//
// The last one ends with its literals. The standard library's DEFLATE is smaller, and takes five
// times as long to read; libraries for such formats take time at the start of each hook.
const (
	leastMatch = 4
	mostOffset = 1<<16 - 1
	hashBits   = 13
)

// compressed is a content as it is kept: its length, and the sequences.
func compressed(content []byte) []byte {
	to := binary.AppendUvarint(make([]byte, 0, len(content)/2+16), uint64(len(content)))
	var last [1 << hashBits]int32 // where the hash of four bytes was last, plus 1
	at, from := 0, 0              // from: what is not written yet
	for at+8 <= len(content) {
		four := binary.LittleEndian.Uint32(content[at:])
		hash := four * 2654435761 >> (32 - hashBits)
		before := int(last[hash]) - 1
		last[hash] = int32(at + 1)
		// Another four bytes may have the same hash.
		if before < 0 || at-before > mostOffset || binary.LittleEndian.Uint32(content[before:]) != four {
			at += 1 + (at-from)>>6 // faster where nothing repeats
			continue
		}
		length := leastMatch + common(content[before+leastMatch:], content[at+leastMatch:])
		to = appendSequence(to, content[from:at], at-before, length)
		at += length
		from = at
	}
	// Also without literals: an end without a match ends the content.
	return appendSequence(to, content[from:], 0, leastMatch)
}

// common is how many bytes two contents have in common at their beginnings; b is the shorter one.
func common(a, b []byte) (n int) {
	for n+8 <= len(b) {
		if differ := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); differ != 0 {
			return n + bits.TrailingZeros64(differ)/8
		}
		n += 8
	}
	for n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// appendSequence appends literals and a match; offset 0: there is none.
func appendSequence(to, literals []byte, offset, length int) []byte {
	length -= leastMatch
	to = append(to, byte(min(len(literals), 15)<<4|min(length, 15)))
	to = append(appendMore(to, len(literals)), literals...)
	if offset == 0 {
		return to
	}
	return appendMore(append(to, byte(offset), byte(offset>>8)), length)
}

func appendMore(to []byte, n int) []byte {
	if n < 15 {
		return to
	}
	for n -= 15; n >= 255; n -= 255 {
		to = append(to, 255)
	}
	return append(to, byte(n))
}

// slack is how many bytes may be written beyond the end of a content: short pieces are copied in
// one size.
const slack = 16

// decompressed is a content again. Its buffer is the given one, if that is large enough.
func decompressed(buffer, value []byte) ([]byte, error) {
	size, head := binary.Uvarint(value)
	if head <= 0 || size > mostBlock {
		return nil, index.ErrDamaged
	}
	if uint64(cap(buffer)) < size+slack {
		buffer = make([]byte, size+slack)
	}
	buffer = buffer[:size+slack]
	n, ok := expand(buffer, value[head:])
	if !ok || uint64(n) != size {
		return nil, index.ErrDamaged
	}
	return buffer[:size], nil
}

// expand reads sequences into a buffer, of which the last bytes are slack, and returns how many
// bytes these come to; false: they are damaged.
func expand(to, from []byte) (n int, ok bool) {
	size := len(to) - slack
	for len(from) > 0 {
		literals, length := int(from[0]>>4), int(from[0]&15)
		from = from[1:]
		if literals == 15 {
			literals, from = more(from)
		}
		// Before anything is copied: the numbers are those of a file, and may be any.
		if literals > len(from) || literals > size-n {
			return 0, false
		}
		// A copy of one size takes an instruction or two. What it writes beyond the literals is
		// written over by what follows.
		if literals <= slack && len(from) >= slack {
			copy(to[n:n+slack], from[:slack])
		} else {
			copy(to[n:], from[:literals])
		}
		n += literals
		if from = from[literals:]; len(from) == 0 {
			return n, true
		}
		if len(from) < 2 {
			return 0, false
		}
		offset := int(from[0]) | int(from[1])<<8
		if from = from[2:]; length == 15 {
			length, from = more(from)
		}
		length += leastMatch
		if offset == 0 || offset > n || length > size-n {
			return 0, false
		}
		// Source and target must not overlap in it.
		if length <= slack && offset >= slack {
			copy(to[n:n+slack], to[n-offset:n-offset+slack])
		} else {
			repeat(to, n, offset, length)
		}
		n += length
	}
	return n, true
}

// repeat writes a match, which may go on into itself.
func repeat(to []byte, n, offset, length int) {
	for end := n + length; n < end; {
		// Each round doubles what can be copied at once.
		n += copy(to[n:end], to[n-offset:n])
	}
}

// more is a number that is at least 15, and what follows it; one that is damaged is too large for
// any content.
func more(from []byte) (n int, rest []byte) {
	n = 15
	for len(from) > 0 && n <= mostBlock {
		b := from[0]
		from = from[1:]
		if n += int(b); b < 255 {
			return n, from
		}
	}
	return mostBlock + slack, from
}
