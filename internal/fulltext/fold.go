package fulltext

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Fold is a text in which letters that differ in case alone are equal.
func Fold(text string) string { return string(AppendFolded(nil, text)) }

// AppendFolded appends a text to bytes, likewise.
func AppendFolded[T string | []byte](to []byte, text T) []byte {
	to = slices.Grow(to, len(text))
	for i := 0; i < len(text); {
		n := len(to)
		// Most text is ASCII, whose letters are as long when they are folded: a loop without
		// appending.
		part := to[n:min(cap(to), n+len(text)-i)]
		for j := range part { // up to what is not ASCII
			c := text[i+j]
			if c >= utf8.RuneSelf {
				part = part[:j]
				break
			}
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			part[j] = c
		}
		to = to[:n+len(part)]
		if i += len(part); i == len(text) {
			break
		}
		if text[i] < utf8.RuneSelf { // folded letters may be longer
			to = slices.Grow(to, len(text)-i)
			continue
		}
		r, size := utf8.DecodeRune([]byte(text[i:min(len(text), i+utf8.UTFMax)]))
		// Bytes that are no UTF-8 stay as they are: both sides have them.
		if r == utf8.RuneError {
			to = append(to, text[i:i+size]...)
		} else {
			to = utf8.AppendRune(to, folded(r))
		}
		i += size
	}
	return to
}

// folded is one of the letters that differ from one in case alone, the same for all of them.
func folded(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	// The least one of a letter's forms is the capital, but ASCII is folded to small letters above.
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
