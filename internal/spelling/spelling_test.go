package spelling

import "testing"

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{{"", "ab"}: 2, {"ab", "ba"}: 1, {"show", "shwo"}: 1, {"abc", "abc"}: 0, {"ü", "u"}: 1, {"kitten", "sitting"}: 3} {
		if got := Distance(pair[0], pair[1]); got != want {
			t.Errorf("%v: %d, not %d", pair, got, want)
		}
	}
}
