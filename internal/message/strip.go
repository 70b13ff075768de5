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
	if !r.empty(rest) && !r.unedited(rest, style.Template) {
		return msg, false
	}
	if r.cleanup == cleanNothing {
		rest = []byte{}
	}
	return rest, true
}

// unedited is whether a message is a template as the user was given it, but for
// sign-offs.
func (r reading) unedited(msg, template []byte) bool {
	if r.cleanup == cleanNothing || len(template) == 0 {
		return false
	}
	text, ok := bytes.CutPrefix(r.clean(msg), r.clean(template))
	return ok && onlySignOffs(text)
}

// withoutLinks returns msg without links, each with the hint below it and the
// blank line above it that AddLinks puts in; without a link it is msg as it is.
// The blank line stays where the paragraph goes on below the link.
func (r reading) withoutLinks(msg []byte) []byte {
	if len(Links(msg)) == 0 {
		return msg
	}
	out := make([]byte, 0, len(msg))
	above := 0     // where the last line begins in out
	var gap []byte // the blank line that was taken out above the last link
	hint := r.hint()
	for line := range bytes.Lines(msg) {
		if _, ours := linkID(line); ours {
			if len(out) > above && blank(out[above:]) {
				gap, out = bytes.Clone(out[above:]), out[:above]
			}
			above = len(out)
			continue
		}
		if string(bytes.TrimRight(line, space+"\n")) == hint || bytes.HasPrefix(line, []byte(attributionKey+": ")) {
			continue
		}
		if !blank(line) && !r.isComment(line) {
			out = append(out, gap...)
		}
		gap, above, out = nil, len(out), append(out, line...)
	}
	return out
}
