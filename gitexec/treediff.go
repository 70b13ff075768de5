package gitexec

import (
	"sort"
	"strings"
)

// Change is one path that differs between two trees, or between a tree and the index.
type Change struct {
	Path     Path
	Old, New Entry // the zero Entry where there is nothing
}

// DiffTrees lists the files that differ between two trees, by path, through the open cat-file: no process of its own, and only
// the levels that differ are read. Renames are a deletion and an addition. The zero ID is the tree without entries.
func (o *Objects) DiffTrees(a, b OID) ([]Change, error) {
	var changes []Change
	work := []pair{{"", a, b}}
	if a == b {
		return nil, nil
	}
	for len(work) > 0 {
		ids := make([]OID, 0, 2*len(work))
		for _, p := range work {
			ids = append(ids, p.a, p.b)
		}
		trees, err := o.shared(ids...)
		if err != nil {
			return nil, err
		}
		var next []pair
		for i, p := range work {
			left, right := trees[2*i], trees[2*i+1]
			for name, old := range left {
				if now := right[name]; now != old {
					changes, next = p.differ(name, old, now, changes, next)
				}
			}
			for name, now := range right {
				if !left[name].Exists() {
					changes, next = p.differ(name, Entry{}, now, changes, next)
				}
			}
		}
		work = next
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].Path < changes[j].Path })
	return changes, nil
}

// pair is one directory in both trees.
type pair struct {
	prefix string
	a, b   OID
}

// differ notes what a name's two entries say: a changed file, or levels that are yet to be compared, or both.
func (p pair) differ(name string, old, now Entry, changes []Change, next []pair) ([]Change, []pair) {
	below := pair{prefix: p.prefix + name + "/"}
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

// Lookup finds what paths stand for in a tree, in the order asked for, reading each level once.
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
