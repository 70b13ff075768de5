package commits

import (
	"context"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// linkBeside reconciles one commit that no hook ran for, and writes its line in the journal; not if
// the commit is to be compared again, because it holds no work yet and was made in a turn in
// progress. sides are those of PendingLink.
func linkBeside(ctx context.Context, run *workspace.Run, u moves.Unseen, by committer, sides []gitexec.OID) (linked bool, err error) {
	before := run.Entry
	defer func() { run.Entry = before }()
	run.Entry = journal.Entry{}
	request := requestUnseen(run, WithoutHook, u, by.agents)
	request.Pending.Sides = sides
	result, err := reconcileLocked(ctx, run, request)
	if err == nil && u.Amends != "" {
		_, err = followRewritten(ctx, run, map[gitexec.OID]gitexec.OID{u.Amends: u.Commit().ID})
	}
	if err != nil {
		return false, err
	}
	if linked = result.Outcome > NoWork; !linked && (by.inTurn || result.Outcome == Linked) {
		return false, nil
	}
	if !linked {
		run.Entry.Link = ""
		Remember(run, decided.Links(u.Commit().ID, nil))
	}
	journal.Append(run.Repo.SharedDir(), journal.Entry{Hook: journal.NoHook, Worktree: run.Repo.WorktreeID(), Commit: string(u.Commit().ID), Time: run.Now().UTC(),
		Outcome: result.String(), Kind: result.Outcome.kind(), Link: run.Entry.Link, Works: run.Entry.Works, Rewrote: run.Entry.Rewrote})
	return linked, nil
}

// requestUnseen asks for a commit to be reconciled that no hook has compared.
func requestUnseen(run *workspace.Run, way Way, u moves.Unseen, agents []string) Request {
	c := u.Commit()
	pending := PendingLink{Head: ParentOf(run.Repo, c), Agents: agents, Partial: c.ID == run.Head.ID}
	if u.Amends != "" {
		pending.Head, pending.Replaces = u.Amends, []lineage.Predecessor{{Commit: u.Amends, By: lineage.Amended}}
	}
	return Request{Way: way, Commit: c.ID, Pending: pending, Unseen: u}
}

// withoutTrailer lists the links that a commit's message lacks.
func withoutTrailer(c gitexec.Commit, links []string) []string {
	return without(links, message.Links(c.Message))
}

// without lists the links that are not among others.
func without(links, others []string) []string {
	return slices.DeleteFunc(slices.Clone(links), func(id string) bool { return slices.Contains(others, id) })
}

// addSideLink adds the edit that stores links of a commit beside it, with the evidence of the
// match: where no hook ran for it, or the setting says so.
func addSideLink(db *gitexec.ODB, now func() time.Time, c linkedCommit, edits gitexec.Edits) (err error) {
	if len(c.Beside) == 0 {
		return nil
	}
	if c.found != nil {
		return checkpoints.WriteSideLink(db, c.Branch, *c.found, edits)
	}
	link := checkpoints.SideLink{Commit: c.Head.ID, Checkpoints: c.Beside, How: c.How, CreatedAt: now()}
	if len(c.matches) > 0 {
		link.Reason = string(c.matches[0].Reason)
	}
	if link.Evidence, err = c.evidence(db); err != nil {
		return err
	}
	return checkpoints.WriteSideLink(db, c.Branch, link, edits)
}

// evidence is how much of the sessions' work the commit holds, file by file.
func (c linkedCommit) evidence(db *gitexec.ODB) (e checkpoints.Evidence, err error) {
	byPath := gitexec.ByPath(c.Changes)
	texts := &shadow.Texts{DB: db}
	for _, o := range c.overlaps {
		if !o.Counts || o.Work.Committing {
			continue
		}
		for _, changes := range suffix.ByFile(o.Work.Changes) {
			version, committed := byPath[changes[0].Path]
			if !committed || len(e) >= mostJournaled {
				continue
			}
			found, sought, err := suffix.Extent(changes, &version, nil, texts)
			if err != nil {
				return nil, err
			}
			e.Add(version.Path, found, sought)
		}
	}
	return e, nil
}

// besideOf lists the links beside a commit. An unreadable one links nothing.
func besideOf(db *gitexec.ODB, branch checkpoints.Branch, id gitexec.OID) []string {
	if l, err := branch.SideLink(db, id); err == nil && l != nil {
		return l.Checkpoints
	}
	return nil
}

// linksOf lists the links of a commit, also those beside it.
func linksOf(repo *gitexec.Repo, db *gitexec.ODB, c gitexec.Commit) ([]string, error) {
	branch, err := readBranch(repo, db)
	if err != nil {
		return nil, err
	}
	return branch.Links(db, c), nil
}

// readBranch reads the branch of the checkpoints where the streams are not listed.
func readBranch(repo *gitexec.Repo, db *gitexec.ODB) (b checkpoints.Branch, err error) {
	tip, err := shadow.CheckpointsTip(repo, db)
	if err != nil {
		return b, err
	}
	return checkpoints.ReadBranch(db, tip)
}
