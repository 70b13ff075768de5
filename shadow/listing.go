package shadow

import (
	"context"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// Listing is a list of our branches.
type Listing struct {
	Checkpoints gitexec.OID            // the tip of the committed checkpoints; empty if there are none
	refs        map[string]gitexec.OID // by name: what has a stream's name, proven or not
	legacy      map[string]gitexec.OID // those that may be streams without suffixes
}

// List reads the refs under entire/. One process.
func List(ctx context.Context, repo *gitexec.Repo) (Listing, error) {
	refs, err := repo.Refs(ctx, Prefix)
	if err != nil {
		return Listing{}, err
	}
	l := Listing{refs: map[string]gitexec.OID{}, legacy: map[string]gitexec.OID{}}
	for _, r := range refs {
		if r.Name == Checkpoints {
			l.Checkpoints = r.ID
		} else if _, ok := ParseRef(r.Name); ok {
			l.refs[r.Name] = r.ID
		} else if _, _, ok := parseLegacy(r.Name); ok && r.Type == "commit" {
			l.legacy[r.Name] = r.ID
		}
	}
	l.applyBlocked(Blocked(repo))
	return l, nil
}

// applyBlocked replaces the values of blocked refs by those to be.
func (l *Listing) applyBlocked(blocked []RefChange) {
	for _, b := range blocked {
		_, stream := ParseRef(b.Ref)
		switch _, _, old := parseLegacy(b.Ref); {
		case b.Ref == Checkpoints:
			l.Checkpoints = b.New
		case b.New == "":
			delete(l.refs, b.Ref)
			delete(l.legacy, b.Ref)
		case stream:
			l.refs[b.Ref] = b.New
		case old:
			l.legacy[b.Ref] = b.New
		}
	}
}

// After is the listing once refs have changed. The one that it is made of stays as it is.
func (l Listing) After(changes []RefChange) Listing {
	// The listing is passed on by value, and its maps would be shared.
	l.refs, l.legacy = maps.Clone(l.refs), maps.Clone(l.legacy)
	l.applyBlocked(changes)
	return l
}

// Has reports whether a ref of that name exists, ours or not.
func (l Listing) Has(n Name) bool { return l.refs[n.Ref()] != "" }

// Highest is the highest suffix of a worktree's streams on a base, 0 if there is none.
func (l Listing) Highest(base gitexec.OID, worktreeID string) int {
	names := l.names(base, worktreeID)
	if len(names) == 0 {
		return 0
	}
	return names[len(names)-1].Suffix
}

func (l Listing) names(base gitexec.OID, worktreeID string) []Name {
	var names []Name
	for ref := range l.refs {
		if n := parseName(ref); n.Base == base.Short() && n.In(worktreeID) {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, func(a, b Name) int { return a.Suffix - b.Suffix })
	return names
}

// Streams reads the tips of a worktree's streams on a base, lowest suffix first, without branches
// that only have a stream's name. A missing tip is an error: Broken names those.
func (l Listing) Streams(db *gitexec.ODB, base gitexec.OID, worktreeID string) ([]Stream, error) {
	return l.readTips(db, base, l.names(base, worktreeID))
}

// Probe lists the streams of the repository's worktree on some bases through the open cat-file: for
// hooks that cannot afford the process that lists refs. Suffixes are given out in order, so it
// stops where many in a row are free.
func Probe(repo *gitexec.Repo, db *gitexec.ODB, bases ...gitexec.OID) (Listing, error) {
	l, err := probe(db, repo.WorktreeID(), bases...)
	l.applyBlocked(Blocked(repo))
	return l, err
}

// firstProbe is how many suffixes of a base are looked up at once at first; where most of them are
// taken it is four times as many the next time, up to mostProbed. Looking up a free name costs git
// more than one that is taken: most bases have one or two streams, so that a larger first probe is
// in vain. Suffixes may be free in between, where streams were deleted: a gap of firstProbe ends
// the search.
const firstProbe, mostProbed = 16, 256

func probe(db *gitexec.ODB, worktreeID string, bases ...gitexec.OID) (Listing, error) {
	l := Listing{refs: map[string]gitexec.OID{}, legacy: map[string]gitexec.OID{}}
	for first, some := 1, firstProbe; first <= MaxSuffix && len(bases) > 0; {
		ask, of := probedRefs(worktreeID, bases, first, some)
		found, err := db.Info(ask...)
		if err != nil {
			return l, err
		}
		taken := make([]int, len(bases))
		for i, object := range found {
			if l.note(ask[i], object) {
				taken[of[i]]++
			}
		}
		var more []gitexec.OID
		full := false
		for b, base := range bases {
			// A base with none of so many in a row has no more.
			if taken[b] > 0 {
				more = append(more, base)
			}
			full = full || taken[b] > some/2
		}
		bases, first = more, first+some
		if full {
			some = min(4*some, mostProbed)
		}
	}
	return l, nil
}

// probedRefs are the refs to look up for some suffixes of each base, and the base of each that is a
// stream's, by its index.
func probedRefs(worktreeID string, bases []gitexec.OID, first, some int) (ask []gitexec.OID, of []int) {
	ask, of = []gitexec.OID{gitexec.OID(Checkpoints)}, []int{-1}
	for b, base := range bases {
		for i := range some {
			ask, of = append(ask, gitexec.OID(NewName(base, worktreeID, first+i).Ref())), append(of, b)
		}
		if first == 1 {
			for _, ref := range legacyRefs(base, worktreeID) {
				ask, of = append(ask, ref), append(of, -1)
			}
		}
	}
	return ask, of
}

// note keeps a ref that was asked for, if it is there, and reports whether it is a stream.
func (l *Listing) note(ref gitexec.OID, object gitexec.Object) (stream bool) {
	switch {
	case object.Type == "":
	case ref == gitexec.OID(Checkpoints):
		l.Checkpoints = object.ID
	case isLegacy(ref):
		if object.Type == "commit" {
			l.legacy[string(ref)] = object.ID
		}
	default:
		l.refs[string(ref)] = object.ID
		return true
	}
	return false
}

func (l Listing) readTips(db *gitexec.ODB, base gitexec.OID, names []Name) ([]Stream, error) {
	ids := make([]gitexec.OID, len(names))
	for i, n := range names {
		ids[i] = l.refs[n.Ref()]
	}
	objects, err := db.Any(ids...)
	if err != nil {
		return nil, err
	}
	var streams []Stream
	for i, object := range objects {
		// Missing, or no commit: Broken names it.
		if object.Type != "commit" {
			continue
		}
		commit, err := gitexec.ParseCommit(object.ID, object.Data)
		if err != nil {
			return nil, err
		}
		tip, ours := readCheckpoint(commit)
		// Two commits may have the same seven digits. A stream that moved with its work names its
		// old base.
		namesake := base != "" && tip.Base.Short() == base.Short() && tip.Base != base
		if ours && !namesake {
			streams = append(streams, Stream{Name: names[i], Tip: tip})
		}
	}
	return streams, nil
}

// All reads the tips of all streams, of all bases and worktrees, by name.
func (l Listing) All(db *gitexec.ODB) ([]Stream, error) {
	var names []Name
	for _, ref := range slices.Sorted(maps.Keys(l.refs)) {
		names = append(names, parseName(ref))
	}
	return l.readTips(db, "", names)
}

// Broken lists the branches with a stream's name whose tips are missing or cannot be read: of a tip
// only the ID is known.
func (l Listing) Broken(db *gitexec.ODB) ([]Stream, error) {
	var broken []Stream
	var ids []gitexec.OID
	for _, ref := range slices.Sorted(maps.Keys(l.refs)) {
		broken, ids = append(broken, Stream{Name: parseName(ref), Tip: Checkpoint{ID: l.refs[ref]}}), append(ids, l.refs[ref])
	}
	objects, err := db.Info(ids...)
	if err != nil {
		return nil, err
	}
	there := map[gitexec.OID]bool{}
	for i, o := range objects {
		there[ids[i]] = o.Type != ""
	}
	return slices.DeleteFunc(broken, func(s Stream) bool { return there[s.Tip.ID] }), nil
}

// Names lists the branches with a stream's name, of all worktrees and bases, sorted.
func (l Listing) Names() []string {
	names := slices.Sorted(maps.Keys(l.refs))
	for i, ref := range names {
		names[i] = strings.TrimPrefix(ref, "refs/heads/")
	}
	return names
}
