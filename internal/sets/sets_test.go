package sets

import (
	"maps"
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	if got := Of([]string{"a", "b", "a"}); !maps.Equal(got, map[string]bool{"a": true, "b": true}) {
		t.Errorf("%v", got)
	}
	if got := Of[int](nil); got == nil || len(got) != 0 {
		t.Errorf("of no list: %v", got)
	}
}

func TestWith(t *testing.T) {
	for _, c := range []struct{ list, values, want []int }{
		{nil, nil, nil},
		{nil, []int{2, 1, 2}, []int{2, 1}},
		{[]int{3, 3}, []int{3, 1}, []int{3, 3, 1}},
	} {
		if got := With(c.list, c.values...); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%v with %v: %v", c.list, c.values, got)
		}
	}
}
