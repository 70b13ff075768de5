package redact

import (
	"strings"
	"sync"
)

// Keys of an object that names something in one of its fields, and says what it is in another.
var (
	nameKeys = sync.OnceValue(func() map[string]bool {
		return set("name key variable var field parameter param header id label option")
	})
	valueKeys = sync.OnceValue(func() map[string]bool { return set("value default content val plaintext string data") })
)

// walk goes through a JSON text. It gives the places of its keys, and of its strings and numbers,
// each of these with the key that it stands behind, alone or in an array; the key is "" where there
// is none, or none of a sensible length. Where an object has a field for a name and one for a
// value, the name is the value's key. list gets the places of the strings of arrays that have
// several and nothing else.
func walk(text string, value func(key string, s span), named func(s span), list func([]span)) {
	w := walker{text: text, value: value, named: named}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = w.literal(i) - 1
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			i = w.number(i) - 1
		case '[':
			// Of arrays in an array each is looked at by itself.
			w.strs, w.only = w.strs[:0], true
			if strings.EqualFold(w.key, "token") { // tokens in an array are a language's
				w.key = ""
			}
		case ']':
			if w.only && len(w.strs) > 1 {
				list(w.strs)
			}
			w.key, w.only = "", false
		case '{', '}':
			// A name counts for the fields of its own object, in whichever order they come behind
			// it.
			w.key, w.name, w.only = "", "", false
		}
	}
}

// walker is where walk is.
type walker struct {
	text      string
	value     func(key string, s span)
	named     func(s span)
	key, name string
	strs      []span
	only      bool // strings in the present array
}

// literal takes a string that begins at i, which may be a key, and returns the place behind it.
func (w *walker) literal(i int) int {
	const longestKey = 1000
	end := stringEnd(w.text, i)
	read := func() string { return string(literalView(w.text[i:end], i).text) }
	if isKey(w.text[end:]) {
		w.key = ""
		if end-i <= longestKey {
			w.key = read()
		}
		w.named(span{from: i, to: end})
		return end
	}
	as := w.key
	switch lower := asciiLower(w.key); {
	case w.key == "":
	case w.name != "" && valueKeys()[lower]:
		as = w.name
	case nameKeys()[lower] && end-i <= longestKey:
		w.name = read()
	}
	w.value(as, span{from: i, to: end})
	if w.only {
		w.strs = append(w.strs, span{from: i, to: end})
	}
	return end
}

// number takes a number that begins at i, and returns the place behind it.
func (w *walker) number(i int) int {
	end := i + 1
	for end < len(w.text) && strings.IndexByte("+-.eE"+digits, w.text[end]) >= 0 {
		end++
	}
	w.value(w.key, span{from: i, to: end})
	w.only = false
	return end
}

// stringEnd returns the place behind a JSON string that begins at i, or behind the text.
func stringEnd(text string, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func isKey(rest string) bool {
	for i := range len(rest) {
		if c := rest[i]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c == ':'
		}
	}
	return false
}
