package commits

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// stagedWork is the staged changes, and the sessions' work in them.
type stagedWork struct {
	base    gitexec.OID   // the tree to compare with: that of the commit's parent
	since   gitexec.OID   // of an amend of which only what it adds is compared: the amended commit's tree
	sides   []gitexec.OID // trees of which a merge, a pick, a squash or a revert puts it together; nil: it is none
	changes []gitexec.Change
	matches []condense.Matched
	head    headRecord
	amends  gitexec.OID // the tree of the commit that it replaces: what that has isn't brought; empty: none
	replays bool        // git replays a commit whose lines are known: it brings none back
}

// linkStaged adds a link to the message if the staged changes hold the sessions' work.
func linkStaged(ctx context.Context, run *workspace.Run, d draft, found stagedWork) (string, error) {
	states, err := sessionsWithWork(ctx, run, &found)
	if err != nil {
		return "", err
	}
	from, err := mayComeHere(run.Repo, run.Store)
	if err != nil {
		return "", err
	}
	if len(states)+len(from) == 0 && len(d.keep) == 0 {
		return run.Outcome(journal.NoWork), nil
	}
	if err := found.amend(ctx, run, d); err != nil {
		return "", err
	}
	style := gitexec.InBackground(func() (message.Style, error) { return style(ctx, run, d.template()) })
	pending, err := chooseLink(ctx, run, states, committers(run, states), &found)
	chosen, err2 := style() // always: no process may outlive the hook
	if err = errors.Join(err, err2); err != nil {
		return "", err
	}
	pending.Amends, pending.Since = d.amend, found.since
	if len(pending.linksWith(d.keep)) == 0 {
		return "nothing staged is a session's", nil
	}
	share := ""
	if run.Settings.StrategyOptions.AttributionTrailer && pending.ID != "" && run.Foreseen == "" {
		share, err = stagedShare(ctx, run, found, found.base, lineage.Plan{})
		run.WarnOf(err) // the link is added all the same
	}
	return addLink(ctx, run, d, share, chosen, pending)
}

// sessionsWithWork lists the sessions that may have work in what is staged, and updates the record
// of HEAD. A state that was lost is restored before.
func sessionsWithWork(ctx context.Context, run *workspace.Run, found *stagedWork) ([]*session.State, error) {
	if lost, err := run.Store.LostState(); err == nil && lost {
		run.WarnOf(run.Locked(ctx, func() error { return restoreLost(run, run.Head.ID) }))
	}
	states, err := run.Sessions()
	if err != nil {
		return nil, err
	}
	if found.head, states, err = updateHeadRecord(ctx, run, states); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(states, func(s *session.State) bool {
		return !condense.MayHaveWork(s, found.head.Streams, found.head.wasReset, run.Now())
	}), nil
}

// amend says what of an amend is compared: only what it adds, where git made the amended commit of
// others.
func (w *stagedWork) amend(ctx context.Context, run *workspace.Run, d draft) error {
	if !d.amend {
		return nil
	}
	w.amends = run.Head.Tree
	if w.since != "" {
		return nil
	}
	reflog, err := run.HeadMoves(ctx)
	if err == nil && moves.Replayed(reflog, run.Head.ID) {
		w.since = run.Head.Tree
	}
	return err
}

// chooseLink finds the sessions whose work is staged, and chooses the link: a new one, or the first
// link of the replaced commits where the commit holds nothing else.
func chooseLink(ctx context.Context, run *workspace.Run, states []*session.State, agents []string, found *stagedWork) (PendingLink, error) {
	pending := PendingLink{Head: run.Head.ID, Agents: agents, Partial: onlyPaths(run.Repo)}
	run.Entry.MadeBy = agents
	if err := matchStaged(ctx, run, states, agents, found); err != nil {
		return pending, err
	}
	return pending.choose(condense.LinksFor(found.matches), nil, run.NewID), nil
}

// resetStaged finds the reset commits that an amend takes into the amended one: git reset --soft,
// then git commit --amend, is a squash by hand.
func resetStaged(ctx context.Context, run *workspace.Run, states []*session.State, agents []string) ([]lineage.Predecessor, error) {
	found := stagedWork{base: run.Head.Tree}
	var err error
	if found.head, states, err = updateHeadRecord(ctx, run, states); err != nil || len(found.head.Reset) == 0 {
		return nil, err
	}
	err = matchStaged(ctx, run, states, agents, &found)
	return condense.ResetsIn(found.matches), err
}

// matchStaged compares the staged changes with the sessions' work.
func matchStaged(ctx context.Context, run *workspace.Run, states []*session.State, agents []string, found *stagedWork) error {
	diff := gitexec.InBackground(func() ([]gitexec.Change, error) { return run.Staged(ctx, found.base) })
	defer diff() // no process may outlive the hook
	if err := run.DB.Objects.Warm(); err != nil {
		return err
	}
	var err error
	if found.changes, err = diff(); err != nil || len(found.changes) == 0 {
		return err
	}
	judged, err := found.judge(ctx, run)
	if err != nil || len(judged) == 0 {
		return err
	}
	bases := condense.Bases(run.Head.ID, states)
	listing, err := probeRenamed(ctx, run, bases, states)
	if err != nil {
		return err
	}
	work, err := findWork(ctx, run, workQuery{
		parent: run.Head.ID, base: found.base, bases: bases, listing: listing, states: states, changes: judged, agents: agents, head: found.head,
		amended: found.amends, replays: found.replays,
	})
	found.matches = work.matches
	return err
}

// judge leaves of the staged changes what no side has, and returns those that are compared with the
// sessions' work.
func (w *stagedWork) judge(ctx context.Context, run *workspace.Run) (judged []gitexec.Change, err error) {
	if len(w.sides) > 0 {
		if w.changes, err = works.Fresh(run.DB, w.changes, w.sides); err != nil {
			return nil, err
		}
	}
	if w.since == "" || len(w.changes) == 0 {
		return w.changes, nil
	}
	amend, err := run.Staged(ctx, w.since)
	return addedBy(amend, w.changes), err
}

// probeRenamed lists the streams on some bases. Those with legacy names get their suffix before.
func probeRenamed(ctx context.Context, run *workspace.Run, bases []gitexec.OID, states []*session.State) (shadow.Listing, error) {
	listing, err := shadow.Probe(run.Repo, run.DB, bases...)
	if err == nil && listing.HasLegacy() {
		err = run.Locked(ctx, func() (err error) {
			listing, err = RenameLegacy(ctx, run, listing, states...)
			return err
		})
	}
	return listing, err
}

// addedBy lists the changes of an amend in files that the new commit changes: what it takes back is
// not in that.
func addedBy(amend, commit []gitexec.Change) []gitexec.Change {
	return slices.DeleteFunc(slices.Clone(amend), func(a gitexec.Change) bool {
		return !slices.ContainsFunc(commit, func(c gitexec.Change) bool { return c.Path == a.Path })
	})
}

// onlyPaths reports whether git commits given paths only: then the hook's index is a temporary one
// of git's.
func onlyPaths(repo *gitexec.Repo) bool {
	return strings.HasPrefix(filepath.Base(repo.IndexFile), "next-index-")
}
