package cli

import (
	"io"
	"strings"
	"testing"

	"entire-plumb/internal/query"
	"entire-plumb/internal/stats"
)

// counted are totals with something of everything.
func counted() query.Stats {
	half, all := 50.0, 100.0
	row := stats.Row{Commits: 3, Linked: 2, Checkpoints: 2, Counts: stats.Counts{Agent: 6, Human: 2, Unknown: 1}, Others: 7, Generated: stats.Counts{Agent: 30},
		OthersApart: 4, Accepted: 5, Edited: 1, Born: stats.Counts{Agent: 6, Human: 9}, Alive: stats.Counts{Agent: 3, Human: 9},
		Tokens: stats.Tokens{Input: 9_999, Output: 20_000, CacheRead: 31_000_000}, USD: 1.5, Unpriced: 12_345, NoTokens: 1}
	return query.Stats{PricesOf: "2026-10-07", Unpriced: []string{"x\x1b", ""}, Died: 2, Result: stats.Result{Totals: row,
		Survival: []stats.Age{{Weeks: 1, Agent: stats.Living{Lines: 2, Alive: 1, Percent: &half}, Human: stats.Living{Lines: 1, Alive: 1, Percent: &all}}, {Weeks: 12}},
		Prompts:  []stats.Prompt{{Session: "s1", Turn: "0123456789ab", Written: 4, Died: 3, Alive: 1, Prompt: "Write\x1b it"}}}}
}

func TestStatsBlock(t *testing.T) {
	prints(t, "totals", `3 commits, 2 linked to 2 checkpoints

agent           6  lines in linked commits, 75 % of those with a known author
human           2
unknown         1
others          7  lines in commits without a link
generated      34  apart, in generated and vendored files: agent 30, human 0, unknown 0, others 4
accepted        5  the agents' lines that were committed as they wrote them
edited          1  lines in linked commits that replace others, at most so many of them an agent's
tokens        31M  9999 in, 20k out, 31M read from the cache, 0 written to it; 1 part of a checkpoint without a count of its own
cost       $1.50+  by the list prices of 2026-10-07; without 12k tokens of x�, an unknown model, whose price is not known

alive at HEAD: agent 50 % of 6 lines, human and others 100 % of 9
WEEKS                 1  12
agent              50 %   -
human and others  100 %   -

2 prompts of whose lines at least half died within a week
TURN          SESSION  LINES  DIED  ALIVE  PROMPT
0123456789ab  s1           4     3      1  Write� it
and 1 more; --json lists more of them
`, func(w io.Writer) { statsBlock(w, screen{}, counted()) })
}

func TestStatsBlockOfNothing(t *testing.T) {
	var b strings.Builder
	statsBlock(&b, screen{}, query.Stats{PricesOf: "2026-10-07"})
	for _, want := range []string{"agent         0  lines in linked commits, - of those", "alive at HEAD: agent - of 0 lines, human and others - of 0\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "WEEKS") || strings.Contains(b.String(), "prompt") {
		t.Error(b.String())
	}
}

func TestStatsTable(t *testing.T) {
	all := counted()
	all.By = stats.Session
	all.Groups = []stats.Row{{Key: "0f1e2d3c-0000-4000-8000-000000000000", Commits: 2, Counts: stats.Counts{Agent: 6}, Tokens: stats.Tokens{Input: 5}, USD: 0.126},
		{Key: stats.HumanRow, Commits: 2, Counts: stats.Counts{Human: 2}, Others: 7}}
	prints(t, "by session", `SESSION   COMMITS  AGENT  HUMAN  UNKNOWN  SHARE  OTHERS  ALIVE  TOKENS    COST
0f1e2d3c        2      6      0        0  100 %       0      -       5   $0.13
(human)         2      0      2        0    0 %       7      -       0       -
total           3      6      2        1   75 %       7   50 %     31M  $1.50+
`, func(w io.Writer) { statsTable(w, screen{}, all) })
	all.By, all.Groups = stats.Path, []stats.Row{{Key: "src/", Commits: 3}}
	prints(t, "by path", `PATH   COMMITS  AGENT  HUMAN  UNKNOWN  SHARE  OTHERS  ALIVE  TOKENS    COST
src/         3      0      0        0      -       0      -       -       -
total        3      6      2        1   75 %       7   50 %     31M  $1.50+
`, func(w io.Writer) { statsTable(w, screen{}, all) })
}

func TestWarnStats(t *testing.T) {
	prints(t, "nothing", "", func(w io.Writer) { warnStats(w, query.Stats{}, nil) })
	prints(t, "everything", `entire-plumb: 2 checkpoints are not here, such as a
hint: if it was pushed, entire-plumb fetch
entire-plumb: 1 commit is not counted: the parent is missing, as in a shallow clone
hint: this is a shallow clone: git fetch --unshallow brings the commits that are missing
entire-plumb: 3 commits are not in HEAD's history: the lines are counted, and not followed
`, func(w io.Writer) {
		warnStats(w, query.Stats{Missing: []string{"a", "b"}, Shallow: 1, Outside: 3}, func() string { return "git fetch --unshallow" })
	})
	if err := damagedIn(query.Stats{Damaged: []string{"c"}}); err == nil || !strings.Contains(err.Error(), "checkpoint c is damaged") {
		t.Error(err)
	}
	if err := damagedIn(query.Stats{}); err != nil {
		t.Error(err)
	}
}
