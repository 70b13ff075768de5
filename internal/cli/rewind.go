package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/query"
	"entire-plumb/internal/restore"
	"entire-plumb/internal/rewind"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func rewindCommand() *cli.Command {
	return &cli.Command{
		Name:      "rewind",
		Usage:     "take the worktree, or single files, back to a checkpoint",
		ArgsUsage: "[CHECKPOINT|COMMIT|SESSION|TURN] [-- FILE...]",
		Description: "A checkpoint on a stream (a commit of `streams --graph`) restores all its files, and deletes newer ones. The\n" +
			"index and ignored files are not changed. With FILEs, which may be directories, all others stay. --undo restores\n" +
			"the files from before the rewind; a second --undo undoes the first. It doesn't change conversations. Of several\n" +
			"rewinds in a row, each names the one that restores the files from before the previous one.\n\n" +
			"--logs restores the conversation alone to the place where the agent reads it. Of a committed checkpoint that is\n" +
			"all, unless you name FILEs; git has its files, and a hint shows the command. A conversation that is newer than the\n" +
			"checkpoint is only replaced if you say so, or by --force. If turns make the commits (strategy auto-commit) and\n" +
			"HEAD isn't the default branch, the branch moves back to its commit, as with git reset --keep. The name of a session\n" +
			"or a turn means its last checkpoint.\n\n" +
			"Without a name, it asks on a terminal which checkpoint is meant, with a mark at the one at which the files were as\n" +
			"they are now; elsewhere, and with --limit, it lists them.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "undo", Usage: "undo the last rewind"},
			&cli.BoolFlag{Name: "last", Usage: "the last checkpoint: the first of the list"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only print what would be written and deleted"},
			&cli.BoolFlag{Name: "logs", Usage: "restore the conversation alone"},
			&cli.BoolFlag{Name: "force", Usage: "allow a checkpoint of another base, and replace a newer conversation, which is kept aside"},
			limitFlag("limit", mostListed, "list at most `N` checkpoints"),
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		},
		Action: withEnvironment(checkRewind, func(c *cli.Context, e workspace.Env) error {
			q, err := rewindRequest(c)
			if err != nil {
				return err
			}
			if q.To == "" && !q.Undo && !q.Last {
				if q.To, err = choosePoint(c, e); err != nil || q.To == "" {
					return err
				}
			}
			r, err := goBack(c, e, q)
			if err != nil {
				return err
			}
			return output(c, r, func(w io.Writer) { printRewound(w, r, len(q.Files) == 0) })
		}),
	}
}

// goBack rewinds, and asks whether to replace newer conversations.
func goBack(c *cli.Context, e workspace.Env, q rewind.Request) (rewind.Rewound, error) {
	r, err := rewind.Rewind(c.Context, e, q)
	if err != nil || q.Preview {
		return r, err
	}
	r.Logs, err = replaceNewer(c, r.Logs, func() ([]restore.Restored, error) {
		again, err := rewind.Rewind(c.Context, e, rewind.Request{To: r.Point.ID, Logs: true, Force: true})
		return again.Logs, err
	})
	return r, err
}

// checkRewind refuses arguments and flags that make no sense.
func checkRewind(c *cli.Context) error {
	_, err := rewindRequest(c)
	return err
}

// rewindRequest reads the flags and arguments.
func rewindRequest(c *cli.Context) (rewind.Request, error) {
	q := rewind.Request{Undo: c.Bool("undo"), Last: c.Bool("last"), Preview: c.Bool("dry-run"), Logs: c.Bool("logs"),
		Force: c.Bool("force"), Files: c.Args().Slice()}
	if !q.Undo && !q.Last && c.NArg() > 0 {
		q.To, q.Files = q.Files[0], q.Files[1:]
	}
	switch {
	case q.Undo && c.NArg() > 0:
		return q, usagef("--undo takes no checkpoint: it undoes the last rewind\nhint: %s --help", c.Command.HelpName)
	case q.Logs && len(q.Files) > 0:
		return q, usagef("--logs restores the conversation alone, and takes no files\nhint: %s --help", c.Command.HelpName)
	case c.IsSet("limit") && (q.To != "" || q.Undo || q.Last):
		return q, usagef("--limit only lists checkpoints: name none with it\nhint: %s --limit %d", c.Command.HelpName, c.Int("limit"))
	}
	if err := oneOf(c, "undo", "last"); err != nil {
		return q, err
	}
	return q, oneOf(c, "undo", "logs")
}

