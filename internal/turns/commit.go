package turns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/autocommit"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// commitResult is the result of committing a turn.
type commitResult struct {
	outcome   outcome
	remainder turn         // for a checkpoint on a stream
	head      gitexec.Head // HEAD afterwards
}

// commitChanges commits what an agent's turn, or a subagent's task in it, changed, with its link
// and its checkpoint (seed 003, Strategy Role: auto-commit). The remainder is for a checkpoint on a
// stream: the whole turn where no commit can be made now, else the files in which the turn's
// changes are on top of the user's.
//
// The index changes before the refs, which all move in one transaction: a process that is killed in
// between leaves the turn's changes staged, and the turn in progress.
func commitChanges(ctx context.Context, run *workspace.Run, s *session.State, t turn) (commitResult, error) {
	made := commitResult{remainder: t, head: run.Head}
	if run.Settings.Strategy != settings.AutoCommit || len(t.touched) == 0 {
		return made, nil
	}
	if !t.startKnown {
		run.Notify(notCommitted("the worktree at the turn's start is not known", true))
		made.outcome = outcome{"not committed: the turn's start isn't known"}
		return made, nil
	}
	t, err := ownChanges(ctx, run, s, t)
	made.remainder = t
	if err != nil || len(t.touched) == 0 {
		return made, err
	}
	if why, linked := cannotCommit(run, t); why != "" {
		run.Notify(notCommitted(why, linked))
		made.outcome = outcome{"not committed: " + why}
		return made, nil
	}
	working, err := s.Clone() // s stays unchanged where the commit fails
	if err != nil {
		return made, err
	}
	done, err := writeCommit(ctx, run, working, t)
	var moved *gitexec.RefMovedError
	var interference *interferenceError
	if err == nil {
		*s = *working
		return done, nil
	}
	switch {
	case errors.As(err, &interference):
		err = interference
	case errors.Is(err, errNoIdentity):
		err = errNoIdentity
	case errors.As(err, &moved):
		err = errors.New("the branch moved meanwhile")
	case errors.Is(err, gitexec.ErrIndexLocked):
		err = gitexec.ErrIndexLocked
	case errors.Is(err, gitexec.ErrIndexChanged):
		err = gitexec.ErrIndexChanged
	default:
		if err := recoverFailedCommit(ctx, run, run.Head.ID, err); err != nil {
			return made, err
		}
		err = errors.New(explain.OneLine(err)) // the checkpoint is written all the same
	}
	run.Notify(notCommitted(err.Error(), true))
	made.outcome = outcome{"not committed: " + err.Error()}
	return made, nil
}

// writeCommit makes the commit and moves HEAD to it.
func writeCommit(ctx context.Context, run *workspace.Run, s *session.State, t turn) (commitResult, error) {
	made := commitResult{remainder: t, head: run.Head}
	staged, err := run.Repo.DiffStaged(ctx, run.Repo.IndexFile, run.Head.Tree)
	if err != nil {
		return made, err
	}
	plan, err := autocommit.Plan(ctx, run.Repo, run.DB, autocommit.Turn{Head: run.Head.Tree, Began: t.before, Ended: t.snap.Tree,
		Touched: t.touched, Staged: staged, StagedBefore: s.TurnStartStaged})
	if err != nil {
		return made, err
	}
	if len(plan.Remainder) > 0 {
		run.Notify(fmt.Sprintf("not committed: %s; the turn's changes there are on top of yours, or beside them in an untracked file. "+
			"They are kept as a checkpoint; your commit of them will be linked",
			strings.Join(gitexec.DisplayFew(plan.Remainder), ", ")))
	}
	for _, l := range t.snap.LeftOut {
		if !slices.ContainsFunc(s.LeftOut, func(known session.LeftOut) bool { return known.Path == l.Path }) {
			run.Notify(fmt.Sprintf("not committed: %s: %s", l.Path.Display(), l.Reason))
		}
	}
	if len(plan.Paths) == 0 {
		made.outcome = outcome{"nothing to commit but the user's own changes"}
		return made, nil
	}
	id := run.NewID()
	var who = gitexec.Ident{When: run.Now()}
	if who.Name, who.Email, err = run.Repo.User(ctx); err != nil {
		return made, fmt.Errorf("%w: %w", errNoIdentity, err)
	}
	old, oldTree := run.Head.ID, run.Head.Tree
	// git would delete a comment with the first edit of the message.
	subject := cmp.Or(strings.TrimLeft(cmp.Or(t.subject, s.LastPrompt), "#; \t"), shadow.NoDescription)
	if strings.HasPrefix(subject, "Entire-") { // it would be read as a trailer
		subject = "Prompt: " + subject
	}
	text, err := commitMessage(ctx, run, s, subject, plan, id)
	if err != nil {
		return made, err
	}
	ids, err := run.DB.CommitTree(gitexec.NewCommit{
		Tree: plan.Tree, Parents: []gitexec.OID{old}, Author: who, Committer: who, Message: text,
	})
	if err != nil {
		return made, err
	}
	made.head = gitexec.Head{ID: ids[0], Tree: plan.Tree}
	next := run.On(made.head)
	link := commits.PendingLink{
		ID: id, Head: old, Sessions: []string{s.SessionID}, Agents: []string{s.SessionID}, Partial: len(staged) > 0,
	}
	w, head, err := prepareLinked(ctx, next, s, t, link, oldTree)
	if err != nil {
		return made, err
	}
	if made.remainder, err = inFiles(next.DB, t, plan.Remainder); err != nil {
		return made, err
	}
	s.StartsAt(made.remainder.before, head.ID, "")
	branch := shadow.RefChange{Ref: run.Repo.Branch, New: head.ID}
	if !old.IsZero() {
		branch.Old = old
	}
	w.Refs = append(w.Refs, branch)
	headEntries, err := run.DB.Lookup(oldTree, plan.Paths...)
	if err != nil {
		return made, err
	}
	if err := applyCommit(ctx, next, w, subject, indexChange(plan, headEntries, staged)); err != nil {
		return made, err
	}
	commits.Remember(next, decided.Links(head.ID, []string{id}))
	made.outcome = outcome{"committed " + head.ID.Short() + ", " + w.Outcome}
	if err := commits.RecordCommit(next.Repo, head, commits.PendingLink{ID: id, Head: old}, true); err != nil {
		return made, err
	}
	return made, commits.RecordSeen(next.Repo, head, old, true)
}

