package checkpoints

import (
	"testing"
	"time"

	"entire-plumb/internal/ledger"
)

// TestShare: lines of unknown authors are in no share, and are named beside it.
func TestShare(t *testing.T) {
	const agent = ledger.FirstTurn
	for name, c := range map[string]struct {
		lines   ledger.Lines
		text    string
		percent float64
		total   int
	}{
		"nothing":     {nil, "", 0, 0},
		"old lines":   {ledger.Lines{{Owner: ledger.Base, Count: 9}}, "", 0, 0},
		"all unknown": {ledger.Lines{{Owner: ledger.Unknown, Count: 9}}, "", 0, 0},
		"all known":   {ledger.Lines{{Owner: agent, Count: 3}, {Owner: ledger.Human, Count: 1}}, "75% agent (3/4 lines)", 75, 4},
		"some unknown": {ledger.Lines{{Owner: agent, Count: 3}, {Owner: ledger.Unknown, Count: 5}, {Owner: ledger.Human, Count: 1}},
			"75% agent (3/4 lines), 5 unknown", 75, 4},
		"no agent's, some unknown": {ledger.Lines{{Owner: ledger.Human, Count: 2}, {Owner: ledger.Unknown, Count: 5}},
			"0% agent (0/2 lines), 5 unknown", 0, 2},
	} {
		a := Attribution{Files: []AttributedFile{{Lines: c.lines}}, turns: []Turn{{Session: "s", Link: "l"}}}
		of := a.Of("s", "l", time.Unix(0, 0))
		if got := a.Share(); got != c.text || of.AgentPercentage != c.percent || of.TotalCommitted != c.total {
			t.Errorf("%s: %q, %g %% of %d; want %q, %g %% of %d", name, got, of.AgentPercentage, of.TotalCommitted, c.text, c.percent, c.total)
		}
	}
}

// TestOwnedByAlso: lines of a session without a part of its own stand in the first session's list,
// under its name.
func TestOwnedByAlso(t *testing.T) {
	lines := ledger.Lines{{Owner: ledger.FirstTurn, Count: 2}, {Owner: ledger.FirstTurn + 1, Count: 1}, {Owner: ledger.Human, Count: 1}}
	a := Attribution{Files: []AttributedFile{{Path: "f", Blob: "b", Lines: lines}}, turns: []Turn{{Session: "s", Turn: "t1"}, {Session: "other", Turn: "t2"}}}
	alone, both := a.OwnedBy("s", "", nobody), a.OwnedBy("s", "", func(id string) bool { return id == "other" })
	if len(alone.Turns) != 1 || alone.Sessions != nil || len(alone.others()) != 0 {
		t.Errorf("alone: %+v", alone)
	}
	if got := both.others(); len(both.Turns) != 2 || len(got) != 1 || got[0] != "other" {
		t.Errorf("both: %+v, others %q", both, got)
	}
	owners := Owners{}
	owners.add(both, "s", "Claude Code")
	found, _ := owners["f"].Spread(4)
	if found[1].Session != "s" || found[1].Agent != "Claude Code" || found[3].Session != "other" || found[3].Agent != "" || found[4] != nil {
		t.Errorf("%+v %+v %+v", found[1], found[3], found[4])
	}
	both.Sessions = []string{"", "../x"}
	if got := both.session(1, "s"); got != "s" || len(both.others()) != 0 {
		t.Errorf("no session's ID: %q", got)
	}
}
