package report

import (
	"fmt"
	"strings"

	"entire-plumb/gitexec"
)

// split splits a text into lines, with their newlines.
func split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// near groups hunks whose lines of context overlap.
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

// starts returns the indexes of a hunk's first line on both sides, or of the line after it, if a
// side has none.
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

// hunk writes a group of hunks as one, with context: at most room rows. skipped counts the changed
// lines beyond.
func (d *differ) hunk(together []gitexec.Hunk, room int) (out Hunk, skipped int) {
	add := func(sign, text string, old, now int) {
		if room <= 0 {
			if sign != " " && sign != `\` {
				skipped++
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
	return out, skipped
}

// side formats the lines of a hunk's side, as in a diff.
func side(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
