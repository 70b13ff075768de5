package hooks

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// prepareReplayed keeps the links of commits that git replays, merges, or squashes into one. It
// adds no new link.
func (p *linker) prepareReplayed(ctx context.Context, d draft) (string, error) {
	if fixups := p.Repo.Operation().Fixups(); len(fixups) > 0 {
		commits, err := p.DB.Commits(append([]gitexec.OID{p.Head.ID}, fixups...)...)
		if err != nil {
			return "", err
		}
		for _, c := range commits {
			links, err := p.linksOf(c)
			if err != nil {
				return "", err
			}
			d.keep = union(d.keep, links)
		}
		return p.keepLinks(ctx, d, journal.Replayed)
	}
	have := message.Links(d.text)
	quoted, err := p.squashedLinks(ctx, true)
	if err != nil {
		return "", err
	}
	d.keep = union(have, union(quoted, message.Links([]byte(p.Repo.Operation().MergeMessage()))))
	if picked := p.Repo.Operation().Picked(); picked != "" {
		beside, err := p.besideSquashed([]gitexec.OID{picked})
		if err != nil {
			return "", err
		}
		d.keep = union(d.keep, beside)
	}
	taken, err := p.takenStaged(ctx, d.keep)
	if err != nil {
		p.WarnLater(explain.OneLine(err)) // keep the links all the same
	}
	for _, commit := range taken {
		d.keep = union(d.keep, commit.Links)
	}
	if err := p.noteReplayed(ctx, d.keep, taken); err != nil {
		return "", err
	}
	if len(d.keep) == len(have) && p.Settings.Links() == settings.Trailer {
		return journal.Replayed, nil
	}
	return p.keepLinks(ctx, d, journal.Replayed)
}

// squashedLinks lists the links of the commits that git merge --squash staged, if something of them
// is still staged: git's message names them even where the user has discarded their changes. One
// process, if there are any.
func (p *linker) squashedLinks(ctx context.Context, kept bool) ([]string, error) {
	text := []byte(p.Repo.Operation().SquashMessage())
	quoted := message.IndentedLinks(text)
	beside, err := p.besideSquashed(p.Repo.Operation().Squashed())
	if quoted = union(quoted, beside); err != nil || len(quoted) == 0 {
		return nil, err
	}
	changes, err := p.Repo.DiffStaged(ctx, p.Repo.IndexFile, p.Head.Tree)
	if err != nil {
		return nil, err
	}
	staged := map[gitexec.Path]gitexec.Change{}
	for _, c := range changes {
		staged[c.Path] = c
	}
	var links []string
	for _, id := range p.Repo.Operation().Squashed() {
		found, of, err := p.stagedOf(id, staged, kept)
		if err != nil {
			return nil, err
		}
		if found {
			links = union(links, of)
		}
	}
	return slices.DeleteFunc(quoted, func(link string) bool { return !slices.Contains(links, link) }), nil
}

// besideSquashed lists the side links of the squashed commits: git's message does not quote them.
func (p *linker) besideSquashed(squashed []gitexec.OID) (links []string, err error) {
	for _, id := range squashed {
		commits, err := p.DB.Commits(id)
		if missing := new(gitexec.MissingError); errors.As(err, &missing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		of, err := p.linksOf(commits[0])
		if err != nil {
			return nil, err
		}
		links = union(links, withoutTrailer(commits[0], of))
	}
	return links, nil
}

// stagedOf reports whether some of a commit's changes are staged, and returns the commit's links.
// kept says that the user kept the squash's message: then one staged file of the commit is enough.
func (p *linker) stagedOf(id gitexec.OID, staged map[gitexec.Path]gitexec.Change, kept bool) (bool, []string, error) {
	commit, parent, err := p.withParent(id)
	if missing := new(gitexec.MissingError); errors.As(err, &missing) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	changes, err := p.DB.DiffTrees(parent, commit.Tree)
	if err != nil {
		return false, nil, err
	}
	texts := &shadow.Texts{DB: p.DB}
	for _, c := range changes {
		current, ok := staged[c.Path]
		if !ok {
			continue
		}
		present, err := suffix.InEffect([]suffix.Change{{Path: c.Path, Before: c.Old, After: c.New}}, current, texts, p.Settings.Match())
		if present || kept || err != nil {
			links, err2 := p.linksOf(commit)
			return true, links, errors.Join(err, err2)
		}
	}
	return false, nil, nil
}

// noteReplayed records for post-commit the squashed commits, whose checkpoints it moves to the
// commit that replaces them; those of which it has taken something; and the cherry-picked commit,
// if its conflicts were resolved.
func (p *linker) noteReplayed(ctx context.Context, links []string, taken []lineage.Predecessor) error {
	pending := pendingLink{Head: p.Head.ID, Replaces: taken}
	op := p.Repo.Operation()
	if picked := op.PickedWithConflicts(); picked != "" {
		pending.Replaces = append(pending.Replaces, lineage.Predecessor{Commit: picked, By: lineage.Picked})
	}
	for _, id := range op.Squashed() {
		pending.Replaces = append(pending.Replaces, lineage.Predecessor{Commit: id, By: lineage.Squashed})
	}
	if len(links) == 0 || len(pending.Replaces) == 0 {
		return nil
	}
	pending.ID = links[0]
	return p.addPending(ctx, pending)
}

// takenStaged finds the other commits of which the user has taken something into a rebased or
// cherry-picked one, by resolving its conflicts: those that a rebase drops, or has yet to replay,
// and those before it, from which a conflict's other side comes. Those with no other links than the
// given ones are earlier versions of it.
func (p *linker) takenStaged(ctx context.Context, links []string) ([]lineage.Predecessor, error) {
	op := p.Repo.Operation()
	stopped := op.StoppedAt()
	replayed := cmp.Or(stopped, op.PickedWithConflicts())
	if replayed == "" {
		return nil, nil
	}
	states, err := p.Sessions()
	if err != nil {
		return nil, err
	}
	matches, err := p.matchReplayed(ctx, states, replayed)
	var taken []lineage.Predecessor
	for _, m := range matches {
		for _, l := range m.Reset { // however little of it
			if l.Commit == replayed || slices.Contains(links, l.ID) { // its own are known
				continue
			}
			by := lineage.Picked
			if stopped != "" && op.Plans(l.Commit) {
				by = lineage.Dropped
			}
			taken = append(taken, lineage.Predecessor{Commit: l.Commit, By: by, Links: []string{l.ID}})
		}
	}
	return taken, err
}

// matchReplayed compares what is staged with the work of the commits that a rebase has removed from
// HEAD's history, and of those in the history of the commit that is replayed.
func (p *linker) matchReplayed(ctx context.Context, states []*session.State, replayed gitexec.OID) ([]condense.Matched, error) {
	found := stagedWork{base: p.Head.Tree}
	var err error
	if p.Repo.Operation().RebasedBranch() != "" {
		if found.head, states, err = p.updateHeadRecord(ctx, states); err != nil {
			return nil, err
		}
	}
	if found.head, states, err = p.withHistory(ctx, found.head, states, replayed); err != nil || len(found.head.Reset) == 0 {
		return nil, err
	}
	err = p.matchStaged(ctx, states, p.committers(states), &found)
	return found.matches, err
}
