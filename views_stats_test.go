package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestStatsAgreeAtRandom: of random commits by two agents and the human, stats says what blame says
// of all files together, and what attribution says of all commits.
func TestStatsAgreeAtRandom(t *testing.T) {
	t.Parallel()
	whole(t)
	seed := *viewsSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	v := &viewed{where: newWorld(t), kinds: map[string]string{}}
	rng := rand.New(rand.NewPCG(seed, 1))
	for range *viewsRounds {
		for range 1 + rng.IntN(2) {
			v.turn([]string{"s", "s2"}[rng.IntN(2)], func() { v.edit(rng) })
			v.edit(rng)
		}
		v.git("add", "-A")
		args := []string{"commit", "-q", "--allow-empty", "-m", "Change"}
		if rng.IntN(3) == 0 { // a commit by hand, without a link unless it holds an agent's work
			v.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "By hand")
		}
		v.git(args...)
		v.rewrite(rng)
		for _, fault := range v.statsFaults() {
			t.Errorf("-views.seed=%d: %s", seed, fault)
		}
	}
}

// rewrite amends, reverts or reverts and squashes what was committed, or merges a branch from before
// it.
func (v *viewed) rewrite(rng *rand.Rand) {
	v.t.Helper()
	switch rng.IntN(8) {
	case 0:
		v.edit(rng)
		v.git("commit", "-qa", "--amend", "--no-edit", "--allow-empty")
	case 1:
		_, _ = v.run(nil, nil, "git", "revert", "--no-edit", "HEAD") // there may be nothing to revert
	case 2:
		v.git("reset", "-q", "--soft", "HEAD~1")
		v.git("commit", "-q", "--allow-empty", "-m", "Again")
	case 3:
		v.git("branch", "-qf", "side", "HEAD~1")
		v.git("checkout", "-qf", "side")
		v.turn("s3", func() { v.write(fmt.Sprintf("side%d", v.turns), numbered(fmt.Sprint(v.turns), 1, 4)...) })
		v.git("add", "-A")
		v.git("commit", "-q", "-m", "Side")
		v.git("checkout", "-q", "main")
		v.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
	}
}

// counts are keys of stats.
type counts struct {
	Agent   int `json:"agent_lines"`
	Human   int `json:"human_lines"`
	Unknown int `json:"unknown_lines"`
}

func (c *counts) add(kind string, n int) {
	switch kind {
	case "agent":
		c.Agent += n
	case "human":
		c.Human += n
	default:
		c.Unknown += n
	}
}

// statsRow is a row of stats, or the totals.
type statsRow struct {
	Key string
	counts
	Others    int `json:"other_lines"`
	Alive     counts
	Generated counts
}

// statsFaults compares stats with blame and attribution.
func (v *viewed) statsFaults() (faults []string) {
	v.t.Helper()
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	var all struct{ Totals statsRow }
	parse := func(into any, args ...string) {
		out, err := v.run(nil, nil, "entire-plumb", args...)
		if err == nil {
			err = json.Unmarshal([]byte(out), into)
		}
		if err != nil {
			fault("%q: %v", args, err)
		}
	}
	parse(&all, "stats", "--json")
	var blamed counts
	for _, file := range strings.Split(strings.TrimSuffix(v.git("ls-tree", "-r", "-z", "HEAD"), "\x00"), "\x00") {
		mode, path, _ := strings.Cut(file, "\t")
		if !strings.HasPrefix(mode, "100") || v.binary(path) {
			continue
		}
		var lines []struct{ Owner struct{ Kind string } }
		parse(&lines, "blame", "--json", "--rev", "HEAD", path)
		for _, l := range lines {
			blamed.add(l.Owner.Kind, 1)
		}
	}
	if all.Totals.Alive != blamed {
		fault("stats: %+v are alive, blame has %+v", all.Totals.Alive, blamed)
	}
	var commits []struct {
		Lines *sum
		Files []struct{ Again sum }
	}
	parse(&commits, append([]string{"attribution", "--json"}, strings.Fields(v.git("rev-list", "HEAD"))...)...)
	var attributed counts
	for _, c := range commits {
		if c.Lines != nil {
			attributed.Agent, attributed.Human, attributed.Unknown = attributed.Agent+c.Lines.Agent, attributed.Human+c.Lines.Human, attributed.Unknown+c.Lines.Unknown
		}
		for _, f := range c.Files { // a sum counts a line once
			attributed.Agent, attributed.Human, attributed.Unknown = attributed.Agent-f.Again.Agent, attributed.Human-f.Again.Human, attributed.Unknown-f.Again.Unknown
		}
	}
	if all.Totals.counts != attributed {
		fault("stats counts %+v, attribution %+v", all.Totals.counts, attributed)
	}
	var summary struct{ Share sum }
	parse(&summary, append([]string{"summary", "--json"}, strings.Fields(v.git("rev-list", "HEAD"))...)...)
	if summary.Share.Agent != attributed.Agent {
		fault("summary counts %+v, attribution %+v", summary.Share, attributed)
	}
	for _, by := range []string{"week", "author", "branch", "session", "agent", "model", "path"} {
		var rows struct{ Groups []statsRow }
		parse(&rows, "stats", "--json", "-n", "2", "--by", by)
		together := statsRow{}
		for _, r := range rows.Groups {
			for _, both := range [][2]*counts{{&together.counts, &r.counts}, {&together.Alive, &r.Alive}} {
				both[0].Agent, both[0].Human, both[0].Unknown = both[0].Agent+both[1].Agent, both[0].Human+both[1].Human, both[0].Unknown+both[1].Unknown
			}
			together.Others += r.Others
		}
		if together != all.Totals {
			fault("by %s the rows are %+v together, the totals %+v", by, together, all.Totals)
		}
	}
	return faults
}

// binary reports whether git takes a file of HEAD for binary.
func (v *viewed) binary(path string) bool {
	v.t.Helper()
	empty := strings.TrimSpace(v.git("hash-object", "-t", "tree", "/dev/null"))
	return strings.HasPrefix(v.git("--literal-pathspecs", "diff", "--numstat", empty, "HEAD", "--", path), "-")
}

// TestStatsAgree does the same at the end of each branch of a history of commits of all kinds.
func TestStatsAgree(t *testing.T) {
	t.Parallel()
	whole(t)
	v := &viewed{where: newWorld(t), kinds: map[string]string{}}
	v.history()
	for _, kind := range slices.Sorted(maps.Keys(v.kinds)) {
		if !slices.Contains([]string{"merge", "squash", "revert", "rebased", "linked beside", "root commit with a link", "all lines unknown",
			"remainder", "squash on a server, its trailers are git's"}, kind) {
			continue
		}
		testdir.InTime(t)
		v.git("checkout", "-qf", v.kinds[kind])
		for _, fault := range v.statsFaults() {
			t.Errorf("%s: %s", kind, fault)
		}
	}
}
