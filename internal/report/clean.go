package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean makes a text harmless where it is shown: what is no UTF-8, terminals' escapes and other
// controls are pictures of themselves, and marks that turn the order of what is read around stand
// by their number. Lines and tabs stay.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for i, r := range text {
		switch {
		case r == utf8.RuneError:
			b.WriteRune(utf8.RuneError)
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"): // a line's end
		case r < ' ' && r != '\n' && r != '\t':
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		case r > 0x7f && r < 0xa0 || turning(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line is Clean for what has to stand on one line.
func Line(text string) string {
	return Clean(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' || r == ' ' }), " "))
}

func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// turning reports whether a rune changes how others are read, and shows nothing itself.
func turning(r rune) bool {
	switch {
	case r == 0x61c, r == 0x200b, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029, r == 0xfeff:
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r >= 0xe0000 && r <= 0xe007f:
	default:
		return false
	}
	return true
}

// Cut gives the beginning of a text, of at most so many bytes, and how many are left out.
func Cut(text string, most int) (string, int) {
	if len(text) <= most {
		return text, 0
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most], len(text) - most
}
