package hooks

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
	"entire-plumb/internal/remainder"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// postCommit condenses what the commit at HEAD holds of the sessions' work, if it has a link, and
// carries the rest forward. Eight processes, ten when something is left over. Earlier commits come
// first.
func (p *condenser) postCommit(ctx context.Context) (string, error) {
	left := current(readPending(p.Repo.PrivateDir()))
	err := p.finishLate(ctx)
	outcome := ""
	if err == nil {
		outcome, err = p.condenseCommit(ctx, p.Head.ID, left)
	}
	if p.replaying() && !left.replays() { // a replayed commit isn't the one that a link was given out for
		return outcome, err
	}
	switch {
	case err != nil && left.ID != "":
		err = p.postpone(ctx, left, p.Head.ID, err)
	case err == nil:
		os.Remove(templateFile(p.Repo.PrivateDir()))
		if left.ID != "" { // another commit's may be there by now
			err = p.filled(ctx, left)
		}
	}
	return outcome, err
}

// condenseCommit condenses what a commit holds of the sessions' work, with the lock held.
func (p *condenser) condenseCommit(ctx context.Context, commit gitexec.OID, left pending) (outcome string, err error) {
	err = p.Locked(ctx, func() error {
		sessions := p.Sessions
		if left.ID != "" && (len(left.Sessions) == 0 || len(left.Replaces) > 0) {
			sessions = p.RecentSessions // an earlier commit's sessions may be at rest
		}
		states, err := sessions()
		if err != nil {
			return err
		}
		outcome, err = p.condenseLinked(ctx, commit, states, left)
		return err
	})
	return outcome, err
}

// condenseLinked does the work, if the commit has a link and the checkpoint isn't there yet.
func (p *condenser) condenseLinked(ctx context.Context, commit gitexec.OID, states []*session.State, left pending) (string, error) {
	var list func() (shadow.Listing, error)
	if left.ID != "" { // all of it will be needed
		if !shadow.MayHaveStashes(p.Repo) { // else that process is needed for the stash
			list = gitexec.InBackground(func() (shadow.Listing, error) { return shadow.List(ctx, p.Repo) })
			defer list()
		}
		if err := p.DB.Warm(); err != nil {
			return "", err
		}
		p.DB.WarmCommits()
		if !many(states) {
			defer p.Repo.WarmPatchTrees(ctx, nil)()
		}
		defer p.Repo.WarmRefUpdate(ctx, shadow.Reason)()
	}
	head, parent, err := p.withParent(commit)
	if err != nil {
		return "", err
	}
	if err := p.noteConversation(head, parent); err != nil {
		return "", err
	}
	links := message.Links(head.Message)
	if err := p.follow(head, left, len(links) > 0); err != nil {
		return "", err
	}
	if len(links) == 0 {
		return "the commit has no link", nil
	}
	if left.ID == "" && p.Store.Rested(p.Now().Add(-session.Memory)) {
		if states, err = p.RecentSessions(); err != nil { // the links may be those of earlier commits
			return "", err
		}
	}
	if list == nil {
		list = func() (shadow.Listing, error) {
			return shadow.Probe(p.Repo, p.DB, append(condense.Bases(p.parentOf(head), states), head.ID)...)
		}
	}
	listing, err := list()
	if err != nil {
		return "", err
	}
	branch, err := checkpoints.ReadBranch(p.DB, listing.Checkpoints)
	if err != nil {
		return "", err
	}
	held, err := branch.Holds(p.DB, links...)
	if err != nil {
		return "", err
	}
	id := linkToFill(links, held, left)
	if id == "" {
		return "the commit's link is an earlier checkpoint", p.rememberCopy(ctx, head, links, states)
	}
	switch {
	case id != left.ID:
		left = pending{} // it was left for another commit
	case left.replays() && left.Head != p.parentOf(head):
		left.Replaces = nil
	}
	p.Entry.Link = id
	c := condensation{head: head, id: id, links: links, states: states, listing: listing, branch: branch, parentTree: parent, agents: left.Agents, only: left.Only}
	if c.changes, err = p.DB.DiffTrees(parent, head.Tree); err != nil {
		return "", err
	}
	if left.ID == "" {
		c.agents = p.committers(states)
	}
	if err := p.decide(ctx, &c, left); err != nil {
		return "", err
	}
	switch {
	case len(c.matches) == 0 && len(c.plan.From) == 0 && !held[id]:
		return "no session's work is in the commit", nil
	case len(c.matches) == 0 && c.plan.Same:
		rememberLinks(states, links, head.ID, nil, p.Now())
		return "the commit keeps the links of what it replaces", shadow.Apply(ctx, p.Repo, p.Store, nil, states)
	}
	if many(states) {
		c.paths = p.paths(c)
	}
	return p.writeCheckpoint(ctx, c)
}

// rememberCopy tells the sessions of a commit that has only links of others, as one that was
// picked: it may be reset and committed again. In a rebase post-rewrite tells them.
func (p *condenser) rememberCopy(ctx context.Context, head gitexec.Commit, links []string, states []*session.State) error {
	known := slices.ContainsFunc(states, func(s *session.State) bool {
		return slices.ContainsFunc(s.Linked, func(l session.Link) bool { return slices.Contains(links, l.ID) && l.Commit != head.ID })
	})
	if !known || p.Repo.Operation().RebasedBranch() != "" {
		return nil
	}
	rememberLinks(states, links, head.ID, nil, p.Now())
	return shadow.Apply(ctx, p.Repo, p.Store, nil, states)
}

