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
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	links := message.Links(text)
	amend := source == "commit" && object == "HEAD" && len(links) > 0
	if amend && message.HasAttribution(text) {
		if err := p.shareAnew(ctx, file, text, links, states); err != nil {
			p.warn(OneLine(err))
		}
	}
	switch {
	case amend: // whoever has work: its checkpoint has to tell of the new commit
		return "the amended commit keeps its link", writePending(p.repo.PrivateDir(), pending{ID: links[0], Head: p.repo.Head, ByAgent: p.agentCommits(states)})
	case len(states) == 0:
		return "no session has work", nil
	case len(links) > 0:
		return "the message has a link already", nil
	}
	style := inBackground(func() (message.Style, error) { return p.style(ctx) })
	left := pending{ID: p.NewID(), Head: p.repo.Head, ByAgent: p.agentCommits(states)}
	var found staged
	left.Sessions, found, err = p.sessionsStaged(ctx, states, left.ByAgent)
	chosen, err2 := style() // in any case: no process may outlive the hook
	if err = errors.Join(err, err2); err != nil || len(left.Sessions) == 0 {
		return "nothing staged is a session's", err
	}
	if source == "template" {
		chosen.Template = text
	}
	share := ""
	if p.settings.StrategyOptions.AttributionTrailer {
		if share, err = p.share(ctx, found, left.ByAgent); err != nil {
			p.warn(OneLine(err)) // the link counts for more
		}
	}
	return p.addLink(ctx, file, text, share, chosen, left)
}

// share is how much of what is staged is the agents', in words.
func (p *place) share(ctx context.Context, found staged, byAgent bool) (string, error) {
	tree, err := p.treeOf(found.changes)
	if err != nil {
		return "", err
	}
	return p.shareOf(ctx, condense.Request{Matches: found.matches, Changes: found.changes, Tree: tree, ParentTree: p.repo.HeadTree, ByAgent: byAgent}, nil)
}

// shareAnew brings the share that an amended message tells of up to date: the commit will be another one.
func (p *place) shareAnew(ctx context.Context, file string, text []byte, links []string, states []*session.State) error {
	byAgent := p.agentCommits(states)
	_, found, err := p.workStaged(ctx, states, byAgent)
	if err != nil {
		return err
	}
	_, parent, err := p.withParent(p.repo.Head)
	if err != nil {
		return err
	}
	request := condense.Request{Matches: found.matches, ParentTree: parent, Amended: p.repo.HeadTree, ByAgent: byAgent}
	if request.Tree, err = p.treeOf(found.changes); err != nil {
		return err
	}
	if request.Changes, err = p.db.DiffTrees(parent, request.Tree); err != nil {
		return err
	}
	tip, err := p.db.Info(gitexec.OID(shadow.Checkpoints))
	if err != nil {
		return err
	}
	branch, err := condense.ReadBranch(p.db, tip[0].ID)
	if err != nil {
		return err
	}
	known, err := condense.ReadKnown(p.db, branch, links[0])
	if err != nil {
		return err
	}
	share, err := p.shareOf(ctx, request, known)
	if err != nil {
		return err
	}
	return replaceFile(file, message.SetAttribution(text, links[0], share))
}

func (p *place) treeOf(changes []gitexec.Change) (gitexec.OID, error) {
	edits := gitexec.Edits{}
	for _, c := range changes {
		edits[c.Path] = c.New
	}
	return p.db.EditTree(p.repo.HeadTree, edits)
}

func (p *place) shareOf(ctx context.Context, r condense.Request, known condense.Known) (string, error) {
	wait, err := condense.Attribute(ctx, p.repo, p.db, r, known)
	if err != nil {
		return "", err
	}
	a, err := wait()
	if err != nil {
		return "", err
	}
	return a.Share(), nil
}

// staged is what is staged, and whose work is in it.
type staged struct {
	changes []gitexec.Change
	matches []condense.Matched
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
func (p *place) sessionsStaged(ctx context.Context, states []*session.State, byAgent bool) (ids []string, found staged, err error) {
	if byAgent {
		for _, s := range states {
			if s.Phase == session.Active {
				ids = append(ids, s.SessionID)
			}
		}
		if !p.settings.StrategyOptions.AttributionTrailer {
			return ids, found, nil
		}
	}
	matched, found, err := p.workStaged(ctx, states, byAgent)
	if !byAgent {
		ids = matched
	}
	return ids, found, err
}

// workStaged holds what is staged against the sessions' work.
func (p *place) workStaged(ctx context.Context, states []*session.State, byAgent bool) (ids []string, found staged, err error) {
	diff := inBackground(func() ([]gitexec.Change, error) { return p.repo.DiffStaged(ctx, p.repo.IndexFile, p.repo.Head) })
	defer diff() // no process may outlive the hook
	if err := p.db.Objects.Warm(); err != nil {
		return nil, found, err
	}
	if found.changes, err = diff(); err != nil || len(found.changes) == 0 {
		return nil, found, err
	}
	bases := condense.Bases(p.repo.Head, states)
	listing, err := shadow.Probe(p.db, p.repo.WorktreeID(), bases...)
	if err != nil {
		return nil, found, err
	}
	works, troubles, err := condense.Gather(p.db, bases, states, func(base gitexec.OID) ([]shadow.Stream, error) {
		return listing.Streams(p.db, base, p.repo.WorktreeID())
	})
	if err != nil {
		return nil, found, err
	}
	p.warnOf(troubles)
	if byAgent {
		now, err := condense.InProgress(p.db, states, found.changes)
		if err != nil {
			return nil, found, err
		}
		works = append(works, now...)
	}
	found.matches, err = condense.Match(found.changes, works, &shadow.Texts{DB: p.db}, p.settings.Match())
	for _, m := range found.matches {
		ids = append(ids, m.Session.SessionID)
	}
	return ids, found, err
}

// addLink writes the message with the link in it, unless there is nothing else in it and nobody will be asked for more.
func (p *place) addLink(ctx context.Context, file string, text []byte, share string, style message.Style, left pending) (string, error) {
	linked, err := message.AddLink(text, left.ID, style, func(body []byte, trailer string) ([]byte, error) {
		return p.repo.InterpretTrailers(ctx, body, trailer)
	})
	if err != nil || bytes.Equal(linked, text) {
		return "the message has a link already", err
	}
	if _, lone := message.StripLone(linked, style); lone && !style.Editor {
		return "the message is empty: no link", nil
	}
	if share != "" {
		linked = message.SetAttribution(linked, left.ID, share)
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
