package redact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"unsafe"
)

// A text that is longer than longLine is redacted in pieces, each together with what is around it,
// so that a secret across a seam is found all the same; one that is itself longer than margin may
// not be. Bytes of the text as it is written.
const (
	longLine = 1 << 20
	piece    = 512 << 10
	margin   = 128 << 10
	unit     = 64 << 10 // seams are about that far apart
)

// writeLong writes a line, redacted, without ever having a second one of its length in memory.
func (r *Redactor) writeLong(w io.Writer, line []byte) error {
	body, end := ended(line)
	// A line that was cut off, or another program's: it is a text, and need not stay JSON.
	if !json.Valid(body) {
		if err := r.writePieces(w, body, 0, plain); err != nil {
			return err
		}
		_, err := w.Write(end)
		return err
	}
	text := unsafe.String(unsafe.SliceData(body), len(body)) // a copy would be as long once more
	var long []span
	left := budget(len(text))
	found := r.json(text, &left, 0, func(key string, s span) bool {
		// Short strings, and those that their key says are secrets as a whole, are looked at like
		// others.
		if s.to-s.from <= longLine || secretKey(key) {
			return false
		}
		// An image or a signature is one word of megabytes, and stays as it is.
		if !plainKey(key) || !single(body[s.from:s.to]) {
			long = append(long, span{from: s.from + 1, to: s.to - 1})
		}
		return true
	})
	r.report(found...)
	at := 0
	for _, s := range append(long, span{from: len(text), to: len(text)}) {
		n := 0
		// The found ones before this string; none of them is in one of the long strings, which were
		// skipped.
		for n < len(found) && found[n].from < s.from {
			n++
		}
		if _, err := io.WriteString(w, replaceIn(text, at, s.from, found[:n])); err != nil {
			return err
		}
		if err := r.writePieces(w, body[s.from:s.to], s.from, escaped); err != nil {
			return err
		}
		found, at = found[n:], s.to
	}
	_, err := w.Write(end)
	return err
}

// report passes on what was found in the line that is being written.
func (r *Redactor) report(found ...span) {
	if r.found != nil {
		r.found(found)
	}
}

// replaceIn returns a part of a text, with the marks in the place of the spans in it.
func replaceIn(text string, from, to int, spans []span) string {
	for i := range spans {
		spans[i].from, spans[i].to = spans[i].from-from, spans[i].to-from
	}
	return replace(text[from:to], spans)
}

// single reports whether a literal is one word: what its key says counts for more than what is in
// it.
func single(literal []byte) bool {
	return bytes.IndexByte(literal, ' ') < 0 && !bytes.Contains(literal, []byte(`\n`))
}

// writing is how a text is written: as it is, or within a JSON string.
type writing struct {
	seam func(raw []byte, at, from int) int // the first place from there on where the text can be taken apart; at is one before it
	view func(raw string, at int, v *view)
	mark func([]span) []span
}

var (
	plain = writing{
		seam: func(_ []byte, _, from int) int { return from },
		view: func(raw string, at int, v *view) { v.add(raw, at, len(raw)) },
		mark: func(found []span) []span { return found },
	}
	escaped = writing{seam: outsideEscapes, view: unescaped, mark: nested}
)

// outsideEscapes is a place of a JSON string that is not within an escape, a surrogate pair or a
// rune. It is as far from there as one of them is long.
func outsideEscapes(raw []byte, at, from int) int {
	for at < from || at < len(raw) && at < from+12 && (raw[at]&0xC0 == 0x80 || lowSurrogate(raw[at:])) {
		step := 1
		if raw[at] == '\\' {
			if step = 2; raw[at+1] == 'u' {
				step = 6
			}
		}
		at += step
	}
	return at
}

// lowSurrogate reports whether the second half of a pair is there.
func lowSurrogate(raw []byte) bool {
	// \uDC00 to \uDFFF
	return len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' && (raw[2] == 'd' || raw[2] == 'D') && bytes.IndexByte([]byte("cdefCDEF"), raw[3]) >= 0
}

// writePieces writes a text, redacted, piece by piece. A piece without secrets is written as it
// was. at is the text's place in its line.
func (r *Redactor) writePieces(w io.Writer, raw []byte, at int, as writing) error {
	seams := []int{0}
	for next := 0; next < len(raw); seams = append(seams, next) {
		next = as.seam(raw, next, min(len(raw), next+unit))
	}
	units := len(seams) - 1
	covered := 0 // up to here in the text, a secret that began in an earlier piece goes on
	for first := 0; first < units; first += piece / unit {
		last := min(units, first+piece/unit)
		// With a margin on both sides: what tells of a secret may be in the piece beside it.
		from, to := seams[max(0, first-margin/unit)], seams[min(units, last+margin/unit)]
		var v view
		as.view(string(raw[from:to]), from, &v)
		left := budget(len(v.text))
		p := pieceOf{from: seams[first], to: seams[last], covered: covered}
		secrets := as.mark(v.source(r.inText(string(v.text), &left)))
		for _, s := range secrets {
			// Found in the margin, it is the other piece's to report.
			if s.from < p.to && s.to > max(p.from, p.covered) {
				r.report(s.moved(at))
			}
		}
		out, reached := p.redacted(raw, secrets)
		if covered = reached; out == nil {
			out = raw[p.from:p.to]
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	return nil
}

// pieceOf is a piece of a text.
type pieceOf struct{ from, to, covered int }

// redacted puts the marks in the place of the secrets that begin in the piece; nil if there are
// none. reached is where the last of them ends.
func (p pieceOf) redacted(raw []byte, secrets []span) (out []byte, reached int) {
	slices.SortFunc(secrets, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	at := max(p.from, p.covered)
	changed := at > p.from
	for _, s := range secrets {
		if s.to <= at || s.from >= p.to {
			continue
		}
		// One that overlaps an earlier one, or began in the piece before, has its mark already.
		if from := max(s.from, p.from); from >= at {
			out = append(append(out, raw[at:from]...), cmp.Or(s.mark, Mark)...)
		}
		at, changed = s.to, true
	}
	if !changed {
		return nil, p.covered
	}
	if at < p.to {
		out = append(out, raw[at:p.to]...)
	}
	if out == nil {
		// All of the piece is covered by an earlier secret: nil would mean that nothing changed.
		out = []byte{}
	}
	return out, at
}
