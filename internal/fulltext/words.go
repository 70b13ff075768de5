package fulltext

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// inWord reports whether a byte is of a word: a letter, a digit, an underscore, or of a character
// beyond ASCII.
func inWord(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// A word that is longer than this, in bytes, is in the dictionary in pieces of that length. Each
// begins in the middle of the one before: so whatever is half as long is in one of them.
const (
	longestWord = 32
	halfWord    = longestWord / 2
)

// eachWord passes on the words of a folded text, or their pieces.
func eachWord(text []byte, each func(word []byte)) {
	for i := 0; i < len(text); i++ {
		if !inWord(text[i]) {
			continue
		}
		from := i
		for i < len(text) && inWord(text[i]) {
			i++
		}
		// Long words are mostly data: in pieces they are as many as others, and any part of them is
		// still found.
		for i-from > longestWord {
			each(text[from : from+longestWord])
			from += halfWord
		}
		each(text[from:i])
	}
}

// partsOf are what must be in words of the dictionary if a folded text is to be found, and not in
// all of these.
func partsOf(text string) (parts []string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < utf8.RuneSelf && !inWord(byte(r)) }) {
		// A part may lie anywhere in a word of the text: of half the length it is in one of the
		// pieces.
		for len(word) > 2*halfWord {
			parts, word = append(parts, word[:halfWord]), word[halfWord:]
		}
		if len(word) > halfWord {
			// Its beginning and its end, which overlap: each is short enough to be in one piece.
			parts = append(parts, word[:halfWord], word[len(word)-halfWord:])
		} else if len(word) > 1 {
			parts = append(parts, word)
		}
	}
	return parts
}

// wordsWith are the indexes of the words on a page that contain a part, each once. The page has a
// newline before and after each word.
func wordsWith(page []byte, part []byte) (indexes []int) {
	word, at := -1, 0 // the newlines before at, less one
	for {
		n := bytes.Index(page[at:], part)
		if n < 0 {
			return indexes
		}
		word += bytes.Count(page[at:at+n], newline)
		indexes = append(indexes, word)
		next := bytes.IndexByte(page[at+n:], '\n')
		if next < 0 {
			return indexes
		}
		// On to the next word: each counts once.
		at += n + next
	}
}

var newline = []byte{'\n'}
