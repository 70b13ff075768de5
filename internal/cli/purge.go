package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/history"
	"entire-plumb/internal/message"
	"entire-plumb/internal/share"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func purgeCommand() *cli.Command {
	return &cli.Command{
		Name:      "purge",
		Usage:     "take a secret, a checkpoint or a conversation out of what was recorded",
		ArgsUsage: "TEXT|CHECKPOINT",
		Description: "The text is replaced by REDACTED in streams, in the whole history of entire/checkpoints/v1, in kept refs, session\n" +
			"states and private files, and is not recorded again. With - it is read from the standard input, so that no shell\n" +
			"remembers it. A checkpoint is deleted from the branch's history, with --session all of a conversation. Your own\n" +
			"commits, your files and the agents' own transcripts stay as they are. The commands that remove the old objects are printed: here, and on the remote.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only say what would be changed"},
			&cli.BoolFlag{Name: "regexp", Aliases: []string{"E"}, Usage: "the text is a regular expression"},
			&cli.BoolFlag{Name: "text", Usage: "it is a text, even if it looks like a checkpoint's ID"},
			&cli.StringFlag{Name: "session", Usage: "all checkpoints of the session `ID`, which may be abbreviated"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: withRepository(checkPurge,
			func(c *cli.Context, e workspace.Env, repo *gitexec.Repo) error {
				q, err := whatToPurge(c, e, repo)
				if err != nil {
					return err
				}
				done, err := q.Run(c.Context, e)
				if len(q.Checkpoints) == 0 && (err == nil || errors.Is(err, history.ErrNothing)) {
					err = errors.Join(err, warnOfOwnRefs(c, repo))
				}
				if err != nil {
					return err
				}
				return output(c, done, func(w io.Writer) { printPurged(w, done, q) })
			}),
	}
}

func checkPurge(c *cli.Context) error {
	if c.IsSet("session") {
		return takes(0, "regexp", "text", "session")(c)
	}
	return needs("what to purge is missing\nhint: entire-plumb purge -n - reads a text from the standard input", 1, "regexp", "text")(c)
}

// whatToPurge reads the argument. A checkpoint is named by its whole ID.
func whatToPurge(c *cli.Context, e workspace.Env, repo *gitexec.Repo) (q history.Purge, err error) {
	const most = 1 << 20
	if c.IsSet("session") {
		return purgeOfSession(c, e, repo)
	}
	q = history.Purge{Preview: c.Bool("dry-run"), Text: c.Args().First()}
	if q.Text == "-" {
		text, err := readStdin(c, most)
		if err != nil {
			return q, err
		}
		// echo and most editors end a text so.
		q.Text = strings.TrimSuffix(string(text), "\n")
	}
	switch {
	case c.Bool("regexp"):
		q.Regex, err = regexp.Compile(q.Text)
		// It would find a place between all characters.
		if err == nil && q.Regex.MatchString("") {
			err = fmt.Errorf("it matches the empty text")
		}
		if err != nil {
			return q, usagef("the regular expression: %v\nhint: https://golang.org/s/re2syntax", err)
		}
	case !c.Bool("text") && checkpoints.ValidID(q.Text):
		q.Checkpoints = []string{q.Text}
		err = checkPurgeable(c.Context, repo, q.Text)
	case !c.Bool("text"):
		err = refuseBeginning(c.Context, repo, q.Text)
	}
	return q, err
}

// purgeOfSession is what to purge of a session: all its checkpoints.
func purgeOfSession(c *cli.Context, e workspace.Env, repo *gitexec.Repo) (q history.Purge, err error) {
	s, _, err := source(e).Session(c.Context, c.String("session"))
	switch {
	case s.ID == "":
		// No such session. Other errors are of damaged checkpoints, which can be purged all the
		// same.
		return q, err
	case len(s.Checkpoints) == 0:
		return q, fmt.Errorf("no checkpoint has anything of session %s\nhint: entire-plumb reset --session %[1]s deletes its streams", s.ID)
	}
	q = history.Purge{Preview: c.Bool("dry-run"), Checkpoints: s.Checkpoints, Session: s.ID}
	for _, id := range q.Checkpoints {
		if err := checkPurgeable(c.Context, repo, id); err != nil {
			return q, err
		}
	}
	return q, nil
}

