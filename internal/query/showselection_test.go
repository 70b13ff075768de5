package query

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
)

// TestShowSelection: of a range each commit, newest first, with the checkpoints that it links; of
// several names what each means.
func TestShowSelection(t *testing.T) {
	r := newRepository(t)
	r.Commit("Second\n\nEntire-Checkpoint: aaaaaaaaaaaa", "f", "2")
	r.Commit("Third", "f", "3")
	r.Commit("Fourth\n\nEntire-Checkpoint: bbbbbbbbbbbb", "g", "4")
	r.open()
	on := r.stream(1, "s3", "a")
	r.state(&session.State{SessionID: "s3"})
	r.checkpoints([]checkpoints.SessionMetadata{part("aaaaaaaaaaaa", "s1", 5, "f")}, []checkpoints.SessionMetadata{part("bbbbbbbbbbbb", "s2", 6, "g")})
	for _, c := range []struct {
		s    Selection
		want string
	}{
		{Selection{Names: []string{"HEAD~3..HEAD"}}, "Fourth:bbbbbbbbbbbb Third: Second:aaaaaaaaaaaa"},
		{Selection{Names: []string{"aaaa..HEAD"}}, "Fourth:bbbbbbbbbbbb Third:"},
		{Selection{Names: []string{"HEAD~3..HEAD"}, Paths: []string{"f"}}, "Third: Second:aaaaaaaaaaaa"},
		{Selection{Names: []string{"s1", "HEAD", "s3"}}, "s1:aaaaaaaaaaaa Fourth:bbbbbbbbbbbb s3:" + string(on[0])},
		{Selection{Names: []string{"HEAD", "s2", "HEAD"}}, "Fourth:bbbbbbbbbbbb s2:bbbbbbbbbbbb"},
		{Selection{Names: []string{"HEAD", "aaaa"}, Paths: []string{"f"}}, "Fourth: aaaa:aaaaaaaaaaaa"},
		{Selection{Until: "1990-01-01"}, ""},
		{Selection{Names: []string{"HEAD", "nothing"}}, "error"},
		{Selection{Names: []string{"nothing..HEAD"}}, "error"},
	} {
		all, done, err := r.source.ShowSelection(t.Context(), ShowRequest{Selection: c.s})
		if err != nil {
			if c.want != "error" {
				t.Errorf("%+v: %v", c.s, err)
			}
			continue
		}
		done()
		var got []string
		for _, item := range all.Shown {
			name := item.Name + ":"
			if item.ShownCommit != nil {
				name = item.Subject + ":"
			}
			for _, k := range item.Checkpoints {
				name += k.Checkpoint + k.Stream
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q, not %q", c.s, got, c.want)
		}
	}
}

// TestSeveral: what is shown as a selection, and not as one thing.
func TestSeveral(t *testing.T) {
	for _, c := range []struct {
		s    Selection
		want bool
	}{
		{Selection{Names: []string{"HEAD"}}, false},
		{Selection{Names: []string{"HEAD"}, Paths: []string{"f"}}, false},
		{Selection{Names: []string{"a..b"}}, true},
		{Selection{Names: []string{"a", "b"}}, true},
		{Selection{Names: []string{"a"}, Since: "today"}, true},
		{Selection{Author: "x"}, true},
	} {
		if c.s.Several() != c.want {
			t.Errorf("%+v: %v", c.s, !c.want)
		}
	}
}

// TestTotalsOf: a commit, and a session's part in a checkpoint, count once. Tokens without a price
// are counted apart.
func TestTotalsOf(t *testing.T) {
	usage := &transcript.Usage{InputTokens: 1_000_000}
	shown := func(id, model string) Shown {
		m := checkpoints.SessionMetadata{CheckpointID: id, SessionID: "s", CheckpointTokenUsage: usage, Model: model, CreatedAt: time.Unix(0, 0)}
		return Shown{Checkpoint: id, Lines: &attribution.Sum{Agent: 3, Human: 2, Unknown: 1}, Commits: []ShownCommit{{Commit: id2(id)}}, holder: id2(id), Sessions: []ShownPart{{SessionMetadata: m}}}
	}
	known := shown("k", "priced")
	commit := ShownItem{ShownCommit: &ShownCommit{Commit: id2("k")}, Linked: true, Lines: known.Lines, Checkpoints: []Shown{known}}
	two := 2.0
	table := prices.Table{Prices: []prices.Price{{Models: []string{"priced"}, Input: &two, Output: &two}}}
	got := totalsOf([]ShownItem{commit, commit, {Name: "k", Checkpoints: []Shown{known}}, {ShownCommit: &ShownCommit{Commit: id2("x")}},
		{Name: "u", Checkpoints: []Shown{shown("u", "other")}}}, table)
	if want := (ShownTotals{Commits: 2, Linked: 1, Agent: 6, Human: 4, Unknown: 2, Spent: Spent{Tokens: 2_000_000, USD: 2, Unpriced: 1_000_000}}); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
	turn := shown("t", "other")
	one, other := attribution.Turn{Line: checkpoints.Line{Turn: "one"}}, attribution.Turn{Line: checkpoints.Line{Turn: "two"}}
	turn.counted.Files = []attribution.CountedFile{
		{Turns: map[attribution.Turn][][2]int{one: {{1, 1}}, other: {{2, 3}}}},
		{Turns: map[attribution.Turn][][2]int{one: {{1, 4}}}, Generated: true}}
	if got := totalsOf([]ShownItem{{Name: "t", Checkpoints: []Shown{turn}, turn: "one"}}, table); got.Agent != 1 || got.Human != 0 || got.Generated.Agent != 4 {
		t.Errorf("a turn: %+v", got)
	}
}

func id2(text string) gitexec.OID { return gitexec.OID("commit " + text) }

// TestKeep: with files, only sessions and turns that have something in them.
func TestKeep(t *testing.T) {
	zero, one := 0, 1
	s := Shown{Sessions: []ShownPart{
		{SessionMetadata: checkpoints.SessionMetadata{SessionID: "a", FilesTouched: []gitexec.Path{"f", "g"}}, Turns: []ShownTurn{{Number: 1, Lines: &zero}, {Number: 2, Lines: &one}}},
		{SessionMetadata: checkpoints.SessionMetadata{SessionID: "b", FilesTouched: []gitexec.Path{"g"}}},
	}}
	s.keep(map[gitexec.Path]bool{"f": true})
	if len(s.Sessions) != 1 || !slices.Equal(s.Sessions[0].FilesTouched, []gitexec.Path{"f"}) || len(s.Sessions[0].Turns) != 1 || s.Sessions[0].Turns[0].Number != 2 {
		t.Errorf("%+v", s.Sessions)
	}
}
