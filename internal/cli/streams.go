package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/upkeep"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func streamsCommand() *cli.Command {
	return &cli.Command{
		Name:  "streams",
		Usage: "list the streams of uncommitted work",
		Description: "A stream is a shadow branch: one line of work on a base. Its work is in the worktree, in a stash, committed,\n" +
			"or dismissed. Nothing is written. A stream that is deleted with work that no commit has is kept for two weeks:\n" +
			"--all lists it, and `rewind` goes to its commits.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "only streams on the commit `REV`"},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "also deleted ones that are kept"},
			&cli.BoolFlag{Name: "graph", Usage: "draw the base, the streams, and the human's and the agent's parts"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		},
		Action: withEnvironment(listing("graph", "json"), func(c *cli.Context, e workspace.Env) error {
			streams, err := upkeep.Streams(c.Context, e, c.String("base"), c.Bool("all"))
			if err != nil && !isOff(err) {
				return err
			}
			switch {
			case c.Bool("json"):
				return printJSON(c.App.Writer, append([]upkeep.StreamInfo{}, streams...))
			case isOff(err):
				fmt.Fprintf(c.App.Writer, "no streams: %s\n", err)
			// Others may have work that is not committed.
			case len(streams) == 0 && c.IsSet("base"):
				fmt.Fprintf(c.App.Writer, "no streams on %s\n", printable(c.String("base")))
			case len(streams) == 0:
				fmt.Fprintln(c.App.Writer, "no streams: everything recorded is committed")
			case c.Bool("graph"):
				graph(c.App.Writer, screenOf(c), streams, e.Now())
			default:
				streamTable(c.App.Writer, screenOf(c), streams, e.Now())
			}
			return nil
		}),
	}
}

func streamTable(w io.Writer, on screen, streams []upkeep.StreamInfo, now time.Time) {
	t := newTable(column{title: "STREAM", least: 16, colour: green}, column{title: "WORK"}, column{title: "CHECKPOINTS", right: true, spare: 4},
		column{title: "FILES", right: true, spare: 5}, column{title: "UPDATED", spare: 2}, column{title: "AGE", spare: 3},
		column{title: "SESSIONS", least: 8, spare: 1})
	for _, s := range streams {
		t.add(branchOf(s), cell{text: string(s.Work), colour: workColours[s.Work]}, s.Checkpoints, len(s.Files), moment(s.Updated), age(s.Updated, now),
			strings.Join(sessionsOf(s), ", "))
	}
	t.print(w, on)
}

// workColours say at a glance where the work of a stream is.
var workColours = map[upkeep.Whereabouts]string{upkeep.InWorktree: green, upkeep.InStash: cyan, upkeep.Dismissed: red, upkeep.Deleted: red}

// branchOf names a stream; of a deleted one it has the commit, as git does of a deleted branch.
func branchOf(s upkeep.StreamInfo) string {
	if s.Deleted != nil && len(s.Steps) > 0 {
		return s.Branch + " (was " + s.Steps[len(s.Steps)-1].Commit.Short() + ")"
	}
	return s.Branch
}

// sessionsOf names a stream's sessions, and marks those without a state: the next stop restores it.
func sessionsOf(s upkeep.StreamInfo) []string {
	var names []string
	for _, id := range s.Sessions {
		name := inColumn(id)
		if slices.Contains(s.Orphans, id) {
			name += " (no state)"
		}
		names = append(names, name)
	}
	return names
}

func age(then, now time.Time) string {
	if then.IsZero() {
		return "-"
	}
	return humanize.RelTime(then, now, "ago", "from now")
}

// graph draws the streams of each base below it, oldest checkpoint first.
func graph(w io.Writer, on screen, streams []upkeep.StreamInfo, now time.Time) {
	p := colourPrinter{w: w, screen: on}
	for len(streams) > 0 {
		n := 1
		for n < len(streams) && streams[n].Base == streams[0].Base {
			n++
		}
		p.line(bold, "◆ base %s", streams[0].Base.Short())
		for i, s := range streams[:n] {
			p.stream(s, i == n-1, now)
		}
		streams = streams[n:]
	}
}

func (p *colourPrinter) stream(s upkeep.StreamInfo, last bool, now time.Time) {
	fork, trunk := "├─", "│ "
	if last {
		fork, trunk = "└─", "  "
	}
	facts := []string{string(s.Work), amount.Of(s.Checkpoints, "checkpoint")}
	if len(s.Files) > 0 {
		facts = append(facts, strings.Join(display(s.Files), ", "))
	}
	p.line(workColours[s.Work], "%s", p.fit(fmt.Sprintf("%s %s  (%s)", fork, branchOf(s), strings.Join(facts, "; "))))
	if s.Error != "" {
		p.line(red, "%s    %s", trunk, printable(s.Error))
	}
	for _, step := range s.Steps {
		mark := "●"
		if step.Part == shadow.Human {
			mark = "○"
		}
		p.line("", "%s", p.between(fmt.Sprintf("%s  %s %s %-5s %s", trunk, mark, step.Commit.Short(), step.Part, described(step.Subject)),
			fmt.Sprintf("  %s, %s%s", inColumn(step.Session), age(step.When, now), elsewhere(step, s))))
	}
}

// elsewhere says where a checkpoint's work is if it isn't where the stream's is.
func elsewhere(step upkeep.StreamStep, s upkeep.StreamInfo) string {
	if step.Work == "" || step.Work == s.Work {
		return ""
	}
	return ", " + string(step.Work)
}

func display(paths []gitexec.Path) []string {
	const most = 4
	var names []string
	for i, p := range paths {
		if i == most {
			return append(names, fmt.Sprintf("%d more", len(paths)-most))
		}
		names = append(names, p.Display())
	}
	return names
}
