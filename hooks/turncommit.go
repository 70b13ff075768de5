package hooks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// commitTurn makes the commit of what an agent's turn, or a subagent's task in it, changed, with its link and its checkpoint (seed 003, Strategy
// Role: auto-commit). It gives what is left for a checkpoint on a stream: all of it where no commit can be made now, and else the files
// in which the turn's changes are on the user's own.
//
// The index comes before the refs, which all move in one transaction: a process that is killed in between leaves the turn's changes staged,
// and the turn unended.
func (p *place) commitTurn(ctx context.Context, s *session.State, t turn) (outcome string, left turn, err error) {
	if p.settings.Strategy != settings.AutoCommit || len(t.touched) == 0 {
		return "", t, nil
	}
	if !t.sure {
		p.tellUser(notCommitted("it isn't known what was there when the turn began", true))
		return "not committed: the turn's start isn't known", t, nil
	}
	if t, err = p.ownTurn(ctx, s, t); err != nil || len(t.touched) == 0 {
		return "", t, err
	}
	if why, linked := p.cannotCommit(t); why != "" {
		p.tellUser(notCommitted(why, linked))
		return "not committed: " + why, t, nil
	}
	head, tree := p.repo.Head, p.repo.HeadTree
	working, err := s.Clone() // which is not to be what it was where nothing comes of it
	if err != nil {
		return "", t, err
	}
	outcome, left, err = p.commitNow(ctx, working, t)
	var lost *gitexec.RefMovedError
	var meanwhile *notNow
	if err == nil {
		*s = *working
		return outcome, left, nil
	}
	p.repo.Head, p.repo.HeadTree = head, tree
	switch {
	case errors.As(err, &meanwhile):
		err = meanwhile
	case errors.Is(err, errNobody):
		err = errNobody
	case errors.As(err, &lost):
		err = errors.New("the branch moved meanwhile")
	case errors.Is(err, gitexec.ErrIndexLocked):
		err = gitexec.ErrIndexLocked
	case errors.Is(err, gitexec.ErrIndexChanged):
		err = gitexec.ErrIndexChanged
	default:
		if err := p.nothingMoved(ctx, head, err); err != nil {
			return "", t, err
		}
		err = errors.New(OneLine(err)) // the checkpoint is written all the same
	}
	p.tellUser(notCommitted(err.Error(), true))
	return "not committed: " + err.Error(), t, nil
}

var errNobody = errors.New("git doesn't know who you are (git config --global user.name, and user.email)")

// nothingMoved forgets what was begun for a commit that failed for whatever reason, and gives that back if it did happen, or cannot be known.
func (p *place) nothingMoved(ctx context.Context, head gitexec.OID, cause error) error {
	if ctx.Err() != nil {
		return cause
	}
	if _, err := shadow.Recover(ctx, p.repo, p.store); err != nil {
		return errors.Join(cause, err)
	}
	refs, err := p.repo.Refs(ctx, p.repo.Branch)
	if err != nil {
		return errors.Join(cause, err)
	}
	for _, r := range refs {
		if r.Name == p.repo.Branch && r.ID != head {
			return cause
		}
	}
	return nil
}

// notCommitted tells the user why, and what becomes of the turn's changes. A commit that ends a merge, a pick or a rebase gets no link of its own.
func notCommitted(why string, linked bool) string {
	text := "nothing was committed: " + why + ". The turn's changes are kept as a checkpoint"
	if linked {
		text += "; your next commit of them will be linked"
	}
	return text
}

// ownTurn leaves out of a turn what is known to be somebody else's: files that the agent of another turn that is going on here was told to write, and its own was not;
// and where its tools were told what to write and nothing else was used that writes, as a shell, all other files, which the user has saved meanwhile.
func (p *place) ownTurn(ctx context.Context, s *session.State, t turn) (turn, error) {
	var own transcript.Wrote
	if s.TranscriptPath != "" {
		own, _ = transcript.Written(ctx, s.TranscriptPath) // what cannot be read tells nothing
	}
	mine := p.allInWorktree(own.Files)
	states, err := p.mine()
	if err != nil {
		return t, err
	}
	var theirs []gitexec.Path
	for _, files := range p.written(ctx, states, []string{s.SessionID}) {
		theirs = append(theirs, files...)
	}
	t.touched = slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool {
		return !slices.Contains(mine, path) && (own.All && len(mine) > 0 || slices.Contains(theirs, path))
	})
	t, err = p.leftOfTurn(t, condense.TurnCommit{Left: t.touched})
	return t, err
}

