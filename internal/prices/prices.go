// Package prices says what tokens cost, by the public list prices of models, and what the user puts
// before them.
package prices

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"entire-plumb/internal/transcript"
)

//go:embed prices.toml
var listed []byte

// Table are the prices of models. The first price that has a model and a day counts.
type Table struct {
	Date   toml.LocalDate `toml:"date"` // when the prices were looked up
	Prices []Price        `toml:"price"`

	of *sync.Map // a model's prices, []*Price, in their order; nil: none is remembered
}

// Price is what a million tokens of some models costs, in USD, from one day to another, both
// included.
type Price struct {
	Models     []string       `toml:"model"` // names, or patterns with *, in lower case
	From       toml.LocalDate `toml:"from"`  // zero: since ever
	Until      toml.LocalDate `toml:"until"` // zero: to this day
	Input      *float64       `toml:"input"`
	Output     *float64       `toml:"output"`
	CacheRead  *float64       `toml:"cache_read"`  // nil: as other input
	CacheWrite *float64       `toml:"cache_write"` // nil: as other input
}

// Listed are the public list prices that this program knows.
func Listed() Table {
	t, err := Parse(listed)
	if err != nil {
		panic("prices.toml: " + err.Error()) // it is part of this program, and a test reads it
	}
	return t
}

// Parse reads a table, and says what is wrong with it.
func Parse(text []byte) (t Table, err error) {
	d := toml.NewDecoder(strings.NewReader(string(text))).DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		if strict := new(toml.StrictMissingError); errors.As(err, &strict) && len(strict.Errors) > 0 {
			row, _ := strict.Errors[0].Position()
			return t, fmt.Errorf("line %d: %q is no key of a price", row, strings.Join(strict.Errors[0].Key(), "."))
		}
		if at := new(toml.DecodeError); errors.As(err, &at) {
			row, _ := at.Position()
			return t, fmt.Errorf("line %d: %w", row, err)
		}
		return t, err
	}
	for i, p := range t.Prices {
		if err := p.check(); err != nil {
			return t, fmt.Errorf("price %d: %w", i+1, err)
		}
	}
	t.of = new(sync.Map)
	return t, nil
}

// check says what a price lacks.
func (p Price) check() error {
	if len(p.Models) == 0 || p.Input == nil || p.Output == nil {
		return errors.New("it needs model, input and output")
	}
	for _, pattern := range p.Models {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is no pattern", pattern)
		}
	}
	for _, usd := range []*float64{p.Input, p.Output, p.CacheRead, p.CacheWrite} {
		if usd != nil && (*usd < 0 || math.IsInf(*usd, 0) || math.IsNaN(*usd)) {
			return fmt.Errorf("%v is no price", *usd)
		}
	}
	return nil
}

// Over is a table with the prices of another before its own.
func (t Table) Over(first Table) Table {
	return Table{Date: t.Date, Prices: append(append([]Price{}, first.Prices...), t.Prices...), of: new(sync.Map)}
}

// Cost is what tokens cost, those of subagents included, which are taken for ones of the same
// model; known is false for a model without a price on that day.
func (t Table) Cost(model string, when time.Time, u transcript.Usage) (usd float64, known bool) {
	p := t.Of(model, Day(when))
	if p == nil {
		return 0, false
	}
	return p.Cost(u), true
}

// Cost is what tokens cost.
func (p Price) Cost(u transcript.Usage) (usd float64) {
	const million = 1_000_000
	for part := &u; part != nil; part = part.SubagentTokens {
		usd += float64(part.InputTokens) * *p.Input / million
		usd += float64(part.OutputTokens) * *p.Output / million
		usd += float64(part.CacheReadTokens) * p.or(p.CacheRead) / million
		usd += float64(part.CacheCreationTokens) * p.or(p.CacheWrite) / million
	}
	return usd
}

func (p Price) or(usd *float64) float64 {
	if usd == nil {
		return *p.Input
	}
	return *usd
}

// Of is the price of a model on a day; nil: there is none.
func (t Table) Of(model, day string) *Price {
	for _, p := range t.all(strings.ToLower(model)) {
		if (p.From == (toml.LocalDate{}) || p.From.String() <= day) && (p.Until == (toml.LocalDate{}) || day <= p.Until.String()) {
			return p
		}
	}
	return nil
}

// all are the prices of a model, on any day. A table has many patterns, and what is priced few
// models.
func (t Table) all(model string) (all []*Price) {
	if t.of != nil {
		if known, ok := t.of.Load(model); ok {
			return known.([]*Price)
		}
	}
	for i := range t.Prices {
		if t.Prices[i].has(model) {
			all = append(all, &t.Prices[i])
		}
	}
	if t.of != nil {
		t.of.Store(model, all)
	}
	return all
}

// has reports whether the price is that of a model, whose name may begin with that of a provider,
// as in "anthropic/claude-opus-5".
func (p Price) has(model string) bool {
	for _, pattern := range p.Models {
		pattern = strings.ToLower(pattern)
		for _, name := range []string{model, path.Base(model)} {
			if same, err := path.Match(pattern, name); same && err == nil {
				return true
			}
		}
	}
	return false
}

// Day is the day of a time, as prices have it.
func Day(when time.Time) string { return when.UTC().Format(time.DateOnly) }
