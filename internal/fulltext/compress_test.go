package fulltext

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// contents are random: of bytes that repeat more or less.
func contents(r *rand.Rand) []byte {
	b := make([]byte, r.IntN(70_000)*r.IntN(2)+r.IntN(40))
	for i := range b {
		b[i] = byte(r.IntN(1 + r.IntN(200)))
	}
	for range r.IntN(30) {
		if len(b) > 20 {
			from, to := r.IntN(len(b)-10), r.IntN(len(b)-10)
			copy(b[to:], slices.Clone(b[from:from+r.IntN(len(b)-from)]))
		}
	}
	return b
}

func TestCompressed(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var buffer []byte
	for range 300 {
		content := contents(r)
		value := compressed(content)
		back, err := decompressed(buffer, value)
		if err != nil || !bytes.Equal(back, content) {
			t.Fatalf("%d bytes are %d afterwards: %v", len(content), len(back), err)
		}
		buffer = back
		if len(value) > len(content)+len(content)/200+16 {
			t.Errorf("%d bytes become %d", len(content), len(value))
		}
	}
	if n := len(compressed([]byte(strings.Repeat("the same line\n", 1000)))); n > 200 {
		t.Errorf("lines that repeat become %d bytes", n)
	}
}

// Whatever is decompressed, it ends, with no more than it says.
func TestDecompressedAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for range 2000 {
		value := compressed(contents(r)[:0])
		if r.IntN(2) == 0 {
			value = compressed([]byte(randomText(r)))
		}
		for range 1 + r.IntN(5) {
			value[r.IntN(len(value))] = byte(r.Uint32())
		}
		value = value[:1+r.IntN(len(value))]
		if back, err := decompressed(nil, value); err == nil && len(back) > mostBlock {
			t.Fatal("too much")
		}
	}
	for _, value := range [][]byte{nil, {0x80}, {5, 0x10, 'a'}, {5, 0x00, 1, 0}, {5, 0x10, 'a', 0, 0}, {3, 0x1f, 'a', 1, 0, 255}, {2, 0xf0},
		{5, 0x10, 'a', 1, 0}} {
		if back, err := decompressed(nil, value); err == nil && !(len(value) == 5 && len(back) == 5) {
			t.Errorf("%v is %q", value, back)
		}
	}
}

func BenchmarkDecompressed(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 4))
	var text strings.Builder
	for text.Len() < blockSize {
		text.WriteString(pieces[r.IntN(15)] + " ")
	}
	value := compressed([]byte(text.String()))
	b.SetBytes(int64(text.Len()))
	var buffer []byte
	for b.Loop() {
		buffer, _ = decompressed(buffer, value)
	}
}
