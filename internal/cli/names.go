package cli

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// moment is a time in a list: the day and the minute, here.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// inColumn is a session's short name, which commands accept.
func inColumn(session string) string { return printable(session[:shortest(session)]) }

// shortest is how many bytes of a session's ID name it among a few.
func shortest(id string) int {
	const firstGroup, secondGroup, versionAt, most, day = 8, 13, 14, 20, len("2006-01-02-")
	switch {
	case len(id) > day && startsWithDay(id): // as the entire CLI has named them
		return day + shortest(id[day:])
	case !isUUID(id):
		return len(displaywidth.TruncateString(id, most, ""))
	case id[versionAt] == '7': // it begins with the time: only both groups differ by the millisecond
		return secondGroup
	}
	return firstGroup
}

func startsWithDay(id string) bool {
	_, err := time.Parse("2006-01-02-", id[:len("2006-01-02-")])
	return err == nil
}

func isUUID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i, c := range []byte(id) {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)):
			return false
		}
	}
	return true
}

// shortNames are the sessions' short names, as long as they must be to differ.
func shortNames(ids []string) []string {
	// Of all others, those beside it in this order have most of its beginning: a clone may have the
	// checkpoints of many thousand sessions, and to compare each with each would take minutes.
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	names := make([]string, len(ids))
	for i, id := range ids {
		n := shortest(id)
		at, _ := slices.BinarySearch(sorted, id)
		beside := sorted[max(0, at-1):min(len(sorted), at+2)]
		for n < len(id) && slices.ContainsFunc(beside, func(other string) bool { return other != id && strings.HasPrefix(other, id[:n]) }) {
			_, size := utf8.DecodeRuneInString(id[n:])
			n += size
		}
		names[i] = printable(id[:n])
	}
	return names
}
