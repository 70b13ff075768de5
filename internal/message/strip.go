package message

import "bytes"

// StripLone takes the links of ours, and the hint below them, out of a message
// that holds nothing else, and reports whether it did. Nothing else is what git
// calls empty once it has cleaned the message up: comments, what the scissors
// cut off, white space and sign-offs don't count, nor does an unedited
// style.Template. Git then aborts the commit as it would have without a link.
//
// Verbatim, every byte counts to git: there the message must be links and white
// space, and nothing is left of it.
func StripLone(msg []byte, style Style) ([]byte, bool) {
	r := style.read(msg)
	rest := r.withoutLinks(msg)
	if len(rest) == len(msg) {
		return msg, false
	}
	cleaned := r.clean(rest)
	if r.cleanup != cleanNothing {
		cleaned = bytes.TrimPrefix(cleaned, r.clean(style.Template))
	}
	if !r.empty(cleaned) {
		return msg, false
	}
	if r.cleanup == cleanNothing {
		rest = []byte{}
	}
	return rest, true
}

// withoutLinks gives msg without links, each with the hint below it and the
// blank line above it that AddLink puts in; without a link it is msg as it is.
func (r reading) withoutLinks(msg []byte) []byte {
	if len(Links(msg)) == 0 {
		return msg
	}
	out := make([]byte, 0, len(msg))
	gap := 0 // length of the line above if it is blank
	for line := range bytes.Lines(msg) {
		_, ours := linkID(line)
		switch {
		case ours:
			out = out[:len(out)-gap]
			gap = 0
		case string(bytes.TrimRight(line, space+"\n")) == r.hint(), bytes.HasPrefix(line, []byte(AttributionKey+": ")):
		default:
			out = append(out, line...)
			gap = 0
			if blank(line) {
				gap = len(line)
			}
		}
	}
	return out
}
