package main

import (
	"strconv"
	"strings"
)

// A fileDiff is what a commit does to a file.
type fileDiff struct {
	old, new       string // names; empty: there is none
	added, removed []numbered
}

// numbered is a line with its number.
type numbered struct {
	n    int
	text string
}

// linesIn are the texts of lines.
func linesIn(lines []numbered) (all []string) {
	for _, line := range lines {
		all = append(all, line.text)
	}
	return all
}

// parseDiff reads what `git diff-tree -p -U0` prints.
func parseDiff(out string) []fileDiff {
	var all []fileDiff
	var f *fileDiff
	from, to, inHunk := 0, 0, 0
	for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		switch {
		case inHunk > 0 && strings.HasPrefix(line, "+"):
			f.added = append(f.added, numbered{to, line[1:]})
			to, inHunk = to+1, inHunk-1
		case inHunk > 0 && strings.HasPrefix(line, "-"):
			f.removed = append(f.removed, numbered{from, line[1:]})
			from, inHunk = from+1, inHunk-1
		case strings.HasPrefix(line, "diff --git "):
			all = append(all, fileDiff{})
			f = &all[len(all)-1]
		case f == nil:
		case strings.HasPrefix(line, "rename from "):
			f.old = line[len("rename from "):]
		case strings.HasPrefix(line, "rename to "):
			f.new = line[len("rename to "):]
		case strings.HasPrefix(line, "--- a/"):
			f.old = strings.TrimSuffix(line[len("--- a/"):], "\t")
		case strings.HasPrefix(line, "+++ b/"):
			f.new = strings.TrimSuffix(line[len("+++ b/"):], "\t")
		case strings.HasPrefix(line, "@@ "):
			fields := strings.Fields(line)
			var removed, added int
			from, removed = span(fields[1])
			to, added = span(fields[2])
			inHunk = removed + added
		}
	}
	return all
}

// span reads "-3,2" or "+7".
func span(text string) (first, count int) {
	start, length, ok := strings.Cut(text[1:], ",")
	first, _ = strconv.Atoi(start)
	if count = 1; ok {
		count, _ = strconv.Atoi(length)
	}
	return first, count
}
