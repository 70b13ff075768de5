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

// walk goes through a JSON text. It gives the places of its strings and numbers, without its keys,
// each with the key that it stands behind, alone or in an array; the key is "" where there is none,
// or none of a sensible length. Where an object has a field for a name and one for a value, the
// name is the value's key. list gets the places of the strings of arrays that have several and
// nothing else.
func walk(text string, value func(key string, s span), list func([]span)) {
	const longestKey = 1000
	key, name := "", ""
	var strs []span
	only := false // strings in the present array
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			end := stringEnd(text, i)
			if isKey(text[end:]) {
				key = ""
				if end-i <= longestKey {
					key = string(literalView(text[i:end], i).text)
				}
				i = end - 1
				continue
			}
			as := key
			switch lower := asciiLower(key); {
			case key == "":
			case name != "" && valueKeys()[lower]:
				as = name
			case nameKeys()[lower] && end-i <= longestKey:
				name = string(literalView(text[i:end], i).text)
			}
			value(as, span{from: i, to: end})
			if only {
				strs = append(strs, span{from: i, to: end})
			}
			i = end - 1
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(text) && strings.IndexByte("+-.eE"+digits, text[end]) >= 0 {
				end++
			}
			value(key, span{from: i, to: end})
			only = false
			i = end - 1
		case c == '[':
			strs, only = strs[:0], true
			if strings.EqualFold(key, "token") { // tokens in an array are a language's
				key = ""
			}
		case c == ']':
			if only && len(strs) > 1 {
				list(strs)
			}
			key, only = "", false
		case c == '{' || c == '}':
			key, name, only = "", "", false
		}
	}
}

// stringEnd returns the place behind a JSON string that begins at i.
func stringEnd(text string, i int) int {
	for i++; text[i] != '"'; i++ {
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
