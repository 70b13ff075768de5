package redact

import (
	"bytes"
	"strings"
)

// decoding finds something in a text however often parts of it are encoded as strings of JSON: as
// it stands there, without one level of escapes, and so on. Text that only resembles such a string
// is decoded, too, since a transcript may have it cut off.
func decoding(text string, find func(string) []span) []span {
	found := find(text)
	outer := func(s []span) []span { return s }
	for range deepest {
		if strings.IndexByte(text, '\\') < 0 {
			break
		}
		v := &view{}
		unescaped(text, 0, v)
		// Nothing was an escape: the next level would be the same.
		if len(v.text) == len(text) {
			break
		}
		before := outer
		// Places of this level lead back through all levels before it.
		outer = func(s []span) []span { return before(v.source(s)) }
		text = string(v.text)
		found = append(found, outer(find(text))...)
	}
	return found
}

// decodedAtOnce is how much of a text is decoded at once, if it has lines.
const decodedAtOnce = 4 << 20

// RemoveAll puts marks in the place of what is found in a text, however it is encoded. find gives
// places, as regexp's FindAllIndex does.
func RemoveAll(text []byte, find func(string) [][]int) []byte {
	spans := func(text string) (found []span) {
		for _, m := range find(text) {
			found = append(found, span{from: m[0], to: m[1]})
		}
		return found
	}
	if found := spans(string(text)); len(found) > 0 {
		text = []byte(replace(string(text), found))
	}
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	var out []byte
	at := 0 // what comes before is in out
	for from := 0; from < len(text); {
		to := len(text)
		if to > from+decodedAtOnce {
			// Only at the end of a line: what is looked for must not be cut.
			if n := bytes.IndexByte(text[from+decodedAtOnce:], '\n'); n >= 0 {
				to = from + decodedAtOnce + n + 1
			}
		}
		if found := decoding(string(text[from:to]), spans); len(found) > 0 {
			out = append(append(out, text[at:from]...), replace(string(text[from:to]), found)...)
			at = to
		}
		from = to
	}
	if at == 0 {
		return text
	}
	return append(out, text[at:]...)
}
