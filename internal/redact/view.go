package redact

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text that is made of parts of another one, as a string without its escapes, and knows
// where its parts come from.
type view struct {
	text  []byte
	parts []part
}

// part is a piece of a view. One that is as long as what it comes from is the same bytes; another
// one stands for it as a whole.
type part struct{ at, size, from, length int }

// add appends a piece that stands for length bytes from there on.
func (v *view) add(text string, from, length int) {
	if text == "" {
		return
	}
	// Parts that follow each other are one: a text without escapes has a single one.
	if n := len(v.parts) - 1; n >= 0 && len(text) == length {
		if last := &v.parts[n]; last.size == last.length && last.from+last.length == from {
			last.size += length
			last.length += length
			v.text = append(v.text, text...)
			return
		}
	}
	v.parts = append(v.parts, part{len(v.text), len(text), from, length})
	v.text = append(v.text, text...)
}

// source returns the places that secrets of the view have in what it was made of. One that is
// spread over several places is several.
func (v *view) source(found []span) []span {
	var out []span
	for _, s := range found {
		i, _ := slices.BinarySearchFunc(v.parts, s.from, func(p part, at int) int {
			if p.at+p.size <= at {
				return -1
			}
			return 1
		})
		last := -1
		for ; i < len(v.parts) && v.parts[i].at < s.to; i++ {
			p := v.parts[i]
			if p.length == 0 {
				continue
			}
			from, to := p.from, p.from+p.length
			if p.size == p.length {
				from, to = p.from+max(0, s.from-p.at), p.from+min(p.size, s.to-p.at)
			}
			if last >= 0 && out[last].to == from {
				out[last].to = to
				continue
			}
			last = len(out)
			out = append(out, span{from, to, s.mark, s.random, s.rule})
		}
	}
	return out
}

// unescaped is a view of a JSON string's text, or of any text that has such escapes in it.
func unescaped(text string, at int, v *view) {
	for text != "" {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			v.add(text, at, len(text))
			return
		}
		v.add(text[:i], at, i)
		text, at = text[i:], at+i
		n, char := escape(text)
		v.add(char, at, n)
		text, at = text[n:], at+n
	}
}

var escapes = [256]string{'n': "\n", 't': "\t", 'r': "\r", '"': `"`, '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", '\'': "'"}

// escape reads an escape: its length, and what it stands for. What is none stands for itself.
func escape(text string) (n int, char string) {
	if char := escapes[text[1]]; char != "" {
		return 2, char
	}
	one, ok := hexRune(text)
	if !ok {
		// A backslash that begins no escape, as in a path of Windows.
		return 1, `\`
	}
	if utf16.IsSurrogate(one) {
		// A character beyond U+FFFF is two escapes.
		if two, ok := hexRune(text[6:]); ok {
			if r := utf16.DecodeRune(one, two); r != utf8.RuneError {
				return 12, string(r)
			}
		}
		return 6, string(utf8.RuneError)
	}
	return 6, string(one)
}

// hexRune reads \u and four digits.
func hexRune(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}
