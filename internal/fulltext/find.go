package fulltext

import (
	"bytes"
	"unicode/utf8"
)

// Find are the first places in a text, at most `most`, where a folded one begins and ends, without
// those that overlap.
func Find(text, folded string, most int) (places [][2]int) {
	if folded == "" {
		return nil
	}
	// at are the places in the text of the bytes of the folded one.
	var at []int
	var all []byte
	for i := 0; i < len(text); {
		// A letter and its folded form may differ in length: the places are looked up in at.
		_, size := utf8.DecodeRuneInString(text[i:])
		before := len(all)
		all = AppendFolded(all, text[i:i+size])
		for range len(all) - before {
			at = append(at, i)
		}
		i += size
	}
	// Where a match that goes to the end ends.
	at = append(at, len(text))
	sought := []byte(folded)
	for from := 0; len(places) < most; {
		n := bytes.Index(all[from:], sought)
		if n < 0 {
			break
		}
		from += n + len(folded)
		end := from
		for end < len(all) && at[end] == at[from-1] { // the rest of the last letter
			end++
		}
		places = append(places, [2]int{at[from-len(folded)], at[end]})
	}
	return places
}
