package message

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// AddLinks adds links to msg, a message file as prepare-commit-msg finds it, where git would add a
// trailer: at the end of the message, in its block of trailers or as a paragraph of its own, above
// comments and scissors. In an editor without a message they go on line 3, so that a blank line
// follows a subject typed on line 1.
//
// Links that the message has are skipped. A message that git refuses as empty without opening an
// editor is not changed.
//
// trailers runs `git interpret-trailers`: it gets a body and a "key: value" line, and returns the
// new body. It is called only to find out whether the links join the last paragraph, and not if
// that is the subject; its output is not used, because git normalises trailers (spaces, CRLF), and
// those bytes are the user's. It should use --no-divider, --where=end, --if-exists=add and
// --if-missing=add, so that the user's configuration can't drop a link.
//
// Its errors are those of trailers, a body without the link, and an ID that is none; msg is then
// returned unchanged.
func AddLinks(msg []byte, ids []string, style Style,
	trailers func(body []byte, trailer string) ([]byte, error)) ([]byte, error) {
	r := style.read(msg)
	var missing []string
	for _, id := range ids {
		if !ValidID(id) {
			return msg, fmt.Errorf("%q is no checkpoint's ID", id)
		}
		if !slices.Contains(Links(msg[:r.cut(msg)]), id) { // git reads no more of it
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 || !r.editor && r.empty(msg) {
		return msg, nil
	}
	end := r.bodyEnd(msg)
	joined, err := r.joins(msg[:end], LinkKey+": "+missing[0], trailers)
	if err != nil {
		return msg, err
	}
	return slices.Concat(msg[:end], []byte(r.linkLines(msg, end, joined, missing)), msg[end:]), nil
}

// RemoveLinks takes the links out, wherever they stand, with what AddLinks put
// around them.
func RemoveLinks(msg []byte, style Style) []byte {
	return style.read(msg).withoutLinks(msg)
}

// IndentedLinks returns the IDs of links in a text that quotes commit messages,
// indented, as `git merge --squash` does, in the order of Links.
func IndentedLinks(text []byte) []string {
	var lines []byte
	for line := range bytes.Lines(text) {
		lines = append(lines, bytes.TrimLeft(line, space)...)
	}
	return Links(lines)
}

// attributionKey is the key of the trailer that says how much of a commit is an
// agent's, where that is wanted.
const attributionKey = "Entire-Attribution"

// SetAttribution puts the trailer with that key below the link, in the place of
// one that is there already; without a value there is none afterwards.
func SetAttribution(msg []byte, id, value string) []byte {
	link := []byte(LinkKey + ": " + id)
	out := make([]byte, 0, len(msg)+len(value))
	for line := range bytes.Lines(msg) {
		if bytes.HasPrefix(line, []byte(attributionKey+": ")) {
			continue
		}
		out = append(out, line...)
		if value != "" && bytes.Equal(bytes.TrimRight(line, space+"\n"), link) {
			if !bytes.HasSuffix(line, []byte("\n")) {
				out = append(out, lineEnd(msg)...)
			}
			out = append(out, attributionKey+": "+value+lineEnd(msg)...)
		}
	}
	return out
}

// HasAttribution reports whether a message has that trailer.
func HasAttribution(msg []byte) bool {
	for range startingWith(msg, attributionKey+": ") {
		return true
	}
	return false
}

// linkLines returns what goes in at end: the links, with what separates it from
// the text above and a word to the user below, where git takes comments out.
func (r reading) linkLines(msg []byte, end int, joined bool, ids []string) string {
	eol := lineEnd(msg)
	lines := ""
	for _, id := range ids {
		lines += LinkKey + ": " + id + eol
	}
	if r.editor && r.cleanup == cleanStrip {
		lines += r.hint() + eol
	}
	switch {
	case end == 0:
		return eol + eol + lines
	case !joined:
		lines = eol + lines
	}
	if msg[end-1] != '\n' {
		lines = eol + lines
	}
	return lines
}

func (r reading) hint() string {
	return string(r.comment) + " Remove the " + LinkKey + " line above to leave this commit unlinked."
}

// longestParagraph is how many bytes of a message's last paragraph git is asked
// about: a block of trailers has a few lines, and interpret-trailers takes a
// minute for a megabyte of continuation lines. Below a longer one a link is a
// paragraph of its own.
const longestParagraph = 64 << 10

// joins is whether the link goes into the last paragraph of body. Git never
// takes the first paragraph for trailers: it is the subject, even "fix: this".
// What is above the last paragraph has no say in it, and git isn't shown it.
func (r reading) joins(body []byte, link string, trailers func([]byte, string) ([]byte, error)) (bool, error) {
	paragraph, subject := r.lastParagraph(body)
	if subject && r.editor && r.awaitsSubject(body) {
		subject = false
	}
	if subject || blank(paragraph) || len(paragraph) > longestParagraph {
		return false, nil
	}
	const above = "subject\n\n"
	answer, err := trailers(append([]byte(above), paragraph...), link)
	if err != nil {
		return false, err
	}
	answered := bytes.SplitAfter(bytes.TrimRight(answer, space+"\n"), []byte("\n"))
	at := indexLine(answered, link)
	if at < 0 {
		return false, fmt.Errorf("git interpret-trailers dropped %q", link)
	}
	atEnd := at == len(answered)-1
	return atEnd && paragraphStart(answered, at) == strings.Count(above, "\n"), nil
}

// lastParagraph returns the last paragraph of body as git will see it once it is
// in a commit's message, with nothing in it that interpret-trailers could take for a comment,
// and whether it is the first one, too. Of one that is too long it gives a part that is, too.
func (r reading) lastParagraph(body []byte) (text []byte, first bool) {
	var found [][]byte // from the end
	size := 0
	ended := false
	for rest := bytes.TrimRight(body, space+"\n"); len(rest) > 0; {
		start := bytes.LastIndexByte(rest[:len(rest)-1], '\n') + 1
		line := rest[start:]
		rest = rest[:start]
		switch {
		case r.cleanup == cleanStrip && r.isComment(line):
		case blank(line):
			ended = size > 0
		case ended || size > longestParagraph:
			return r.masked(found), false
		default:
			found, size = append(found, line), size+len(line)
		}
	}
	return r.masked(found), true
}

// masked puts lines together that stand from the last to the first, see mask.
func (r reading) masked(backwards [][]byte) []byte {
	var out []byte
	for _, line := range slices.Backward(backwards) {
		out = append(out, r.mask(line)...)
	}
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	return out
}

// awaitsSubject is whether the user's subject is still to come, on line 1 above
// what there is: a template leaves two blank lines for it, `git commit -s` puts
// its line below those or below a template's first comment. Text below comments
// alone does not tell: in a squash it has its subject.
func (r reading) awaitsSubject(body []byte) bool {
	above, blanks, gap := 0, 0, false
	for line := range bytes.Lines(body) {
		comment := r.cleanup == cleanStrip && r.isComment(line)
		if !comment && !blank(line) {
			break
		}
		if blanks == above && !comment {
			blanks++
		}
		above++
		gap = !comment
	}
	return blanks >= 2 || above >= 2 && gap && onlySignOffs(r.clean(body))
}

// mask returns a line a first byte that nobody's comments start with, if it is a
// line that can't be a trailer or is like a comment. The lines asked about are
// content, but interpret-trailers skips comments and ends at "---".
func (r reading) mask(line []byte) []byte {
	if blank(line) {
		return line
	}
	line = bytes.ReplaceAll(line, []byte{0}, []byte{1})
	divider := bytes.HasPrefix(line, []byte("---")) && blank(line[3:min(4, len(line))])
	if !startsTrailer(line[0]) || divider || r.isComment(line) {
		line[0] = 1
	}
	return line
}

// startsTrailer is whether a line of a block of trailers can start with c: a
// key, a continuation, or "(cherry picked from commit".
func startsTrailer(c byte) bool {
	switch {
	case '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
		return true
	}
	return c == '-' || c == '(' || c == ' ' || c == '\t'
}

// paragraphStart returns the index of the first line of the paragraph of line i.
func paragraphStart(lines [][]byte, i int) int {
	for i > 0 && !blank(lines[i-1]) {
		i--
	}
	return i
}

// indexLine returns the index of the last line that reads want, -1 if none does.
func indexLine(lines [][]byte, want string) int {
	for i, line := range slices.Backward(lines) {
		if string(bytes.TrimRight(line, space+"\n")) == want {
			return i
		}
	}
	return -1
}
