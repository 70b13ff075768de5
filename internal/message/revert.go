package message

import "bytes"

// Reverts reports whether a message begins as one of git revert does: `Revert "…"`, and, where it
// reverts a revert, `Reapply "…"` since git 2.43.
func Reverts(msg []byte) bool {
	return bytes.HasPrefix(msg, []byte(`Revert "`)) || bytes.HasPrefix(msg, []byte(`Reapply "`))
}

// Amends reports whether a message is one of git commit --fixup=amend, which repeats the message of
// the commit that a rebase is to squash it into.
func Amends(msg []byte) bool { return bytes.HasPrefix(msg, []byte("amend! ")) }
