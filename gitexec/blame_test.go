package gitexec

import (
	"slices"
	"testing"
)

// TestRanges checks that lines become ranges as git blame -L takes them.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		lines []int
		want  []string
	}{
		{nil, nil},
		{[]int{1}, []string{"1,1"}},
		{[]int{1, 2, 3}, []string{"1,3"}},
		{[]int{1, 2, 3, 4, 9}, []string{"1,4", "9,9"}},
		{[]int{2, 4}, []string{"2,2", "4,4"}},
	} {
		if got := ranges(c.lines); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.lines, got, c.want)
		}
	}
}
