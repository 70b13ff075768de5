package hooks

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

// commitMsg takes the link out of a message that holds nothing else after it was edited, so that
// git aborts the commit as it would have.
func (e Env) commitMsg(ctx context.Context, file string) error {
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
	p := in(&workspace.Workspace{Env: e.Env, Repo: repo})
	outcome, err := p.stripLone(ctx, file, text, template)
	p.Journal(journal.Entry{Hook: "commit-msg", Commit: string(repo.Head.ID), Outcome: outcome}, begun, err)
	return err
}

func (p *linker) stripLone(ctx context.Context, file string, text, template []byte) (string, error) {
	style, err := p.style(ctx)
	if err != nil {
		return "", err
	}
	style.Template = template
	stripped, lone := message.StripLone(text, style)
	if !lone {
		return "the edited message has its link", nil
	}
	return "the edited message is empty: the link was deleted", replaceFile(file, stripped)
}

// replaceFile writes a file of git's whole or not at all, with the mode that it had.
func replaceFile(file string, data []byte) error { return safefile.Rewrite(file, data) }

// mostMessage is how many bytes a commit's message, or another text that git keeps while it is at
// work, may have for a hook to take account of it.
const mostMessage = 64 << 20
