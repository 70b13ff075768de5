package redact

import "strings"

// control is a control sequence of terminals: colours, titles, links, character sets.
var control = compiled(`^\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])?`)

// uncoloured is a view of a text without the control sequences of terminals; nil if it has none.
// Their last letters stand before words as if they were a part of these.
func uncoloured(text string) *view {
	if strings.IndexByte(text, '\x1b') < 0 {
		return nil
	}
	v := &view{}
	for at := 0; at < len(text); {
		n := strings.IndexByte(text[at:], '\x1b')
		if n < 0 {
			n = len(text) - at
		}
		v.add(text[at:at+n], at, n)
		at += n
		at += len(control().FindString(text[at:]))
	}
	return v
}
