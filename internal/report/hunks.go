package report

import (
	"fmt"
	"strings"

	"entire-plumb/gitexec"
)

// split takes a text apart into lines that keep their ends.
func split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// near puts hunks together whose lines of context would meet.
func near(hunks []gitexec.Hunk) [][]gitexec.Hunk {
	var all [][]gitexec.Hunk
	end := 0
	for i, h := range hunks {
		if begin, _ := starts(h); i == 0 || begin-end > 2*around {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], h)
		begin, _ := starts(h)
		end = begin + h.OldLines
	}
	return all
}

// starts gives the indexes of a hunk's first lines on both sides, or of those before which it lies.
func starts(h gitexec.Hunk) (old, now int) {
	old, now = h.OldStart-1, h.NewStart-1
	if h.OldLines == 0 {
		old++
	}
	if h.NewLines == 0 {
		now++
	}
	return old, now
}

// differ writes hunks of a file.
type differ struct {
	old, new []string
	row      func(Row) Row
	rows     int
}

// hunk writes hunks that lie near each other as one, with the lines around them: at most room rows.
// left is how many changed lines found none.
func (d *differ) hunk(together []gitexec.Hunk, room int) (out Hunk, left int) {
	add := func(sign, text string, old, now int) {
		if room <= 0 {
			if sign != " " && sign != `\` {
				left++
			}
			return
		}
		room--
		d.rows++
		body, ended := strings.CutSuffix(text, "\n")
		out.Rows = append(out.Rows, d.row(Row{Sign: sign, Old: old, New: now, Text: body}))
		if !ended && sign != `\` {
			d.rows++
			out.Rows = append(out.Rows, d.row(Row{Sign: `\`, Text: "no newline at the end of the file"}))
		}
	}
	old, now := starts(together[0])
	back := min(around, old, now)
	old, now = old-back, now-back
	firstOld, firstNew := old, now
	same := func(until int) {
		for ; old < until && old < len(d.old) && now < len(d.new); old, now = old+1, now+1 {
			add(" ", d.new[now], old+1, now+1)
		}
	}
	for _, h := range together {
		at, _ := starts(h)
		same(at)
		for range h.OldLines {
			if old < len(d.old) {
				add("-", d.old[old], old+1, 0)
			}
			old++
		}
		for range h.NewLines {
			if now < len(d.new) {
				add("+", d.new[now], 0, now+1)
			}
			now++
		}
	}
	same(old + around)
	out.Head = fmt.Sprintf("@@ -%s +%s @@", side(firstOld, old), side(firstNew, now))
	return out, left
}

// side writes which lines of a side a hunk has, as diffs do.
func side(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
