package query

import (
	"time"

	"entire-plumb/internal/prices"
	"entire-plumb/internal/transcript"
)

// Spent is tokens, and what they cost.
type Spent struct {
	Tokens   int     `json:"tokens"`          // that models read or wrote
	USD      float64 `json:"usd"`             // what they cost, as far as prices are known
	Unpriced int     `json:"unpriced_tokens"` // of models whose price is not known
}

func (s *Spent) add(table prices.Table, model string, when time.Time, u transcript.Usage) {
	s.Tokens += u.All()
	if usd, known := table.Cost(model, when, u); known {
		s.USD += usd
	} else {
		s.Unpriced += u.All()
	}
}

// SpentIn adds up what sessions spent, at the prices of the days on which they began. What others
// added to checkpoints of this clone is not in it. The model of a session is known where it has a
// state.
func SpentIn(all []SessionInfo, table prices.Table) (sum Spent) {
	for _, s := range all {
		if s.Tokens != nil && !s.Added {
			sum.add(table, s.Model, s.Started, *s.Tokens)
		}
	}
	return sum
}
