package checkpoints

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/sets"
)

// Removal is a link beside a commit that somebody removed. It counts where the link was found by
// content, or imported, and this clone has decided nothing about the commit. What hooks decided
// when a commit was made only the clone takes back that they ran in.
type Removal struct {
	Checkpoint string    `json:"checkpoint"`
	By         string    `json:"by"` // git's user, name and email
	When       time.Time `json:"when"`
}

func validRemovals(all []Removal) []Removal {
	all = slices.Clone(all[:min(mostSideLinked, len(all))])
	return slices.DeleteFunc(all, func(r Removal) bool { return !ValidID(r.Checkpoint) })
}

// unitedRemovals has each checkpoint once, with who was first.
func unitedRemovals(a, b []Removal) []Removal {
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, func(x, y Removal) int {
		return cmp.Or(strings.Compare(x.Checkpoint, y.Checkpoint), x.When.Compare(y.When), strings.Compare(x.By, y.By))
	})
	// Sorted by time: the first of each stays.
	return slices.CompactFunc(all, func(x, y Removal) bool { return x.Checkpoint == y.Checkpoint })
}

// byHooks reports whether hooks decided about the link, where the commit was made or rewritten.
func (h How) byHooks() bool { return h != Content && h != Imported && h != FromNote }

// removed reports whether a link was removed.
func (l SideLink) removed(id string) bool {
	return slices.ContainsFunc(l.Removed, func(r Removal) bool { return r.Checkpoint == id })
}

// withoutRemoved is the link without what was removed of it.
func (l SideLink) withoutRemoved() SideLink {
	if !l.How.byHooks() {
		l.Checkpoints = slices.DeleteFunc(slices.Clone(l.Checkpoints), l.removed)
	}
	return l
}

// counting is what of a link counts here: what this clone decided about the commit, or else what
// others say; nil: nothing.
func (b Branch) counting(db *gitexec.ODB, l *SideLink) *SideLink {
	counts := *l
	// A removal by others counts only where this clone has decided nothing.
	if _, known := b.record(db).Links(l.Commit); !known {
		counts = l.withoutRemoved()
	}
	// What others add to a commit that was decided about here does not count.
	if ids, known := b.record(db).Beside(l.Commit); known {
		counts.Checkpoints = slices.DeleteFunc(slices.Clone(counts.Checkpoints), func(id string) bool { return !slices.Contains(ids, id) })
	}
	if len(counts.Checkpoints) == 0 {
		return nil
	}
	return &counts
}

// record is what this clone decided. A command that asks often reads its files once.
func (b Branch) record(db *gitexec.ODB) *decided.Record {
	if b.side == nil {
		return decided.Open(db.SharedDir())
	}
	if b.side.decided == nil {
		b.side.decided = decided.Open(db.SharedDir())
	}
	return b.side.decided
}

// Removals are the links beside a commit that were removed, here or by others, and that count.
func (b Branch) Removals(db *gitexec.ODB, commit gitexec.OID) (all []Removal) {
	links, known := b.record(db).Links(commit)
	for _, root := range b.sideLinkRoots(db) {
		l, err := b.sideLinkOn(db, root, commit)
		// Others cannot remove what hooks have decided.
		if err != nil || l == nil || l.How.byHooks() && !known {
			continue
		}
		all = append(all, l.Removed...)
	}
	all = slices.DeleteFunc(all, func(r Removal) bool { return slices.Contains(links, r.Checkpoint) })
	return unitedRemovals(all, nil)
}

// WasUnlinked reports whether a link was removed from a commit: it is not compared again.
func (b Branch) WasUnlinked(db *gitexec.ODB, commit gitexec.OID) bool {
	return len(b.Removals(db, commit)) > 0
}

// DecidedHere reports whether this clone decided, or made a commit so that it could not decide,
// what the commit links.
func DecidedHere(db *gitexec.ODB, b Branch, commit gitexec.OID) bool {
	_, known := b.record(db).Beside(commit)
	return known
}

// LinkedHere reports whether this clone decided that a commit links a checkpoint, or found it so.
func LinkedHere(db *gitexec.ODB, b Branch, commit gitexec.OID, id string) bool {
	links, _ := b.record(db).Links(commit)
	return slices.Contains(links, id) || slices.Contains(b.record(db).Content(commit), id)
}

// Beside lists the checkpoints that anybody links beside a commit, whether that counts here or not,
// without those that were removed here.
func (b Branch) Beside(db *gitexec.ODB, commit gitexec.OID) []string {
	links, known := b.record(db).Links(commit)
	ids := links
	var mine SideLink
	for i, root := range b.sideLinkRoots(db) {
		l, err := b.sideLinkOn(db, root, commit)
		if err != nil || l == nil {
			continue
		}
		if known && i == 0 {
			mine = *l
		}
		ids = sets.With(ids, l.Checkpoints...)
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return mine.removed(id) && !slices.Contains(links, id) })
}

// Unlink adds the edit that removes links beside a commit. onlyHere: hooks decided them where the
// commit was made, so that other clones keep them.
func Unlink(db *gitexec.ODB, b Branch, commit gitexec.OID, ids []string, by Removal, edits gitexec.Edits) (onlyHere bool, err error) {
	l := SideLink{Commit: commit, CreatedAt: by.When}
	// The first that has it is the one that counts, as in storedSideLink.
	for _, root := range b.sideLinkRoots(db) {
		if one, err := b.sideLinkOn(db, root, commit); err == nil && one != nil {
			l = *one
			break
		}
	}
	for _, id := range ids {
		l.Removed = unitedRemovals(l.Removed, []Removal{{Checkpoint: id, By: by.By, When: by.When.UTC().Truncate(time.Second)}})
	}
	return l.How.byHooks(), writeSideLinkFile(db, b, l.withoutRemoved(), edits)
}
