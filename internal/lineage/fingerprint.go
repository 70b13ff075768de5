package lineage

import (
	"crypto/sha256"
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// Line is a line's part of a fingerprint: 31 bits of a keyed hash of its text without white space,
// and as its lowest bit whether the line weighs nothing, as a brace does.
type Line uint32

// lineKey keeps the hashes from being those of another program. It is no secret: whoever guesses a
// line can check the guess, as with the blob's ID.
const lineKey = "entire-plumb line 1\x00"

// HashLine makes a line's part of a fingerprint.
func HashLine(text string) Line {
	var room [256]byte
	key := append(room[:0], lineKey...)
	for _, c := range text {
		if !unicode.IsSpace(c) {
			key = utf8.AppendRune(key, c)
		}
	}
	sum := sha256.Sum256(key)
	// The lowest bit of the hash is given up for the mark of a light line.
	line := Line(binary.BigEndian.Uint32(sum[:])) &^ 1
	if suffix.Weightless(text) {
		line |= 1
	}
	return line
}

// Light reports whether the line weighs nothing.
func (l Line) Light() bool { return l&1 == 1 }

// File is what a fingerprint has of one file that a commit changes.
type File struct {
	Path gitexec.Path
	Blob gitexec.OID // the version; empty: the commit deletes the file
	// Lines are in order: of a checkpoint those of its agents, of a commit all new ones.
	Lines []Line
	All   int  // the number of the commit's new lines, of all authors
	New   bool // the commit adds the file
}

// Unlinked is a commit without a link.
type Unlinked struct {
	Commit gitexec.OID
	When   int64 // the committer's time, in seconds
	Files  []File
	// Had are lines that the changed files had before: those that it removes, and those that it has
	// more often now.
	Had map[Line]bool
	// Keeps reports whether the commit has a file that it does not change; nil: it is not known.
	Keeps func(gitexec.Path) bool
}

// FilesOf makes the fingerprint of a commit's changes. A line that the commit moves within a file
// is not new. Its errors are those of texts.
func FilesOf(changes []gitexec.Change, texts suffix.Texts) (files []File, had map[Line]bool, err error) {
	had = map[Line]bool{}
	for _, c := range changes {
		was, _, err := texts.Lines(c.Old)
		if err != nil {
			return nil, nil, err
		}
		now, _, err := texts.Lines(c.New)
		if err != nil {
			return nil, nil, err
		}
		f := File{Path: c.Path, Blob: c.New.ID, New: !c.Old.Exists(), Lines: newLines(was, now, had)}
		f.All = len(f.Lines)
		files = append(files, f)
	}
	return files, had, nil
}

// newLines are the lines of a version that the one before it has not, or not as often. It adds to
// had those of them that this has, too, and those that are not there any more.
func newLines(was, now []string, had map[Line]bool) (added []Line) {
	old := map[string]int{}
	for _, line := range was {
		old[line]++
	}
	for _, line := range now {
		n, there := old[line]
		// The line stands as often as before: a line that is moved within the file is not new.
		if n > 0 {
			old[line]--
			continue
		}
		hash := HashLine(line)
		// A copy: it is new, and the file had it.
		if added = append(added, hash); there {
			had[hash] = true
		}
	}
	for line, n := range old {
		if n > 0 {
			had[HashLine(line)] = true
		}
	}
	return added
}
