package site

import (
	"slices"
	"testing"

	"entire-plumb/internal/report"
	"entire-plumb/internal/stats"
)

func TestSurvivors(t *testing.T) {
	r := stats.Result{Survival: []stats.Age{{Weeks: 1, Agent: stats.Living{Lines: 4, Alive: 3}}, {Weeks: 2, Human: stats.Living{Lines: 2}}}}
	r.Totals.Born, r.Totals.Alive = stats.Counts{Agent: 10, Human: 2}, stats.Counts{Agent: 5, Human: 2}
	want := []report.Survivors{{After: "after a week", Agent: "75 % of 4", Human: "–"}, {After: "after 2 weeks", Agent: "–", Human: "0 % of 2"},
		{After: "today, of all", Agent: "50 % of 10", Human: "100 % of 2"}}
	if got := survivors(r); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := survivors(stats.Result{}); got != nil {
		t.Errorf("%+v", got)
	}
}
