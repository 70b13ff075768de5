package autocommit

import (
	"bytes"
	"errors"
	"slices"

	"entire-plumb/gitexec"
)

// movedFile is a new file that may be a deleted one, or a part of it. hasUserLines: it holds lines
// that the user wrote.
type movedFile struct {
	turnFile
	hasUserLines bool
}

// findMoves lists the turn's new files that may be one of the mixed ones, moved, or a part of it:
// then they hold the user's changes, too.
func findMoves(db *gitexec.ODB, mixed, news []turnFile) ([]movedFile, error) {
	deleted := slices.DeleteFunc(slices.Clone(mixed), func(f turnFile) bool { return f.ended.Exists() })
	if len(deleted) == 0 || len(news) == 0 {
		return nil, nil
	}
	var olds []fileLines
	for _, f := range deleted {
		began, err := beganLines(db, f)
		if err != nil {
			return nil, err
		}
		olds = append(olds, began)
	}
	var moved []movedFile
	for _, f := range news {
		lines, err := linesOf(db, f.ended)
		if err != nil {
			return nil, err
		}
		hasUserLines := slices.ContainsFunc(olds, lines.hasUserLine)
		if hasUserLines || slices.ContainsFunc(olds, lines.isSimilar) {
			moved = append(moved, movedFile{f, hasUserLines})
		}
	}
	return moved, nil
}

// fileLines are the lines of a file, without surrounding white space, and those that the user
// wrote. A file that is not text has none.
type fileLines struct {
	all, users map[string]bool
	text       bool
}

// largestCompared is the size in bytes up to which files are compared line by line.
const largestCompared = 8 << 20

func linesOf(db *gitexec.ODB, e gitexec.Entry) (fileLines, error) {
	lines := fileLines{all: map[string]bool{}}
	if !e.Exists() || e.IsTree() || e.Mode == gitexec.ModeGitlink {
		return lines, nil
	}
	content, err := db.Blob(e.ID, largestCompared)
	var large *gitexec.TooLargeError
	if errors.As(err, &large) {
		return lines, nil
	}
	if err != nil || bytes.IndexByte(content, 0) >= 0 {
		return lines, err
	}
	lines.text = true
	for line := range bytes.Lines(content) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines.all[string(line)] = true
		}
	}
	return lines, nil
}

// beganLines are the lines that a file had when the turn began; the user's are those that HEAD has
// not.
func beganLines(db *gitexec.ODB, f turnFile) (fileLines, error) {
	began, err := linesOf(db, f.began)
	if err != nil {
		return began, err
	}
	head, err := linesOf(db, f.head)
	began.users = map[string]bool{}
	for line := range began.all {
		if !head.all[line] {
			began.users[line] = true
		}
	}
	return began, err
}

// hasUserLine reports whether a new file has a line that the user wrote in an old one.
func (n fileLines) hasUserLine(old fileLines) bool {
	for line := range n.all {
		if old.users[line] {
			return true
		}
	}
	return false
}

// isSimilar reports whether a new file may be an old one: by half of the lines, as in git's rename
// detection. Two files that are not text may always be.
func (n fileLines) isSimilar(old fileLines) bool {
	if !n.text || !old.text {
		return n.text == old.text
	}
	same := 0
	for line := range n.all {
		if old.all[line] {
			same++
		}
	}
	return same > 0 && 2*same >= max(len(n.all), len(old.all))
}
