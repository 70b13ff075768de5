package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// column is one of a table's. The zero value is one of texts that are shown whole.
type column struct {
	title string
	right bool // numbers stand below each other
	// least is the width to which the column may shrink where the terminal has no room; 0: it
	// doesn't.
	least int
	// wants is the width below which others are left out before the column shrinks further.
	wants int
	// spare is the order in which columns are left out where shrinking isn't enough, the greatest
	// first; 0: never.
	spare  int
	colour string // of its cells
}

// cell is a text in a table. Its colour comes before the column's.
type cell struct {
	text, colour string
	path         bool // where there is no room, what is left out are the first directories
}

// cut is the text where there is so much room.
func (c cell) cut(room int) string {
	if c.path && displaywidth.String(c.text) > room {
		name := strings.TrimLeft(c.text, " ")
		blanks := c.text[:len(c.text)-len(name)]
		for _, rest, more := strings.Cut(name, "/"); more && displaywidth.String(c.text) > room; _, rest, more = strings.Cut(rest, "/") {
			c.text = blanks + "…/" + rest
		}
	}
	return displaywidth.TruncateString(c.text, room, "…"[:min(room, 1)*len("…")])
}

// table is a list with columns, as all commands print it. On a terminal it is never wider than
// that.
type table struct {
	columns []column
	rows    [][]cell
	totals  []cell
	bare    bool // without a line of titles
	wraps   bool // texts of the last column go on below, where they would be cut
}

// newTable is a table without rows.
func newTable(columns ...column) *table { return &table{columns: columns} }

// add adds a row. What is no cell is printed as it is. In a row with fewer cells than there are
// columns the last cell has the rest of the line.
func (t *table) add(cells ...any) { t.rows = append(t.rows, cellsOf(cells)) }

// total adds the last row, in bold.
func (t *table) total(cells ...any) { t.totals = cellsOf(cells) }

func cellsOf(values []any) []cell {
	cells := make([]cell, len(values))
	for i, v := range values {
		c, ok := v.(cell)
		if !ok {
			c.text = fmt.Sprint(v)
		}
		c.text = inCell(c.text)
		cells[i] = c
	}
	return cells
}

// gap is between two columns.
const gap = 2

// print writes the table as it fits the screen.
func (t *table) print(w io.Writer, on screen) {
	widths := fitted(t.columns, t.natural(), on.width)
	if !t.bare {
		titles := make([]cell, len(t.columns))
		for i, c := range t.columns {
			titles[i] = cell{text: c.title, colour: bold}
		}
		t.line(w, on, widths, titles)
	}
	for _, row := range t.rows {
		for _, part := range t.wrapped(on, widths, row) {
			t.line(w, on, widths, part)
		}
	}
	if t.totals != nil {
		for i := range t.totals {
			t.totals[i].colour = bold
		}
		t.line(w, on, widths, t.totals)
	}
}

// wrapped are the lines of a row.
func (t *table) wrapped(on screen, widths []int, row []cell) [][]cell {
	last := len(t.columns) - 1
	if !t.wraps || on.width <= 0 || len(row) <= last {
		return [][]cell{row}
	}
	room := screen{width: max(1, on.width-taken(append(widths[:last:last], 0)))}
	var lines [][]cell
	for text := range strings.SplitSeq(room.wrap(row[last].text), "\n") {
		lines = append(lines, append(row[:last:last], cell{text: text, colour: row[last].colour}))
		row = make([]cell, last+1)
	}
	return lines
}

// natural is how wide each column is if nothing is cut.
func (t *table) natural() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		if !t.bare {
			widths[i] = displaywidth.String(c.title)
		}
	}
	for _, row := range append(t.rows[:len(t.rows):len(t.rows)], t.totals) {
		for i, c := range row {
			if i < len(row)-1 || len(row) == len(t.columns) {
				widths[i] = max(widths[i], displaywidth.String(c.text))
			}
		}
	}
	return widths
}

// line writes a row.
func (t *table) line(w io.Writer, on screen, widths []int, row []cell) {
	var b strings.Builder
	at, blanks := 0, 0 // the column of the screen, and blanks that are due before the next text
	for i, c := range row {
		alone := i == len(row)-1 && len(row) < len(t.columns)
		if widths[i] < 0 && !alone {
			continue
		}
		if at+blanks > 0 {
			blanks += gap
		}
		room := widths[i]
		if alone {
			room = max(room, displaywidth.String(c.text)) // nothing stands beside it
		}
		if on.width > 0 {
			room = max(0, min(room, on.width-at-blanks))
		}
		text := c.cut(room)
		left := max(0, room-displaywidth.String(text))
		if t.columns[i].right {
			blanks, left = blanks+left, 0
		}
		if text != "" {
			b.WriteString(strings.Repeat(" ", blanks))
			b.WriteString(on.in(cmp.Or(c.colour, t.columns[i].colour), text))
			at, blanks = at+blanks+displaywidth.String(text), 0
		}
		blanks += left
	}
	fmt.Fprintln(w, b.String())
}

// fitted is how wide each column is on a screen of so many columns, 0 without a limit; -1: it is
// left out. The widest of those that may shrink do so first. What doesn't fit all the same is cut
// at the end of the line.
func fitted(columns []column, natural []int, width int) []int {
	widths := append([]int{}, natural...)
	if width <= 0 || shrink(columns, widths, taken(widths)-width) {
		return widths
	}
	for {
		// From the natural widths again: what the columns lost in vain, the others may have now.
		copyKept(widths, natural)
		left := mostSpare(columns, widths)
		if left < 0 {
			break
		}
		widths[left] = -1
		if shrink(columns, widths, taken(widths)-width) {
			return widths
		}
	}
	// None may be left out any more: now they shrink below what they want, to the least.
	narrow := append([]column{}, columns...)
	for i := range narrow {
		narrow[i].wants = 0
	}
	shrink(narrow, widths, taken(widths)-width)
	return widths
}

// taken is the width of a line with these columns.
func taken(widths []int) int {
	sum := -gap
	for _, w := range widths {
		if w >= 0 {
			sum += w + gap
		}
	}
	return sum
}

// floor is the width to which a column that may shrink does.
func (c column) floor() int { return max(c.least, c.wants) }

// shrink takes the surplus from the columns that may shrink, and reports whether that was enough.
func shrink(columns []column, widths []int, over int) bool {
	for over > 0 {
		widest, next := -1, 0
		for i, c := range columns {
			if c.least == 0 || widths[i] <= c.floor() {
				continue
			}
			switch {
			case widest < 0 || widths[i] > widths[widest]:
				if widest >= 0 {
					next = max(next, widths[widest])
				}
				widest = i
			default:
				next = max(next, widths[i])
			}
		}
		if widest < 0 {
			return false
		}
		less := max(1, min(over, widths[widest]-max(next, columns[widest].floor())))
		widths[widest] -= less
		over -= less
	}
	return true
}

// mostSpare is the column to leave out next, or -1.
func mostSpare(columns []column, widths []int) int {
	at := -1
	for i, c := range columns {
		if c.spare > 0 && widths[i] >= 0 && (at < 0 || c.spare > columns[at].spare) {
			at = i
		}
	}
	return at
}

// copyKept gives the columns that are not left out their natural width again.
func copyKept(widths, natural []int) {
	for i := range widths {
		if widths[i] >= 0 {
			widths[i] = natural[i]
		}
	}
}
