package redact

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// A text that is longer than longLine is redacted in pieces, each together with what is around it, so that a secret across a seam is found
// all the same; one that is itself longer than margin may not be. Bytes of the text as it is written.
const (
	longLine = 1 << 20
	piece    = 512 << 10
	margin   = 128 << 10
	unit     = 64 << 10 // seams are about that far apart
)

// writeLong writes a line, redacted, without ever having a second one of its length in memory.
func (r *Redactor) writeLong(w io.Writer, line []byte) error {
	body, end := ended(line)
	if !json.Valid(body) {
		if err := r.writePieces(w, body, plain); err != nil {
			return err
		}
		_, err := w.Write(end)
		return err
	}
	at := 0
	for key, s := range values(body) {
		literal := body[s.from:s.to]
		switch {
		case len(literal) <= longLine || literal[0] != '"' || secretKey(key):
			redacted, changed := r.literal(key, literal)
			if !changed {
				continue
			}
			if _, err := w.Write(body[at:s.from]); err != nil {
				return err
			}
			if _, err := w.Write(redacted); err != nil {
				return err
			}
			at = s.to
		case single(literal) && plainKey(key):
		default:
			if _, err := w.Write(body[at : s.from+1]); err != nil {
				return err
			}
			if err := r.writePieces(w, literal[1:len(literal)-1], escaped); err != nil {
				return err
			}
			at = s.to - 1
		}
	}
	_, err := w.Write(line[at:])
	return err
}

// single reports whether a literal is one word: what its key says counts for more than what is in it.
func single(literal []byte) bool {
	return bytes.IndexByte(literal, ' ') < 0 && !bytes.Contains(literal, []byte(`\n`))
}

// writing is how a text is written: as it is, or within a JSON string.
type writing struct {
	seam   func(raw []byte, at, from int) int // the first place from there on where the text can be taken apart; at is one before it
	decode func([]byte) string
	encode func(string) []byte
}

var (
	plain = writing{
		seam:   func(_ []byte, _, from int) int { return from },
		decode: func(raw []byte) string { return string(raw) },
		encode: func(text string) []byte { return []byte(text) },
	}
	escaped = writing{
		seam:   outsideEscapes,
		decode: func(raw []byte) string { return decoded(append(append([]byte{'"'}, raw...), '"')) },
		encode: func(text string) []byte {
			literal := encoded(text)
			return literal[1 : len(literal)-1]
		},
	}
)

// outsideEscapes is a place of a JSON string that is not within an escape, a surrogate pair or a rune. It is as far from there as one of them is
// long.
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
	return len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' && (raw[2] == 'd' || raw[2] == 'D') && bytes.IndexByte([]byte("cdefCDEF"), raw[3]) >= 0
}

// writePieces writes a text, redacted, piece by piece. A piece without secrets is written as it was.
func (r *Redactor) writePieces(w io.Writer, raw []byte, as writing) error {
	seams := []int{0}
	for at := 0; at < len(raw); seams = append(seams, at) {
		at = as.seam(raw, at, min(len(raw), at+unit))
	}
	units := len(seams) - 1
	covered := 0
	for first := 0; first < units; first += piece / unit {
		last := min(units, first+piece/unit)
		var text strings.Builder
		var p pieceOf
		for i := max(0, first-margin/unit); i < min(units, last+margin/unit); i++ {
			if i == first {
				p.from = text.Len()
			}
			text.WriteString(as.decode(raw[seams[i]:seams[i+1]]))
			if i == last-1 {
				p.to = text.Len()
			}
		}
		p.text, p.covered = text.String(), covered
		out := raw[seams[first]:seams[last]]
		redacted, changed, left := p.redacted(r.secrets(p.text))
		if covered = left; changed {
			out = as.encode(redacted)
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	return nil
}

// pieceOf is a piece of a text with what is around it, in bytes.
type pieceOf struct {
	text     string
	from, to int
	covered  int // how many bytes behind from a secret goes on that began before it
}

// redacted puts the mark in the place of the secrets that begin in the piece. left is how far the last of them goes on behind it.
func (p pieceOf) redacted(secrets []span) (out string, changed bool, left int) {
	slices.SortFunc(secrets, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	at := p.from + p.covered
	changed = p.covered > 0
	for _, s := range secrets {
		if s.to <= at || s.from >= p.to {
			continue
		}
		if from := max(s.from, p.from); from >= at {
			b.WriteString(p.text[at:from] + Mark)
		}
		at, changed = s.to, true
	}
	if at < p.to {
		b.WriteString(p.text[at:p.to])
	}
	return b.String(), changed, max(0, at-p.to)
}
