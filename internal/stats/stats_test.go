package stats

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/transcript"
)

func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }

func commit(id string, n int, linked bool) *Commit {
	return &Commit{ID: gitexec.OID(id), When: day(n), Author: "Ada <a@b>", Branch: "main", Linked: linked}
}

var (
	opus   = &Owner{Kind: attribution.Agent, Checkpoint: "k1", Session: "s1", Turn: "t1", Agent: "Claude Code", Model: "opus"}
	codex  = &Owner{Kind: attribution.Agent, Checkpoint: "k2", Session: "s2", Turn: "t2", Agent: "Codex"}
	person = &Owner{Kind: attribution.Human}
	nobody = &Owner{Kind: attribution.Unknown}
)

// filled has two linked commits in two weeks and one without a link.
func filled(r Request) Result {
	r.Now = day(31)
	c := New(r)
	one, two, plain := commit("1", 5, true), commit("2", 12, true), commit("3", 13, false)
	two.Branch, two.Author = "topic", "Bob <b@b>"
	for _, each := range []*Commit{one, two, plain} {
		c.Commit(each)
	}
	c.Added(Lines{Commit: one, Path: "src/a/x.go", Owner: opus}, 10)
	c.Added(Lines{Commit: one, Path: "src/a/x.go", Owner: person}, 4)
	c.Added(Lines{Commit: one, Path: "go.sum", Owner: opus, Generated: true}, 100)
	c.Added(Lines{Commit: two, Path: "src/b/y.go", Owner: codex}, 6)
	c.Added(Lines{Commit: two, Path: "README", Owner: nobody}, 1)
	kept := *opus
	kept.Kept = true
	c.Added(Lines{Commit: two, Path: "src/b/y.go", Owner: &kept}, 2)
	c.Added(Lines{Commit: plain, Path: "README", Owner: person}, 7)
	c.Edited(two, 3)
	c.Spent(Spent{Commit: one, Owner: opus, Usage: &transcript.Usage{InputTokens: 100, SubagentTokens: &transcript.Usage{OutputTokens: 10}},
		USD: 2, Known: true})
	c.Spent(Spent{Commit: two, Owner: codex, Usage: &transcript.Usage{InputTokens: 50}})
	c.Spent(Spent{Commit: two, Owner: &Owner{Checkpoint: "k2", Session: "s3", Agent: "Codex"}})
	return c.Result()
}

func TestTotals(t *testing.T) {
	got := filled(Request{}).Totals
	want := "3 commits, 2 linked, 2 checkpoints; {18 4 1}, others 7, share 82; apart {100 0 0}; accepted 16, edited 3; tokens 160, 2.00 USD, 50 unpriced, 1 without"
	text := fmt.Sprintf("%d commits, %d linked, %d checkpoints; %v, others %d, share %.0f; apart %v; accepted %d, edited %d; tokens %d, %.2f USD, %d unpriced, %d without",
		got.Commits, got.Linked, got.Checkpoints, got.Counts, got.Others, *got.Share(), got.Generated, got.Accepted, got.Edited, got.Tokens.All(),
		got.USD, got.Unpriced, got.NoTokens)
	if text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}

func TestRows(t *testing.T) {
	for by, want := range map[By][]string{
		Week:    {"2026-W02 2026-01-05 10 4 0 +0 110", "2026-W03 2026-01-12 8 0 1 +7 50"},
		Author:  {"Ada <a@b> 10 4 0 +7 110", "Bob <b@b> 8 0 1 +0 50"},
		Branch:  {"main 10 4 0 +7 110", "topic 8 0 1 +0 50"},
		Session: {"s1 12 0 0 +0 110", "s2 6 0 0 +0 50", "(human) 0 4 0 +7 0", "(unknown) 0 0 1 +0 0", "s3 0 0 0 +0 0"},
		Agent:   {"Claude Code 12 0 0 +0 110", "Codex 6 0 0 +0 50", "(human) 0 4 0 +7 0", "(unknown) 0 0 1 +0 0"},
		Model:   {"opus 12 0 0 +0 110", "(none) 6 0 0 +0 50", "(human) 0 4 0 +7 0", "(unknown) 0 0 1 +0 0"},
		Path:    {"src/ 18 4 0 +0 0", "./ 0 0 1 +7 0"},
	} {
		var got []string
		for _, r := range filled(Request{By: by}).Groups {
			got = append(got, fmt.Sprintf("%s %d %d %d +%d %d", r.Key, r.Agent, r.Human, r.Unknown, r.Others, r.Tokens.All()))
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %s: %q, want %q", by, got, want)
		}
	}
}

