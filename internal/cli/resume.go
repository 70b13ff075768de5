package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/internal/restore"
	"entire-plumb/internal/resume"
)

func resumeCommand() *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "switch to a branch, and restore its conversations",
		ArgsUsage: "[BRANCH|COMMIT|CHECKPOINT|SESSION]",
		Description: "The conversations of a branch's own commits, of a commit, a checkpoint or a session are written to where their\n" +
			"agents look for them in this worktree, each as of the session's last checkpoint there; then the commands that go\n" +
			"on are printed. Commits that were squashed, rebased or merged, here or on a server, count with all that they\n" +
			"hold, and a branch that is deleted by its name. Without an argument, the current branch is meant.\n\n" +
			"It switches to the branch as git switch does: uncommitted changes are kept, or git refuses, and nothing is done.\n" +
			"Of a commit, a checkpoint or a session it is the branch that has it, unless HEAD has it already.\n\n" +
			"A conversation that is newer here than in the checkpoint is only replaced if you say so on a terminal, or by\n" +
			"--force; what is replaced is kept aside. It works in a clone in which entire-plumb isn't enabled, too.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only print what would be done"},
			&cli.BoolFlag{Name: "force", Usage: "replace newer conversations, too, and keep them aside"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: reading(takes(1), func(c *cli.Context, from query.Source) error {
			q := resume.Request{Name: c.Args().First(), Preview: c.Bool("dry-run"), Force: c.Bool("force")}
			r, err := resume.Resume(c.Context, from, q)
			if mayChoose(c, q, err) {
				if q.Name, err = chooseSession(c, from, err); err != nil || q.Name == "" {
					return err
				}
				r, err = resume.Resume(c.Context, from, q)
			}
			if err != nil && len(r.Sessions) == 0 && !r.Switched {
				return err
			}
			if !q.Preview {
				var err2 error
				r.Sessions, err2 = replaceNewer(c, r.Sessions, func() ([]restore.Restored, error) {
					q.Force = true
					again, err := resume.Resume(c.Context, from, q)
					return again.Sessions, err
				})
				err = cmp.Or(err, err2)
			}
			if c.Bool("json") {
				return errors.Join(printJSON(c.App.Writer, r), err)
			}
			printResumed(c.App.Writer, r)
			return err
		}),
	}
}

// mayChoose reports whether the user is asked for a session: there is nothing on the current
// branch.
func mayChoose(c *cli.Context, q resume.Request, err error) bool {
	return errors.As(err, new(*resume.NothingError)) && q.Name == "" && picks(c) && !c.Bool("json")
}

// chooseSession asks for a session; empty: none is chosen. nothing is why the user is asked.
func chooseSession(c *cli.Context, from query.Source, nothing error) (string, error) {
	all, _, err := from.Sessions(c.Context)
	if err != nil && len(all) == 0 {
		return "", err
	}
	if len(all) == 0 {
		return "", nothing
	}
	rows := make([]pickRow, len(all))
	for i, s := range all {
		rows[i] = pickRow{text: fmt.Sprintf("%-14s  %-12s  %s", age(s.Last, from.Now()), inColumn(s.ID), described(s.LastPrompt)),
			more: printable(s.Agent) + filesOf(query.RewindPoint{Files: s.Files})}
	}
	at, err := pick(c, "Resume which session?", rows, nil)
	if err != nil || at < 0 {
		return "", err
	}
	return all[at].ID, nil
}

func printResumed(w io.Writer, r resume.Resumed) {
	switch {
	case r.Switched:
		fmt.Fprintf(w, "switched to %s\n", printable(r.Branch))
	case r.From != "":
		fmt.Fprintf(w, "would switch to %s\n", printable(r.Branch))
	}
	printRestored(w, r.Sessions, true)
	if len(r.Missing) > 0 {
		fmt.Fprintf(w, "not here: %s\nhint: if they were pushed, entire-plumb fetch\n",
			strings.Join(r.Missing[:min(10, len(r.Missing))], ", "))
	}
	for _, id := range r.Uncommitted {
		fmt.Fprintf(w, "hint: session %s has uncommitted work: entire-plumb resume %s\n", printable(id), printable(id))
	}
	if r.Hint != "" {
		fmt.Fprintf(w, "hint: %s\n", printable(r.Hint))
	}
}

// printRestored prints conversations; with done, also the commands that go on.
func printRestored(w io.Writer, all []restore.Restored, done bool) {
	for _, l := range all {
		fmt.Fprintf(w, "conversation of %s: %s\n", printable(l.SessionID), printable(string(l.Status)))
		if l.Prompt != "" {
			fmt.Fprintf(w, "  \"%s\"\n", printable(l.Prompt))
		}
		if l.File != "" {
			fmt.Fprintf(w, "  %s\n", printable(l.File))
		}
		if l.Aside != "" {
			fmt.Fprintf(w, "  the previous one: %s\n", printable(l.Aside))
		}
		if l.Resume == "" || !done {
			continue
		}
		if dir, err := os.Getwd(); err == nil && !sameDir(dir, l.Dir) {
			fmt.Fprintf(w, "  cd %s && %s\n", printable(gitexec.ShellQuote(l.Dir)), l.Resume)
			continue
		}
		fmt.Fprintf(w, "  %s\n", l.Resume)
	}
}

func sameDir(a, b string) bool {
	x, err := filepath.EvalSymlinks(a)
	y, err2 := filepath.EvalSymlinks(b)
	return err == nil && err2 == nil && x == y
}

// replaceNewer asks whether to replace the conversations that were kept; again replaces them.
// Without a terminal nobody is asked.
func replaceNewer(c *cli.Context, all []restore.Restored, again func() ([]restore.Restored, error)) ([]restore.Restored, error) {
	if !slices.ContainsFunc(all, restore.Restored.Kept) || !asks() {
		return all, nil
	}
	w := c.App.ErrWriter
	for _, l := range all {
		if l.Kept() {
			fmt.Fprintln(w, newer(l))
		}
	}
	if yes, err := agreed(c, "Replace what is here, and keep it aside? [y/N] "); err != nil || !yes {
		return all, err
	}
	replaced, err := again()
	for i, l := range all {
		at := slices.IndexFunc(replaced, func(r restore.Restored) bool { return r.SessionID == l.SessionID })
		if l.Kept() && at >= 0 {
			all[i] = replaced[at]
		}
	}
	return all, err
}

// newer says how a conversation that was kept differs from the checkpoint's.
func newer(l restore.Restored) string {
	how := "is newer here than"
	if l.Status == restore.Differs {
		how = "differs here from what is"
	}
	text := fmt.Sprintf("The conversation of %s %s in the checkpoint: %s", printable(l.SessionID), how, printable(l.File))
	if !l.Local.IsZero() && !l.Stored.IsZero() {
		text += fmt.Sprintf(" (%s, %s)", l.Local.Format("2006-01-02 15:04:05"), l.Stored.Format("2006-01-02 15:04:05"))
	}
	return text
}