// refuseBeginning refuses a text that is the beginning of a checkpoint's ID: which of both is meant
// must be said, since neither comes back.
func refuseBeginning(ctx context.Context, repo *gitexec.Repo, text string) error {
	if !message.ValidPrefix(text) {
		return nil
	}
	db := repo.ODB(ctx)
	defer db.Close()
	branch, err := checkpoints.ReadBranches(ctx, repo, db)
	if err != nil {
		return err
	}
	id, err := checkpoints.ResolveID(db, branch, text)
	switch {
	case errors.As(err, new(*checkpoints.AmbiguousError)):
		return fmt.Errorf("%w, or --text to purge it as a text", err)
	case err != nil || id == text:
		return nil // it is a text
	}
	return fmt.Errorf("%q is the beginning of checkpoint %s\nhint: entire-plumb purge %[2]s takes the checkpoint out, and --text the text", text, id)
}

// checkPurgeable refuses a checkpoint that is not on the branch here.
func checkPurgeable(ctx context.Context, repo *gitexec.Repo, id string) error {
	db := repo.ODB(ctx)
	defer db.Close()
	branch, err := checkpoints.ReadBranches(ctx, repo, db)
	if err != nil {
		return err
	}
	if _, err := checkpoints.ResolveID(db, branch, id); err != nil {
		return fmt.Errorf("%w\nhint: --text purges it as a text", err)
	}
	if held, err := branch.Holds(db, id); err == nil && held[id] {
		return nil
	}
	own, err := checkpoints.OwnRefs(ctx, repo)
	if refs := own[id]; err == nil && len(refs) > 0 {
		err = fmt.Errorf("%s has a ref of its own, which the entire CLI wrote; on a remote, git push REMOTE :%s deletes it\nhint: git update-ref -d %s",
			id, checkpoints.OwnRef(id), strings.Join(refs, "; git update-ref -d "))
	}
	return err
}

// warnOfOwnRefs says that what the `entire` CLI wrote is not searched.
func warnOfOwnRefs(c *cli.Context, repo *gitexec.Repo) error {
	own, err := checkpoints.OwnRefs(c.Context, repo)
	if n := len(own); n > 0 {
		fmt.Fprintf(c.App.ErrWriter, "entire-plumb: %s of the entire CLI %s own, and %s not searched\n", amount.Of(n, "checkpoint"),
			amount.ByNumber(n, "has a ref of its", "have refs of their"), amount.ByNumber(n, "is", "are"))
	}
	return err
}

func printPurged(w io.Writer, done history.Purged, q history.Purge) {
	if done.Session != "" {
		fmt.Fprintf(w, "%s of session %s: %s\n", amount.Of(len(done.All), "checkpoint"), printable(done.Session), strings.Join(done.All, ", "))
	}
	rewrote, changed, objects := "would rewrite", "would change", "these objects hold it:"
	if done.Done {
		rewrote, changed, objects = "rewrote", "changed", "these objects hold it, until git removes them:"
	}
	for _, ref := range done.Refs {
		fmt.Fprintf(w, "%s %s (was %s)\n", rewrote, printable(ref.Ref), ref.Old.Short())
	}
	for _, id := range done.Sessions {
		fmt.Fprintf(w, "%s the state of session %s\n", changed, printable(id))
	}
	for _, file := range done.Files {
		fmt.Fprintf(w, "%s %s\n", changed, printable(file))
	}
	if len(done.Objects) > 0 {
		fmt.Fprintln(w, objects)
	}
	for _, id := range done.Objects {
		fmt.Fprintf(w, "object %s\n", id)
	}
	printNotSearched(w, done)
	printStays(w, done)
	if done.Done {
		printPrune(w, done.Refs, done.Copies)
	}
	if len(q.Checkpoints) == 0 {
		fmt.Fprintf(w, "Commits and stashes of yours are not searched: %s\n", q.InCommits())
	}
	if done.Done {
		printLeft(w, done, q)
	}
}

// printLeft says whether it has left this repository, as far as that is known here.
func printLeft(w io.Writer, done history.Purged, q history.Purge) {
	left := slices.ContainsFunc(done.Copies, func(c history.Copy) bool { return c.Has || c.More }) ||
		slices.ContainsFunc(done.Refs, func(ref history.MovedRef) bool { return share.InOwnRepository(ref.Ref) })
	if !left {
		fmt.Fprintln(w, "No push from here has sent it, as far as the remote-tracking branches say.")
	}
	if left || len(q.Checkpoints) == 0 { // the agent's provider has read a text
		fmt.Fprintln(w, "A secret that has left this machine is known: change it, too.")
	}
}