// However few rows are asked for, they add up to the totals.
func TestMost(t *testing.T) {
	for _, by := range All {
		for most := range 4 {
			all := filled(Request{By: by, Most: most})
			sum := newRow("")
			for i := range all.Groups {
				sum.plus(&all.Groups[i])
			}
			if sum.Counts != all.Totals.Counts || sum.Others != all.Totals.Others || by != Path && (sum.USD != all.Totals.USD || sum.Tokens != all.Totals.Tokens) {
				t.Errorf("by %s, %d rows: %+v, want %+v", by, most, sum, all.Totals)
			}
			if most > 0 && len(all.Groups) > most+1 {
				t.Errorf("by %s, %d rows: %d", by, most, len(all.Groups))
			}
		}
	}
	if all := filled(Request{By: Session, Most: 2}); all.Groups[2].Key != "(3 others)" || all.Rows != 5 {
		t.Errorf("%q of %d", all.Groups[2].Key, all.Rows)
	}
}

// TestOthersLinked: in a row for several others, a linked commit that is in many of them counts once.
func TestOthersLinked(t *testing.T) {
	linked, other := &Commit{ID: "a", Linked: true}, &Commit{ID: "b"}
	sum := newRow("")
	for _, c := range []*Commit{linked, other, linked} {
		one := newRow("")
		one.count(c)
		sum.plus(one)
	}
	if sum.Commits != 2 || sum.Linked != 1 {
		t.Errorf("%d commits, %d linked", sum.Commits, sum.Linked)
	}
}

func TestDirectory(t *testing.T) {
	for _, c := range []struct {
		path  string
		depth int
		want  string
	}{{"a", 1, "./"}, {"a/b", 1, "a/"}, {"a/b/c", 1, "a/"}, {"a/b/c", 2, "a/b/"}, {"a/b/c", 9, "a/b/"}} {
		if got := Directory(c.path, c.depth); got != c.want {
			t.Errorf("%s, %d: %s", c.path, c.depth, got)
		}
	}
}

