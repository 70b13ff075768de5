package commits

import (
	"context"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// linkBeside compares one commit that no hook ran for, under the lock, and writes its line in the
// journal; not if the commit is to be compared again, because it holds no work yet and was made in
// a turn in progress.
func linkBeside(ctx context.Context, run *workspace.Run, h hookless, agents []string, inTurn bool) (linked bool, err error) {
	before := run.Entry
	defer func() { run.Entry = before }()
	entry := journal.Entry{Hook: journal.NoHook, Worktree: run.Repo.WorktreeID(), Commit: string(h.commit.ID)}
	var links []string
	err = run.Locked(ctx, func() error {
		run.Entry = journal.Entry{}
		links, entry.Outcome, err = condenseHookless(ctx, run, h, agents)
		return err
	})
	if err == nil && h.amends != "" {
		_, err = followRewritten(ctx, run, map[gitexec.OID]gitexec.OID{h.amends: h.commit.ID})
	}
	if err != nil {
		return false, err
	}
	entry.Time, entry.Link, entry.Works, entry.Rewrote = run.Now().UTC(), run.Entry.Link, run.Entry.Works, run.Entry.Rewrote
	if entry.Link != "" || entry.Outcome != alreadyLinked && !inTurn {
		Remember(run, decided.Links(h.commit.ID, links))
		journal.Append(run.Repo.SharedDir(), entry)
	}
	return entry.Link != "", nil
}

// alreadyLinked is the outcome for a commit that needs no side link.
const alreadyLinked = "it is linked"

// condenseHookless decides as prepare-commit-msg and post-commit do together. links are those that
// the commit gets.
func condenseHookless(ctx context.Context, run *workspace.Run, h hookless, agents []string) (links []string, outcome string, err error) {
	c, record, err := readHookless(ctx, run, h, agents)
	if err != nil {
		return nil, "", err
	}
	pending := PendingLink{Head: ParentOf(run.Repo, c.Head), Agents: agents}
	if h.amends != "" {
		pending.Head, pending.Replaces = h.amends, []lineage.Predecessor{{Commit: h.amends, By: lineage.Amended}}
	}
	have, judged, err := readAmended(ctx, run, &c, h.amends, record)
	if err != nil {
		return nil, "", err
	}
	if len(have) > 0 && (h.amends == "" || checkpoints.HasVersion(run.DB, c.Branch, have, c.Head.ID)) {
		return nil, alreadyLinked, nil
	}
	if err := compare(ctx, run, &c, judged, record); err != nil {
		return nil, "", err
	}
	c.matches = slices.DeleteFunc(c.matches, func(m condense.Matched) bool { return !h.counts(m) })
	pending = pending.given(condense.LinksFor(c.matches), have)
	c.Links = lineage.Union(have, pending.replacedLinks())
	if len(pending.Sessions) > 0 {
		c.Links = lineage.Union([]string{run.NewID()}, c.Links)
	}
	if len(writable(c.Links)) == 0 {
		return nil, "no session's work is in the commit", nil
	}
	c.ID, c.Beside = writable(c.Links)[0], withoutTrailer(c.Head, c.Links)
	run.Entry.Link = c.ID
	if err := planLineage(run.Repo, run.DB, &c, pending); err != nil {
		return nil, "", err
	}
	if manyFiles(c.States) {
		c.paths = paths(c, func(path gitexec.Path) bool { return NotInWorktree(run.Repo, path) })
	}
	outcome, err = writeCheckpoint(ctx, run, c)
	if err == nil && len(record.Reset) > 0 {
		record.Here = append(record.Here, c.Head.ID)
		err = writeHeadRecord(run.Repo.PrivateDir(), record)
	}
	return c.Links, outcome, err
}

// counts reports whether a session is linked for what was found of its work: a commit that hooks
// ran for may only bring lines, and one that the reflog doesn't name is not the session's because a
// file of it was modified.
func (h hookless) counts(m condense.Matched) bool {
	if h.brings {
		return len(m.Reset) > 0
	}
	return h.known || m.Reason != condense.FileModified
}

// readHookless reads what the commit is compared with: the sessions that had begun when it was
// made, the streams on its parent, and the checkpoints.
func readHookless(ctx context.Context, run *workspace.Run, h hookless, agents []string) (c LinkedCommit, record headRecord, err error) {
	sessions := run.Sessions
	if h.amends != "" {
		sessions = run.RecentSessions // an earlier commit's sessions may be at rest
	}
	states, err := sessions()
	if err != nil {
		return c, record, err
	}
	if record, states, err = updateHeadRecord(ctx, run, states); err != nil {
		return c, record, err
	}
	states = slices.DeleteFunc(states, func(s *session.State) bool { return startedAfter(s, h.commit) })
	c = LinkedCommit{Head: h.commit, States: states, Agents: agents, How: checkpoints.Hookless, Partial: h.commit.ID == run.Head.ID}
	if h.brings {
		c.How = checkpoints.Brought
	}
	if c.ParentTree, err = run.DB.ParentTree(c.Head); err != nil {
		return c, record, err
	}
	if c.Changes, err = run.DB.DiffTrees(c.ParentTree, c.Head.Tree); err != nil {
		return c, record, err
	}
	c.bases = slices.DeleteFunc(condense.Bases(ParentOf(run.Repo, c.Head), c.States), h.notYet)
	if c.Listing, err = shadow.Probe(run.Repo, run.DB, append(slices.Clone(c.bases), c.Head.ID)...); err != nil {
		return c, record, err
	}
	c.Branch, err = checkpoints.ReadBranch(run.DB, c.Listing.Checkpoints)
	return c, record, err
}

// readAmended reads the commit that an amend replaces, if the commit is one. It returns the links
// that the new one has, which are also the old one's, and the changes that are compared with the
// sessions' work: all, or only what the amend adds where the old one, which has no link, was judged
// already, since the user removed its link, or git made it of others.
func readAmended(ctx context.Context, run *workspace.Run, c *LinkedCommit, amends gitexec.OID, record headRecord) (
	have []string, judged []gitexec.Change, err error,
) {
	have = c.Branch.Links(run.DB, c.Head)
	old, there, err := readCommit(run.DB, amends)
	if err != nil || !there {
		return have, c.Changes, err
	}
	c.amended = old.Tree
	if have = lineage.Union(c.Branch.Links(run.DB, old), have); len(have) > 0 {
		return have, c.Changes, nil
	}
	reflog, err := run.HeadMoves(ctx)
	if err != nil || record.Declined != old.ID && !moves.Replayed(reflog, old.ID) {
		return have, c.Changes, err
	}
	amend, err := run.DB.DiffTrees(old.Tree, c.Head.Tree)
	return have, addedBy(amend, c.Changes), err
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
func addSideLink(db *gitexec.ODB, now func() time.Time, c LinkedCommit, edits gitexec.Edits) error {
	if len(c.Beside) == 0 {
		return nil
	}
	link := checkpoints.SideLink{Commit: c.Head.ID, Checkpoints: c.Beside, How: c.How, CreatedAt: now()}
	if len(c.matches) > 0 {
		link.Reason = c.matches[0].Reason
	}
	byPath := map[gitexec.Path]gitexec.Change{}
	for _, change := range c.Changes {
		byPath[change.Path] = change
	}
	texts := &shadow.Texts{DB: db}
	for _, o := range c.overlaps {
		if !o.Counts || o.Work.Committing {
			continue
		}
		for _, changes := range suffix.ByFile(o.Work.Changes) {
			version, committed := byPath[changes[0].Path]
			if !committed || len(link.Evidence) >= mostJournaled {
				continue
			}
			found, sought, err := suffix.Extent(changes, &version, nil, texts)
			if err != nil {
				return err
			}
			link.Evidence.Add(version.Path, found, sought)
		}
	}
	return checkpoints.WriteSideLink(db, c.Branch, link, edits)
}

// linkOnlyBeside stores the links of a commit beside it, all of them checkpoints that nothing is
// added to.
func linkOnlyBeside(ctx context.Context, run *workspace.Run, c LinkedCommit) (string, error) {
	edits := gitexec.Edits{}
	if err := addSideLink(run.DB, run.Now, c, edits); err != nil {
		return "", err
	}
	refs, err := branchCommit(run, c.Branch, edits, nil, "Link a commit beside it\n")
	if err != nil {
		return "", err
	}
	run.Entry.Link = c.Links[0]
	recordLinks(c.States, c.Links, c.Head.ID, nil, run.Now())
	return keepsLinks, shadow.Apply(ctx, run.DB, run.Store, refs, c.States)
}

// addRewrittenSideLink adds the edit that stores the side links of the commits that git made a
// commit of beside it, and returns them.
func addRewrittenSideLink(db *gitexec.ODB, now func() time.Time,
	branch checkpoints.Branch, c gitexec.Commit, olds []gitexec.OID, edits gitexec.Edits,
) (missing []string, err error) {
	var links []string
	for _, old := range olds {
		if l, err := branch.SideLink(db, old); err == nil && l != nil { // an unreadable one links nothing
			links = lineage.Union(links, l.Checkpoints)
		}
	}
	if missing = withoutTrailer(c, links); len(missing) == 0 {
		return nil, nil
	}
	if l, err := branch.SideLink(db, c.ID); err == nil && l != nil && len(lineage.Union(l.Checkpoints, missing)) == len(l.Checkpoints) {
		return missing, nil
	}
	return missing, checkpoints.WriteSideLink(db, branch, checkpoints.SideLink{Commit: c.ID, Checkpoints: missing,
		How: checkpoints.Rewritten, CreatedAt: now()}, edits)
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
