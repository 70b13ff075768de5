package report

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// A browser lays out only the chunks of rows that are in view: see page.css, which knows the height
// of a whole one.
const chunkRows = 50

// chunk is consecutive rows of a file. The last one may be shorter.
type chunk struct {
	Short bool
	Rows  []shownRow
}

// shownRow is a row with what the page writes of it. The head of a hunk is one, too.
type shownRow struct {
	Row
	Class    string
	Old, New string // padded with blanks
}

// chunks are the rows of a file's hunks.
func chunks(f File) []chunk {
	width := digits(f)
	var all []chunk
	add := func(r shownRow) {
		if len(all) == 0 || len(all[len(all)-1].Rows) == chunkRows {
			all = append(all, chunk{})
		}
		last := &all[len(all)-1]
		last.Rows = append(last.Rows, r)
		last.Short = len(last.Rows) < chunkRows
	}
	for _, h := range f.Hunks {
		add(shownRow{Row: Row{Text: h.Head}, Class: "hunk", Old: padded(0, width), New: padded(0, width)})
		for _, r := range h.Rows {
			add(shownRow{Row: r, Class: r.class(), Old: padded(r.Old, width), New: padded(r.New, width)})
		}
	}
	return all
}

func (r Row) class() string {
	switch r.Sign {
	case "+":
		if r.Owner != nil {
			return "add " + cmp.Or(r.Owner.Tint, r.Owner.Kind)
		}
		return "add"
	case "-":
		return "del"
	case " ":
		return "same"
	}
	return "end"
}

// digits is how many digits the largest number of a line has.
func digits(f File) int {
	largest := 1
	for _, h := range f.Hunks {
		for _, r := range h.Rows {
			largest = max(largest, r.Old, r.New)
		}
	}
	return len(fmt.Sprint(largest))
}

// padded is a number with blanks before it; of 0, blanks alone.
func padded(n, width int) string {
	if n == 0 {
		return strings.Repeat(" ", width)
	}
	return fmt.Sprintf("%*d", width, n)
}

// widest is as many blanks as the longest row of a file is wide. They keep its place while the row
// is not in view.
func widest(f File) string {
	most := 0
	for _, h := range f.Hunks {
		most = max(most, columns(h.Head))
		for _, r := range h.Rows {
			most = max(most, columns(r.Text)+2*digits(f))
		}
	}
	return strings.Repeat(" ", most)
}

// columns is about how wide a text is.
func columns(text string) int {
	const tab = 4
	n := 0
	for _, r := range text {
		switch {
		case r == '\t':
			n += tab - n%tab
		// As wide as two others in the fonts of code.
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 2
		case !unicode.In(r, unicode.Mn, unicode.Me):
			n++
		}
	}
	return n
}

// broad reports whether a file has marks that need more room.
func broad(f File) bool {
	const narrow = 4
	for _, h := range f.Hunks {
		for _, r := range h.Rows {
			if columns(r.Mark) > narrow {
				return true
			}
		}
	}
	return false
}
