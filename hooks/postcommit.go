package hooks

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// postCommit condenses what the commit at HEAD holds of the sessions' work, if it has a link, and carries the rest
// forward. Seven processes, nine when something is left over.
func (p *place) postCommit(ctx context.Context) (string, error) {
	outcome, err := p.condenseCommit(ctx, p.repo.Head, readPending(p.repo.PrivateDir()))
	if err == nil && !p.replaying() { // a replayed commit isn't the one that a link was given out for
		removePending(p.repo.PrivateDir())
	}
	return outcome, err
}

// settle makes up for a post-commit hook that didn't run, or didn't come to its end, wherever the commit that carries the
// link is by now. It costs nothing unless one is owed.
func (p *place) settle(ctx context.Context) error {
	left := readPending(p.repo.PrivateDir())
	if left.ID == "" || left.Head == p.repo.Head || p.replaying() {
		return nil
	}
	commit, err := p.repo.FindCommit(ctx, message.LinkKey+": "+left.ID, left.Head)
	if err != nil {
		return err
	}
	if commit != "" {
		if _, err := p.condenseCommit(ctx, commit, left); err != nil {
			return err
		}
	}
	removePending(p.repo.PrivateDir())
	return nil
}

// condenseCommit condenses what a commit holds of the sessions' work, with the lock held.
func (p *place) condenseCommit(ctx context.Context, commit gitexec.OID, left pending) (outcome string, err error) {
	err = p.locked(ctx, func() error {
		states, err := p.mine()
		if err != nil {
			return err
		}
		outcome, err = p.condenseLinked(ctx, commit, states, left)
		return err
	})
	return outcome, err
}

// condenseLinked does the work, if the commit has a link and the checkpoint isn't there yet.
func (p *place) condenseLinked(ctx context.Context, commit gitexec.OID, states []*session.State, left pending) (string, error) {
	var list func() (shadow.Listing, error)
	if left.ID != "" { // all of it will be needed
		if !shadow.MayHaveStashes(p.repo) { // else that process is needed for the stash
			list = inBackground(func() (shadow.Listing, error) { return shadow.List(ctx, p.repo) })
			defer list()
		}
		if err := p.db.Warm(); err != nil {
			return "", err
		}
		p.db.WarmCommits()
		if !many(states) {
			defer p.repo.WarmPatchTrees(ctx, nil)()
		}
		defer p.repo.WarmRefUpdate(ctx, shadow.Reason)()
	}
	head, parent, err := p.withParent(commit)
	if err != nil {
		return "", err
	}
	links := message.Links(head.Message)
	if err := p.follow(head, left, len(links) > 0); err != nil {
		return "", err
	}
	if len(links) == 0 {
		return "the commit has no link", nil
	}
	if list == nil {
		list = func() (shadow.Listing, error) {
			return shadow.Probe(p.db, p.repo.WorktreeID(), append(condense.Bases(p.parentOf(head), states), head.ID)...)
		}
	}
	listing, err := list()
	if err != nil {
		return "", err
	}
	branch, err := condense.ReadBranch(p.db, listing.Checkpoints)
	if err != nil {
		return "", err
	}
	held, err := branch.Holds(p.db, links...)
	if err != nil {
		return "", err
	}
	id := linkToFill(links, held, left)
	if id == "" {
		return "the commit's link is an earlier checkpoint", nil
	}
	if id != left.ID {
		left = pending{} // it was left for another commit
	}
	changes, err := p.db.DiffTrees(parent, head.Tree)
	if err != nil {
		return "", err
	}
	p.told.Link = id
	c := condensation{head: head, id: id, links: links, states: states, listing: listing, branch: branch, changes: changes, parentTree: parent,
		agents: left.Agents, only: left.Only}
	if left.ID == "" {
		c.agents = p.committers(states)
	}
	if err := p.match(ctx, &c, left); err != nil {
		return "", err
	}
	if many(states) {
		c.paths = p.paths(c)
	}
	switch {
	case len(c.matches) == 0 && !held[id]:
		return "no session's work is in the commit", nil
	case len(left.Redone) == 1 && c.onlyRedone():
		return p.rewriteCheckpoint(ctx, c, left.Redone[0].Commit)
	case len(left.Redone) > 1 && c.onlyRedone():
		return p.joinCheckpoints(ctx, c)
	case len(c.matches) == 0:
		return p.rewriteCheckpoint(ctx, c, left.Head)
	}
	return p.writeCheckpoint(ctx, c)
}

