package commits

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/workspace"
)

// CommitMsg removes the link from an edited message that holds nothing else, so that git aborts the
// commit.
func CommitMsg(ctx context.Context, e workspace.Env, file string) error {
	gitDir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return err
	}
	template, err := safefile.ReadOwn(templateFile(filepath.Join(gitDir, "entire-plumb")), mostMessage)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no editor: the message is as prepare-commit-msg left it
	}
	text, err2 := safefile.Read(file, mostMessage)
	if err = errors.Join(err, err2); err != nil || len(message.Links(text)) == 0 {
		return err
	}
	begun := time.Now()
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return err
	}
	run := (&workspace.Workspace{Env: e, Repo: repo}).Run()
	outcome, err := stripLone(ctx, run, file, text, template)
	run.Journal(journal.Entry{Hook: "commit-msg", Commit: string(repo.Head.ID), Outcome: outcome}, begun, err)
	return err
}

func stripLone(ctx context.Context, run *workspace.Run, file string, text, template []byte) (string, error) {
	style, err := style(ctx, run, template)
	if err != nil {
		return "", err
	}
	stripped, lone := message.StripLone(text, style)
	if !lone {
		return "the edited message has its link", nil
	}
	return "the edited message is empty: the link was deleted", safefile.Rewrite(file, stripped)
}

// mostMessage is the most bytes that a hook reads of a commit's message, or of another text that
// git keeps during an operation. git itself has no limit; a message that is larger is left as it
// is, without a link, and the commit goes on.
const mostMessage = 64 << 20
