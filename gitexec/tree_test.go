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