// choosePoint asks for a checkpoint, or lists them where there is no terminal, or the user wants a
// list; empty: none is chosen.
func choosePoint(c *cli.Context, e workspace.Env) (string, error) {
	from := source(e)
	if !picks(c) || c.Bool("json") || c.IsSet("limit") {
		points, err := from.RewindPoints(c.Context, limit(c, "limit"))
		if err != nil {
			return "", err
		}
		points = limited(c, "limit", points)
		return "", output(c, points, func(w io.Writer) {
			switch {
			case listsNone(c, "limit"):
			case len(points) == 0:
				nothing(c, w, noPoints)
			default:
				listPoints(w, screenOf(c), points, e.Now())
			}
		})
	}
	points, err := rewind.Points(c.Context, from, limit(c, "limit"))
	if err != nil {
		return "", err
	}
	if len(points) == 0 {
		nothing(c, c.App.Writer, noPoints)
		return "", nil
	}
	rows := make([]pickRow, len(points))
	for i, k := range points {
		rows[i] = pickRow{marked: k.Here, text: fmt.Sprintf("%-14s  %-12s  %s", age(k.Date, e.Now()), inColumn(k.SessionID), onlyTalk(k)+described(k.Message)),
			more: kindOf(k) + filesOf(k)}
	}
	at, err := pick(c, "Rewind to which checkpoint?", rows, func(row int) []string { return previewOf(c, e, points[row].ID) })
	if err != nil || at < 0 {
		return "", err
	}
	return points[at].ID, nil
}

// onlyTalk marks a checkpoint of which the conversation alone is restored.
func onlyTalk(k query.RewindPoint) string {
	if k.IsLogsOnly {
		return "[conversation only] "
	}
	return ""
}

// mostDiff is how many bytes of a diff are shown before a rewind.
const mostDiff = 64 << 10

// previewOf says what a rewind would change: every file, and then the diff.
func previewOf(c *cli.Context, e workspace.Env, id string) []string {
	e.Stderr = io.Discard // the list is on the terminal
	r, err := rewind.Rewind(c.Context, e, rewind.Request{To: id, Preview: true, Diff: mostDiff, Logs: c.Bool("logs"), Force: c.Bool("force")})
	var text strings.Builder
	printRewound(&text, r, true)
	if err != nil {
		fmt.Fprintln(&text, harmless(explain.Error(c.Context, err)))
	}
	return strings.Split(strings.TrimSpace(text.String()+"\n"+string(r.Diff)), "\n")
}

// filesOf names the first files of a checkpoint.
func filesOf(k query.RewindPoint) string {
	const few = 3
	if len(k.Files) == 0 {
		return ""
	}
	text := ": "
	for i, f := range k.Files[:min(few, len(k.Files))] {
		if i > 0 {
			text += ", "
		}
		text += f.Display()
	}
	if more := len(k.Files) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// noPoints is what rewind says where it has no checkpoint.
const noPoints = "no checkpoints on HEAD or in its history"

func listPoints(w io.Writer, on screen, points []query.RewindPoint, now time.Time) {
	t := newTable(column{title: "CHECKPOINT", colour: yellow}, column{title: "WHAT", spare: 1}, column{title: "WHEN", spare: 3},
		column{title: "AGE", spare: 4}, column{title: "SESSION", least: 8, spare: 2}, column{title: "MESSAGE", least: 12, wants: 30})
	for _, k := range points {
		id := k.ID
		if k.CheckpointID == "" {
			id = gitexec.OID(id).Short()
		}
		t.add(id, kindOf(k), moment(k.Date), age(k.Date, now), inColumn(k.SessionID), described(k.Message))
	}
	t.print(w, on)
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

// printRewound says what was done; whole: no files were named.
func printRewound(w io.Writer, r rewind.Rewound, whole bool) {
	restored, deleted := "would restore", "would delete"
	if r.Done {
		restored, deleted = "restored", "deleted"
	}
	for _, p := range r.Restored {
		fmt.Fprintf(w, "%s %s\n", restored, p.Display())
	}
	for _, p := range r.Deleted {
		fmt.Fprintf(w, "%s %s\n", deleted, p.Display())
	}
	printRestored(w, r.Logs, r.Done)
	for _, l := range r.Left {
		fmt.Fprintf(w, "not touched: %s (%s)\n", l.Path.Display(), printable(l.Reason))
	}
	if whole && r.Point.IsLogsOnly {
		printUnchanged(w, r.Point)
		return
	}
	printMoved(w, r)
}

// printUnchanged says why the files of a committed checkpoint stay.
func printUnchanged(w io.Writer, k query.RewindPoint) {
	switch {
	case k.CheckpointID == "":
	case k.Commit == "":
		fmt.Fprintln(w, "the worktree is unchanged: no commit on a branch or a tag links the checkpoint any more")
	default:
		fmt.Fprintf(w, "the worktree is unchanged: git has the files of a committed checkpoint\n"+
			"hint: entire-plumb rewind %s -- . restores them all, and git switch --detach %s goes to the commit\n", k.CheckpointID, k.Commit.Short())
	}
}

// printMoved says where the branch went, and how to undo it.
func printMoved(w io.Writer, r rewind.Rewound) {
	moved := "would move"
	if r.Done {
		moved = "moved"
	}
	switch {
	case r.Moved != "":
		fmt.Fprintf(w, "%s %s from %s to %s\n", moved, printable(r.Moved), r.From.Short(), r.To.Short())
	case len(r.Restored)+len(r.Deleted) == 0:
		fmt.Fprintln(w, "the worktree matches the checkpoint already")
		return
	}
	if r.Done {
		fmt.Fprintln(w, "hint: undo this with entire-plumb rewind --undo")
	}
	if r.Done && r.Moved == "" && r.Earlier != "" {
		fmt.Fprintf(w, "hint: the worktree before the previous rewind: entire-plumb rewind %s\n", r.Earlier.Short())
	}
}
