package main

import (
	"encoding/json"
	"fmt"
	"slices"
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

// ownedLine is a line of a commit, and its owner; empty: unknown.
type ownedLine struct {
	file string
	n    int
	who  string
}

// look is what the commands say of a commit.
type look struct {
	counts map[string]counts // a command
	ids    map[string][]string
	report []ownedLine
	files  map[string]counts // attribution's
}

// look asks all commands.
func (w *world) look(id string) look {
	l := look{counts: map[string]counts{}, ids: map[string][]string{}, files: map[string]counts{}}
	var attribution []struct {
		Lines *counts
		Files []struct {
			Path  string
			Lines *counts
		}
		Checkpoints []struct{ ID string }
	}
	w.json(&attribution, "attribution", "--json", id)
	for _, a := range attribution {
		if a.Lines != nil {
			l.counts["attribution"] = *a.Lines
		}
		for _, f := range a.Files {
			if f.Lines != nil {
				l.files[f.Path] = *f.Lines
			}
		}
		for _, c := range a.Checkpoints {
			l.ids["attribution"] = append(l.ids["attribution"], c.ID)
		}
	}
	var log struct {
		Commits []struct {
			Lines       *counts
			Checkpoints []struct {
				ID string `json:"checkpoint_id"`
			}
		}
	}
	w.json(&log, "log", "-n", "1", "--json", id)
	for _, c := range log.Commits {
		if c.Lines != nil {
			l.counts["log"] = *c.Lines
		}
		for _, c := range c.Checkpoints {
			l.ids["log"] = append(l.ids["log"], c.ID)
		}
	}
	var show []struct {
		Lines      *counts
		Checkpoint string `json:"checkpoint_id"`
	}
	w.json(&show, "show", "--json", id)
	for _, c := range show {
		if c.Lines != nil {
			l.counts["show "+c.Checkpoint] = *c.Lines
		}
		l.ids["show"] = append(l.ids["show"], c.Checkpoint)
	}
	if len(l.ids["log"]) > 0 {
		w.lookReport(id, &l)
	}
	return l
}

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
						l.report = append(l.report, ownedLine{f.Path, row.New, who[row.Owner]})
					}
				}
			}
		}
	}
}

func (w *world) json(into any, args ...string) {
	res := w.plumb(args...)
	if err := json.Unmarshal([]byte(res.out), into); err != nil || res.failed {
		w.fail(complaints, fmt.Sprintf("%q: %s", args, res.errs))
	}
}

// checkSums: agent's, human's and unknown lines are those that git counts, in each view, and each
// view says the same.
func (w *world) checkSums(id string, files []fileDiff, settings int, l look, owned []ownedLine) {
	added := 0
	for _, f := range files {
		added += len(f.added)
	}
	links := w.links(id).checkpoints
	for _, name := range []string{"attribution", "log", "show", "report"} {
		ids := slices.Clone(l.ids[name])
		slices.Sort(ids)
		if ids = slices.Compact(ids); len(links) > 0 && !slices.Equal(ids, links) {
			w.fail(views, fmt.Sprintf("%s of %s names the checkpoints %q; git %q", name, short(id), ids, links))
		}
	}
	var first counts
	for i, name := range sorted(l.counts) {
		c := l.counts[name]
		w.tally.Views++
		if c.all() != added+settings {
			w.fail(wrongSum, fmt.Sprintf("%s of %s: %s, but git counts %d lines", name, short(id), c, added+settings))
		}
		if i == 0 {
			first = c
		}
		if c.String() != first.String() {
			w.fail(views, fmt.Sprintf("%s of %s: %s, but attribution %s", name, short(id), c, first))
		}
	}
	if len(l.counts) == 0 || settings > 0 {
		return
	}
	var blamed counts
	for _, line := range owned {
		switch line.who {
		case human:
			blamed.Human++
		case "":
			blamed.Unknown++
		default:
			blamed.Agent++
		}
	}
	w.tally.Views++
	if blamed.String() != first.String() {
		w.fail(views, fmt.Sprintf("blame of %s: %s, but attribution %s", short(id), blamed, first))
	}
	if page, ok := l.counts["report"]; ok && page.all() > 0 {
		w.tally.Views++
		if line, same := sameOwners(owned, l.report); !same {
			w.fail(views, fmt.Sprintf("report and blame of %s differ in %s:%d", short(id), line.file, line.n))
		}
	}
}

// sameOwners compares line by line; the order doesn't count.
func sameOwners(a, b []ownedLine) (ownedLine, bool) {
	have := map[ownedLine]bool{}
	for _, line := range a {
		have[line] = true
	}
	for _, line := range b {
		if !have[line] {
			return line, false
		}
		delete(have, line)
	}
	for line := range have {
		return line, false
	}
	return ownedLine{}, true
}

func sorted[T any](m map[string]T) []string {
	var all []string
	for key := range m {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}
