package message

import (
	"bytes"
	"strings"
)

// Reverts reports whether a message begins as one of git revert does: `Revert "…"`, and, where it
// reverts a revert, `Reapply "…"` since git 2.43.
func Reverts(msg []byte) bool {
	return bytes.HasPrefix(msg, []byte(`Revert "`)) || bytes.HasPrefix(msg, []byte(`Reapply "`))
}

// Reverted is the ID of the commit that a message of git revert names, and of a merge, that of the
// parent to which it goes back. They are empty where the message has none.
func Reverted(msg []byte) (commit, to string) {
	_, rest, found := strings.Cut(string(msg), "\nThis reverts commit ")
	if !found || !Reverts(msg) {
		return "", ""
	}
	digits := func(text string) string { return text[:len(text)-len(strings.TrimLeft(text, hexDigits))] }
	commit = digits(rest)
	if parent, ok := strings.CutPrefix(rest[len(commit):], ", reversing\nchanges made to "); ok {
		to = digits(parent)
	}
	return commit, to
}

// Amends reports whether a message is one of git commit --fixup=amend, which repeats the message of
// the commit that a rebase is to squash it into.
func Amends(msg []byte) bool { return bytes.HasPrefix(msg, []byte("amend! ")) }
