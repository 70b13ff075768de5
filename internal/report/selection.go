package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/query"
)

// Request is what a report is about.
type Request struct {
	// Selection is the commits, or one name, as that of a session; required.
	Selection query.Selection
	Prices    prices.Table // by which tokens are priced; zero: they are not
	Bare      bool         // only what the commits add up to, of all of them, and of a name's; without their lines
	Committed bool         // leave out what is on this machine alone: streams, states, and what became of them
}

// alone is the one name that a report is about; empty: it is about commits that are selected.
func (q Request) alone() string {
	s := q.Selection
	if q.Bare || s.Several() || len(s.Paths) > 0 {
		return ""
	}
	return s.Names[0]
}

// title says what was asked for, as it is typed.
func title(s query.Selection) string {
	words := slices.Clone(s.Names)
	for _, limit := range [][2]string{{"since", s.Since}, {"until", s.Until}, {"author", s.Author}} {
		if limit[1] != "" {
			words = append(words, "--"+limit[0], limit[1])
		}
	}
	if len(s.Paths) > 0 {
		words = append(append(words, "--"), s.Paths...)
	}
	return oneLine(strings.Join(words, " "))
}

// ofSelection adds a chapter for each of the selected commits, the oldest first.
func (g *reporter) ofSelection(ctx context.Context, s query.Selection) error {
	commits, err := query.SelectCommitted(ctx, g.reader, s)
	switch {
	case err != nil:
		return err
	case s.None(g.reader.Repo):
		g.note("The current branch has no commit yet.")
	}
	asked := cmp.Or(title(s), "HEAD")
	g.page.Kind, g.page.Name = "range", asked
	g.page.Title = fmt.Sprintf("%s: %s", amount.Of(len(commits), "commit"), asked)
	// Newest first: the earliest are left out.
	if len(commits) > mostChapters && !g.bare {
		g.note("%d earlier commits are not shown.", len(commits)-mostChapters)
		g.page.Gaps = append(g.page.Gaps, g.page.Notes[len(g.page.Notes)-1])
		commits = commits[:mostChapters]
	}
	if len(s.Paths) > 0 {
		g.paths = gitexec.Pathspecs{All: s.Paths, Dir: g.reader.Env.Dir}
		g.note("Of the commits only these paths are shown: %s.", oneLine(strings.Join(s.Paths, " ")))
	}
	commits = slices.Clone(commits)
	slices.Reverse(commits)
	return g.ofCommits(ctx, commits)
}

// ofCommits adds a chapter for each commit.
func (g *reporter) ofCommits(ctx context.Context, commits []gitexec.Commit) error {
	var ids []string
	links := make([][]string, len(commits))
	for i, c := range commits {
		links[i] = g.reader.Branch.Links(g.reader.DB, c)
		ids = append(ids, links[i]...)
	}
	slices.Sort(ids)
	linked, err := g.linked(ctx, slices.Compact(ids)...)
	if err != nil {
		return err
	}
	for i, c := range commits {
		g.chapterOf(c, links[i], linked)
	}
	return nil
}

// chapterOf adds the chapter of a commit.
func (g *reporter) chapterOf(commit gitexec.Commit, links []string, linked linkings) {
	c := g.begin(commit.ID.Short(), links...)
	g.at(c, commit)
	for _, link := range links {
		for _, also := range linked[link].commits {
			if one := commitOn(also); also.ID != commit.ID && !slices.Contains(c.Also, one) {
				c.Also = append(c.Also, one)
			}
		}
	}
	if len(links) == 0 {
		c.Notes = append(c.Notes, "The commit has no link: no agent's work is known to be in it.")
	}
	g.conversations(c)
}
