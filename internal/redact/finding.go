package redact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"unicode/utf8"
)

// Finding is a place of a text that is redacted.
type Finding struct {
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // of its first byte, from 1
	Bytes  int    `json:"bytes"`
	Rule   string `json:"rule"`
	Hint   string `json:"hint"` // its first letters, where it is much longer
}

// IsRecords reports whether a text is read as records, as a transcript is: each line is JSON by
// itself.
func IsRecords(text []byte) bool {
	any := false
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if any = true; !json.Valid(line) {
			return false
		}
	}
	return any
}

// Find returns what is redacted of a text, in order: of records, as Records does, or of another
// text, as Text does.
func (r *Redactor) Find(text []byte) []Finding {
	if r == nil {
		r = &Redactor{}
	}
	var found []span
	if !IsRecords(text) {
		found = r.rounds(string(text), r.inText)
	} else {
		at := 0
		for line := range bytes.Lines(text) {
			body, _ := ended(line)
			for _, s := range r.inRecord(body, len(line) > longLine) {
				found = append(found, s.moved(at))
			}
			at += len(line)
		}
	}
	all, line, start := []Finding{}, 1, 0
	for _, s := range merged(found) {
		if n := bytes.Count(text[start:s.from], []byte("\n")); n > 0 {
			line += n
			start += bytes.LastIndexByte(text[start:s.from], '\n') + 1
		}
		all = append(all, Finding{Line: line, Column: s.from - start + 1, Bytes: s.to - s.from, Rule: s.rule, Hint: hint(text[s.from:s.to])})
	}
	return all
}

// inRecord finds what is redacted of a line.
func (r *Redactor) inRecord(body []byte, long bool) (found []span) {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return nil
	case long:
		of := *r
		// A long line is never in memory a second time: it is written to nowhere, and tells what it
		// redacts.
		of.found = func(some []span) { found = append(found, some...) }
		_ = of.writeLong(io.Discard, body)
		return found
	}
	return r.rounds(string(body), r.inJSON)
}

// rounds finds as Text and record do: again where something was found, with the places that it has
// in the text as it was.
func (r *Redactor) rounds(text string, find func(string, *effort) []span) (found []span) {
	var views []*view
	for range rounds {
		left := budget(len(text))
		some := find(text, &left)
		if len(some) == 0 {
			break
		}
		some = merged(some)
		v := &view{}
		at := 0
		for _, s := range some {
			v.add(text[at:s.from], at, s.from-at)
			v.add(cmp.Or(s.mark, Mark), s.from, s.to-s.from)
			at = s.to
		}
		v.add(text[at:], at, len(text)-at)
		// The places are of the text with the marks of earlier rounds.
		for _, earlier := range slices.Backward(views) {
			some = earlier.source(some)
		}
		found = append(found, some...)
		// All that was found are marks: another round would find the same.
		if string(v.text) == text {
			break
		}
		views, text = append(views, v), string(v.text)
	}
	return found
}

// merged are places in order, those that overlap as one.
func merged(found []span) []span {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var all []span
	for _, s := range found {
		if n := len(all) - 1; n >= 0 && s.from < all[n].to {
			all[n].to = max(all[n].to, s.to)
			continue
		}
		all = append(all, s)
	}
	return all
}

// hint is the beginning of a secret: of a long one the letters that its kind has in common, of a
// short one nothing.
func hint(secret []byte) string {
	const shortest, shown = 16, 4
	if len(secret) < shortest {
		return ""
	}
	n := 0
	for n < shown {
		c, size := utf8.DecodeRune(secret[n:])
		// A hint is printed on a terminal.
		if c == utf8.RuneError || c < ' ' {
			break
		}
		n += size
	}
	return string(secret[:n])
}
