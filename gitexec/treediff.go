package gitexec

import (
	"slices"
	"sort"
	"strings"
)

// Change is one path that differs between two trees, or between a tree and the index.
type Change struct {
	Path     Path
	Old, New Entry // zero if absent
}

// Trees are two trees to compare. The zero ID is the empty tree.
type Trees struct{ Old, New OID }

// DiffTrees lists the files that differ between two trees, by path. It reads only the directories
// that differ, through the running cat-file. Renames are a deletion and an addition.
func (o *Objects) DiffTrees(old, now OID) ([]Change, error) {
	found, err := o.DiffEach("", Trees{old, now})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// DiffEach is DiffTrees for many pairs, without the files below one directory. It needs one round
// trip per level of directories, not per pair, as long as the trees fit into memory.
func (o *Objects) DiffEach(but Path, trees ...Trees) ([][]Change, error) {
	changes := make([][]Change, len(trees))
	var roots []OID
	for _, t := range trees {
		roots = append(roots, t.Old, t.New)
	}
	bring(o, o.unread(roots)...)
	for done, together := 0, 1; done < len(trees); {
		some := trees[done:min(done+together, len(trees))]
		read, err := o.diff(string(but), some, changes[done:])
		if err != nil {
			return nil, err
		}
		done += len(some)
		// Pairs that differ in little are compared many at a time, up to what the cache of trees
		// holds.
		together = max(1, min(4*together, 64, mostEntries*len(some)/max(read, 1)))
	}
	return changes, nil
}

// diff compares pairs of trees together, and counts the entries of the directories that it read.
func (o *Objects) diff(but string, trees []Trees, changes [][]Change) (read int, err error) {
	var work []pair
	for i, t := range trees {
		if t.Old != t.New {
			work = append(work, pair{i, "", t.Old, t.New})
		}
	}
	for len(work) > 0 {
		ids := make([]OID, 0, 2*len(work))
		for _, p := range work {
			ids = append(ids, p.a, p.b)
		}
		levels, err := o.shared(ids...)
		if err != nil {
			return 0, err
		}
		var next []pair
		for i, p := range work {
			left, right := levels[2*i], levels[2*i+1]
			read += len(left) + len(right)
			changes[p.of], next = p.compare(left, right, changes[p.of], next)
		}
		// The directory to leave out is not read, however large it is.
		work = slices.DeleteFunc(next, func(p pair) bool { return p.prefix == but+"/" })
	}
	for i := range trees {
		sort.Slice(changes[i], func(j, k int) bool { return changes[i][j].Path < changes[i][k].Path })
	}
	return read, nil
}

// pair is one directory in both trees.
type pair struct {
	of     int // which trees
	prefix string
	a, b   OID
}

// compare compares the directory's two versions: see differ.
func (p pair) compare(left, right Tree, changes []Change, next []pair) ([]Change, []pair) {
	for name, old := range left {
		if now := right[name]; now != old {
			changes, next = p.differ(name, old, now, changes, next)
		}
	}
	// Names that the left has, too, were compared above.
	for name, now := range right {
		if !left[name].Exists() {
			changes, next = p.differ(name, Entry{}, now, changes, next)
		}
	}
	return changes, next
}

// differ compares a name's two entries: it adds a changed file, a pair of directories to compare,
// or both.
func (p pair) differ(name string, old, now Entry, changes []Change, next []pair) ([]Change, []pair) {
	below := pair{of: p.of, prefix: p.prefix + name + "/"}
	// Where a file takes a directory's place, all files below that are deleted: both come out of
	// one name.
	if old.IsTree() {
		below.a, old = old.ID, Entry{}
	}
	if now.IsTree() {
		below.b, now = now.ID, Entry{}
	}
	if below.a != below.b {
		next = append(next, below)
	}
	if old != now {
		changes = append(changes, Change{Path: Path(p.prefix + name), Old: old, New: now})
	}
	return changes, next
}

// Files is Lookup for files: where a directory of that name is, there is none.
func (o *Objects) Files(root OID, paths ...Path) ([]Entry, error) {
	found, err := o.Lookup(root, paths...)
	for i, e := range found {
		if e.IsTree() {
			found[i] = Entry{}
		}
	}
	return found, err
}

// Versions are files as they are in two trees, in order, whether or not they differ: see Files.
func (o *Objects) Versions(old, now OID, paths ...Path) ([]Change, error) {
	before, err := o.Files(old, paths...)
	if err != nil {
		return nil, err
	}
	after, err := o.Files(now, paths...)
	if err != nil {
		return nil, err
	}
	versions := make([]Change, len(paths))
	for i, path := range paths {
		versions[i] = Change{Path: path, Old: before[i], New: after[i]}
	}
	return versions, nil
}

// PathsOf are the paths of changes.
func PathsOf(changes []Change) []Path {
	paths := make([]Path, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}

// ByPath are changes by their paths.
func ByPath(changes []Change) map[Path]Change {
	by := make(map[Path]Change, len(changes))
	for _, c := range changes {
		by[c.Path] = c
	}
	return by
}

// Lookup finds the entries of paths in a tree, in order, reading each directory once.
func (o *Objects) Lookup(root OID, paths ...Path) ([]Entry, error) {
	found := make([]Entry, len(paths))
	type question struct {
		at   int
		rest string
	}
	ask := map[OID][]question{}
	if !root.IsZero() {
		for i, p := range paths {
			ask[root] = append(ask[root], question{i, string(p)})
		}
	}
	for len(ask) > 0 {
		ids := make([]OID, 0, len(ask))
		for id := range ask {
			ids = append(ids, id)
		}
		trees, err := o.shared(ids...)
		if err != nil {
			return nil, err
		}
		next := map[OID][]question{}
		for i, id := range ids {
			for _, q := range ask[id] {
				name, rest, deeper := strings.Cut(q.rest, "/")
				entry := trees[i][name]
				if !deeper {
					found[q.at] = entry
				} else if entry.IsTree() {
					next[entry.ID] = append(next[entry.ID], question{q.at, rest})
				}
			}
		}
		ask = next
	}
	return found, nil
}
