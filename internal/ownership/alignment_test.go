package ownership

import (
	"math"
	"reflect"
	"testing"
)

func TestSlid(t *testing.T) {
	const one, two = FirstTurn, FirstTurn + 1
	rest := Run{Base, math.MaxInt32}
	for name, c := range map[string]struct{ history, isNew, want Lines }{
		"the brace before a function instead of its own": {
			Lines{{Base, 3}, {one, 4}, {Base, 1}, {two, 4}, rest},
			Lines{{Base, 3}, {Added, 8}, rest},
			Lines{{Base, 3}, {one, 4}, {two, 4}, rest},
		},
		"its own instead of that before": {
			Lines{{one, 4}, {two, 3}, rest},
			Lines{{Base, 1}, {Added, 7}, rest},
			Lines{{Base, 1}, {one, 3}, {two, 3}, {one, 1}, {Base, math.MaxInt32 - 1}},
		},
		"one of two lines that are alike": {
			Lines{{Base, 5}, {one, 1}, rest},
			Lines{{Base, 4}, {Added, 1}, rest},
			Lines{{Base, 4}, {one, 1}, rest},
		},
		"a line that was deleted and added again": {
			Lines{{one, 2}, {two, 1}, rest},
			Lines{{Added, 2}, rest},
			Lines{{one, 2}, {two, 1}, rest},
		},
		"not as many": {
			Lines{{Base, 2}, {one, 5}, rest},
			Lines{{Added, 6}, rest},
			Lines{{Base, 2}, {one, 5}, rest},
		},
	} {
		t.Run(name, func(t *testing.T) {
			alike := func(a, b, lines int) bool { return a < b && lines > 0 }
			if got := c.history.Align(c.isNew, alike); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			never := func(a, b, lines int) bool { return false }
			if got := c.history.Align(c.isNew, never); !reflect.DeepEqual(got, c.history) {
				t.Errorf("lines that are not alike changed places: %v", got)
			}
		})
	}
}
