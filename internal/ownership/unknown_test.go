package ownership

import (
	"math"
	"slices"
	"testing"
)

func TestLost(t *testing.T) {
	const agent = FirstTurn
	for _, test := range []struct {
		lines        Lines
		first, count int
		want         Lines
	}{
		{Lines{{Base, 9}}, 3, 2, Lines{{Base, 2}, {Unknown, 2}, {Base, 5}}},
		{Lines{{Base, 2}, {agent, 2}, {Base, 2}}, 1, 3, Lines{{Unknown, 2}, {agent, 2}, {Base, 2}}}, // an agent's stays the agent's
		{Lines{{Added, 2}}, 2, 9, Lines{{Added, 1}, {Unknown, 1}}},
	} {
		lost := Lines{{Base, test.first - 1}, {Unknown, test.count}, {Base, math.MaxInt32}}
		if got := test.lines.MarkUnknown(lost); !slices.Equal(got, test.want) {
			t.Errorf("%v, %d from %d: %v, want %v", test.lines, test.count, test.first, got, test.want)
		}
	}
}
