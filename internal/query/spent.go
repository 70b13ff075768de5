package query

import (
	"time"

	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
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

// SpentBy is what a session spent for a checkpoint that a commit links.
type SpentBy struct {
	Checkpoint string
	checkpoints.SpentTokens
}

// spentFor is what was spent for the checkpoints that a commit links.
func spentFor(n attribution.Counted) (all []SpentBy) {
	for _, link := range n.Links {
		for _, s := range link.Spent {
			all = append(all, SpentBy{link.ID, s})
		}
	}
	return all
}

// SpentOnce adds up what was spent for checkpoints: several commits may link one, as after a
// cherry-pick.
func SpentOnce(all []SpentBy, table prices.Table) (sum Spent) {
	seen := map[[2]string]bool{}
	for _, s := range all {
		if key := [2]string{s.Checkpoint, s.SessionID}; !seen[key] {
			seen[key] = true
			sum.add(table, s.Model, s.Created, s.Usage)
		}
	}
	return sum
}
