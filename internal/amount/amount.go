// Package amount writes numbers as users read them, in commands and on pages alike.
package amount

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

// Of counts things: "1 commit", "2 commits".
func Of(n int, what string) string { return fmt.Sprint(n, " ", ByNumber(n, what, what+"s")) }

// ByNumber is the word for one, or that for another number.
func ByNumber(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Are is "1 commit is", or "2 commits are".
func Are(n int, what string) string { return Of(n, what) + " " + ByNumber(n, "is", "are") }

// Tokens writes a number of tokens in at most four digits: "9999", "106k", "1.2M".
func Tokens(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 999_500: // what is more is rounded to a million
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	case n < 9_950_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0fM", float64(n)/1e6)
}

// Spent says which tokens there are, those of the cache as read from it and written to it.
func Spent(in, out, read, written int) string {
	return fmt.Sprintf("%s in, %s out, %s read from the cache, %s written to it", Tokens(in), Tokens(out), Tokens(read), Tokens(written))
}

// USD writes a sum in US dollars: "$0.49".
func USD(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Cost is a sum in USD, and for how many tokens no price is known.
func Cost(usd float64, unpriced int) string {
	switch {
	case unpriced > 0 && usd == 0:
		return "the price is not known"
	case unpriced > 0:
		return fmt.Sprintf("%s, without %s tokens whose price is not known", USD(usd), Tokens(unpriced))
	}
	return USD(usd)
}

// Percent writes a share of a hundred: "94 %".
func Percent(share float64) string { return fmt.Sprintf("%.0f %%", share) }

// Bytes writes a size in units of a thousand: "36 kB".
func Bytes(n int64) string { return humanize.Bytes(uint64(max(0, n))) }
