package report

import (
	"fmt"
	"strings"
)

// clean makes a text harmless to display: invalid UTF-8 and control characters become visible
// signs, and marks that change the direction of text become their code points. Newlines and tabs
// are kept.
func clean(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for i, r := range text {
		if r != '\r' || !strings.HasPrefix(text[i+1:], "\n") { // else it is a line's end
			b.WriteString(visible(r))
		}
	}
	return b.String()
}

// visible is a sign for a character that would not be one.
func visible(r rune) string {
	switch {
	case r < ' ' && r != '\n' && r != '\t':
		return string(0x2400 + r)
	case r == 0x7f:
		return string(rune(0x2421))
	// Whoever wrote a line could have it shown in another order than it is compiled in.
	case r > 0x7f && r < 0xa0 || turning(r):
		return fmt.Sprintf("⟨U+%04X⟩", r)
	}
	return string(r)
}

// oneLine is clean for one line: white space becomes single blanks.
func oneLine(text string) string {
	return clean(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' || r == ' ' }), " "))
}

func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f })
}

// turning reports whether a rune is invisible and changes the direction or the layout of text.
func turning(r rune) bool {
	switch {
	case r == 0x61c, r == 0x200b, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029, r == 0xfeff,
		r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