// notNow says what came in between.
type notNow struct{ why string }

func (e *notNow) Error() string { return e.why }

// cannotCommit says why no commit can be made now; empty: it can. linked tells whether the user's next commit gets a link.
func (p *place) cannotCommit(t turn) (why string, linked bool) {
	if why, bisecting := p.underWay(); why != "" {
		return why, bisecting
	}
	switch {
	case t.snap.Conflict:
		return "the index has conflicts in it", true
	case p.repo.Branch == "":
		return "HEAD is on no branch", true
	}
	return p.beside(), true
}

// underWay says what git is in the middle of; empty: of nothing.
func (p *place) underWay() (why string, bisecting bool) {
	for _, state := range []struct{ file, name string }{
		{"MERGE_HEAD", "a merge is under way"}, {"CHERRY_PICK_HEAD", "a cherry-pick is under way"}, {"REVERT_HEAD", "a revert is under way"},
		{"rebase-merge", "a rebase is under way"}, {"rebase-apply", "a rebase, or git am, is under way"}, {"sequencer", "a cherry-pick or revert is under way"},
		{"BISECT_LOG", "a bisection is under way"},
	} {
		if inGitDir(p.repo, state.file) {
			return state.name, state.file == "BISECT_LOG"
		}
	}
	return "", false
}

// beside says which git command is under way that a move of the branch would cost: it has read HEAD already, and would fail. While the user writes a commit's
// message, that is `git commit`.
func (p *place) beside() string {
	if verb := ancestry.Beside(p.repo.Top, besides); verb != "" {
		return "git " + verb + " is under way"
	}
	return ""
}

// besides are the commands that read HEAD and move it, or write the index.
var besides = []string{"commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull", "reset", "checkout", "switch", "stash"}

// headNow looks again at where HEAD is, now that the lock is held: another session's turn may have been committed just before.
func (p *place) headNow() error {
	if p.settings.Strategy != settings.AutoCommit || p.repo.Head.IsZero() {
		return nil
	}
	now, err := p.db.Info("HEAD^{commit}")
	if err != nil || now[0].Type != "commit" || now[0].ID == p.repo.Head {
		return err
	}
	commits, err := p.db.Commits(now[0].ID)
	if err == nil {
		p.repo.Head, p.repo.HeadTree = commits[0].ID, commits[0].Tree
	}
	return err
}

// checkpointInterrupted ends a turn that no stop event came for.
func (p *place) checkpointInterrupted(ctx context.Context, s *session.State, snap shadow.Snapshot) error {
	t, err := p.turnOf(s, snap)
	if err != nil || len(t.touched) == 0 {
		return err
	}
	_, err = p.checkpointTurn(ctx, s, t, session.TurnEnd)
	return err
}

