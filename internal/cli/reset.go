package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/upkeep"
	"entire-plumb/internal/workspace"
)

func resetCommand() *cli.Command {
	return &cli.Command{
		Name:  "reset",
		Usage: "delete the streams at HEAD; files stay",
		Description: "What the agents have not committed yet is theirs no more: a commit of it gets no link. The worktree, the index and\n" +
			"committed checkpoints stay as they are, and a turn in progress goes on. Deleted streams are kept for two weeks:\n" +
			"`streams --all` lists them, and `rewind` goes to their commits.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "only the session `ID`; what others have on the same stream stays"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only print what would be deleted"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: withRepository(takes(0), func(c *cli.Context, e workspace.Env, _ *gitexec.Repo) error {
			removed, err := upkeep.Reset(c.Context, e, upkeep.ResetRequest{Session: c.String("session"), Preview: c.Bool("dry-run")})
			if err != nil {
				return err
			}
			return printRemovals(c, removed, !c.Bool("dry-run"), "nothing to reset: no session has uncommitted work at HEAD")
		}),
	}
}

func cleanCommand() *cli.Command {
	return &cli.Command{
		Name:  "clean",
		Usage: "list what nothing needs any more; --force deletes it",
		Description: "That is: streams whose work is committed, whose worktree was removed, or whose work is nowhere for two weeks and\n" +
			"whose base is on no branch; sessions without a checkpoint, after two weeks; checkpoints that no commit links, after\n" +
			"two weeks, and that no remote has; and deleted streams that were kept for two weeks. What a link, a stash entry\n" +
			"or a turn in progress needs stays. Deleted streams are kept for two weeks; deleted checkpoints leave the branch's\n" +
			"history, too, and git's reflog keeps them as long as other commits.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "delete them"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only print what would be deleted; the default"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: withRepository(takes(0, "force", "dry-run"), func(c *cli.Context, e workspace.Env, repo *gitexec.Repo) error {
			db := repo.ODB(c.Context)
			commits.Relink(c.Context, e, repo, db) // what a commit holds of a linked one is linked first
			if err := db.Close(); err != nil {
				return err
			}
			force := c.Bool("force")
			removed, err := upkeep.Clean(c.Context, e, !force)
			if err != nil {
				return err
			}
			if err := printRemovals(c, removed, force, "nothing to clean"); err != nil {
				return err
			}
			if len(removed) > 0 && !force && !c.Bool("json") {
				fmt.Fprintln(c.App.Writer, "hint: entire-plumb clean --force deletes them")
			}
			return nil
		}),
	}
}

// printRemovals lists what was deleted, or would be, with the objects that it was.
func printRemovals(c *cli.Context, removed []upkeep.Removal, done bool, nothing string) error {
	w := c.App.Writer
	if c.Bool("json") {
		if removed == nil {
			removed = []upkeep.Removal{}
		}
		return printJSON(w, removed)
	}
	if len(removed) == 0 {
		fmt.Fprintln(w, nothing)
	}
	kept := false
	for _, r := range removed {
		kept = kept || done && r.Kind == upkeep.RemovesStream
		fmt.Fprintln(w, removal(r, done))
	}
	if kept {
		fmt.Fprintln(w, "hint: entire-plumb streams --all lists deleted streams for two weeks; entire-plumb rewind COMMIT goes to one, and\n"+
			"git branch NAME COMMIT brings it back")
	}
	return nil
}

// removal says what was done, or would be, to one of them.
func removal(r upkeep.Removal, done bool) string {
	verb, would := "deleted", "would delete"
	switch {
	case r.Starts:
		verb, would = "reset", "would reset"
	case r.Rewritten:
		verb, would = "rewrote", "would rewrite"
	}
	if !done {
		verb = would
	}
	text := verb + " " + r.Kind + " " + printable(r.Name)
	if r.Was != "" {
		text += " (was " + r.Was.Short() + ")"
	}
	if r.Why != "" {
		text += ": " + printable(r.Why)
	}
	return text
}