// inBackground starts f at once, and gives what waits for its answer.
func inBackground[T any](f func() (T, error)) func() (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := f()
		done <- answer{value, err}
	}()
	return sync.OnceValues(func() (T, error) {
		a := <-done
		return a.value, a.err
	})
}

// linkToFill chooses the commit's link whose checkpoint is to be written: the one that was given out, or one that isn't
// there yet. A link that was given out is filled once; only an amended commit's, which no sessions were noted for, again.
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

// withParent reads a commit, and its first parent's tree, which is empty for a root commit.
func (p *place) withParent(commit gitexec.OID) (head gitexec.Commit, parentTree gitexec.OID, err error) {
	commits, err := p.db.Commits(commit)
	if err != nil {
		return head, "", err
	}
	head = commits[0]
	if len(head.Parents) == 0 {
		return head, "", nil
	}
	parents, err := p.db.Commits(head.Parents[0])
	if err != nil {
		return head, "", err
	}
	return head, parents[0].Tree, nil
}

// match runs the decision of prepare-commit-msg on the commit itself. If it comes out empty although that hook gave out
// the link, since something changed in between, the sessions of then are taken: a link without a checkpoint must not be.
func (p *place) match(ctx context.Context, c *condensation, left pending) error {
	base := p.parentOf(c.head)
	memory := readWatch(p.repo.PrivateDir())
	if given := len(left.Sessions)+len(left.Redone) > 0; !given || memory.Head != c.head.ID && memory.Head != left.Head {
		memory = watch{} // an amended commit keeps the link that it has
	}
	memory.Here = slices.DeleteFunc(memory.Here, func(id gitexec.OID) bool { return id == c.head.ID }) // its own link is not taken
	found, err := p.works(ctx, condense.Bases(base, c.states), c.listing, c.states, c.changes, c.agents, memory)
	if err != nil {
		return err
	}
	c.works = found.onStreams
	defer func() { p.told.Works = tell(c.overlaps) }()
	c.matches, c.overlaps, err = condense.Match(c.changes, found.all(), &shadow.Texts{DB: p.db}, p.settings.Match())
	if err != nil || len(c.matches) > 0 {
		return err
	}
	for _, s := range c.states {
		if slices.Contains(left.Sessions, s.SessionID) {
			c.matches = append(c.matches, condense.Matched{Session: s, Reason: "the link was given out for it"})
		}
	}
	return nil
}

// condensation is all that a commit's checkpoint is made of.
type condensation struct {
	head     gitexec.Commit
	id       string
	links    []string
	states   []*session.State
	listing  shadow.Listing
	branch   condense.Branch
	changes  []gitexec.Change
	works    []condense.Work
	matches  []condense.Matched
	overlaps []condense.Overlap

	parentTree gitexec.OID
	agents     []string       // the sessions whose agent made the commit
	paths      []gitexec.Path // see condense.Request
	only       bool           // some paths were committed, and the index may hold more
}

// onlyRedone reports whether all that the commit holds of the sessions' was in linked commits before, which it stands for now.
func (c condensation) onlyRedone() bool {
	return !slices.ContainsFunc(c.overlaps, func(o condense.Overlap) bool { return o.Counts && (o.Work.Link == nil || !o.Work.Free) })
}

// many reports whether sessions have so many files that are not committed that it pays to name those that matter to git, which then can't
// be started before they are known.
func many(states []*session.State) bool {
	return slices.ContainsFunc(states, func(s *session.State) bool { return len(s.FilesTouched) > 30 })
}

