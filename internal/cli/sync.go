package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/share"
	"entire-plumb/internal/workspace"
)

func syncCommand() *cli.Command {
	return &cli.Command{
		Name:  "sync",
		Usage: "exchange checkpoints with the elected remote",
		Description: "A push to that remote does the same by itself; sync has no limit of time, and says what it does. It fetches the branch\n" +
			"entire/checkpoints/v1 and other clones' inboxes, unites them with the branch here, and pushes the result.\n" +
			"Only checkpoints of commits that the remote has are pushed. --dry-run fetches nothing and pushes nothing: it lists\n" +
			"what would go, and what stays, as far as it is known here.\n" +
			"At a terminal git may ask for a password, as usual.\n" +
			"What others purge of checkpoints that are here stays readable here until --accept-purge.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only print what would go where"},
			&cli.BoolFlag{Name: "accept-purge", Usage: "also remove here what others have purged"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Before: takes(0, "dry-run", "accept-purge"),
		Action: func(c *cli.Context) error {
			return sharing(c, func(s *share.Sharing, off error) (share.Report, error) {
				if c.Bool("accept-purge") {
					s.Accept()
				}
				switch {
				case off != nil:
					return share.Report{}, off
				case c.Bool("dry-run"):
					return s.Preview(c.Context, promptsOf(c))
				}
				return s.Sync(c.Context)
			})
		},
	}
}

func fetchCommand() *cli.Command {
	return &cli.Command{
		Name:  "fetch",
		Usage: "bring the checkpoints of others here",
		Description: "Fetches entire/checkpoints/v1 and the inboxes of the elected remote, and unites them with the branch here. In a\n" +
			"partial clone it brings metadata and lines; a transcript comes when a command needs it. Where entire-plumb is not\n" +
			"enabled it only fetches. It also brings the checkpoints of newer versions of the entire CLI that commits here link.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Before: takes(0),
		Action: func(c *cli.Context) error {
			return sharing(c, func(s *share.Sharing, off error) (share.Report, error) { return s.Take(c.Context, off == nil) })
		},
	}
}

// byHand is how long a command may take that the user waits for.
const byHand = time.Hour

// sharing opens what is shared, and prints what was done. off is why nothing is recorded here.
func sharing(c *cli.Context, do func(s *share.Sharing, off error) (share.Report, error)) error {
	e, repo, err := caughtUp(c)
	if err != nil {
		return err
	}
	w, off, err := e.OpenToRead(c.Context, repo.Top)
	if err != nil {
		return err
	}
	defer w.DB.Close()
	s, err := share.Open(c.Context, w, repo)
	if err != nil {
		return err
	}
	s.ByHand(byHand, progress(c), asks())
	var overruled []checkpoints.Overruled
	s.Fetched = watchOverruled(c, w, &overruled)
	report, err := do(s, off)
	s.Fetched()
	report.Overruled = overruled
	if line := w.NotSigned(); line != "" {
		e.Warn(line)
	}
	if err != nil && err != off {
		err = fmt.Errorf("%s: %s", printable(s.View.Shown()), share.Reason(c.Context, err))
	}
	if c.Bool("json") {
		return cmp.Or(err, printJSON(c.App.Writer, report))
	}
	printShared(c.App.Writer, report)
	if c.Bool("dry-run") {
		printLeaving(c.App.Writer, screenOf(c), report)
	}
	if err == nil {
		fmt.Fprintln(c.App.Writer, printable(report.Said(c.Bool("dry-run"))))
	}
	if line := report.Held(); err == nil && line != "" && !c.Bool("dry-run") {
		fmt.Fprintln(c.App.Writer, printable(line)+"\nhint: entire-plumb sync -n lists them")
	}
	return err
}

// promptsOf is how many prompts are read of what goes, and of what stays; 0: all.
func promptsOf(c *cli.Context) int {
	if c.Bool("json") {
		return 0
	}
	return mostLeaving
}

// progress is where git's progress is shown; nil: nowhere.
func progress(c *cli.Context) io.Writer {
	if onTerminal(c) && !c.Bool("json") {
		return c.App.ErrWriter
	}
	return nil
}

// watchOverruled collects what others say otherwise, whenever something was fetched: a push may
// take it away from there.
func watchOverruled(c *cli.Context, w *workspace.Workspace, found *[]checkpoints.Overruled) func() {
	before, _ := checkpoints.ReadBranches(c.Context, w.Repo, w.DB) // what cannot be read, other commands name
	known := before.Tips()
	return func() {
		now, err := checkpoints.ReadBranches(c.Context, w.Repo, w.DB)
		if err == nil && !slices.Equal(now.Tips(), known) {
			*found = append(*found, newlyOverruled(c, w, before, now)...)
			before, known = now, now.Tips()
		}
	}
}

// printShared prints what was left out, changed, or not taken.
func printShared(w io.Writer, report share.Report) {
	for _, one := range report.Skipped {
		fmt.Fprintf(w, "left out, damaged: %s\n", printable(one))
	}
	for _, one := range report.Changes {
		fmt.Fprintln(w, printable(one.Text()))
	}
	for _, one := range report.Unsigned {
		fmt.Fprintf(w, "not taken: %s\n", printable(one))
	}
	for _, o := range report.Overruled[:min(mostOverruled, len(report.Overruled))] {
		fmt.Fprintf(w, "not counted: %s\n", printable(o.String()))
	}
	if n := len(report.Overruled) - mostOverruled; n > 0 {
		fmt.Fprintf(w, "not counted: %d more of what others say\nhint: entire-plumb doctor\n", n)
	}
}

// mostOverruled is how much of what others say otherwise is named one by one.
const mostOverruled = 20

// newlyOverruled lists what others say since against what was decided and recorded here. What
// cannot be read, other commands name.
func newlyOverruled(c *cli.Context, w *workspace.Workspace, before, now checkpoints.Branch) (added []checkpoints.Overruled) {
	known, _ := before.Overruled(w.DB)
	all, _ := now.Overruled(w.DB)
	for _, o := range all {
		if !slices.ContainsFunc(known, func(k checkpoints.Overruled) bool { return k.Key() == o.Key() }) {
			added = append(added, o)
		}
	}
	now.Sources(c.Context, w.Repo, w.DB).Overruled(added)
	return added
}
