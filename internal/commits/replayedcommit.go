package commits

import (
	"context"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
)

// prepareReplayed keeps the links of commits that git replays, merges, or squashes into one. It
// adds a new one for what none of these has.
func prepareReplayed(ctx context.Context, run *workspace.Run, d draft) (string, error) {
	have := message.Links(d.text)
	fixups := run.Repo.Operation().Fixups()
	var err error
	if d.amend = len(fixups) > 0; d.amend {
		d.keep, err = unitedLinks(run, fixups)
	} else {
		d.keep, err = replayedLinks(ctx, run, have)
	}
	if err != nil {
		return "", err
	}
	findReplaced(ctx, run, &d)
	outcome := ""
	if d.amend {
		err = noteReplayed(ctx, run.Repo, run.Head, d)
	} else {
		d.replaces = append(d.replaces, squashed(run.Repo.Operation())...)
		outcome, err = linkOrNote(ctx, run, d)
	}
	if outcome != "" || err != nil {
		return outcome, err
	}
	if !d.amend && len(d.keep) == len(have) && run.Settings.Links() == settings.Trailer {
		return run.Outcome(journal.Replayed), nil
	}
	return keepLinks(ctx, run, d, run.Outcome(journal.Replayed))
}

// linkOrNote links a commit that git makes of others for what none of these has. Where that is
// nothing, the outcome is empty, and the commits that it replaces are noted.
func linkOrNote(ctx context.Context, run *workspace.Run, d draft) (string, error) {
	outcome, err := linkFresh(ctx, run, d)
	if outcome != "" {
		return outcome, err
	}
	run.WarnOf(err) // the known links are kept all the same
	return "", noteReplayed(ctx, run.Repo, run.Head, d)
}

// unitedLinks lists the links of HEAD and of the commits that a rebase squashes into it.
func unitedLinks(run *workspace.Run, fixups []gitexec.OID) (links []string, err error) {
	commits, err := run.DB.Commits(append([]gitexec.OID{run.Head.ID}, fixups...)...)
	if err != nil {
		return nil, err
	}
	for _, c := range commits {
		of, err := linksOf(run.Repo, run.DB, c)
		if err != nil {
			return nil, err
		}
		links = sets.Union(links, of)
	}
	return links, nil
}

// replayedLinks lists the links of the message, those of the commits that git names there, and
// those beside a cherry-picked commit.
func replayedLinks(ctx context.Context, run *workspace.Run, have []string) ([]string, error) {
	quoted, err := squashedLinks(ctx, run, true)
	if err != nil {
		return nil, err
	}
	links := sets.Union(have, sets.Union(quoted, message.Links([]byte(run.Repo.Operation().MergeMessage()))))
	picked := run.Repo.Operation().Picked()
	if picked == "" {
		return links, nil
	}
	beside, err := besideSquashed(run.Repo, run.DB, []gitexec.OID{picked})
	return sets.Union(links, beside), err
}

// noteReplayed records for post-commit the commits that the new one replaces, and whose checkpoints
// it moves there.
func noteReplayed(ctx context.Context, repo *gitexec.Repo, head gitexec.Head, d draft) error {
	if len(d.keep) == 0 || len(d.replaces) == 0 {
		return nil
	}
	return addPending(ctx, repo, head, PendingLink{ID: d.keep[0], Head: head.ID, Replaces: d.replaces, Amends: d.amend})
}

// resolvedCommit is the commit that git replays here, and whose conflicts were resolved: what a
// rebase stopped at, or what is cherry-picked. git cherry-pick --no-commit leaves only its message:
// then it is one of the sessions' commits with that message. No commit: none is.
func resolvedCommit(ctx context.Context, run *workspace.Run) (lineage.Predecessor, error) {
	op := run.Repo.Operation()
	if stopped := op.StoppedAt(); stopped != "" {
		return lineage.Predecessor{Commit: stopped, By: lineage.Rewritten}, nil
	}
	text := op.MessageWithConflicts()
	if text == "" {
		return lineage.Predecessor{}, nil
	}
	picked, err := op.Picked(), error(nil)
	if picked == "" && !op.Concludes() {
		picked, err = commitOfMessage(ctx, run, []byte(text))
	}
	return lineage.Predecessor{Commit: picked, By: lineage.Picked}, err
}

// findReplaced finds the commit that is replayed here, if its conflicts were resolved, and the
// others of which the user has taken something, whose links are kept, too. Where that fails, the
// known links are kept all the same.
func findReplaced(ctx context.Context, run *workspace.Run, d *draft) {
	replayed, err := resolvedCommit(ctx, run)
	if err == nil && replayed.Commit != "" {
		d.replaces, err = takenStaged(ctx, run, replayed, d.keep)
	}
	run.WarnOf(err)
	for _, commit := range d.replaces {
		d.keep = sets.Union(d.keep, commit.Links)
	}
	if replayed.Commit != "" && replayed.By == lineage.Picked { // else post-rewrite names it
		d.replaces = append(d.replaces, replayed)
	}
}

// takenStaged finds the other commits of which the user has taken something into a rebased or
// cherry-picked one, by resolving its conflicts: those that a rebase drops, or has yet to replay,
// and those before it, from which a conflict's other side comes. Those with no other links than the
// given ones are earlier versions of it.
func takenStaged(ctx context.Context, run *workspace.Run, replayed lineage.Predecessor, links []string) ([]lineage.Predecessor, error) {
	states, err := run.Sessions()
	if err != nil {
		return nil, err
	}
	matches, err := matchReplayed(ctx, run, states, replayed.Commit)
	var taken []lineage.Predecessor
	for _, m := range matches {
		for _, l := range m.Reset { // however little of it
			if l.Commit == replayed.Commit || slices.Contains(links, l.ID) { // its own are known
				continue
			}
			by := lineage.Picked
			if replayed.By == lineage.Rewritten && run.Repo.Operation().Plans(l.Commit) {
				by = lineage.Dropped
			}
			taken = append(taken, lineage.Predecessor{Commit: l.Commit, By: by, Links: []string{l.ID}})
		}
	}
	return taken, err
}

// matchReplayed compares what is staged with the work of the commits that a rebase has removed from
// HEAD's history, and of those in the history of the commit that is replayed.
func matchReplayed(ctx context.Context, run *workspace.Run, states []*session.State, replayed gitexec.OID) ([]condense.Matched, error) {
	found := stagedWork{base: run.Head.Tree, replays: true}
	var err error
	if run.Repo.Operation().RebasedBranch() != "" {
		if found.head, states, err = updateHeadRecord(ctx, run, states); err != nil {
			return nil, err
		}
	}
	if found.head, states, err = withHistory(ctx, run, found.head, states, replayed); err != nil || len(found.head.Reset) == 0 {
		return nil, err
	}
	err = matchStaged(ctx, run, states, committers(run, states), &found)
	return found.matches, err
}
