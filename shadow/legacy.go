package shadow

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strings"

	"entire-plumb/gitexec"
)

// parseLegacy reads the names that streams had before they had suffixes: entire/<hash7>, and entire/<hash7>-<w6>.
func parseLegacy(ref string) (base, worktree string, ok bool) {
	rest, ok := strings.CutPrefix(ref, Prefix)
	base, worktree, linked := strings.Cut(rest, "-")
	return base, worktree, ok && isHex(base, 7) && (!linked || isHex(worktree, 6))
}

// legacyHash is what stood for a worktree in legacy names; the main one had the hash of the empty string.
func legacyHash(worktreeID string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(worktreeID)))[:6]
}

// legacyRefs are the names that a worktree's streams on a base may have had.
func legacyRefs(base gitexec.OID, worktreeID string) []gitexec.OID {
	linked := gitexec.OID(Prefix + base.Short() + "-" + legacyHash(worktreeID))
	if worktreeID != "" {
		return []gitexec.OID{linked}
	}
	return []gitexec.OID{gitexec.OID(Prefix + base.Short()), linked}
}

func isLegacy(ref gitexec.OID) bool {
	_, _, ok := parseLegacy(string(ref))
	return ok
}

// MayHaveLegacy reports whether a worktree has a branch on a base that may be a stream under a legacy name.
func MayHaveLegacy(db *gitexec.ODB, base gitexec.OID, worktreeID string) (bool, error) {
	found, err := db.Info(legacyRefs(base, worktreeID)...)
	return slices.ContainsFunc(found, func(o gitexec.Object) bool { return o.Type == "commit" }), err
}

// HasLegacy reports whether there may be streams under legacy names.
func (l Listing) HasLegacy() bool { return len(l.legacy) > 0 }

// Move is a stream that gets another name.
type Move struct {
	From string // ref
	To   Name
	Tip  Checkpoint
}

// Changes is the move as parts of a ref transaction.
func (m Move) Changes() []RefChange {
	return []RefChange{{Ref: m.From, Old: m.Tip.ID}, {Ref: m.To.Ref(), New: m.Tip.ID}}
}

// Legacy lists the worktree's streams under legacy names whose tips prove that they are ours, each with the name that it
// is to have: suffix 1, or the next one that is free (seed 000, Migration).
func (l Listing) Legacy(db *gitexec.ODB, worktreeID string) ([]Move, error) {
	var refs []string
	for ref := range l.legacy {
		_, worktree, _ := parseLegacy(ref)
		if worktree == legacyHash(worktreeID) || worktree == "" && worktreeID == "" {
			refs = append(refs, ref)
		}
	}
	sort.Strings(refs)
	taken := map[Name]bool{}
	var moves []Move
	for _, ref := range refs {
		commits, err := db.Commits(l.legacy[ref])
		if err != nil {
			return nil, err
		}
		tip, ours := readCheckpoint(commits[0])
		if !ours {
			continue
		}
		base, _, _ := parseLegacy(ref)
		to := Name{Base: base, Worktree: WorktreeHash(worktreeID), Suffix: 1}
		for l.Has(to) || taken[to] {
			to.Suffix++
		}
		taken[to] = true
		moves = append(moves, Move{From: ref, To: to, Tip: tip})
	}
	return moves, nil
}