// commitNow does it.
func (p *place) commitNow(ctx context.Context, s *session.State, t turn) (outcome string, left turn, err error) {
	staged, err := p.repo.DiffStaged(ctx, p.repo.IndexFile, p.repo.HeadTree)
	if err != nil {
		return "", t, err
	}
	plan, err := condense.PlanTurn(ctx, p.repo, p.db, t.before, t.snap.Tree, t.touched, staged, s.TurnStartStaged)
	if err != nil {
		return "", t, err
	}
	if len(plan.Left) > 0 {
		p.tellUser(fmt.Sprintf("not committed: %s; what the turn did there is on changes of yours, or beside them in a file that git doesn't know. It is kept as a checkpoint; your commit of it will be linked",
			strings.Join(shown(plan.Left), ", ")))
	}
	for _, l := range t.snap.LeftOut {
		if !slices.ContainsFunc(s.LeftOut, func(known session.LeftOut) bool { return known.Path == l.Path }) {
			p.tellUser(fmt.Sprintf("not committed: %s: %s", l.Path.Display(), l.Reason))
		}
	}
	if len(plan.Paths) == 0 {
		return "nothing to commit apart from the user's own", t, nil
	}
	id := p.NewID()
	var who = gitexec.Ident{When: p.Now()}
	if who.Name, who.Email, err = p.repo.User(ctx); err != nil {
		return "", t, fmt.Errorf("%w: %w", errNobody, err)
	}
	old, oldTree := p.repo.Head, p.repo.HeadTree
	// What begins like a comment would be gone with the first edit of the message.
	subject := cmp.Or(strings.TrimLeft(cmp.Or(t.subject, s.LastPrompt), "#; \t"), shadow.NoDescription)
	if strings.HasPrefix(subject, "Entire-") { // lest it be taken for a trailer
		subject = "Prompt: " + subject
	}
	text, err := p.turnMessage(ctx, s, subject, plan, id)
	if err != nil {
		return "", t, err
	}
	made, err := p.db.CommitTree(gitexec.NewCommit{Tree: plan.Tree, Parents: []gitexec.OID{old}, Author: who, Committer: who, Message: text})
	if err != nil {
		return "", t, err
	}
	p.repo.Head, p.repo.HeadTree = made[0], plan.Tree
	w, head, err := p.condenseTurn(ctx, s, t, pending{ID: id, Head: old, Sessions: []string{s.SessionID}, Agents: []string{s.SessionID}}, oldTree, len(staged) > 0)
	if err != nil {
		return "", t, err
	}
	if left, err = p.leftOfTurn(t, plan); err != nil {
		return "", t, err
	}
	s.TurnStartTree, s.TurnStartCommit = left.before, head.ID
	branch := shadow.RefChange{Ref: p.repo.Branch, New: head.ID}
	if !old.IsZero() {
		branch.Old = old
	}
	w.refs = append(w.refs, branch)
	was, err := p.db.Lookup(oldTree, plan.Paths...)
	if err != nil {
		return "", t, err
	}
	if err := p.applyTurn(ctx, w, subject, indexChange(plan, was, staged)); err != nil {
		return "", t, err
	}
	return "committed " + head.ID.Short() + ", " + w.outcome, left, p.follow(head, pending{ID: id, Head: old}, true)
}

// turnMessage is the commit's message: what was asked for, and the link.
func (p *place) turnMessage(ctx context.Context, s *session.State, subject string, plan condense.TurnCommit, id string) (string, error) {
	text := []byte(fmt.Sprintf("%s\n\n%s: %s\n", subject, message.LinkKey, id))
	if !p.settings.StrategyOptions.AttributionTrailer {
		return string(text), nil
	}
	changes, err := p.db.DiffTrees(p.repo.HeadTree, plan.Tree)
	if err != nil {
		return "", err
	}
	asTurn := *s
	asTurn.TurnStartTree, asTurn.TurnStartCommit = p.repo.HeadTree, p.repo.Head
	share, err := p.shareOf(ctx, condense.Request{Matches: []condense.Matched{{Session: &asTurn, Commits: true}}, Changes: changes, Tree: plan.Tree, ParentTree: p.repo.HeadTree}, nil)
	if err != nil || share == "" {
		return string(text), err
	}
	return string(message.SetAttribution(text, id, share)), nil
}

