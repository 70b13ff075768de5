// Package message edits commit messages in bytes: it puts the link to a checkpoint where git would
// put a trailer, reads links back, and takes a link out of a message that holds nothing else.
package message

// It is pure: bytes in, bytes out, and no process is started; git's own trailer logic comes in as a
// function.
//
// The one rule: every byte that was in the message stays as it was. A link is one insertion, made
// of whole lines, and what is taken out are whole lines of ours.

import (
	"bytes"
	"iter"

	"entire-plumb/internal/sets"
)

// LinkKey is the trailer key that links a commit to a checkpoint.
const LinkKey = "Entire-Checkpoint"

// space is what git's own isspace calls white space, without the line feed.
const space = " \t\r"

// Links returns the IDs of the links in a commit message in order of first
// appearance, each once. A link is a line that reads exactly
// "Entire-Checkpoint: <ID>", from the start of the line, with optional white
// space after it. It is nil when there are none.
func Links(msg []byte) []string {
	var ids []string
	for _, line := range startingWith(msg, LinkKey+": ") {
		if id, ok := linkID(line); ok {
			ids = append(ids, id)
		}
	}
	return sets.Once(ids)
}

// startingWith returns the lines that start with some bytes, with their offsets and
// their ends. It searches for those bytes: a message may have millions of lines.
func startingWith(msg []byte, start string) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for end := 0; end < len(msg); {
			at := bytes.Index(msg[end:], []byte(start))
			if at < 0 {
				return
			}
			at += end
			if end = len(msg); bytes.IndexByte(msg[at:], '\n') >= 0 {
				end = at + bytes.IndexByte(msg[at:], '\n') + 1
			}
			if (at == 0 || msg[at-1] == '\n') && !yield(at, msg[at:end]) {
				return
			}
		}
	}
}

// linkID returns the ID of a line that is a link.
func linkID(line []byte) (string, bool) {
	value, ok := bytes.CutPrefix(line, []byte(LinkKey+": "))
	if !ok {
		return "", false
	}
	id := string(bytes.TrimRight(value, space+"\n"))
	return id, ValidID(id)
}
