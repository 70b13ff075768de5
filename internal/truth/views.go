package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// counts are the numbers of a commit's lines, as a command gives them.
type counts struct {
	Agent   int `json:"agent"`
	Others  int `json:"other_sessions"`
	Human   int `json:"human"`
	Unknown int `json:"unknown"`
}

func (c counts) String() string {
	return fmt.Sprintf("%d+%d+%d", c.Agent+c.Others, c.Human, c.Unknown)
}

func (c counts) all() int { return c.Agent + c.Others + c.Human + c.Unknown }

// owners are those of the lines of a commit; empty: unknown.
type owners map[lineAt]string

// lineAt is a line's number in a file.
type lineAt struct {
	file string
	n    int
}

// look is what the commands say of a commit.
type look struct {
	counts map[string]counts   // by command
	ids    map[string][]string // by command: the checkpoints
	report owners
}

// said is what any of the commands says of a commit, or of a checkpoint.
type said struct {
	named
	Lines       *counts
	Checkpoints []named
}

// named is a checkpoint, as some commands name it, or others.
type named struct {
	ID         string
	Checkpoint string `json:"checkpoint_id"`
}

// look asks all commands.
func (w *world) look(id string) look {
	l := look{counts: map[string]counts{}, ids: map[string][]string{}, report: owners{}}
	var attribution, show []said
	var log struct{ Commits []said }
	w.json(&attribution, "attribution", "--json", id)
	w.json(&log, "log", "-n", "1", "--json", id)
	w.json(&show, "show", "--json", id)
	for name, all := range map[string][]said{"attribution": attribution, "log": log.Commits, "show": show} {
		for _, one := range all {
			if one.Lines != nil {
				l.counts[strings.TrimSpace(name+" "+one.Checkpoint)] = *one.Lines
			}
			if name == "show" {
				one.Checkpoints = []named{one.named}
			}
			for _, c := range one.Checkpoints {
				l.ids[name] = append(l.ids[name], cmp.Or(c.Checkpoint, c.ID))
			}
		}
	}
	if len(l.ids["log"]) > 0 {
		w.lookReport(id, &l)
		var d diffed
		w.json(&d, "diff", "--stat", "--json", id)
		l.counts["diff"] = d.counts()
	}
	return l
}

// diffed is what diff counts.
type diffed struct {
	Agent   int `json:"agent_lines"`
	Human   int `json:"human_lines"`
	Unknown int `json:"unknown_lines"`
}

func (d diffed) counts() counts { return counts{Agent: d.Agent, Human: d.Human, Unknown: d.Unknown} }

// lookReport reads the page of a commit.
func (w *world) lookReport(id string, l *look) {
	var page struct {
		Lines    counts
		Chapters []struct {
			Checkpoints []string
			Owners      []struct {
				Mark, Kind string
				Session    string `json:"session_id"`
			}
			Files []struct {
				Path  string
				Hunks []struct {
					Rows []struct {
						Sign, Owner string
						New         int
					}
				}
			}
		}
	}
	w.json(&page, "report", "--json", id)
	l.counts["report"] = page.Lines
	for _, c := range page.Chapters {
		l.ids["report"] = append(l.ids["report"], c.Checkpoints...)
		who := map[string]string{}
		for _, o := range c.Owners {
			if who[o.Mark] = o.Session; o.Kind == human {
				who[o.Mark] = human
			}
		}
		for _, f := range c.Files {
			for _, h := range f.Hunks {
				for _, row := range h.Rows {
					if row.Sign == "+" {
						l.report[lineAt{f.Path, row.New}] = who[row.Owner]
					}
				}
			}
		}
	}
}

func (w *world) json(into any, args ...string) {
	res := w.plumb(args...)
	if err := json.Unmarshal([]byte(res.out), into); err != nil || res.failed {
		w.fail(complaints, "%q: %s", args, res.errs)
	}
}

// checkSums: agent's, human's and unknown lines are those that git counts, in each view, and each
// view says the same.
func (w *world) checkSums(id string, added int, l look) {
	links := w.links(id).checkpoints
	for _, name := range []string{"attribution", "log", "show", "report"} {
		if ids := union(l.ids[name], nil); len(links) > 0 && !slices.Equal(ids, links) {
			w.fail(views, "%s of %s names the checkpoints %q; git %q", name, short(id), ids, links)
		}
	}
	first := l.first()
	for _, name := range sorted(l.counts) {
		c := l.counts[name]
		w.tally.Views++
		if c.all() != added {
			w.fail(wrongSum, "%s of %s: %s, but git counts %d lines", name, short(id), c, added)
		}
		if c.String() != first.String() {
			w.fail(views, "%s of %s: %s, but attribution %s", name, short(id), c, first)
		}
	}
}

// first is what the first of the commands counts.
func (l look) first() (c counts) {
	for _, name := range sorted(l.counts) {
		return l.counts[name]
	}
	return c
}

// checkOwners: blame has as many lines of each, and the report the same owner for each line.
func (w *world) checkOwners(id string, l look, owned owners) {
	if len(l.counts) == 0 {
		return
	}
	var blamed counts
	for _, who := range owned {
		switch who {
		case human:
			blamed.Human++
		case "":
			blamed.Unknown++
		default:
			blamed.Agent++
		}
	}
	w.tally.Views++
	if first := l.first(); blamed.String() != first.String() {
		w.fail(views, "blame of %s: %s, but attribution %s", short(id), blamed, first)
	}
	if page, ok := l.counts["report"]; ok && page.all() > 0 {
		w.tally.Views++
		if line, same := equal(owned, l.report); !same {
			w.fail(views, "report and blame of %s differ in %s:%d", short(id), line.file, line.n)
		}
	}
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
