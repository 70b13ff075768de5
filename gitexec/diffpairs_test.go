package gitexec

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestEachRawDiff: what git diff-tree --stdin prints, and what it does not.
func TestEachRawDiff(t *testing.T) {
	one := ":100644 100644 " + strings.Repeat("1", 40) + " " + strings.Repeat("2", 40) + " M\x00a\nb\x00"
	two := ":000000 100644 " + strings.Repeat("0", 40) + " " + strings.Repeat("3", 40) + " A\x00:c\x00"
	for name, c := range map[string]struct {
		out   string
		pairs int
		want  string
		fails bool
	}{
		"nothing":          {"", 0, "", false},
		"two pairs":        {"a b\n" + one + two + "c d\n" + two, 2, `0 ["a\nb" ":c"]; 1 [":c"]; `, false},
		"one is the same":  {"a b\n" + "c d\n" + one, 2, `0 []; 1 ["a\nb"]; `, false},
		"more than asked":  {"a b\nc d\n", 1, "0 []; ", true},
		"it ends too soon": {"a b\n" + one[:60], 1, "", true},
		"rubbish":          {"a b\n:x\x00y\x00", 1, "", true},
	} {
		got := ""
		err := eachRawDiff(strings.NewReader(c.out), c.pairs, func(pair int, changes []Change) error {
			paths := []string{}
			for _, one := range changes {
				paths = append(paths, string(one.Path))
			}
			got += fmt.Sprintf("%d %q; ", pair, paths)
			return nil
		})
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	stop := errors.New("stop")
	if err := eachRawDiff(strings.NewReader("a b\n"), 1, func(int, []Change) error { return stop }); err != stop {
		t.Errorf("%v", err)
	}
}