// noteConversation warns the user who has committed a session's metadata, as a squash of a shadow
// branch does.
func (p *condenser) noteConversation(head gitexec.Commit, parent gitexec.OID) error {
	holds, err := shadow.NoteConversation(p.Repo, p.DB, head, parent)
	if holds {
		p.WarnLater(fmt.Sprintf("commit %s holds a session's conversation in %s; pushes of it are refused\nhint: git rm -rq --cached %[2]s && git commit --amend --no-edit takes it out",
			head.ID.Short(), shadow.MetadataDir))
	}
	return err
}

// linkToFill chooses the commit's link whose checkpoint is to be written: the one that was given
// out, or one that isn't there yet. A link that was given out is filled once; only an amended
// commit's, which no sessions were noted for, again.
func linkToFill(links []string, held map[string]bool, left pending) string {
	id := ""
	for _, link := range links {
		again := link == left.ID && len(left.Sessions) == 0
		if again || !held[link] && (id == "" || link == left.ID) {
			id = link
		}
	}
	return id
}

// withParent reads a commit, and its first parent's tree: the empty tree for a root commit.
func (p *hook) withParent(commit gitexec.OID) (head gitexec.Commit, parentTree gitexec.OID, err error) {
	commits, err := p.DB.Commits(commit)
	if err != nil {
		return head, "", err
	}
	parentTree, err = p.DB.ParentTree(commits[0])
	return commits[0], parentTree, err
}

// writeCheckpoint writes the checkpoint and what is carried forward, and moves all refs in one
// transaction.
func (p *condenser) writeCheckpoint(ctx context.Context, c condensation) (string, error) {
	w, err := p.prepareCheckpoint(ctx, c)
	if err != nil {
		return "", err
	}
	return w.outcome, shadow.Apply(ctx, p.Repo, p.Store, w.refs, w.states)
}

// written is a checkpoint whose objects are there, and what is yet to change.
type written struct {
	refs    []shadow.RefChange
	states  []*session.State
	outcome string
}

// prepareCheckpoint writes the objects of the checkpoints and of what is carried forward.
func (p *condenser) prepareCheckpoint(ctx context.Context, c condensation) (written, error) {
	var w written
	request := c.request(p)
	edits := gitexec.Edits{}
	done, remembering, err := p.bring(ctx, c.branch, request, c.links, c.states, edits)
	if err != nil {
		return w, err
	}
	w.states = remembering
	if len(c.matches) == 0 {
		w.outcome = "the checkpoints of what the commit replaces are brought up to date"
		w.refs, err = p.branchCommit(c.branch, edits, first(c.states), checkpoints.Message(checkpoints.Request{ID: strings.Join(c.plan.Links(), ", ")}))
		return w, err
	}
	who := p.Author(c.matches[0].Session)
	commits, err := c.branch.Commits(p.DB, edits, who, checkpoints.Message(request))
	if err != nil {
		return w, err
	}
	states, works := condense.Concerned(p.parentOf(c.head), c.states, c.works, c.matches)
	var staged []gitexec.Change
	if c.only {
		if staged, err = p.Repo.DiffStaged(ctx, p.Repo.IndexFile, c.head.Tree); err != nil {
			return w, err
		}
	}
	carried, err := remainder.CarryForward(ctx, p.Repo, p.DB, c.head, c.listing, who, states, works, done.Metadata, staged, p.Settings.Match())
	if err != nil {
		return w, err
	}
	ids, err := p.DB.CommitTree(append(commits, carried.Commits...)...)
	if err != nil {
		return w, err
	}
	for _, s := range remembering {
		if !slices.Contains(states, s) {
			states = append(states, s) // it has another part of the checkpoint
		}
	}
	for _, m := range c.matches {
		m.Session.Apply(session.GitCommit, p.Now())
	}
	w.states = states
	w.refs = []shadow.RefChange{{Ref: shadow.Checkpoints, Old: c.branch.Local, New: ids[len(commits)-1]}}
	at := len(commits)
	w.outcome = "condensed to " + c.id
	for _, chain := range carried.Chains {
		at += chain.Length
		w.refs = append(w.refs, shadow.RefChange{Ref: chain.Name.Ref(), New: ids[at-1]})
		w.outcome += ", the remainder carried to " + chain.Name.String()
	}
	for _, s := range carried.Drop {
		w.refs = append(w.refs, shadow.RefChange{Ref: s.Ref(), Old: s.Tip.ID})
	}
	return w, nil
}

// parentOf is the commit that HEAD was before, unless that was amended; all zeros for a first
// commit.
func (p *hook) parentOf(c gitexec.Commit) gitexec.OID {
	if len(c.Parents) == 0 {
		return p.Repo.Format.Zero()
	}
	return c.Parents[0]
}

// first is the first of sessions; nil if there are none.
func first(states []*session.State) *session.State {
	if len(states) == 0 {
		return nil
	}
	return states[0]
}