// commitMessage is the commit's message: the prompt, and the link.
func commitMessage(ctx context.Context, run *workspace.Run, s *session.State, subject string, plan autocommit.Commit, id string) (string, error) {
	if run.Store.Readers != nil { // the message leaves as it is
		subject = "Turn of " + cmp.Or(s.AgentType, "an agent")
	}
	if run.Settings.Links() == settings.Side {
		return subject + "\n", nil
	}
	text := []byte(fmt.Sprintf("%s\n\n%s: %s\n", subject, message.LinkKey, id))
	if !run.Settings.StrategyOptions.AttributionTrailer {
		return string(text), nil
	}
	changes, err := run.DB.DiffTrees(run.Head.Tree, plan.Tree)
	if err != nil {
		return "", err
	}
	asTurn := *s
	asTurn.TurnStartTree, asTurn.TurnStartCommit = run.Head.Tree, run.Head.ID
	share, err := commits.ShareText(ctx, run.Repo, run.DB, checkpoints.Request{Matches: []condense.Matched{{Session: &asTurn, Commits: true}},
		Changes: changes, Tree: plan.Tree, ParentTree: run.Head.Tree})
	if err != nil || share == "" {
		return string(text), err
	}
	return string(message.SetAttribution(text, id, share)), nil
}

// prepareLinked prepares the checkpoint of the commit, on which the run acts, like post-commit. All
// that the commit changes is the turn's.
func prepareLinked(
	ctx context.Context, run *workspace.Run, s *session.State, t turn, pending commits.PendingLink, parentTree gitexec.OID,
) (commits.Written, gitexec.Commit, error) {
	read, err := run.DB.Commits(run.Head.ID)
	if err != nil {
		return commits.Written{}, gitexec.Commit{}, err
	}
	states, err := run.Sessions()
	if err != nil {
		return commits.Written{}, read[0], err
	}
	if at := slices.IndexFunc(states, func(o *session.State) bool { return o.SessionID == s.SessionID }); at >= 0 {
		states[at] = s
	} else {
		states = append(states, s)
	}
	listing, err := shadow.List(ctx, run.Repo)
	if err != nil {
		return commits.Written{}, read[0], err
	}
	branch, err := checkpoints.ReadBranch(run.DB, listing.Checkpoints)
	if err != nil {
		return commits.Written{}, read[0], err
	}
	c := commits.LinkedCommit{
		Head: read[0], ID: pending.ID, Links: []string{pending.ID}, States: states, Listing: listing, Branch: branch,
		ParentTree: parentTree, Agents: pending.Agents, Partial: pending.Partial, Strategy: settings.AutoCommit,
	}
	if run.Settings.Links() != settings.Trailer {
		c.How, c.Beside = checkpoints.Chosen, c.Links
	}
	if c.Changes, err = run.DB.DiffTrees(parentTree, c.Head.Tree); err != nil {
		return commits.Written{}, c.Head, err
	}
	if t.task == "" && len(s.TurnCheckpointIDs) > 0 {
		run.DB.WarmCommits()
	}
	s.StartsAt(parentTree, pending.Head, "")
	s.CheckpointTask = t.task
	if err := commits.Match(ctx, run, &c, pending); err != nil {
		return commits.Written{}, c.Head, err
	}
	run.Entry.Link, run.Entry.Made = pending.ID, string(c.Head.ID)
	w, err := commits.PrepareCheckpoint(ctx, run, c)
	if t.task == "" { // the turn has ended: its transcript is complete
		s.TurnCheckpointIDs = slices.DeleteFunc(s.TurnCheckpointIDs, func(id string) bool { return id == pending.ID })
	}
	return w, c.Head, err
}

// indexChange is what the commit does to the index.
func indexChange(plan autocommit.Commit, head []gitexec.Entry, staged []gitexec.Change) *shadow.IndexChange {
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

// applyCommit moves the index and the refs. It waits briefly for another git process, such as an
// editor's status, to release the index's lock.
func applyCommit(ctx context.Context, run *workspace.Run, w commits.Written, subject string, index *shadow.IndexChange) (err error) {
	index.Check = func() error {
		if why := run.ConcurrentGit(); why != "" { // it may have started while the checkpoint was prepared
			return &interferenceError{why}
		}
		return nil
	}
	for range 10 {
		err = shadow.ApplyCommit(ctx, run.DB, run.Store, "commit ("+shadow.Reason+"): "+subject, w.Refs, w.States, index)
		if !errors.Is(err, gitexec.ErrIndexLocked) && !errors.Is(err, gitexec.ErrIndexChanged) {
			return err
		}
		time.Sleep(30 * time.Millisecond)
	}
	return err
}
