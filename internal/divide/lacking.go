package divide

import (
	"bytes"

	"entire-plumb/internal/ledger"
)

// LackingBoth is a version without the lines that one or the other of two versions lacks, which
// were made of it. What they have in the place of such lines stays, that of the first version
// before that of the other, and once where both have the same.
func LackingBoth(version, one, other []byte) []byte {
	book := ledger.New()
	lines, text := bytes.SplitAfter(version, []byte("\n")), book.Text(version)
	a, b := lackingOf(book, one, text), lackingOf(book, other, text)
	var out [][]byte
	for line := range text {
		// A line that one of the two lacks is one that is taken out. What that version has
		// instead comes with the next line that both have.
		if a.at[line] < 0 || b.at[line] < 0 {
			continue
		}
		out = append(append(out, placed(a.upTo(a.at[line]), b.upTo(b.at[line]))...), lines[line])
	}
	out = append(out, placed(a.upTo(len(a.text)), b.upTo(len(b.text)))...)
	return bytes.Join(out, nil)
}

// lacking is a version that was made of another one by taking lines out.
type lacking struct {
	lines [][]byte
	text  ledger.Text
	at    []int // of the other's lines: where they are in this one; -1: it lacks them
	stay  []bool
	next  int
}

func lackingOf(book *ledger.Book, data []byte, from ledger.Text) *lacking {
	v := &lacking{lines: bytes.SplitAfter(data, []byte("\n")), text: book.Text(data)}
	v.at, v.stay = ledger.Match(v.text, from), make([]bool, len(v.text))
	for _, at := range v.at {
		if at >= 0 {
			v.stay[at] = true
		}
	}
	return v
}

// upTo are the lines up to one that the other version hasn't, and goes on after that.
func (v *lacking) upTo(line int) (own [][]byte) {
	for ; v.next < line; v.next++ {
		if !v.stay[v.next] {
			own = append(own, v.lines[v.next])
		}
	}
	// The line itself is common: the caller has it from the version that both were made of.
	v.next++
	return own
}

// placed are the lines in one place of both versions, once where they are the same.
func placed(a, b [][]byte) [][]byte {
	if bytes.Equal(bytes.Join(a, nil), bytes.Join(b, nil)) {
		return a
	}
	return append(a, b...)
}
