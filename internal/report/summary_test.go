package report

import (
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/query"
	"entire-plumb/internal/transcript"
)

// TestAlone: one name is a report on it, and whatever else selects commits is one on these.
func TestAlone(t *testing.T) {
	for name, c := range map[string]struct {
		selection query.Selection
		alone     string
		title     string
	}{
		"a name":       {query.Selection{Names: []string{"HEAD"}}, "HEAD", "HEAD"},
		"none":         {query.Selection{}, "", ""},
		"two":          {query.Selection{Names: []string{"a", "b"}}, "", "a b"},
		"a range":      {query.Selection{Names: []string{"a..b"}}, "", "a..b"},
		"an exclusion": {query.Selection{Names: []string{"^a"}}, "", "^a"},
		"parents":      {query.Selection{Names: []string{"a^@"}}, "", "a^@"},
		"a parent":     {query.Selection{Names: []string{"a^"}}, "a^", "a^"},
		"paths":        {query.Selection{Names: []string{"a"}, Paths: []string{"f"}}, "", "a -- f"},
		"limits":       {query.Selection{Names: []string{"a"}, Since: "1 week\nago", Author: "Ada"}, "", "a --since 1 week ago --author Ada"},
	} {
		if got := (Request{Selection: c.selection}).alone(); got != c.alone || title(c.selection) != c.title {
			t.Errorf("%s: %q, %q", name, got, title(c.selection))
		}
	}
}

// TestFilesOf: files that only agents touched come first, then those with most lines.
func TestFilesOf(t *testing.T) {
	all := filesOf([]Chapter{
		{Files: []File{{Path: "both", ID: "f1", Lines: Lines{Agent: 9, Human: 1}}, {Path: "agent", ID: "f2", Lines: Lines{Agent: 1}},
			{Path: "removed", ID: "f3", Lines: Lines{Removed: 2}}, {Path: "later", ID: "f4", Lines: Lines{Agent: 5}}}},
		{Files: []File{{Path: "agent", ID: "f5", Lines: Lines{Other: 1}}, {Path: "later", ID: "f6", Lines: Lines{Unknown: 1}},
			{Path: "renamed", Lines: Lines{Agent: 1}}}},
		{Commit: &Commit{}, Files: []File{{Path: "wrapped", Was: "renamed", Lines: Lines{Agent: 1}}, {Path: "agent", ID: "f5"}}}})
	var names []string
	for _, f := range all {
		names = append(names, f.Path)
	}
	if !slices.Equal(names, []string{"agent", "both", "later", "renamed", "wrapped", "removed"}) || !all[0].Only || all[0].Lines.All() != 2 || all[0].Place != "f5" ||
		slices.ContainsFunc(all[1:], func(f FileSum) bool { return f.Only }) {
		t.Errorf("%+v", all)
	}
}

func TestSummarise(t *testing.T) {
	here := []string{"c"}
	owner := &Owner{Kind: Agent, Session: "s", Lines: 5, apart: 2, in: map[string]int{"a": 3, "go.sum": 2}}
	p := Page{Sessions: []Session{{ID: "s", Turns: []Turn{{ID: "s1-t1", Number: 1, Of: here, Files: []TurnFile{{Path: "b"}}},
		{ID: "s1-t2", Number: 2, Of: here, Gone: true}, {ID: "s1-t3", Number: 3}}}, {ID: "other"}},
		Chapters: []Chapter{{Commit: &Commit{}, Owners: []*Owner{owner, {Kind: Human, Lines: 9}}, Files: []File{{Path: "a"}, {Path: "go.sum", path: "go.sum"}}}, {Owners: []*Owner{owner}}}}
	s := summarise(p, map[gitexec.Path]bool{"go.sum": true}, map[string]*bill{"s": {usage: transcript.Usage{InputTokens: 5}, cost: Cost{USD: 2, Unpriced: 1}}, "x": {cost: Cost{USD: 9}}}, "2026-01-02")
	if got := s.Sessions[0]; got.Turns != 2 || got.Commits != 1 || got.Lines != 6 || got.Files != 1 || got.Tokens.InputTokens != 5 {
		t.Errorf("%+v", got)
	}
	if !slices.Equal(s.Rejected, []string{"s1-t2"}) || s.Cost != (Cost{2, 1, "2026-01-02"}) || s.Sessions[1].Turns != 0 {
		t.Errorf("%+v", s)
	}
}

// TestCharge: a checkpoint that two commits link is paid for once.
func TestCharge(t *testing.T) {
	in := 3.0
	g := newReporter(&query.Reader{}, prices.Table{Prices: []prices.Price{{Models: []string{"m"}, Input: &in, Output: &in}}})
	used := &transcript.Usage{InputTokens: 1_000_000, CacheReadTokens: 7}
	for _, c := range []struct{ checkpoint, session, model string }{{"k1", "s", "m"}, {"k1", "s", "m"}, {"k2", "s", "m"}, {"k2", "t", "unheard-of"}} {
		g.charge(c.checkpoint, c.session, c.model, time.Unix(0, 0), used)
	}
	g.charge("k3", "s", "m", time.Unix(0, 0), nil)
	s, other := g.bills["s"], g.bills["t"]
	if s.usage.InputTokens != 2_000_000 || s.cost.USD < 6 || s.cost.USD > 6.01 || s.cost.Unpriced != 0 || other.cost.Unpriced != 1_000_007 || other.cost.Known() {
		t.Errorf("%+v %+v", s, other)
	}
	if usd(s.cost) != "$6.00" || usd(other.cost) != "–" || usd(Cost{USD: .001}) != "<$0.01" {
		t.Error(usd(s.cost), usd(other.cost))
	}
}
