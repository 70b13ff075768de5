package gitexec

import (
	"strconv"
	"testing"
)

// TestTreeCache: of however many trees, those read last are there, and the cache stays small.
func TestTreeCache(t *testing.T) {
	held := OID("held")
	for _, each := range []int{1, mostEntries / 8} {
		cache := treeCache{held: map[OID]Tree{held: {}}}
		tree, last := Tree{}, min(mostTrees/2, mostEntries/2/each)
		for i := range each {
			tree[strconv.Itoa(i)] = Entry{Mode: ModeFile, ID: held}
		}
		for i := range 3 * mostTrees {
			cache.add(OID(strconv.Itoa(i)), tree)
			if before := OID(strconv.Itoa(max(i-last, 0))); cache.get(before) == nil || cache.get(held) == nil {
				t.Fatalf("at %d, %s is gone", i, before)
			}
		}
		if has := len(cache.newer) + len(cache.older); has > mostTrees || has*each > mostEntries {
			t.Errorf("%d trees with %d entries each are kept", has, each)
		}
	}
}

// TestIsAsWritten: a tree object is as git writes it, in both formats, or it isn't: out of order, or
// with a name twice.
func TestIsAsWritten(t *testing.T) {
	blob, empty := OID("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"), Tree{}
	two := Tree{"a": {ModeTree, "4b825dc642cb6eb9a060e54bf8d69288fbee4904"}, "a.b": {ModeFile, blob}}
	for _, c := range []struct {
		tree Tree
		id   OID
		want bool
	}{
		{empty, "4b825dc642cb6eb9a060e54bf8d69288fbee4904", true},
		{empty, "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321", true},
		{empty, blob, false},
		{two, "4748f64e371b23af90aa080a2707e7ec7b5cd731", true},
		{two, "076196674846b53a94c09e7140f9dcc3fb690976", false},
		{Tree{"a": {ModeFile, "no ID"}}, blob, false},
	} {
		if got := c.tree.IsAsWritten(c.id); got != c.want {
			t.Errorf("%v, %s: %v", c.tree, c.id, got)
		}
	}
}
