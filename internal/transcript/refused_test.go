package transcript

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestManyUses: neither the inputs of a record nor results are compared in pairs with all uses,
// which takes some thousand times as long.
func TestManyUses(t *testing.T) {
	const most, limit = 50_000, 10 * time.Second
	var rec record
	var all []any
	for i := range most {
		id := "toolu_" + strconv.Itoa(10_000_000+i)
		rec.blocks = append(rec.blocks, block{tool: "Write", id: id})
		all = append(all, map[string]any{"id": id, "name": "Write", "input": map[string]any{"file_path": "/a", "content": id}})
	}
	began, w := time.Now(), Wrote{}
	rec.inputs(map[string]any{"content": all}, func(use, file string, e Edit) {
		if use != e.New {
			t.Fatalf("%s has what is of %s", use, e.New)
		}
		w.give(given{use: use, file: file})
	})
	for _, g := range slices.Backward(w.given) {
		w.refuse([]string{g.use})
	}
	if len(w.given) != most || slices.ContainsFunc(w.given, func(g given) bool { return !g.failed }) {
		t.Errorf("%d uses, or one that did not fail", len(w.given))
	}
	if took := time.Since(began); took > limit {
		t.Errorf("it took %s", took)
	}
}

// An ID that a transcript repeats is that of what came before the result.
func TestRepeatedUse(t *testing.T) {
	var u byUse
	u.add("call_0", 0)
	u.add("", 1)
	if at := u.take([]string{"", "call_0", "call_0"}); !slices.Equal(at, []int{0}) {
		t.Errorf("%v", at)
	}
	u.add("call_0", 2)
	if at := u.take([]string{"call_0"}); !slices.Equal(at, []int{2}) {
		t.Errorf("%v", at)
	}
}
