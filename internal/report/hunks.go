package report

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/hunks"
)

// differ writes hunks of a file.
type differ struct {
	old, new []string
	row      func(Row) Row
	rows     int
}

// hunk writes a group of changes as one, with context: at most room rows. skipped counts the
// changed lines beyond.
func (d *differ) hunk(together []gitexec.Hunk, room int) (out Hunk, skipped int) {
	h := hunks.Join(together, d.old, d.new, around)
	out.Head = h.Head
	shown := false // the line before
	for _, l := range h.Lines {
		switch {
		// The remark belongs to the line before it, and goes with that.
		case l.Sign == hunks.NoNewline && shown:
			d.rows++
			out.Rows = append(out.Rows, d.row(Row{Sign: `\`, Text: "no newline at the end of the file"}))
		case l.Sign == hunks.NoNewline:
		case room <= 0:
			// Lines beyond are counted: the page says how many there are.
			shown = false
			if l.Sign != hunks.Context {
				skipped++
			}
		default:
			shown = true
			room--
			d.rows++
			out.Rows = append(out.Rows, d.row(Row{Sign: string(l.Sign), Old: l.Old, New: l.New, Text: l.Text}))
		}
	}
	return out, skipped
}
