package message

import "strings"

// hexDigits and base32 are the digits of the two kinds of IDs. The latter are those of a ULID,
// which omit I, L, O and U.
const (
	hexDigits = "0123456789abcdef"
	base32    = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)

// ValidID reports whether s is a checkpoint's ID: 12 lower-case hexadecimal digits, or the ID of
// one with a ref of its own.
func ValidID(s string) bool {
	return len(s) == 12 && strings.Trim(s, hexDigits) == "" || HasOwnRef(s)
}

// HasOwnRef reports whether an ID is that of a checkpoint with a ref of its own, which newer
// versions of the `entire` CLI write: a ULID, of 26 digits. Such a checkpoint is read, and never
// changed.
func HasOwnRef(id string) bool {
	return len(id) == 26 && id[0] <= '7' && strings.Trim(id, base32) == ""
}

// ValidPrefix reports whether an ID may begin with s.
func ValidPrefix(s string) bool {
	if s == "" {
		return false
	}
	return len(s) <= 12 && strings.Trim(s, hexDigits) == "" || len(s) <= 26 && s[0] <= '7' && strings.Trim(s, base32) == ""
}