// mostPaths is how many paths, and how many bytes of them, are named to git one by one.
const mostPaths, longestPaths = 200, 16 << 10

// paths gives the files by which it can be told whose the commit's lines are: its own, and those of the sessions' that are nowhere any
// more, since they may have been renamed to one of these. nil if they are too many to be named, or had other names in a commit that was
// taken back.
func (p *place) paths(c condensation) []gitexec.Path {
	if slices.ContainsFunc(c.matches, func(m condense.Matched) bool { return len(m.Redone) > 0 }) {
		return nil
	}
	var paths []gitexec.Path
	known := map[gitexec.Path]bool{}
	size := 0
	add := func(path gitexec.Path) {
		if !known[path] {
			paths, known[path] = append(paths, path), true
			size += len(path)
		}
	}
	for _, change := range c.changes {
		add(change.Path)
	}
	for _, w := range c.works {
		for _, change := range w.Changes {
			if _, err := os.Lstat(filepath.Join(p.repo.Top, filepath.FromSlash(string(change.Path)))); err != nil {
				add(change.Path)
			}
		}
		if len(paths) > mostPaths || size > longestPaths {
			return nil
		}
	}
	if len(paths) > mostPaths || size > longestPaths {
		return nil
	}
	return paths
}

func (c condensation) request(p *place) condense.Request {
	return condense.Request{ID: c.id, Branch: strings.TrimPrefix(p.repo.Branch, "refs/heads/"), Version: p.Version, Now: p.Now(), Matches: c.matches, Changes: c.changes,
		Tree: c.head.Tree, ParentTree: c.parentTree, Paths: c.paths}
}

// knownBefore adds to a request what is known of the lines, if all that the commit holds is a part of one that was taken back, and
// whose link is on another part already.
func (p *place) knownBefore(r *condense.Request) error {
	for _, m := range r.Matches {
		if len(m.Streams) > 0 || len(m.InTurn) > 0 || len(m.Redone) == 0 || m.Commits {
			return nil
		}
	}
	redone := r.Matches[0].Redone
	last := redone[len(redone)-1]
	commits, err := p.db.Commits(last.Commit)
	if err != nil {
		return err
	}
	r.Amended = commits[0].Tree
	r.Known, err = condense.KnownOf(p.db, last.Tree)
	return err
}

// writeCheckpoint writes the checkpoint and what is carried forward, and moves all refs in one transaction.
func (p *place) writeCheckpoint(ctx context.Context, c condensation) (string, error) {
	request := c.request(p)
	if err := p.knownBefore(&request); err != nil {
		return "", err
	}
	edits := gitexec.Edits{}
	if len(c.links) > 1 {
		if _, err := condense.Trim(p.db, c.branch, c.links, c.changes, edits); err != nil {
			return "", err
		}
	}
	done, err := condense.Condense(ctx, p.repo, p.db, p.store, c.branch, request, edits)
	if err != nil {
		return "", err
	}
	p.warnOf(done.Troubles)
	c.remember(c.id, done.Trees, p.Now())
	who := p.author(c.matches[0].Session)
	commits, err := c.branch.Commits(p.db, edits, who, condense.Message(request))
	if err != nil {
		return "", err
	}
	states, works := condense.Concerned(p.parentOf(c.head), c.states, c.works, c.matches)
	var staged []gitexec.Change
	if c.only {
		if staged, err = p.repo.DiffStaged(ctx, p.repo.IndexFile, c.head.Tree); err != nil {
			return "", err
		}
	}
	carried, err := condense.CarryForward(ctx, p.repo, p.db, c.head, c.listing, who, states, works, done.Metadata, staged, p.settings.Match())
	if err != nil {
		return "", err
	}
	written, err := p.db.CommitTree(append(commits, carried.Commits...)...)
	if err != nil {
		return "", err
	}
	for _, s := range c.states {
		if _, told := done.Trees[s.SessionID]; told && !slices.Contains(states, s) {
			states = append(states, s) // it has another part of the checkpoint
		}
	}
	for _, m := range c.matches {
		m.Session.Apply(session.GitCommit, p.Now())
	}
	refs := []shadow.RefChange{{Ref: shadow.Checkpoints, Old: c.branch.Tip, New: written[len(commits)-1]}}
	at := len(commits)
	outcome := "condensed to " + c.id
	for _, chain := range carried.Chains {
		at += chain.Length
		refs = append(refs, shadow.RefChange{Ref: chain.Name.Ref(), New: written[at-1]})
		outcome += ", the rest carried to " + chain.Name.String()
	}
	for _, s := range carried.Drop {
		refs = append(refs, shadow.RefChange{Ref: s.Ref(), Old: s.Tip.ID})
	}
	return outcome, shadow.Apply(ctx, p.repo, p.store, refs, states)
}

