package commits

import (
	"cmp"
	"context"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Way is how a commit came to be known here.
type Way int

// The ways.
const (
	WithHook    Way = iota // prepare-commit-msg ran for it; post-commit runs, or was killed
	OfTurn                 // this program makes it of what a turn changed: HEAD moves there with its checkpoint
	ByHand                 // made of a stream that is condensed without a commit: HEAD stays where it is
	WithoutHook            // in HEAD's history, and no hook ran for it
	Bringing               // hooks ran for it and gave out no link: it may only bring lines of linked commits
)

// unseen reports whether no hook has compared the commit: its links are chosen now, and stored
// beside it.
func (w Way) unseen() bool { return w == WithoutHook || w == Bringing }

// Request is a commit to reconcile, and what is known of it before it is read.
type Request struct {
	Way    Way         // required
	Commit gitexec.OID // required
	// Pending has the links that were given out for it, the commits that it replaces, and the sessions
	// whose agent makes it. Default: nothing is known.
	Pending PendingLink
	// States are the sessions whose work it may hold. Default: those of this worktree, with those at
	// rest where the link was given out for no session's new work.
	States []*session.State
	// unseen is where the commit is in HEAD's history. Required where no hook has compared it.
	unseen hookless
	// Strategy is that of the checkpoint: see checkpoints.Request.
	Strategy string
	// Store moves the refs and stores the states in one transaction. Default: shadow.Apply.
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
	var result Result
	for _, step := range []func(context.Context, *workspace.Run) (Result, error){c.begin, c.compare, c.write} {
		if result, err = step(ctx, run); err != nil || result.Outcome != undecided {
			break
		}
	}
	if err != nil {
		return result, err
	}
	result.Links = c.Links
	return result, c.remember(run, result.Outcome)
}

// readSessions reads the sessions whose work the commit may hold.
func (c *linkedCommit) readSessions(run *workspace.Run) (err error) {
	if c.States != nil {
		return nil
	}
	p := c.Pending
	if len(p.Sessions) > 0 { // else nobody's state is needed
		if err := restoreLost(run, p.Head); err != nil {
			run.WarnLater(explain.OneLine(err))
		}
	}
	sessions := run.Sessions
	if len(p.Replaces) > 0 || p.ID != "" && len(p.Sessions) == 0 {
		sessions = run.RecentSessions // an earlier commit's sessions may be at rest
	}
	c.States, err = sessions()
	return err
}

// begin reads the commit, its links, and what it is compared with.
func (c *linkedCommit) begin(ctx context.Context, run *workspace.Run) (r Result, err error) {
	if c.Head, c.ParentTree, err = withParent(run.DB, c.Commit); err != nil {
		return r, err
	}
	read := c.readGiven
	if c.Way.unseen() {
		read = c.readUnseen
	}
	if err := read(ctx, run); err != nil {
		return r, err
	}
	r.Outcome = c.open(replays(run.Repo, c.Head))
	if r.Outcome == EarlierLink {
		return r, recordCopiedLinks(ctx, run, c.Head, c.Links, c.States)
	}
	if r.Outcome != undecided || c.Way.unseen() {
		return r, nil
	}
	run.Entry.Link = cmp.Or(c.ID, c.Links[0])
	if c.Pending = c.Pending.filling(c.ID, c.Head); c.Pending.ID == "" {
		c.Pending.Agents = committers(run, c.States)
	}
	c.record = c.Pending.resets(readHeadRecord(run.Repo.PrivateDir()), c.Head.ID)
	c.Changes, err = run.DB.DiffTrees(c.ParentTree, c.Head.Tree)
	return r, err
}

// readGiven reads the links that the commit was given, and, if it has any, the streams and which of
// its links have a checkpoint.
func (c *linkedCommit) readGiven(_ context.Context, run *workspace.Run) (err error) {
	if c.Links, c.Beside = c.Pending.linksOf(c.Head, run.Settings.Links()); len(c.Beside) > 0 {
		c.How = checkpoints.Chosen
	}
	if c.Way == WithHook { // else HEAD is not there
		if err := warnOfConversation(run, c.Head, c.ParentTree); err != nil {
			return err
		}
		if err := c.recordHead(run); err != nil {
			return err
		}
	}
	if len(c.Links) == 0 {
		return nil
	}
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
	if len(c.Links) > 0 && (c.Pending.amended() == "" || checkpoints.HasVersion(run.DB, c.Branch, c.Links, c.Head.ID)) {
		c.held = map[string]bool{c.Links[0]: true}
	}
	return nil
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
	if c.Links = lineage.Union(c.Branch.Links(run.DB, old), c.Links); len(c.Links) > 0 {
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
func (c *linkedCommit) open(replayed bool) Outcome {
	if c.Way.unseen() {
		if len(c.held) > 0 {
			return Linked
		}
		return undecided
	}
	if len(c.Links) == 0 && replayed {
		return NoLinkReplayed
	}
	if len(c.Links) == 0 {
		return NoLink
	}
	if c.ID = linkToFill(c.Links, c.held, c.Pending); c.ID != "" || len(c.Beside) > 0 {
		return undecided
	}
	return EarlierLink
}

// readStreams reads the streams that may hold its work, and the checkpoints.
func (c *linkedCommit) readStreams(run *workspace.Run) (err error) {
	c.bases = slices.DeleteFunc(condense.Bases(ParentOf(run.Repo, c.Head), c.States), c.unseen.notYet)
	if c.list == nil {
		c.list = func() (shadow.Listing, error) {
			return shadow.Probe(run.Repo, run.DB, append(slices.Clone(c.bases), c.Head.ID)...)
		}
	}
	if c.Listing, err = c.list(); err != nil {
		return err
	}
	c.Branch, err = checkpoints.ReadBranch(run.DB, c.Listing.Checkpoints)
	return err
}

// compare compares the commit with the sessions' work, unless nothing is added to its checkpoints
// or git replays it, chooses links where none were given out, and plans what becomes of the commits
// that it replaces.
func (c *linkedCommit) compare(ctx context.Context, run *workspace.Run) (r Result, err error) {
	if c.Way.unseen() || c.ID != "" && !c.Pending.replays() {
		if err := c.match(ctx, run); err != nil {
			return r, err
		}
	}
	if c.Way.unseen() {
		if c.choose(run.NewID); c.ID == "" {
			return Result{Outcome: NoWork}, nil
		}
		run.Entry.Link = c.ID
	}
	if err := c.planLineage(run.Repo, run.DB); err != nil {
		return r, err
	}
	r.Outcome = c.conclude()
	return r, nil
}

// choose chooses the links of a commit that no hook has compared, as prepare-commit-msg does.
func (c *linkedCommit) choose(newID func() string) {
	c.matches = slices.DeleteFunc(c.matches, func(m condense.Matched) bool { return !c.counts(m) })
	c.Pending = c.Pending.choose(condense.LinksFor(c.matches), c.Links, newID)
	c.ID, c.Links = c.Pending.ID, c.Pending.linksWith(c.Links)
	if c.ID == "" {
		c.Links = nil
	}
	c.Beside = withoutTrailer(c.Head, c.Links)
}

// counts reports whether a session is linked for what was found of its work: a commit that hooks
// ran for may only bring lines, and one that the reflog doesn't name is not the session's because a
// file of it was modified.
func (c *linkedCommit) counts(m condense.Matched) bool {
	if c.Way == Bringing {
		return len(m.Reset) > 0
	}
	return c.unseen.known || m.Reason != condense.FileModified
}

// conclude decides what is recorded of the commit, once it is known what it holds: nothing, or
// something.
func (c *linkedCommit) conclude() Outcome {
	if len(c.matches) == 0 && len(c.plan.From) == 0 && c.ID != "" && !c.held[c.ID] && !c.Way.unseen() {
		return NoWork
	}
	return undecided
}

// write writes the checkpoints and the remainder, and moves all refs in one transaction.
func (c *linkedCommit) write(ctx context.Context, run *workspace.Run) (Result, error) {
	w, err := c.prepare(ctx, run)
	if err != nil {
		return Result{}, err
	}
	store := c.Store
	if store == nil {
		store = func(refs []shadow.RefChange, states []*session.State) error {
			return shadow.Apply(ctx, run.DB, run.Store, refs, states)
		}
	}
	if err := store(w.refs, w.states); err != nil {
		return w.Result, err
	}
	switch {
	case c.Way == OfTurn: // HEAD is there now
		err = c.recordHead(run)
	case c.Way.unseen() && len(c.record.Reset) > 0:
		c.record.Here = append(c.record.Here, c.Head.ID)
		err = writeHeadRecord(run.Repo.PrivateDir(), c.record)
	}
	return w.Result, err
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
func (c *linkedCommit) remember(run *workspace.Run, outcome Outcome) error {
	switch {
	case c.Way == ByHand, outcome == Linked:
	case len(c.Links) > 0:
		Remember(run, decided.Links(c.Head.ID, c.Links))
	case c.Pending.ID != "": // else it may bring lines: see finishUnlinked
		return rememberUnlinked(run, c.Head, c.Pending.Head, outcome)
	}
	return nil
}
