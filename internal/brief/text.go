package brief

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// breaks has what a reader may take for the end of a line become one.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// Harmless is a text of others without secrets, as redact removes them, and without characters that
// control a terminal or that only a program sees. Its lines end with "\n", none else breaks them.
func Harmless(text string, redact func(string) string) string {
	return visible(breaks.Replace(strings.TrimSpace(redact(strings.ToValidUTF8(text, "\uFFFD")))))
}

// Fence is at least so many backquotes, and more than follow each other in any of some texts. Each
// byte is read once: a text of others may be nothing but backquotes.
func Fence(least int, texts ...string) string {
	for _, text := range texts {
		row := 0
		for i := range len(text) {
			if row++; text[i] != '`' {
				row = 0
			}
			least = max(least, row+1)
		}
	}
	return strings.Repeat("`", least)
}

// visible replaces what controls a terminal, and what is invisible to a user and not to a model, as
// tags are.
func visible(text string) string {
	plain := !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r >= 0x7f })
	if plain {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r != '\t' && r != '\n' && (r < ' ' || r >= 0x7f) && hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a rune has no shape of its own. The joiner of emoji is one that users
// know.
func hidden(r rune) bool {
	const joiner = '\u200d'
	return r != joiner && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || r >= 0xe0000 && r <= 0xe0fff
}

// oneLine is a text in a line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// FirstLines are at most so many lines of a text, without the end of the last one of several.
func FirstLines(text string, most int) string {
	lines := strings.SplitN(text, "\n", most+1)
	return strings.Join(lines[:min(most, len(lines))], "\n")
}

// Truncate returns at most so many bytes of a text, in whole runes, and how many it left out.
func Truncate(text string, most int) (string, int) {
	if len(text) <= most {
		return text, 0
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most], len(text) - most
}
