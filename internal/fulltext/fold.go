package fulltext

import (
	"unicode"
	"unicode/utf8"
)

// Fold is a text in which letters that differ in case alone are equal.
func Fold(text string) string { return string(AppendFolded(nil, text)) }

// AppendFolded appends a text to bytes, likewise.
func AppendFolded[T string | []byte](to []byte, text T) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			to = append(to, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune([]byte(text[i:min(len(text), i+utf8.UTFMax)]))
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
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
