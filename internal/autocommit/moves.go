package autocommit

import (
	"bytes"
	"errors"
	"slices"

	"entire-plumb/gitexec"
)

// movedFile is a new file that may be an old one, or a part of it; with lines that are the user's
// own.
type movedFile struct {
	turnFile
	own bool
}

// moves gives those of the turn's new files that may be one of the mixed ones, moved, or a part of
// it: then what the user had changed is in them, too.
func moves(db *gitexec.ODB, mixed, news []turnFile) ([]movedFile, error) {
	gone := slices.DeleteFunc(slices.Clone(mixed), func(f turnFile) bool { return f.ended.Exists() })
	if len(gone) == 0 || len(news) == 0 {
		return nil, nil
	}
	var olds []fileLines
	for _, f := range gone {
		began, err := linesOf(db, f.began)
		if err != nil {
			return nil, err
		}
		head, err := linesOf(db, f.head)
		if err != nil {
			return nil, err
		}
		began.own = map[string]bool{}
		for line := range began.all {
			if !head.all[line] {
				began.own[line] = true
			}
		}
		olds = append(olds, began)
	}
	var moved []movedFile
	for _, f := range news {
		lines, err := linesOf(db, f.ended)
		if err != nil {
			return nil, err
		}
		own := slices.ContainsFunc(olds, lines.hasOwn)
		if own || slices.ContainsFunc(olds, lines.mayBe) {
			moved = append(moved, movedFile{f, own})
		}
	}
	return moved, nil
}

// fileLines are the lines of a file, without the white space around them, and those of them that
// the user wrote. Of what isn't text there are none.
type fileLines struct {
	all, own map[string]bool
	text     bool
}

// largestCompared is up to how many bytes files are compared line by line.
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

// hasOwn reports whether a new file has a line that the user wrote in an old one.
func (n fileLines) hasOwn(old fileLines) bool {
	for line := range n.all {
		if old.own[line] {
			return true
		}
	}
	return false
}

// mayBe reports whether a new file may be an old one, by half of the lines, as git asks of a move;
// of what isn't text nobody can say.
func (n fileLines) mayBe(old fileLines) bool {
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
