package query

import (
	"testing"

	"entire-plumb/internal/prices"
	"entire-plumb/internal/transcript"
)

// TestSpentIn: sessions without tokens count nothing, and those of unknown models have no price.
func TestSpentIn(t *testing.T) {
	two := 2.0
	table := prices.Table{Prices: []prices.Price{{Models: []string{"priced"}, Input: &two, Output: &two}}}
	usage := &transcript.Usage{InputTokens: 1_000_000}
	got := SpentIn([]SessionInfo{{Model: "priced", Tokens: usage}, {Tokens: usage}, {Model: "priced"}}, table)
	if want := (Spent{Tokens: 2_000_000, USD: 2, Unpriced: 1_000_000}); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
}
