package commits

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// TestBringsNothing: an amend and a rebase onto an ancestor bring nothing; a rebase onto something
// else does, and so does another second parent.
func TestBringsNothing(t *testing.T) {
	line := firstParentLine(func(id gitexec.OID, most int) (line []gitexec.Commit, err error) {
		// Each history is its commits, newest first; a comma comes before a merge's other parent.
		for text := range strings.FieldsSeq(map[gitexec.OID]string{
			"l": "l k b a", "l2": "l2 k2 b a", "s": "l2s k2s s b a", "k2": "k2 b a", "onto": "l2o a", "m": "m,s b a", "m2": "m2,s b a",
			"n2": "n2,t b a", "root": "root", "root2": "root2", "b": "b a", "k": "k b a",
		}[id]) {
			name, merged, _ := strings.Cut(text, ",")
			c := gitexec.Commit{ID: gitexec.OID(name), Parents: []gitexec.OID{"first"}}
			if merged != "" {
				c.Parents = append(c.Parents, gitexec.OID(merged))
			}
			line = append(line, c)
		}
		if len(line) == 0 {
			return nil, errors.New("missing")
		}
		return line[:min(most, len(line))], nil
	})
	for name, c := range map[string]struct {
		head, before gitexec.OID
		successors   map[gitexec.OID]gitexec.OID
		want         bool
	}{
		"a rebase in place":        {"l2", "l", map[gitexec.OID]gitexec.OID{"l": "l2", "k": "k2"}, true},
		"onto a server's commit":   {"s", "l", map[gitexec.OID]gitexec.OID{"l": "l2s", "k": "k2s"}, false},
		"onto an ancestor":         {"onto", "l", map[gitexec.OID]gitexec.OID{"l": "l2o", "k": "k2"}, true},
		"the last one was dropped": {"k2", "l", map[gitexec.OID]gitexec.OID{"k": "k2"}, true},
		"an amended merge":         {"m2", "m", map[gitexec.OID]gitexec.OID{"m": "m2"}, true},
		"with another parent":      {"n2", "m", map[gitexec.OID]gitexec.OID{"m": "n2"}, false},
		"the first commit":         {"root2", "root", map[gitexec.OID]gitexec.OID{"root": "root2"}, true},
		"pruned":                   {"l2", "gone", map[gitexec.OID]gitexec.OID{"gone": "l2"}, false},
	} {
		if got := bringsNothing(line, c.head, c.before, c.successors); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestBringsNothingFar: of more commits than are looked at nothing is known.
func TestBringsNothingFar(t *testing.T) {
	const n = 600
	parents := map[gitexec.OID]gitexec.OID{}
	succ := map[gitexec.OID]gitexec.OID{}
	parents["squash"] = "b"
	po, pn := gitexec.OID("b"), gitexec.OID("squash")
	for i := range n {
		o, w := gitexec.OID(fmt.Sprintf("o%d", i)), gitexec.OID(fmt.Sprintf("n%d", i))
		parents[o], parents[w] = po, pn
		succ[o] = w
		po, pn = o, w
	}
	fp := func(id gitexec.OID, most int) (line []gitexec.Commit, err error) {
		for ; id != "" && len(line) < most; id = parents[id] {
			c := gitexec.Commit{ID: id}
			if parents[id] != "" {
				c.Parents = []gitexec.OID{parents[id]}
			}
			line = append(line, c)
		}
		return line, nil
	}
	if bringsNothing(fp, pn, po, succ) {
		t.Error("a rebase over a squash brings nothing")
	}
}
