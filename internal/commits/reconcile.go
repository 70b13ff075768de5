package commits

import (
	"cmp"
	"context"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Way is how a commit came to be known here.
type Way int

// The ways.
const (
	WithHook    Way = iota // prepare-commit-msg ran for it; post-commit runs, or was killed
	Foreseen               // as if so: it would be made of the worktree now, and nothing is recorded
	OfTurn                 // this program makes it of what a turn changed: HEAD moves there with its checkpoint
	ByHand                 // made of a stream that is condensed without a commit: HEAD stays where it is
	WithoutHook            // in HEAD's history, and no hook ran for it
	Bringing               // hooks ran for it and gave out no link: it may only bring lines of linked commits
	OfRewrite              // git made it of others, as post-rewrite says
	ByContent              // it was found to hold the work of linked commits, as one that a server made
)

// given reports whether the commit was given its links before it was made.
func (w Way) given() bool { return w <= ByHand }

// unseen reports whether no hook has compared the commit: its links are chosen now, and stored
// beside it.
func (w Way) unseen() bool { return w == WithoutHook || w == Bringing }

// Request is a commit to reconcile, and what is known of it before it is read.
type Request struct {
	Way    Way         // required
	Commit gitexec.OID // required
	// Pending has the links that were given out for it, the commits that it replaces, and the
	// sessions whose agent makes it. By default nothing is known.
	Pending PendingLink
	// States are the sessions whose work it may hold; nil: those of this worktree, with those at
	// rest where the link was given out for no session's new work.
	States []*session.State
	// Unseen is where the commit is in HEAD's history; it is required where no hook has compared
	// it.
	Unseen moves.Unseen
	// found is the link that a search by content has prepared. Required of its commits.
	found *checkpoints.SideLink
	// batch collects what is stored together later. Required of such commits, and of rewritten
	// ones.
	batch *batch
	// Strategy is that of the checkpoint; empty: see checkpoints.Request.
	Strategy string
	// Store moves the refs and stores the states in one transaction; nil: shadow.Apply does.
	Store func(refs []shadow.RefChange, states []*session.State) error
}

// Reconcile decides which sessions' work a commit holds, whatever made it, and records that: it
// writes the commit's checkpoint, moves those of the commits that it replaces, stores links beside
// it, carries the remainder forward, and remembers what was decided. The lock is held.
func Reconcile(ctx context.Context, run *workspace.Run, r Request) (Result, error) {
	c := &linkedCommit{Request: r, sides: r.Pending.Sides}
	if err := c.readSessions(run); err != nil {
		return Result{}, err
	}
	stop, err := c.warmUp(ctx, run)
	defer stop()
	if err != nil {
		return Result{}, err
	}
	// A step that has decided ends it: most commits have no link, and end with begin.
	for _, step := range []func(context.Context, *workspace.Run) error{c.begin, c.compare, c.write} {
		if err := step(ctx, run); err != nil {
			return Result{}, err
		}
		if c.Outcome != undecided {
			break
		}
	}
	return c.Result, c.remember(run)
}

// readSessions reads the sessions whose work the commit may hold.
func (c *linkedCommit) readSessions(run *workspace.Run) (err error) {
	// The states and the branch are read once for all commits of a rebase or a search.
	if c.batch != nil {
		c.States, c.Branch = c.batch.states, c.batch.branch
	}
	// A batch may have no session: as of a squash in a clone in which no agent ran.
	if c.States != nil || c.batch != nil {
		return nil
	}
	p := c.Pending
	if len(p.Sessions) > 0 { // else nobody's state is needed
		run.WarnOf(restoreLost(run, p.Head))
	}
	sessions := run.Sessions
	if len(p.Replaces) > 0 || p.ID != "" && len(p.Sessions) == 0 {
		sessions = run.RecentSessions // an earlier commit's sessions may be at rest
	}
	c.States, err = sessions()
	return err
}

// begin reads the commit, its links, and what it is compared with.
func (c *linkedCommit) begin(ctx context.Context, run *workspace.Run) (err error) {
	if c.Head, c.ParentTree, err = withParent(run.DB, c.Commit); err != nil {
		return err
	}
	switch {
	case c.Way.given():
		err = c.readGiven(run)
	case c.Way.unseen():
		err = c.readUnseen(ctx, run)
	case c.Way == OfRewrite:
		err = c.readRewritten(run)
	default:
		c.Links, c.Beside = c.found.Checkpoints, c.found.Checkpoints
	}
	if err != nil {
		return err
	}
	c.open(replays(run.Repo, c.Head))
	switch {
	case c.Outcome == EarlierLink && run.Repo.Operation().RebasedBranch() == "": // else post-rewrite does so
		// The links are others', as of a cherry-picked commit, which may be reset and committed
		// again.
		if c.Way == Foreseen {
			return nil
		}
		return shadow.Apply(ctx, run.DB, run.Store, nil, recordLinks(c.States, c.Links, c.Head.ID, nil, run.Now()))
	case c.Outcome == undecided && c.Way.given():
		return c.fill(run)
	}
	return nil
}

// fill reads what it takes to write the checkpoint of the link that is to be filled.
func (c *linkedCommit) fill(run *workspace.Run) (err error) {
	run.Entry.Link = cmp.Or(c.ID, c.Links[0])
	if c.Pending = c.Pending.filling(c.ID, c.Head); c.Pending.ID == "" {
		c.Pending.Agents = committers(run, c.States)
	}
	c.record = c.Pending.resets(readHeadRecord(run.Repo.PrivateDir()), c.Head.ID)
	c.Changes, err = run.DB.DiffTrees(c.ParentTree, c.Head.Tree)
	return err
}

// readGiven reads the links that the commit was given, and, if it has any, the streams and which of
// its links have a checkpoint.
func (c *linkedCommit) readGiven(run *workspace.Run) (err error) {
	if c.Links, c.Beside = c.Pending.linksOf(c.Head, run.Settings.Links()); len(c.Beside) > 0 {
		c.How = checkpoints.Chosen
	}
	if c.Way == WithHook { // else HEAD is not there
		if err := warnOfConversation(run, c.Head, c.ParentTree); err != nil {
			return err
		}
		// Before the checkpoint is written: if that fails, the pending link is still there for the
		// next hook.
		if err := c.recordHead(run); err != nil {
			return err
		}
	}
	if c.Way == Foreseen { // in private files that are thrown away
		if err := recordCommit(run.Repo, c.Head, c.Pending, len(c.Links) > 0); err != nil {
			return err
		}
	}
	if len(c.Links) == 0 {
		return nil
	}
	// Links without a pending one were in the message already, as those of a commit that was
	// picked.
	if c.Pending.ID == "" && run.Store.Rested(run.Now().Add(-session.KeptFor)) {
		if c.States, err = run.RecentSessions(); err != nil { // the links may be of earlier commits
			return err
		}
	}
	if err := c.readStreams(run); err != nil {
		return err
	}
	c.held, err = c.Branch.Holds(run.DB, c.Links...)
	return err
}

// readUnseen reads what prepare-commit-msg would have compared the commit with: the sessions that
// had begun when it was made, the streams on its parent, and the links of the commit that it
// amends.
func (c *linkedCommit) readUnseen(ctx context.Context, run *workspace.Run) (err error) {
	if c.record, c.States, err = updateHeadRecord(ctx, run, c.States); err != nil {
		return err
	}
	c.States = slices.DeleteFunc(c.States, func(s *session.State) bool { return startedAfter(s, c.Head) })
	if c.How = checkpoints.Hookless; c.Way == Bringing {
		c.How = checkpoints.Brought
	}
	if c.Changes, err = run.DB.DiffTrees(c.ParentTree, c.Head.Tree); err != nil {
		return err
	}
	if err := c.readStreams(run); err != nil {
		return err
	}
	if err := c.readAmended(ctx, run); err != nil {
		return err
	}
	// A commit with links needs nothing. An amend has those of the commit that it replaces from the
	// start: it is complete once a checkpoint has its version of the lines.
	c.complete = len(c.Links) > 0 && (c.Pending.amended() == "" || checkpoints.HasVersion(run.DB, c.Branch, c.Links, c.Head.ID))
	return nil
}

// readRewritten reads the links of a commit that git made of others, with those beside these: they
// become links beside it, unless its message has them.
func (c *linkedCommit) readRewritten(run *workspace.Run) (err error) {
	var inherited []string
	for _, old := range c.Pending.Replaces {
		inherited = sets.Union(inherited, besideOf(run.DB, c.Branch, old.Commit))
	}
	inherited = withoutTrailer(c.Head, inherited)
	if c.Links = sets.Union(c.Branch.Links(run.DB, c.Head), inherited); len(c.Links) == 0 {
		return nil
	}
	// What is stored beside the commit already is not stored again.
	if len(without(inherited, besideOf(run.DB, c.Branch, c.Head.ID))) > 0 {
		c.How, c.Beside = checkpoints.Rewritten, inherited
	}
	c.Changes, err = run.DB.DiffTrees(c.ParentTree, c.Head.Tree)
	return err
}

// readAmended reads the links that the commit has, with those of the commit that it amends. Where
// that one has none and was judged already, since the user removed its link, or git made it of
// others, only what the amend adds is compared.
func (c *linkedCommit) readAmended(ctx context.Context, run *workspace.Run) error {
	c.Links = c.Branch.Links(run.DB, c.Head)
	old, there, err := readCommit(run.DB, c.Pending.amended())
	if err != nil || !there {
		return err
	}
	// The replaced commit's links come first, so that choose keeps one of them.
	if c.Links = sets.Union(c.Branch.Links(run.DB, old), c.Links); len(c.Links) > 0 {
		return nil
	}
	reflog, err := run.HeadMoves(ctx)
	if err == nil && (c.record.Declined == old.ID || moves.Replayed(reflog, old.ID)) {
		c.Pending.Since = old.Tree
	}
	return err
}

// open decides what needs no comparison, or chooses the link whose checkpoint is to be written.
// replayed says that git made the commit of others.
func (c *linkedCommit) open(replayed bool) {
	switch {
	case c.Way.unseen():
		if c.complete {
			c.Outcome = Linked
		}
	case len(c.Links) == 0 && replayed:
		c.Outcome = NoLinkReplayed
	case len(c.Links) == 0:
		c.Outcome = NoLink
	case c.Way.given():
		// Each link has its checkpoint: they are of earlier commits, whose messages this one
		// repeats.
		if c.ID = linkToFill(c.Links, c.held, c.Pending); c.ID == "" && len(c.Beside) == 0 {
			c.Outcome = EarlierLink
		}
	}
}

// readStreams reads the streams that may hold its work, and the checkpoints.
func (c *linkedCommit) readStreams(run *workspace.Run) (err error) {
	c.bases = slices.DeleteFunc(condense.Bases(ParentOf(run.Repo, c.Head), c.States), c.Unseen.NotYet)
	if c.Listing, err = shadow.Probe(run.Repo, run.DB, append(slices.Clone(c.bases), c.Head.ID)...); err != nil {
		return err
	}
	c.Branch, err = checkpoints.ReadBranch(run.DB, c.Listing.Checkpoints)
	return err
}

// compare compares the commit with the sessions' work, unless nothing is added to its checkpoints
// or git replays it, chooses links where none were given out, and plans what becomes of the commits
// that it replaces.
func (c *linkedCommit) compare(ctx context.Context, run *workspace.Run) error {
	// What git replays has the lines of the commits that it replaces, and is no session's new work.
	if c.Way.unseen() || c.ID != "" && !c.Pending.replays() {
		if err := c.match(ctx, run); err != nil {
			return err
		}
	}
	if c.Way.unseen() {
		if c.choose(run.NewID); c.Outcome != undecided {
			return nil
		}
		run.Entry.Link = c.ID
	}
	if err := c.planLineage(run.Repo, run.DB); err != nil {
		return err
	}
	c.conclude()
	return nil
}

// conclude decides that nothing is recorded of a commit whose link was given out for nothing that
// it holds.
func (c *linkedCommit) conclude() {
	// What was staged when the link was given out was not committed after all: the link would lead
	// nowhere.
	if c.Way.given() && len(c.matches) == 0 && len(c.plan.From) == 0 && c.ID != "" && !c.held[c.ID] {
		c.Outcome = NoWork
	}
}

// choose chooses the links of a commit that no hook has compared, as prepare-commit-msg does.
func (c *linkedCommit) choose(newID func() string) {
	c.matches = slices.DeleteFunc(c.matches, func(m condense.Matched) bool { return !c.counts(m) })
	c.Pending = c.Pending.choose(condense.LinksFor(c.matches), c.Links, newID)
	if c.ID, c.Links = c.Pending.ID, c.Pending.linksWith(c.Links); c.ID == "" {
		c.Outcome, c.Links = NoWork, nil
	}
	c.Beside = withoutTrailer(c.Head, c.Links)
}

// counts reports whether a session is linked for what was found of its work: a commit that hooks
// ran for may only bring lines, and one that the reflog doesn't name is not the session's because a
// file of it was modified.
func (c *linkedCommit) counts(m condense.Matched) bool {
	// Where hooks ran, what a session did was compared already, and found not to be in it.
	if c.Way == Bringing {
		return len(m.Reset) > 0
	}
	// A commit that came by `git update-ref` may be anybody's: only lines tell.
	return c.Unseen.Known || m.Reason != condense.FileModified
}

// write writes the checkpoints and the remainder, and moves all refs in one transaction.
func (c *linkedCommit) write(ctx context.Context, run *workspace.Run) error {
	if c.Outcome = KeepsLinks; c.batch != nil {
		return c.batch.add(ctx, run, c)
	}
	refs, states, err := c.prepare(ctx, run)
	switch {
	case err != nil:
	case c.Store != nil:
		err = c.Store(refs, states)
	default:
		err = shadow.Apply(ctx, run.DB, run.Store, refs, states)
	}
	switch {
	case err != nil:
	// Here is kept beside reset commits alone: it says of which of them the link is taken.
	case c.Way.unseen() && len(c.record.Reset) > 0:
		c.record.Here = append(c.record.Here, c.Head.ID)
		err = writeHeadRecord(run.Repo.PrivateDir(), c.record)
	}
	return err
}

// recordHead records that HEAD moved to the commit, which was compared if it has a link.
func (c *linkedCommit) recordHead(run *workspace.Run) error {
	err := recordCommit(run.Repo, c.Head, c.Pending, len(c.Links) > 0)
	if err != nil || len(c.Links) == 0 {
		return err
	}
	return recordSeen(run.Repo, c.Head, c.Pending.Head, true)
}

// remember keeps what was decided about the commit.
func (c *linkedCommit) remember(run *workspace.Run) error {
	switch {
	// No commit was made, or nothing was decided about it.
	case c.Way == ByHand, c.Outcome == Linked:
	// A batch's decisions are remembered once its edits are stored.
	case c.Way == ByContent:
		c.batch.decided = append(c.batch.decided, decided.Content(c.Head.ID, c.Links))
	case c.Way == OfRewrite:
		if len(c.Links) > 0 || allDecided(decided.Open(run.Repo.SharedDir()), c.Pending.Replaces) {
			c.batch.decided = append(c.batch.decided, decided.Links(c.Head.ID, c.Links))
		}
	case len(c.Links) > 0:
		Remember(run, decided.Links(c.Head.ID, c.Links))
		// After the transaction that moved HEAD there: before it the record would name a commit
		// that may never be.
		if c.Way == OfTurn { // HEAD is there now
			return c.recordHead(run)
		}
	case c.Pending.ID != "": // else it may bring lines: see finishUnlinked
		return rememberUnlinked(run, c.Head, c.Pending.Head, c.Outcome)
	}
	return nil
}