// printStays says where it stays.
func printStays(w io.Writer, done history.Purged) {
	for _, path := range done.Names {
		fmt.Fprintf(w, "a path holds it, and stays: %s\n", printable(path))
	}
	for _, file := range done.Worktree {
		fmt.Fprintf(w, "the file %s holds it still: the next snapshot will, too\n", printable(file))
	}
	if len(done.Others) > 0 {
		fmt.Fprintf(w, "its checkpoints have conversations of other sessions, too: %s\n", printable(strings.Join(done.Others, ", ")))
	}
	if len(done.AlsoIn) > 0 {
		fmt.Fprintf(w, "other checkpoints have conversations of the same sessions: %s\n", strings.Join(done.AlsoIn, ", "))
		if done.Session == "" {
			fmt.Fprintln(w, "hint: entire-plumb purge --session ID takes out all checkpoints of a session")
		}
	}
	for _, id := range done.GoesOn {
		fmt.Fprintf(w, "session %s may go on: its next checkpoint has this conversation again, and a push sends it\n", printable(id))
	}
	if len(done.GoesOn) > 0 {
		fmt.Fprintln(w, "hint: end it, and begin a new one")
	}
}

// printNotSearched says which objects may hold it still.
func printNotSearched(w io.Writer, done history.Purged) {
	if done.Encrypted > 0 {
		fmt.Fprintf(w, "%s encrypted for others, and %s not searched\n", amount.Are(done.Encrypted, "object"), amount.ByNumber(done.Encrypted, "was", "were"))
	}
	for _, id := range done.TooLarge {
		fmt.Fprintf(w, "object %s is too large, and was not searched\n", id)
	}
	if done.Missing > 0 {
		fmt.Fprintf(w, "%s not in this partial clone, and %s not searched\n", amount.Are(done.Missing, "object"), amount.ByNumber(done.Missing, "was", "were"))
	}
}

// printPrune says how the old objects are removed: first on the remote, since what was fetched of
// it keeps them here.
func printPrune(w io.Writer, refs []history.MovedRef, copies []history.Copy) {
	if len(refs) == 0 {
		return
	}
	var names []string
	for _, ref := range refs {
		if strings.HasPrefix(ref.Ref, "refs/heads/") { // others have no reflog
			names = append(names, ref.Ref)
		}
	}
	own := slices.ContainsFunc(refs, func(ref history.MovedRef) bool { return share.InOwnRepository(ref.Ref) })
	for _, copy := range copies {
		rest := strings.TrimPrefix(copy.Ref, "refs/remotes/")
		remote, name, _ := strings.Cut(rest, "/")
		if !strings.HasSuffix(shadow.Checkpoints, "/"+name) {
			continue
		}
		if !own || copy.More {
			names = append(names, copy.Ref) // a deletion takes the reflog along
		}
		if copy.More {
			fmt.Fprintf(w, "The remote %s has them, too, and checkpoints that are not here. To fetch those,\n", printable(remote))
			fmt.Fprintln(w, "and to see how its branch is replaced:\n  entire-plumb sync")
			continue
		}
		if !copy.Has {
			continue
		}
		if own { // what goes to that repository must not go to the remote
			fmt.Fprintf(w, "The remote %s has them, too, from before. Delete its branch, and have its objects pruned there:\n", printable(remote))
			fmt.Fprintf(w, "  git push --force-with-lease=%s:%s %s :%s\n", name, copy.ID, printable(remote), name)
			continue
		}
		fmt.Fprintf(w, "The remote %s has them, too. Replace its branch, and have its objects pruned there:\n", printable(remote))
		fmt.Fprintf(w, "  git push --force-with-lease=%s:%s %s +%s\n", name, copy.ID, printable(remote), name)
	}
	if own {
		fmt.Fprintln(w, "The repository of strategy_options.checkpoint_remote has them, too. Replace its branch, and have its objects pruned there:")
		fmt.Fprintln(w, "  entire-plumb sync")
	}
	fmt.Fprintln(w, "The old objects are in this repository until git removes them:")
	for _, name := range names {
		fmt.Fprintf(w, "  git reflog expire --expire=now %s\n", name)
	}
	fmt.Fprintln(w, "  git gc --prune=now")
}
