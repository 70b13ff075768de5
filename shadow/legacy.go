package shadow

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// parseLegacy parses stream names without suffixes: entire/<hash7>, and entire/<hash7>-<w6>.
func parseLegacy(ref string) (base, worktree string, ok bool) {
	rest, ok := strings.CutPrefix(ref, Prefix)
	base, worktree, linked := strings.Cut(rest, "-")
	return base, worktree, ok && isHex(base, 7) && (!linked || isHex(worktree, 6))
}

// legacyHash is the hash of a worktree in legacy names; the main one had the hash of the empty
// string.
func legacyHash(worktreeID string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(worktreeID)))[:6]
}

// legacyRefs are the names that a worktree's streams on a base may have had.
func legacyRefs(base gitexec.OID, worktreeID string) []gitexec.OID {
	linked := gitexec.OID(Prefix + base.Short() + "-" + legacyHash(worktreeID))
	if worktreeID != "" {
		return []gitexec.OID{linked}
	}
	// The main worktree has had both forms.
	return []gitexec.OID{gitexec.OID(Prefix + base.Short()), linked}
}

func isLegacy(ref gitexec.OID) bool {
	_, _, ok := parseLegacy(string(ref))
	return ok
}

// HasLegacy reports whether there may be streams under legacy names.
func (l Listing) HasLegacy() bool { return len(l.legacy) > 0 }

// WithLegacy is the listing including the streams under legacy names, for commands that only read:
// they keep their names, and have no suffix. It omits tips that are not checkpoints.
func (l Listing) WithLegacy(db *gitexec.ODB) (Listing, error) {
	if len(l.legacy) == 0 {
		return l, nil
	}
	l.refs = maps.Clone(l.refs)
	for ref, id := range l.legacy {
		if _, ours, err := ReadCheckpoint(db, id); err != nil {
			return l, err
		} else if ours {
			l.refs[ref] = id
		}
	}
	return l, nil
}

// parseName parses a stream's name, including a legacy one.
func parseName(ref string) Name {
	n, ok := ParseRef(ref)
	if !ok {
		n = Name{}
		n.Base, n.Worktree, _ = parseLegacy(ref)
	}
	return n
}

// Move is the renaming of a stream.
type Move struct {
	From string // ref
	To   Name
	Tip  Checkpoint
	New  gitexec.OID // the tip under the new name; empty: the same
}

// Changes are the move's parts of a ref transaction.
func (m Move) Changes() []RefChange {
	return []RefChange{{Ref: m.From, Old: m.Tip.ID}, {Ref: m.To.Ref(), New: cmp.Or(m.New, m.Tip.ID)}}
}

// OntoBase writes the stream's checkpoints again on top of its base where the first one has no
// parent, as that of the entire CLI: their trees, messages and times stay. base is that commit, if
// it is known.
func (m Move) OntoBase(db *gitexec.ODB, base gitexec.OID) (Move, error) {
	if base == "" {
		base = Stream{Name: m.To, Tip: m.Tip}.BaseCommit(db)
	}
	chain, err := rootless(db, m.Tip.ID)
	// It stands on a base, as ours do, or is too long.
	if err != nil || chain == nil {
		return m, err
	}
	// Without the base it stays as it is.
	found, err := db.Info(base)
	if err != nil || found[0].Type != "commit" {
		return m, err
	}
	commits := make([]gitexec.NewCommit, 0, len(chain))
	parent := base
	for _, c := range slices.Backward(chain) {
		name, email, _ := strings.Cut(c.Author, " <")
		who := gitexec.Ident{Name: cmp.Or(strings.TrimSpace(name), "entire"), Email: cmp.Or(strings.TrimSuffix(email, ">"), "entire@localhost"),
			When: c.When} // that of a remainder is empty, which git refuses
		commits = append(commits, gitexec.NewCommit{Tree: c.Tree, Parents: []gitexec.OID{parent}, Author: who, Committer: who,
			Message: string(c.Message)})
		parent = gitexec.Previous
	}
	m.New, err = db.WriteCommits(commits...)
	return m, err
}

// rootless are the checkpoints up to a tip, the latest first, if they hang from no base; else nil.
func rootless(db *gitexec.ODB, tip gitexec.OID) (chain []gitexec.Commit, err error) {
	for at := tip; at != ""; {
		some, err := db.Ancestors(at, 64)
		// A longer one is left as it is: all of it would be written again.
		if err != nil || len(chain) > maxHistory {
			return nil, err
		}
		for _, c := range some {
			if at = ""; len(c.Parents) > 0 {
				at = c.Parents[0]
			}
			// A base; or a checkpoint of ours that carries work forward.
			if !isCheckpoint(c) || len(c.Parents) > 1 {
				return nil, nil
			}
			chain = append(chain, c)
		}
	}
	return chain, nil
}

// Legacy lists the worktree's streams under legacy names whose tips prove that they are ours, each
// with its new name: suffix 1, or the next free one (seed 000, Migration).
func (l Listing) Legacy(db *gitexec.ODB, worktreeID string) ([]Move, error) {
	taken := map[Name]bool{}
	var moves []Move
	for _, ref := range slices.Sorted(maps.Keys(l.legacy)) {
		base, worktree, _ := parseLegacy(ref)
		// Each worktree renames its own.
		if worktree != legacyHash(worktreeID) && (worktree != "" || worktreeID != "") {
			continue
		}
		tip, ours, err := ReadCheckpoint(db, l.legacy[ref])
		if err != nil {
			return nil, err
		}
		if !ours {
			continue
		}
		to := Name{Base: base, Worktree: WorktreeHash(worktreeID), Suffix: 1}
		for l.Has(to) || taken[to] {
			to.Suffix++
		}
		taken[to] = true
		moves = append(moves, Move{From: ref, To: to, Tip: tip})
	}
	return moves, nil
}
