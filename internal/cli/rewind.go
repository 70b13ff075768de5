package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/hooks"
	"entire-plumb/internal/query"
	"entire-plumb/internal/rewind"
	"entire-plumb/shadow"
)

func rewindCommand() *cli.Command {
	return &cli.Command{
		Name:      "rewind",
		Usage:     "take the worktree back to a checkpoint; without one, list the checkpoints",
		ArgsUsage: "[CHECKPOINT|COMMIT|SESSION|TURN]",
		Description: "A checkpoint on a stream (a commit of `streams --graph`) restores all its files, and deletes newer ones. The\n" +
			"index and ignored files are not changed. --undo restores the files from before the rewind; a second --undo\n" +
			"undoes the first. It doesn't change conversations.\n\n" +
			"A committed checkpoint restores the conversation to the place where the agent reads it; git has its files,\n" +
			"and a hint shows the command. If turns make the commits (strategy auto-commit) and HEAD isn't the default\n" +
			"branch, the branch moves back to its commit, as with git reset --keep. The name of a session or a turn means\n" +
			"its last checkpoint.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "undo", Usage: "undo the last rewind"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only print what would be written and deleted"},
			&cli.BoolFlag{Name: "logs", Usage: "also restore the conversation of a checkpoint on a stream"},
			&cli.BoolFlag{Name: "force", Usage: "allow a checkpoint of another base, and replace an existing conversation, which is kept aside"},
			&cli.IntFlag{Name: "limit", Value: 20, Usage: "list at most `N` checkpoints"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return unexpected(c, 1)
			}
			undo := c.Bool("undo")
			switch {
			case undo && c.NArg() > 0:
				return usagef("--undo takes no checkpoint: it undoes the last rewind\nhint: %s --help", c.Command.HelpName)
			case c.Int("limit") <= 0:
				return usagef("--limit must be at least 1")
			}
			e, err := environment(c)
			if err != nil {
				return err
			}
			if c.NArg() == 0 && !undo {
				return listPoints(c, e)
			}
			r, err := rewind.Rewind(c.Context, e.Env, rewind.Request{To: c.Args().First(), Undo: undo,
				Preview: c.Bool("dry-run"), Logs: c.Bool("logs"), Force: c.Bool("force")})
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return printJSON(c.App.Writer, r)
			}
			printRewound(c.App.Writer, r)
			return nil
		},
	}
}

func listPoints(c *cli.Context, e hooks.Env) error {
	points, err := query.Source{Env: e.Env, CatchUp: e.CatchUp, Relink: e.Relink}.RewindPoints(c.Context, c.Int("limit"))
	if err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return printJSON(c.App.Writer, points)
	case len(points) == 0:
		_, err = fmt.Fprintln(c.App.Writer, "no checkpoints: nothing is recorded on HEAD or in its history")
		return err
	}
	tab := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "CHECKPOINT\tWHAT\tAGE\tSESSION\tMESSAGE")
	for _, k := range points {
		id := k.ID
		if k.CheckpointID == "" {
			id = gitexec.OID(id).Short()
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", id, kindOf(k), age(k.Date, e.Now()), inColumn(k.SessionID), printable(k.Message))
	}
	return tab.Flush()
}

func kindOf(k query.RewindPoint) string {
	switch {
	case k.IsLogsOnly:
		return "conversation"
	case k.CheckpointID != "":
		return "branch and files"
	case k.IsTaskCheckpoint:
		return "files, of a task"
	case k.Part == shadow.Human:
		return "files, before a turn"
	}
	return "files"
}

const undoHint = "hint: undo this with entire-plumb rewind --undo"

func printRewound(w io.Writer, r rewind.Rewound) {
	did := func(done, would string) string {
		if r.Done {
			return done
		}
		return would
	}
	for _, p := range r.Restored {
		fmt.Fprintf(w, "%s %s\n", did("restored", "would restore"), p.Display())
	}
	for _, p := range r.Deleted {
		fmt.Fprintf(w, "%s %s\n", did("deleted", "would delete"), p.Display())
	}
	for _, l := range r.Logs {
		fmt.Fprintf(w, "conversation of %s: %s\n", printable(l.SessionID), l.Status)
		if l.File != "" {
			fmt.Fprintf(w, "  %s\n", printable(l.File))
		}
		if l.Aside != "" {
			fmt.Fprintf(w, "  the previous one: %s\n", printable(l.Aside))
		}
		if l.Resume != "" && r.Done {
			fmt.Fprintf(w, "  %s\n", l.Resume)
		}
	}
	for _, l := range r.Left {
		fmt.Fprintf(w, "not touched: %s (%s)\n", l.Path.Display(), printable(l.Reason))
	}
	switch {
	case r.Point.IsLogsOnly && r.Point.CheckpointID != "":
		if r.Point.Commit == "" {
			fmt.Fprintln(w, "the worktree is unchanged: no commit on a branch or a tag links the checkpoint any more")
			return
		}
		fmt.Fprintf(w, "the worktree is unchanged: git has the files of a committed checkpoint\n"+
			"hint: git switch --detach %s, or git restore -s %[1]s -- FILE\n", r.Point.Commit.Short())
	case len(r.Restored)+len(r.Deleted) == 0 && r.Moved == "":
		fmt.Fprintln(w, "the worktree matches the checkpoint already")
	case r.Moved != "":
		fmt.Fprintf(w, "%s %s from %s to %s\n", did("moved", "would move"), printable(r.Moved), r.From.Short(), r.To.Short())
		if r.Done {
			fmt.Fprintln(w, undoHint)
		}
	case r.Done:
		fmt.Fprintln(w, undoHint)
	}
}