// condenseTurn prepares the checkpoint of the commit, which is HEAD already for all that is asked here, as post-commit would. All that the commit
// changes is the turn's.
func (p *place) condenseTurn(ctx context.Context, s *session.State, t turn, left pending, parentTree gitexec.OID, only bool) (written, gitexec.Commit, error) {
	commits, err := p.db.Commits(p.repo.Head)
	if err != nil {
		return written{}, gitexec.Commit{}, err
	}
	states, err := p.mine()
	if err != nil {
		return written{}, commits[0], err
	}
	if at := slices.IndexFunc(states, func(o *session.State) bool { return o.SessionID == s.SessionID }); at >= 0 {
		states[at] = s
	} else {
		states = append(states, s)
	}
	listing, err := shadow.List(ctx, p.repo)
	if err != nil {
		return written{}, commits[0], err
	}
	branch, err := condense.ReadBranch(p.db, listing.Checkpoints)
	if err != nil {
		return written{}, commits[0], err
	}
	c := condensation{head: commits[0], id: left.ID, links: []string{left.ID}, states: states, listing: listing, branch: branch, parentTree: parentTree,
		agents: left.Agents, only: only, strategy: settings.AutoCommit}
	if c.changes, err = p.db.DiffTrees(parentTree, c.head.Tree); err != nil {
		return written{}, c.head, err
	}
	if t.task == "" && len(s.TurnCheckpointIDs) > 0 {
		p.db.WarmCommits()
	}
	s.TurnStartTree, s.TurnStartCommit = parentTree, left.Head
	if err := p.match(ctx, &c, left); err != nil {
		return written{}, c.head, err
	}
	p.told.Link, p.told.Made = left.ID, string(c.head.ID)
	w, err := p.prepareCheckpoint(ctx, c)
	if t.task == "" { // the turn has ended: its transcript is whole
		s.TurnCheckpointIDs = slices.DeleteFunc(s.TurnCheckpointIDs, func(id string) bool { return id == left.ID })
	}
	return w, c.head, err
}

// leftOfTurn is the turn without what was committed.
func (p *place) leftOfTurn(t turn, plan condense.TurnCommit) (turn, error) {
	began, err := p.db.Lookup(t.before, plan.Left...)
	if err != nil {
		return t, err
	}
	edits := gitexec.Edits{}
	for i, path := range plan.Left {
		edits[path] = began[i]
	}
	before, err := p.db.EditTree(t.snap.Tree, edits)
	t.before, t.touched = before, plan.Left
	return t, err
}

// indexChange is what the commit does to the index.
func indexChange(plan condense.TurnCommit, head []gitexec.Entry, staged []gitexec.Change) *shadow.IndexChange {
	held := gitexec.Edits{}
	for i, path := range plan.Paths {
		if _, moves := plan.Index[path]; moves {
			held[path] = head[i]
		}
	}
	for _, c := range staged {
		if _, moves := plan.Index[c.Path]; moves {
			held[c.Path] = c.New
		}
	}
	return &shadow.IndexChange{Old: held, New: plan.Index}
}

// applyTurn moves the index and the refs. It waits a little for another git, an editor's status perhaps, to give the index's lock back.
func (p *place) applyTurn(ctx context.Context, w written, subject string, index *shadow.IndexChange) (err error) {
	index.Still = func() error {
		if why := p.beside(); why != "" { // it may have come while the checkpoint was prepared
			return &notNow{why}
		}
		return nil
	}
	for range 10 {
		err = shadow.ApplyCommit(ctx, p.repo, p.store, "commit ("+shadow.Reason+"): "+subject, w.refs, w.states, index)
		if !errors.Is(err, gitexec.ErrIndexLocked) && !errors.Is(err, gitexec.ErrIndexChanged) {
			return err
		}
		time.Sleep(30 * time.Millisecond)
	}
	return err
}

func shown(paths []gitexec.Path) []string {
	const most = 5
	var names []string
	for _, p := range paths[:min(most, len(paths))] {
		names = append(names, p.Display())
	}
	if len(paths) > most {
		names = append(names, fmt.Sprintf("%d more", len(paths)-most))
	}
	return names
}

// tellUser says something to the user, through the agent, at the hook's end.
func (p *place) tellUser(text string) { p.words = append(p.words, text) }

// sayWords prints what the user is to be told as the agent's hooks want it, in one object of JSON.
func (p *place) sayWords() error {
	if len(p.words) == 0 {
		return nil
	}
	line, err := json.Marshal(map[string]string{"systemMessage": "entire-plumb: " + strings.Join(p.words, ". ") + "."})
	if err == nil {
		_, err = fmt.Fprintln(p.Stdout, string(line))
	}
	return err
}
