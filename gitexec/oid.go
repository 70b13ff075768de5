package gitexec

import "strings"

// OID is a full object ID in lower-case hex: 40 digits in a SHA-1 repository, 64 in a SHA-256 one.
// Empty means none.
type OID string

// Format is a repository's object format.
type Format string

// The object formats that git knows.
const (
	SHA1   Format = "sha1"
	SHA256 Format = "sha256"
)

// HexLen is the length of an object ID in hex digits.
func (f Format) HexLen() int {
	if f == SHA256 {
		return 64
	}
	return 40
}

// Zero is the object ID that git writes for "no object".
func (f Format) Zero() OID { return OID(strings.Repeat("0", f.HexLen())) }

// EmptyTree is the tree without entries, which exists in every repository.
func (f Format) EmptyTree() OID {
	if f == SHA256 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// IsZero reports whether the ID names no object: empty, or all zeros as git prints it.
func (o OID) IsZero() bool { return strings.Trim(string(o), "0") == "" }

// Short is the first seven digits, as in stream names and output.
func (o OID) Short() string {
	if len(o) > 7 {
		return string(o[:7])
	}
	return string(o)
}

// ValidOID reports whether s has the shape of a full object ID of either format.
func ValidOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
