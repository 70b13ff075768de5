package replay

import (
	"encoding/json"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
)

// reportAgrees is the check "report REV": the report of a commit gives each of its lines to whom
// blame returns it, and counts as many of the agents' as attribution does.
func reportAgrees(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 1, "report REV")
	var page struct {
		Name     string
		Chapters []struct {
			Lines struct {
				Agent int
				Other int `json:"other_sessions"`
			}
			Owners []struct {
				Mark    string
				Session string `json:"session_id"`
				Turn    string `json:"turn_id"`
			}
			Files []struct {
				Path, What, Note string
				Hunks            []struct {
					Rows []struct {
						Sign, Text, Owner string
						New               int
					}
				}
			}
		}
	}
	parse(ts, &page, "report", args[0], "--json")
	checked := 0
	for _, c := range page.Chapters {
		whose := map[string][]string{}
		for _, o := range c.Owners {
			whose[o.Mark] = append(whose[o.Mark], o.Session+" "+o.Turn)
		}
		for _, f := range c.Files {
			if f.What == "deleted" || len(f.Hunks) == 0 {
				continue
			}
			var lines []struct {
				Line            int
				Commit, Content string
				Owner           struct {
					Session string `json:"session_id"`
					Turn    string `json:"turn_id"`
				}
			}
			parse(ts, &lines, "blame", f.Path, "--rev", args[0], "--json")
			for _, h := range f.Hunks {
				for _, row := range h.Rows {
					if row.Sign != "+" {
						continue
					}
					l := lines[row.New-1]
					if l.Line != row.New || l.Content != row.Text {
						ts.Fatalf("%s, line %d: the report has %q, blame %q", f.Path, row.New, row.Text, l.Content)
					}
					if l.Commit != page.Name {
						continue // blame finds an older one that is the same
					}
					if who := l.Owner.Session + " " + l.Owner.Turn; !slices.Contains(whose[row.Owner], who) {
						ts.Fatalf("%s, line %d: the report gives it to %q (%s), blame to %q", f.Path, row.New, whose[row.Owner], row.Owner,
							who)
					}
					checked++
				}
			}
		}
	}
	agents := agentLines(ts, args[0])
	if got := page.Chapters[0].Lines.Agent + page.Chapters[0].Lines.Other; got != agents {
		ts.Fatalf("%d lines are the agents' by the report, %d by attribution", got, agents)
	}
	ts.Logf("%d lines are whose blame says", checked)
}

// parse reads the JSON that a command of ours prints.
func parse(ts *testscript.TestScript, into any, args ...string) {
	ts.Check(json.Unmarshal([]byte(ask(ts, "entire-plumb", args...)), into))
}

// agentLines is how many of a commit's lines are agents', by attribution: of its own checkpoints,
// and of earlier ones whose lines it moves.
func agentLines(ts *testscript.TestScript, rev string) (n int) {
	type checkpoint struct {
		Sessions []struct {
			Attribution struct {
				Agent int `json:"agent_lines"`
			} `json:"initial_attribution"`
		}
	}
	var all []struct{ Checkpoints, Kept []checkpoint }
	parse(ts, &all, "attribution", rev, "--json")
	for _, one := range all {
		for _, k := range slices.Concat(one.Checkpoints, one.Kept) {
			for _, s := range k.Sessions {
				n += s.Attribution.Agent
			}
		}
	}
	return n
}
