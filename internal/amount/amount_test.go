package amount

import (
	"testing"
)

func TestAmounts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Of(0, "line"), "0 lines"}, {Of(1, "line"), "1 line"}, {Of(1234567, "line"), "1234567 lines"},
		{Are(1, "line"), "1 line is"}, {Are(2, "line"), "2 lines are"},
		{Tokens(0), "0"}, {Tokens(9_999), "9999"}, {Tokens(10_000), "10k"}, {Tokens(106_499), "106k"}, {Tokens(999_499), "999k"},
		{Tokens(999_500), "1.0M"}, {Tokens(9_949_999), "9.9M"}, {Tokens(9_950_000), "10M"}, {Tokens(15_440_000), "15M"},
		{Spent(10, 20, 30_000, 4), "10 in, 20 out, 30k read from the cache, 4 written to it"},
		{USD(0), "$0.00"}, {USD(0.001), "<$0.01"}, {USD(0.01), "$0.01"}, {USD(1234.5), "$1234.50"},
		{Cost(0.5, 0), "$0.50"}, {Cost(0, 5), "the price is not known"}, {Cost(0.5, 12_000), "$0.50, without 12k tokens whose price is not known"},
		{Percent(93.6), "94 %"}, {Bytes(-1), "0 B"}, {Bytes(36_000), "36 kB"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