// rewriteCheckpoint brings the checkpoint of a commit that was amended without any session's work up to date: it may have
// other files and lines than it had.
func (p *place) rewriteCheckpoint(ctx context.Context, c condensation, amended gitexec.OID) (string, error) {
	old, err := p.db.Commits(amended)
	if err != nil {
		return "", err
	}
	if old[0].Tree == c.head.Tree {
		return "the amended commit holds what it held", nil
	}
	request := c.request(p)
	request.Matches, request.Paths, request.Amended = nil, nil, old[0].Tree
	edits := gitexec.Edits{}
	done, err := condense.Condense(ctx, p.repo, p.db, p.store, c.branch, request, edits)
	if err != nil {
		return "", err
	}
	p.warnOf(done.Troubles)
	for _, s := range c.states {
		s.Leaves(c.id, amended, done.Dropped)
	}
	c.remember(c.id, done.Trees, p.Now())
	return "the amended commit's checkpoint " + c.id + " brought up to date", p.writeEdits(ctx, c, edits, condense.Message(request))
}

// joinCheckpoints lets the commit stand for several that were taken back.
func (p *place) joinCheckpoints(ctx context.Context, c condensation) (string, error) {
	edits := gitexec.Edits{}
	trimmed, err := condense.Trim(p.db, c.branch, c.links, c.changes, edits)
	if err != nil {
		return "", err
	}
	for _, m := range c.matches {
		for _, l := range m.Redone {
			m.Session.Remember(session.Link{ID: l.ID, Commit: c.head.ID, Tree: l.Tree, When: p.Now().UTC()})
		}
	}
	const outcome = "the commit keeps the links of those that it is made anew from"
	if len(trimmed) == 0 {
		return outcome, shadow.Apply(ctx, p.repo, p.store, nil, c.states)
	}
	return outcome, p.writeEdits(ctx, c, edits, condense.Message(condense.Request{ID: strings.Join(trimmed, ", ")}))
}

// writeEdits commits edits of the checkpoints, and saves the sessions' states with that.
func (p *place) writeEdits(ctx context.Context, c condensation, edits gitexec.Edits, message string) error {
	var who *session.State
	if len(c.states) > 0 {
		who = c.states[0]
	}
	commits, err := c.branch.Commits(p.db, edits, p.author(who), message)
	if err != nil {
		return err
	}
	written, err := p.db.CommitTree(commits...)
	if err != nil {
		return err
	}
	return shadow.Apply(ctx, p.repo, p.store, []shadow.RefChange{{Ref: shadow.Checkpoints, Old: c.branch.Tip, New: written[len(written)-1]}}, c.states)
}

// remember tells the sessions which commit their work is in.
func (c condensation) remember(id string, trees map[string]gitexec.OID, now time.Time) {
	for _, s := range c.states {
		if tree, ok := trees[s.SessionID]; ok {
			s.Remember(session.Link{ID: id, Commit: c.head.ID, Tree: tree, When: now.UTC()})
		}
	}
}

// parentOf is the commit that HEAD was before, unless that was amended; all zeros for a first commit.
func (p *place) parentOf(c gitexec.Commit) gitexec.OID {
	if len(c.Parents) == 0 {
		return p.repo.Format.Zero()
	}
	return c.Parents[0]
}