func TestWeekOf(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-04T23:00:00Z":      "2026-W01 2025-12-29",
		"2026-01-05T00:00:00Z":      "2026-W02 2026-01-05",
		"2026-01-04T23:00:00-02:00": "2026-W02 2026-01-05",
		"2021-01-03T00:00:00Z":      "2020-W53 2020-12-28",
	} {
		when, _ := time.Parse(time.RFC3339, text)
		if got := WeekOf(when); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// lived are lines that died on days of January; 0: they are alive.
func lived(n int, on int) Lifespan {
	if on == 0 {
		return Lifespan{N: n}
	}
	return Lifespan{N: n, Died: day(on)}
}

func TestSurvival(t *testing.T) {
	c := New(Request{Now: day(31)})
	first := commit("1", 1, true)
	c.Born(Lines{Commit: first, Path: "f", Owner: opus}, []Lifespan{lived(10, 0), lived(4, 3), lived(6, 16)})
	c.Born(Lines{Commit: first, Path: "f", Owner: person}, []Lifespan{lived(3, 0), lived(1, 2)})
	c.Born(Lines{Commit: first, Path: "go.sum", Owner: opus, Generated: true}, []Lifespan{lived(500, 2)})
	c.Born(Lines{Commit: commit("2", 28, true), Path: "f", Owner: codex}, []Lifespan{lived(5, 29), lived(1, 0)}) // too young for a week
	var got []string
	all := c.Result()
	for _, a := range all.Survival {
		got = append(got, fmt.Sprintf("%d: %d of %d, %d of %d", a.Weeks, a.Agent.Alive, a.Agent.Lines, a.Human.Alive, a.Human.Lines))
	}
	if want := []string{"1: 16 of 20, 3 of 4", "2: 16 of 20, 3 of 4", "4: 10 of 20, 3 of 4"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if all.Totals.Alive != (Counts{Agent: 11, Human: 3}) || all.Totals.Born != (Counts{Agent: 26, Human: 4}) {
		t.Errorf("%+v of %+v", all.Totals.Alive, all.Totals.Born)
	}
	if len(all.Prompts) != 1 || all.Prompts[0].Turn != "t2" || all.Prompts[0].Died != 5 || all.Prompts[0].Written != 6 || all.Prompts[0].Alive != 1 {
		t.Errorf("%+v", all.Prompts)
	}
}

// Lines that another commit moves live on: they are no loss of the turn that wrote them.
func TestMovedLinesLive(t *testing.T) {
	c := New(Request{Now: day(31)})
	c.Born(Lines{Commit: commit("1", 1, true), Path: "f", Owner: opus}, []Lifespan{lived(10, 3)})
	kept := *opus
	kept.Kept = true
	c.Born(Lines{Commit: commit("2", 3, false), Path: "g", Owner: &kept}, []Lifespan{lived(9, 0)})
	all := c.Result()
	if a := all.Survival[0]; a.Agent.Alive != 9 || a.Agent.Lines != 10 {
		t.Errorf("%+v", a)
	}
	if len(all.Prompts) > 0 {
		t.Errorf("%+v", all.Prompts)
	}
}

// TestMovedLinesLiveWhereTheTurnHasLines: lines that go on in a directory where the turn has brought
// some live there, and not in that of its first file.
func TestMovedLinesLiveWhereTheTurnHasLines(t *testing.T) {
	c := New(Request{Now: day(31), By: Path})
	c.Born(Lines{Commit: commit("1", 1, true), Path: "a/f", Owner: opus}, []Lifespan{lived(10, 0)})
	c.Born(Lines{Commit: commit("1", 1, true), Path: "b/f", Owner: opus}, []Lifespan{lived(10, 3)})
	kept := *opus
	kept.Kept = true
	c.Born(Lines{Commit: commit("2", 3, false), Path: "b/f", Owner: &kept}, []Lifespan{lived(10, 0)})
	for _, r := range c.Result().Groups {
		if r.Alive.Agent != 10 {
			t.Errorf("%s: %+v", r.Key, r.Alive)
		}
	}
}

// A line that another commit wraps over several is several, where it was brought.
func TestNoMoreLinesLiveThanWereBrought(t *testing.T) {
	c := New(Request{Now: day(31), By: Path})
	c.Born(Lines{Commit: commit("1", 1, true), Path: "src/f", Owner: opus}, []Lifespan{lived(1, 3)})
	kept := *opus
	kept.Kept = true
	c.Born(Lines{Commit: commit("2", 3, false), Path: "lib/f", Owner: &kept}, []Lifespan{lived(4, 0)})
	other := *opus
	other.Turn, other.Kept = "of no commit here", true
	c.Born(Lines{Commit: commit("2", 3, false), Path: "lib/f", Owner: &other}, []Lifespan{lived(4, 0)})
	all := c.Result()
	if all.Totals.Born.Agent != 4 || all.Totals.Alive.Agent != 4 {
		t.Errorf("%+v of %+v", all.Totals.Alive, all.Totals.Born)
	}
	for _, r := range all.Groups {
		if want := map[string]int{"src/": 4}[r.Key]; r.Alive.Agent != want || r.Born.Agent != want {
			t.Errorf("%s: %+v of %+v", r.Key, r.Alive, r.Born)
		}
	}
}

// Prompts are listed by how much they lost.
func TestPrompts(t *testing.T) {
	c := New(Request{Now: day(31)})
	for i, died := range []int{2, 8, 4} {
		owner := *opus
		owner.Turn = fmt.Sprint("t", i)
		c.Born(Lines{Commit: commit(fmt.Sprint(i), 1, true), Path: "f", Owner: &owner}, []Lifespan{lived(died, 5), lived(4, 0)})
	}
	var got []string
	for _, p := range c.Result().Prompts {
		got = append(got, fmt.Sprintf("%s %d/%d", p.Turn, p.Died, p.Written))
	}
	if strings.Join(got, ", ") != "t1 8/12, t2 4/8" {
		t.Errorf("%q", got)
	}
}
