package message

import "bytes"

// cutLine is the scissors line after the comment character. Git wants it to the
// byte, so one that an editor saved with CRLF is a plain comment to git too.
const cutLine = " ------------------------ >8 ------------------------"

// scissors returns the offset of the scissors line, len(msg) if there is none. One
// that ends the file without a line feed counts: git completes the line.
func scissors(msg, comment []byte) int {
	want := string(comment) + cutLine
	for at, line := range startingWith(msg, want) {
		if string(bytes.TrimSuffix(line, []byte("\n"))) == want {
			return at
		}
	}
	return len(msg)
}

// cut returns the offset of a scissors line above which a trailer must stay. Git
// also looks for trailers only above one that was committed, so it counts where
// it isn't cut off; not so where it is stripped as a comment, or where there is
// nothing above it that could be the message.
func (r reading) cut(msg []byte) int {
	at := scissors(msg, r.comment)
	if !r.editor && (r.cleanup == cleanStrip || blank(msg[:at])) {
		return len(msg)
	}
	return at
}

func blank(line []byte) bool { return len(bytes.TrimLeft(line, space+"\n")) == 0 }

func (r reading) isComment(line []byte) bool {
	return len(r.comment) > 0 && bytes.HasPrefix(line, r.comment)
}

// bodyEnd returns the offset behind the last line of the message proper: what
// follows are blank lines, comments, the scissors line and what it cuts off. It
// is the place where `git commit -s` puts Signed-off-by.
func (r reading) bodyEnd(msg []byte) int {
	msg = msg[:r.cut(msg)]
	end, off := 0, 0
	conflicts := false
	for line := range bytes.Lines(msg) {
		off += len(line)
		switch {
		case blank(line):
		case r.isComment(line) && r.commentsTrail():
		case end > 0 && r.isConflicts(line):
			conflicts = true
		case conflicts && line[0] == '\t':
		default:
			conflicts = false
			end = off
		}
	}
	if end == 0 && r.editor && r.cleanup != cleanStrip {
		return firstParagraph(msg)
	}
	return end
}

// isConflicts is whether a line heads a list of conflicts as git before 2.3 put
// it in messages; git still looks for trailers above such a list.
func (r reading) isConflicts(line []byte) bool {
	if line[0] != 'C' {
		return false
	}
	if r.cleanup != cleanNothing {
		return string(bytes.TrimRight(line, space+"\n")) == "Conflicts:"
	}
	return string(line) == "Conflicts:\n"
}

// commentsTrail is whether comments at the end of the file are not the
// message's own: git strips them, or wrote them for the user to take out.
func (r reading) commentsTrail() bool {
	return r.editor || r.cleanup == cleanStrip
}

// firstParagraph returns the offset behind the paragraph on line 1, 0 if that line
// is blank. Where comments are kept, one on line 1 is a subject ("#12 fix"):
// git leaves an empty line above its own.
func firstParagraph(msg []byte) int {
	end := 0
	for line := range bytes.Lines(msg) {
		if blank(line) {
			break
		}
		end += len(line)
	}
	return end
}

// clean returns the message as git will commit it, or judge it to be empty.
func (r reading) clean(msg []byte) []byte {
	if r.editor {
		msg = msg[:scissors(msg, r.comment)]
	}
	if r.cleanup == cleanNothing {
		return msg
	}
	var out []byte
	gap := false
	for line := range bytes.Lines(msg) {
		if r.cleanup == cleanStrip && r.isComment(line) {
			continue
		}
		if blank(line) {
			gap = len(out) > 0
			continue
		}
		if gap {
			out = append(out, '\n')
			gap = false
		}
		out = append(out, bytes.TrimRight(line, space+"\n")...)
		out = append(out, '\n')
	}
	return out
}

// empty is whether there is no message in a text once git has cleaned it. Git
// takes sign-offs alone for none, except verbatim. There white space is a message
// to git; it is none here, because a link would turn up as its subject. The first
// line of a message is enough to tell.
func (r reading) empty(msg []byte) bool {
	if r.editor {
		msg = msg[:scissors(msg, r.comment)]
	}
	if r.cleanup == cleanNothing {
		return blank(msg)
	}
	for line := range bytes.Lines(msg) {
		dropped := r.cleanup == cleanStrip && r.isComment(line)
		if !dropped && !onlySignOffs(bytes.TrimRight(line, space+"\n")) {
			return false
		}
	}
	return true
}

func onlySignOffs(text []byte) bool {
	for line := range bytes.Lines(text) {
		if !blank(line) && !bytes.HasPrefix(line, []byte("Signed-off-by: ")) {
			return false
		}
	}
	return true
}

// lineEnd returns the line ending of the message, that of its first line.
func lineEnd(msg []byte) string {
	if i := bytes.IndexByte(msg, '\n'); i > 0 && msg[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
