package commits

import (
	"context"
	"slices"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/workspace"
)

// Commits that no hook ran for are looked for in HEAD's history. Those that a rebase or an amend
// replaces, or that are merged or picked from another branch, may be in it no more, or not yet.

// mostTips is how many branches are looked at, mostHookless commits of each: a merge has one, an
// octopus some. Of a rebase these are the ends of what it replaced.
const mostTips = 20

// linkReplaced compares those of rewritten commits that no hook ran for: what git makes of them
// keeps what they get.
func linkReplaced(ctx context.Context, run *workspace.Run, ids []gitexec.OID) error {
	if len(ids) > mostUpdated {
		return nil
	}
	tips, err := tipsAmong(run.DB, ids)
	if err != nil {
		return err
	}
	return linkOn(ctx, run, tips)
}

// linkSources likewise compares those of the branches that git merges, squashes or picks from.
func linkSources(ctx context.Context, run *workspace.Run) error {
	op := run.Repo.Operation()
	if op.Rebases() {
		return nil // it replaces them: post-rewrite follows
	}
	return linkOn(ctx, run, op.Brings())
}

// linkOn compares the commits in the histories of some that no hook ran for. One process where
// hooks did not decide about one of these.
func linkOn(ctx context.Context, run *workspace.Run, tips []gitexec.OID) error {
	seen, record := ReadSeenHead(run.Repo.PrivateDir()), decided.Open(run.Repo.SharedDir())
	decided := func(id gitexec.OID) bool {
		_, known := record.Links(id)
		return known
	}
	tips = slices.DeleteFunc(tips, decided)
	if len(tips) == 0 || seen.Head == "" {
		return nil
	}
	states, err := run.Sessions()
	if err != nil || !mayHoldWork(readHeadRecord(run.Repo.PrivateDir()), run.Now(), states, nil) {
		return err
	}
	made, err := madeSinceSeen(ctx, run, seen)
	// The common case ends here, as for a colleague's branch: neither its history is read, nor the
	// journal, which may be long. Before the first session hooks decide nothing.
	made = slices.DeleteFunc(made, func(m moves.Made) bool {
		if !m.Known || decided(m.Commit) {
			return m.Known
		}
		c, err := run.DB.Commit(m.Commit)
		return err == nil && beforeAll(states, c)
	})
	if err != nil || len(made) == 0 {
		return err
	}
	ran := sync.OnceValues(func() (map[gitexec.OID]bool, error) { return HooksRan(run.Repo.SharedDir()) })
	for _, tip := range tips[:min(mostTips, len(tips))] {
		line, err := run.DB.Ancestors(tip, mostHookless)
		if err != nil {
			return err
		}
		found := slices.DeleteFunc(moves.InHistory(made, line, seen.Head), func(u moves.Unseen) bool { return decided(u.Commit().ID) })
		if len(found) == 0 {
			continue
		}
		hooks, err := ran()
		if err != nil {
			return err
		}
		if _, _, err := linkEach(ctx, run, states, withoutHooks(found, states, hooks)); err != nil {
			return err
		}
	}
	return nil
}

// tipsAmong are those of some commits that are no first parent of another one, sorted.
func tipsAmong(db *gitexec.ODB, ids []gitexec.OID) ([]gitexec.OID, error) {
	slices.Sort(ids)
	commits, err := db.Readable(ids...)
	below := map[gitexec.OID]bool{}
	for _, c := range commits {
		if len(c.Parents) > 0 {
			below[c.Parents[0]] = true
		}
	}
	return slices.DeleteFunc(ids, func(id gitexec.OID) bool { return below[id] }), err
}
