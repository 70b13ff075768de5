package hooks

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// inProgress are files in the git directory that say that git is replaying commits, which carry their links with them.
var inProgress = []string{"rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_HEAD", "sequencer"}

func replaying(repo *gitexec.Repo) bool {
	return slices.ContainsFunc(inProgress, func(name string) bool {
		_, err := os.Lstat(filepath.Join(repo.GitDir, name))
		return err == nil
	})
}

// prepareCommitMsg adds a link to the message if the commit-to-be holds a session's work. One process where no session
// has any, five where one does.
func (p *place) prepareCommitMsg(ctx context.Context, file, source, object string) (string, error) {
	// The commit before may have lost its post-commit hook: its link must resolve before another is given out.
	if err := p.settle(ctx); err != nil {
		return "", err
	}
	if source == "merge" || source == "squash" || replaying(p.repo) {
		return "git replays or merges commits: no new link", errSilent
	}
	removePending(p.repo.PrivateDir())
	if shadow.Interrupted(p.repo) { // else what follows reads without the lock
		if err := p.locked(ctx, func() error { return nil }); err != nil {
			return "", err
		}
	}
	states, err := p.working()
	if err != nil || len(states) == 0 {
		return "no session has work", err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	amend := source == "commit" && object == "HEAD"
	if links := message.Links(text); len(links) > 0 {
		if amend {
			return "the amended commit keeps its link", writePending(p.repo.PrivateDir(), pending{ID: links[0], Head: p.repo.Head})
		}
		return "the message has a link already", nil
	}
	style := inBackground(func() (message.Style, error) { return p.style(ctx) })
	left := pending{ID: p.NewID(), Head: p.repo.Head, ByAgent: p.agentCommits(states)}
	left.Sessions, err = p.sessionsStaged(ctx, states, left.ByAgent)
	chosen, err2 := style() // in any case: no process may outlive the hook
	if err = errors.Join(err, err2); err != nil || len(left.Sessions) == 0 {
		return "nothing staged is a session's", err
	}
	if source == "template" {
		chosen.Template = text
	}
	return p.addLink(ctx, file, text, chosen, left)
}

// working gives the sessions of this worktree that may have something to commit.
func (p *place) working() ([]*session.State, error) {
	mine, err := p.mine()
	return slices.DeleteFunc(mine, func(s *session.State) bool {
		return s.Phase != session.Active && s.ShadowBranchSuffix == 0
	}), err
}

// agentCommits reports whether an agent makes the commit itself: its turn is going on, and it is what runs git.
func (p *place) agentCommits(states []*session.State) bool {
	active := slices.ContainsFunc(states, func(s *session.State) bool { return s.Phase == session.Active })
	return active && p.byAgent()
}

// sessionsStaged names the sessions whose work is staged. An agent's own commit is its session's, whatever is in it.
func (p *place) sessionsStaged(ctx context.Context, states []*session.State, byAgent bool) ([]string, error) {
	var ids []string
	if byAgent {
		for _, s := range states {
			if s.Phase == session.Active {
				ids = append(ids, s.SessionID)
			}
		}
		return ids, nil
	}
	staged := inBackground(func() ([]gitexec.Change, error) { return p.repo.DiffStaged(ctx, p.repo.IndexFile, p.repo.Head) })
	if err := p.db.Objects.Warm(); err != nil {
		return nil, err
	}
	changes, err := staged()
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	bases := condense.Bases(p.repo.Head, states)
	listing, err := shadow.Probe(p.db, p.repo.WorktreeID(), bases...)
	if err != nil {
		return nil, err
	}
	works, troubles, err := condense.Gather(p.db, bases, states, func(base gitexec.OID) ([]shadow.Stream, error) {
		return listing.Streams(p.db, base, p.repo.WorktreeID())
	})
	if err != nil {
		return nil, err
	}
	p.warnOf(troubles)
	matches, err := condense.Match(changes, works, &shadow.Texts{DB: p.db}, p.settings.Match())
	for _, m := range matches {
		ids = append(ids, m.Session.SessionID)
	}
	return ids, err
}

// addLink writes the message with the link in it, unless there is nothing else in it and nobody will be asked for more.
func (p *place) addLink(ctx context.Context, file string, text []byte, style message.Style, left pending) (string, error) {
	linked, err := message.AddLink(text, left.ID, style, func(body []byte, trailer string) ([]byte, error) {
		return p.repo.InterpretTrailers(ctx, body, trailer)
	})
	if err != nil || bytes.Equal(linked, text) {
		return "the message has a link already", err
	}
	if _, lone := message.StripLone(linked, style); lone && !style.Editor {
		return "the message is empty: no link", nil
	}
	if err := writePending(p.repo.PrivateDir(), left); err != nil {
		return "", err
	}
	if style.Editor {
		if err := session.WriteFile(templateFile(p.repo.PrivateDir()), style.Template); err != nil {
			return "", err
		}
	}
	return "linked " + left.ID, replaceFile(file, linked)
}

func (p *place) style(ctx context.Context) (message.Style, error) {
	config, err := p.repo.Config(ctx, "core.commentchar", "core.commentstring", "commit.cleanup")
	if err != nil {
		return message.Style{}, err
	}
	comment := config["core.commentchar"]
	if config["core.commentstring"] != "" {
		comment = config["core.commentstring"]
	}
	return message.Style{Comment: comment, Cleanup: config["commit.cleanup"], Editor: p.Getenv("GIT_EDITOR") != ":"}, nil
}

// commitMsg takes the link out of a message that holds nothing else after it was edited, so that git aborts the commit as
// it would have.
func (e Env) commitMsg(ctx context.Context, file string) error {
	gitDir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return err
	}
	template, err := os.ReadFile(templateFile(filepath.Join(gitDir, "entire-plumb")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no editor: the message is as prepare-commit-msg left it
	}
	text, err2 := os.ReadFile(file)
	if err = errors.Join(err, err2); err != nil || len(message.Links(text)) == 0 {
		return err
	}
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return err
	}
	style, err := (&place{Env: e, repo: repo}).style(ctx)
	if err != nil {
		return err
	}
	style.Template = template
	if stripped, lone := message.StripLone(text, style); lone {
		return replaceFile(file, stripped)
	}
	return nil
}

// replaceFile writes a file of git's whole or not at all, with the mode that it had.
func replaceFile(file string, data []byte) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if err := session.WriteFile(file, data); err != nil {
		return err
	}
	return os.Chmod(file, info.Mode().Perm())
}
