package site

import (
	"context"
	"fmt"

	"entire-plumb/internal/query"
	"entire-plumb/internal/report"
	"entire-plumb/internal/stats"
)

// survival asks how many of the lines in HEAD's history are still there.
func (b *builder) survival(ctx context.Context) ([]report.Survivors, error) {
	all, err := b.source.Stats(ctx, query.StatsRequest{Prices: b.request.Prices})
	if err != nil {
		return nil, err
	}
	return survivors(all.Result), nil
}

// survivors are the lines that lived as long, by the weeks since they came, and then those of any
// age.
func survivors(r stats.Result) (all []report.Survivors) {
	for _, age := range r.Survival {
		all = append(all, report.Survivors{After: weeks(age.Weeks), Agent: living(age.Agent.Alive, age.Agent.Lines),
			Human: living(age.Human.Alive, age.Human.Lines)})
	}
	t := r.Totals
	if t.Born.All() > 0 {
		all = append(all, report.Survivors{After: "today, of all", Agent: living(t.Alive.Agent, t.Born.Agent), Human: living(t.Alive.Human, t.Born.Human)})
	}
	return all
}

func weeks(n int) string {
	if n == 1 {
		return "after a week"
	}
	return fmt.Sprintf("after %d weeks", n)
}

func living(alive, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %% of %d", 100*float64(alive)/float64(of), of)
}
