package hooks

import (
	"context"
	"errors"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// prepareReplayed keeps the links of commits that git replays, merges, or squashes into one. Nothing
// new is linked.
func (p *linker) prepareReplayed(ctx context.Context, d draft) (string, error) {
	if fixups := p.Repo.Operation().Fixups(); len(fixups) > 0 {
		commits, err := p.DB.Commits(append([]gitexec.OID{p.Repo.Head}, fixups...)...)
		if err != nil {
			return "", err
		}
		for _, c := range commits {
			d.keep = union(d.keep, message.Links(c.Message))
		}
		return p.keepLinks(ctx, d, journal.Replayed)
	}
	have := message.Links(d.text)
	quoted, err := p.squashed(ctx, true)
	if err != nil {
		return "", err
	}
	d.keep = union(have, union(quoted, message.Links([]byte(p.Repo.Operation().MergeMessage()))))
	if err := p.noteSquashed(ctx, d.keep); err != nil {
		return "", err
	}
	if len(d.keep) == len(have) {
		return journal.Replayed, nil
	}
	return p.keepLinks(ctx, d, journal.Replayed)
}

// squashed lists the links of the commits that git merge --squash has brought into the worktree,
// and of which something is staged: what git has noted of them stays there, also where the user has
// thrown away what they brought. One process, if there are any.
func (p *linker) squashed(ctx context.Context, kept bool) ([]string, error) {
	text := []byte(p.Repo.Operation().SquashMessage())
	quoted := message.IndentedLinks(text)
	if len(quoted) == 0 {
		return nil, nil
	}
	changes, err := p.Repo.DiffStaged(ctx, p.Repo.IndexFile, p.Repo.HeadTree)
	if err != nil {
		return nil, err
	}
	staged := map[gitexec.Path]gitexec.Change{}
	for _, c := range changes {
		staged[c.Path] = c
	}
	var links []string
	for _, id := range p.Repo.Operation().Squashed() {
		held, of, err := p.stagedOf(id, staged, kept)
		if err != nil {
			return nil, err
		}
		if held {
			links = union(links, of)
		}
	}
	return slices.DeleteFunc(quoted, func(link string) bool { return !slices.Contains(links, link) }), nil
}

// stagedOf reports whether something of what a commit did is staged, and gives the commit's links.
// kept says that the user kept the squash's message: then it is enough that a file of the commit's
// is.
func (p *linker) stagedOf(id gitexec.OID, staged map[gitexec.Path]gitexec.Change, kept bool) (bool, []string, error) {
	commit, parent, err := p.withParent(id)
	if gone := new(gitexec.MissingError); errors.As(err, &gone) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	did, err := p.DB.DiffTrees(parent, commit.Tree)
	if err != nil {
		return false, nil, err
	}
	texts := &shadow.Texts{DB: p.DB}
	for _, c := range did {
		now, ok := staged[c.Path]
		if !ok {
			continue
		}
		here, err := suffix.InEffect([]suffix.Change{{Path: c.Path, Before: c.Old, After: c.New}}, now, texts, p.Settings.Match())
		if here || kept || err != nil {
			return true, message.Links(commit.Message), err
		}
	}
	return false, nil, nil
}

// noteSquashed leaves the squashed commits for post-commit, which brings their checkpoints to the
// commit that stands for them; and the one that is picked, if somebody had a conflict to resolve.
func (p *linker) noteSquashed(ctx context.Context, links []string) error {
	left := pending{Head: p.Repo.Head}
	op := p.Repo.Operation()
	if picked := op.PickedWithConflicts(); picked != "" {
		left.Squashed = append(left.Squashed, picked)
	}
	left.Squashed = append(left.Squashed, op.Squashed()...)
	if len(links) == 0 || len(left.Squashed) == 0 {
		return nil
	}
	left.ID = links[0]
	return p.addPending(ctx, left)
}

// joinSquashed brings the checkpoints of squashed commits to the commit that they are in now.
func (p *condenser) joinSquashed(ctx context.Context, c condensation, squashed []gitexec.OID) (string, error) {
	there, err := p.DB.Info(squashed...)
	if err != nil {
		return "", err
	}
	var left []gitexec.OID // of them, after git has pruned others
	for _, o := range there {
		if o.Type == "commit" {
			left = append(left, o.ID)
		}
	}
	commits, err := p.DB.Commits(left...)
	if err != nil {
		return "", err
	}
	var parts []checkpoints.Part
	for _, was := range commits {
		for _, link := range message.Links(was.Message) {
			if slices.Contains(c.links, link) {
				parts = append(parts, checkpoints.Part{ID: link, Commit: was.ID, Tree: was.Tree})
			}
		}
	}
	for _, link := range c.links {
		c.rememberAll(link, p.Now())
	}
	edits := gitexec.Edits{}
	joined, err := checkpoints.Join(ctx, p.Repo, p.DB, c.branch, c.request(p), parts, edits)
	if err != nil {
		return "", err
	}
	if len(joined) == 0 {
		return "the commit keeps the squashed ones' links", shadow.Apply(ctx, p.Repo, p.Store, nil, c.states)
	}
	return "the squashed commits' checkpoints are brought up to date", p.writeEdits(ctx, c, edits, checkpoints.Message(checkpoints.Request{ID: strings.Join(joined, ", ")}))
}

// rememberCopy tells the sessions of a commit that has only links of others, as one that was
// picked: it may be reset and committed again. In a rebase post-rewrite tells them.
func (p *condenser) rememberCopy(ctx context.Context, c condensation) error {
	known := slices.ContainsFunc(c.states, func(s *session.State) bool {
		return slices.ContainsFunc(s.Linked, func(l session.Link) bool { return slices.Contains(c.links, l.ID) && l.Commit != c.head.ID })
	})
	if !known || p.Repo.Operation().RebasedBranch() != "" {
		return nil
	}
	for _, link := range c.links {
		c.rememberAll(link, p.Now())
	}
	return shadow.Apply(ctx, p.Repo, p.Store, nil, c.states)
}
