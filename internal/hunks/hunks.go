// Package hunks adds context to the changes of a file: it makes the hunks of a unified diff of
// them.
package hunks

import (
	"fmt"
	"strings"

	"entire-plumb/gitexec"
)

// Sign says what a line of a hunk is.
type Sign string

// The signs, as in a unified diff.
const (
	Context   Sign = " "
	Added     Sign = "+"
	Removed   Sign = "-"
	NoNewline Sign = `\` // the line before is the file's last one, and does not end in a newline
)

// Line is a line of a hunk, without its newline. A side's number is 0 where that side lacks it.
type Line struct {
	Sign     Sign
	Old, New int
	Text     string
}

// Hunk is a group of changes with the lines around them.
type Hunk struct {
	Head     string // as git prints it
	Old, New Side
	Lines    []Line
}

// Side is a hunk's first line on a side, from 1, and how many it has there. If it has none, the
// first is the line before.
type Side struct{ Start, Lines int }

func (s Side) String() string {
	if s.Lines == 1 {
		return fmt.Sprint(s.Start)
	}
	return fmt.Sprintf("%d,%d", s.Start, s.Lines)
}

// Split splits a text into lines, with their newlines.
func Split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Of are the hunks of a file's changes with so many lines around each, from the lines of both
// sides, as Split gives them. Changes whose lines of context overlap or touch are one hunk.
func Of(changes []gitexec.Hunk, old, now []string, around int) []Hunk {
	var all []Hunk
	for _, together := range Near(changes, around) {
		all = append(all, Join(together, old, now, around))
	}
	return all
}

// Join is one hunk of changes that are near each other.
func Join(together []gitexec.Hunk, old, now []string, around int) Hunk {
	w := writer{old: old, now: now}
	w.write(together, around)
	return w.hunk
}

// Near groups changes whose lines of context overlap or touch.
func Near(changes []gitexec.Hunk, around int) [][]gitexec.Hunk {
	var all [][]gitexec.Hunk
	end := 0
	for i, h := range changes {
		begin, _ := starts(h)
		if i == 0 || begin-end > 2*around {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], h)
		end = begin + h.OldLines
	}
	return all
}

// starts returns the indexes of a change's first line on both sides, or of the line after it, if a
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

// writer writes one hunk.
type writer struct {
	old, now   []string
	atOld, at  int // the next line of each side
	hunk       Hunk
	oldN, newN int // lines so far
}

func (w *writer) write(together []gitexec.Hunk, around int) {
	old, now := starts(together[0])
	back := max(0, min(around, old, now))
	w.atOld, w.at = old-back, now-back
	fromOld, from := w.atOld, w.at
	for _, h := range together {
		until, _ := starts(h)
		w.same(until)
		for range h.OldLines {
			w.removed()
		}
		for range h.NewLines {
			w.added()
		}
	}
	w.same(w.atOld + around)
	w.hunk.Old, w.hunk.New = side(fromOld, w.oldN), side(from, w.newN)
	w.hunk.Head = fmt.Sprintf("@@ -%s +%s @@", w.hunk.Old, w.hunk.New)
}

func side(from, lines int) Side {
	if lines == 0 {
		return Side{from, 0}
	}
	return Side{from + 1, lines}
}

// same adds lines that both sides have, up to one of the old side.
func (w *writer) same(until int) {
	for w.atOld < until && w.at < len(w.now) {
		w.atOld++
		w.at++
		w.oldN++
		w.newN++
		w.add(Context, w.atOld, w.at, w.now[w.at-1])
	}
}

func (w *writer) removed() {
	if w.atOld++; w.atOld <= len(w.old) {
		w.oldN++
		w.add(Removed, w.atOld, 0, w.old[w.atOld-1])
	}
}

func (w *writer) added() {
	if w.at++; w.at <= len(w.now) {
		w.newN++
		w.add(Added, 0, w.at, w.now[w.at-1])
	}
}

func (w *writer) add(sign Sign, old, now int, text string) {
	body, ended := strings.CutSuffix(text, "\n")
	w.hunk.Lines = append(w.hunk.Lines, Line{sign, old, now, body})
	if !ended {
		w.hunk.Lines = append(w.hunk.Lines, Line{Sign: NoNewline, Text: " No newline at end of file"})
	}
}
