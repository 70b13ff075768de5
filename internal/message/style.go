package message

import (
	"bytes"
	"strings"
)

// Style says how git will read the message file.
type Style struct {
	// Comment is core.commentChar (or core.commentString, which may be longer
	// than one byte). "" means "#"; "auto" means that git chose a character that
	// no line of the message starts with, and it is found in the file.
	Comment string

	// Cleanup is commit.cleanup or --cleanup: strip, whitespace, verbatim,
	// scissors, default. "" and anything unknown mean default.
	Cleanup string

	// Editor is whether an editor is opened on the message. Git then strips
	// comments by default; without an editor they are content by default. Git
	// sets GIT_EDITOR=":" for the hooks of a commit that opens none.
	Editor bool

	// Template is what the user was given to edit, when that was a template (-t,
	// commit.template), and nil otherwise: the template file, or the message file
	// as prepare-commit-msg found it. Git refuses to commit an unedited template,
	// and only StripLone needs it, to let git do so.
	Template []byte
}

// cleanup is what git does to the message before it commits it.
type cleanup int

const (
	cleanStrip    cleanup = iota // white space and comments go
	cleanSpace                   // white space goes
	cleanScissors                // white space goes, and all from the scissors line on
	cleanNothing                 // verbatim
)

// reading is a Style decided for one message file.
type reading struct {
	comment []byte
	cleanup cleanup
	editor  bool
}

func (s Style) read(msg []byte) reading {
	r := reading{comment: []byte(s.Comment), cleanup: s.mode(), editor: s.Editor}
	switch s.Comment {
	case "":
		r.comment = []byte("#")
	case "auto":
		r.comment = []byte{autoComment(msg, s.Editor)}
	}
	return r
}

// mode follows get_cleanup_mode of git.
func (s Style) mode() cleanup {
	switch s.Cleanup {
	case "strip":
		return cleanStrip
	case "whitespace":
		return cleanSpace
	case "verbatim":
		return cleanNothing
	case "scissors":
		if s.Editor {
			return cleanScissors
		}
		return cleanSpace
	}
	if s.Editor {
		return cleanStrip
	}
	return cleanSpace
}

// autoCandidates are the characters git chooses from, best first.
const autoCandidates = "#;@!$%^&|:"

// autoComment finds the character that core.commentChar=auto made git choose.
// For an editor git wrote a block of comments with it, below a blank line, at
// the end or above a scissors line; where there is none, choose as git did.
func autoComment(msg []byte, editor bool) byte {
	if editor {
		for _, c := range []byte(autoCandidates) {
			if scissors(msg, []byte{c}) < len(msg) {
				return c
			}
		}
		last := bytes.TrimRight(msg, space+"\n")
		last = last[bytes.LastIndexByte(last, '\n')+1:]
		if isGitComment(last) {
			return last[0]
		}
	}
	return chooseComment(msg)
}

// isGitComment is whether a line reads like a comment git writes: the character
// alone, or with a space or a tab after it.
func isGitComment(line []byte) bool {
	if len(line) == 0 || strings.IndexByte(autoCandidates, line[0]) < 0 {
		return false
	}
	return len(line) == 1 || line[1] == ' ' || line[1] == '\t'
}

// chooseComment follows adjust_comment_line_char of git, except that it answers
// "#" where git would give up.
func chooseComment(msg []byte) byte {
	used := map[byte]bool{}
	start := true
	for _, c := range msg {
		if start {
			used[c] = true
		}
		start = c == '\n' || c == '\r'
	}
	for _, c := range []byte(autoCandidates) {
		if !used[c] {
			return c
		}
	}
	return '#'
}
