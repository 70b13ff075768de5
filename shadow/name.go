package shadow

import (
	"strconv"
	"strings"

	"entire-plumb/gitexec"
)

// The refs of this program's branches.
const (
	Prefix = "refs/heads/entire/"
	// Checkpoints is the branch of the committed checkpoints.
	Checkpoints = Prefix + "checkpoints/v1"
)

// Private is the prefix of this program's refs that are not branches.
const Private = "refs/entire-plumb/"

// MaxSuffix is the highest suffix. One of six digits could be read as the hash of a worktree.
const MaxSuffix = 99999

// Name is the name of a stream: entire/<base>-<suffix> in the main worktree,
// entire/<base>-<worktree>-<suffix> in a linked one.
type Name struct {
	Base     string // first 7 hex digits of the commit that the work began on
	Worktree string // first 6 hex digits of the SHA-256 of the linked worktree's ID; empty in the main one
	Suffix   int    // 1 to MaxSuffix; 0: a legacy name
}

// NewName names a stream of a worktree on a base.
func NewName(base gitexec.OID, worktreeID string, suffix int) Name {
	return Name{Base: base.Short(), Worktree: WorktreeHash(worktreeID), Suffix: suffix}
}

// WorktreeHash is the hash of a linked worktree's ID in its streams' names; empty for the main
// worktree, whose ID is empty.
func WorktreeHash(id string) string {
	if id == "" {
		return ""
	}
	return legacyHash(id)
}

// Ref is the full ref name, below refs/heads/entire/.
func (n Name) Ref() string { return Prefix + strings.TrimPrefix(n.String(), "entire/") }

// String is the branch name.
func (n Name) String() string {
	name := "entire/" + n.Base
	if n.Worktree != "" {
		name += "-" + n.Worktree
	}
	if n.Suffix > 0 {
		name += "-" + strconv.Itoa(n.Suffix)
	}
	return name
}

// In reports whether the stream belongs to a worktree, by the worktree's ID.
func (n Name) In(worktreeID string) bool {
	return n.Worktree == WorktreeHash(worktreeID) || n.Suffix == 0 && n.Worktree == legacyHash(worktreeID)
}

// ParseRef parses a stream's name. Ref returns the same ref; any other ref is not a stream's.
func ParseRef(ref string) (Name, bool) {
	rest, ok := strings.CutPrefix(ref, Prefix)
	if !ok {
		return Name{}, false
	}
	parts := strings.Split(rest, "-")
	n := Name{Base: parts[0]}
	switch len(parts) {
	case 3:
		n.Worktree = parts[1]
		if !isHex(n.Worktree, 6) {
			return Name{}, false
		}
	case 2:
	default:
		return Name{}, false
	}
	suffix, err := strconv.Atoi(parts[len(parts)-1])
	n.Suffix = suffix
	// The same ref again: else 01 and +1 would be second names of 1.
	return n, err == nil && suffix >= 1 && suffix <= MaxSuffix && isHex(n.Base, 7) && n.Ref() == ref
}

// LooksLikeStream reports whether a ref has the name of a stream, current or legacy. Only its tip
// proves that it is one.
func LooksLikeStream(ref string) bool {
	if _, ok := ParseRef(ref); ok {
		return true
	}
	_, _, ok := parseLegacy(ref)
	return ok
}

// Tracked is the branch of ours that a remote-tracking ref is of, as a ref; false: it is of none,
// as that of a user's own branch team/entire/x. Of a remote whose name has slashes it finds the
// branch of the checkpoints alone.
func Tracked(ref string) (branch string, ok bool) {
	rest, ok := strings.CutPrefix(ref, "refs/remotes/")
	_, below, _ := strings.Cut(rest, "/")
	if branch = "refs/heads/" + below; ok && strings.HasPrefix(branch, Prefix) {
		return branch, true
	}
	// A remote's name may have slashes, and then the first one does not end it.
	if ok && strings.HasSuffix(ref, strings.TrimPrefix(Checkpoints, "refs/heads")) {
		return Checkpoints, true
	}
	return "", false
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}
