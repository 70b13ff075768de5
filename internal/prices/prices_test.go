package prices

import (
	"math"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/transcript"
)

func at(day string) time.Time {
	t, _ := time.Parse(time.DateOnly, day)
	return t
}

// million is a million tokens of each kind.
var million = transcript.Usage{InputTokens: 1_000_000, OutputTokens: 1_000_000, CacheReadTokens: 1_000_000, CacheCreationTokens: 1_000_000}

func TestListed(t *testing.T) {
	table := Listed()
	if table.Date.Year < 2026 {
		t.Errorf("the table's date is %s", table.Date)
	}
	for _, c := range []struct {
		model, day string
		usd        float64 // 0: no price
	}{
		{"claude-opus-4-5-20251101", "2026-01-01", 36.75},
		{"claude-opus-4-1-20250805", "2025-09-01", 110.25},
		{"claude-opus-4-20250514", "2025-09-01", 110.25},
		{"claude-sonnet-4-5-20250929", "2025-11-01", 22.05},
		{"Claude-Sonnet-4-6", "2026-03-01", 22.05},
		{"anthropic/claude-haiku-4-5", "2026-03-01", 7.35},
		{"claude-sonnet-5-5", "2026-10-06", 14.7},
		{"claude-sonnet-5-5", "2026-10-07", 14.6},
		{"gpt-5-codex", "2025-10-01", 12.625},
		{"gpt-5.1-codex-mini", "2025-12-01", 2.525},
		{"o3", "2025-06-09", 62.5},
		{"o3", "2025-06-10", 12.5},
		{"gemini-2.5-pro", "2025-10-01", 12.625},
		{"gpt-5-pro", "2026-01-01", 0},
		{"claude-opus-9", "2026-01-01", 0},
		{"", "2026-01-01", 0},
		{"<synthetic>", "2026-01-01", 0},
	} {
		usd, known := table.Cost(c.model, at(c.day), million)
		if known != (c.usd > 0) || math.Abs(usd-c.usd) > 1e-9 {
			t.Errorf("%s on %s: %v, %v; want %v", c.model, c.day, usd, known, c.usd)
		}
	}
}

func TestSubagentsCount(t *testing.T) {
	u := transcript.Usage{InputTokens: 1_000_000, SubagentTokens: &transcript.Usage{OutputTokens: 1_000_000}}
	if usd, known := Listed().Cost("claude-sonnet-4-5", at("2026-01-01"), u); usd != 18 || !known {
		t.Errorf("%v, %v", usd, known)
	}
}

func TestOver(t *testing.T) {
	own, err := Parse([]byte("[[price]]\nmodel = [\"claude-*\", \"house-model\"]\nfrom = 2026-01-01\ninput = 1\noutput = 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	table := Listed().Over(own)
	u := transcript.Usage{InputTokens: 1_000_000, CacheReadTokens: 1_000_000}
	for model, want := range map[string]float64{"claude-opus-4-5": 2, "house-model": 2, "gpt-5": 1.375} {
		if usd, known := table.Cost(model, at("2026-02-01"), u); usd != want || !known {
			t.Errorf("%s: %v, %v", model, usd, known)
		}
	}
	if usd, _ := table.Cost("claude-opus-4-5", at("2025-12-31"), u); usd != 5.5 {
		t.Errorf("before the user's price begins: %v", usd)
	}
	if table.Date != Listed().Date {
		t.Error("the date is that of the listed prices")
	}
}

func TestParseFaults(t *testing.T) {
	for text, want := range map[string]string{
		"[[price]]\nmodel = [\"a\"]\ninput = 1\n":                        "price 1: it needs model, input and output",
		"[[price]]\ninput = 1\noutput = 1\n":                             "price 1: it needs model, input and output",
		"[[price]]\nmodel = [\"a\"]\ninput = -1\noutput = 1\n":           "price 1: -1 is no price",
		"[[price]]\nmodel = [\"a\"]\ninput = inf\noutput = 1\n":          "price 1: +Inf is no price",
		"[[price]]\nmodel = [\"[\"]\ninput = 1\noutput = 1\n":            `price 1: "[" is no pattern`,
		"[[price]]\nmodel = [\"a\"]\ninput = 1\noutput = 1\ncache = 1\n": `line 5: "price.cache" is no key of a price`,
		"[[price\n": "line 1: ",
		"[[price]]\nmodel = [\"a\"]\ninput = \"x\"\noutput = 1\n": "line 3: ",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}
