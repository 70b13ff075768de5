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
		run.Notify(refusal{"the worktree at the turn's start is not known", true}.notice())
		made.outcome = outcome{"not committed: the turn's start isn't known"}
		return made, nil
	}
	t, err := ownChanges(ctx, run, s, t)
	made.remainder = t
	if err != nil || len(t.touched) == 0 {
		return made, err
	}
	refused := cannotCommit(run, t.snap.Conflict)
	if refused == nil {
		working, err := s.Clone() // s stays unchanged where the commit fails
		if err != nil {
			return made, err
		}
		done, err := writeCommit(ctx, run, working, t)
		if err == nil {
			*s = *working
			return done, nil
		}
		if refused = refusedBy(err); refused == nil {
			if err := recoverFailedCommit(ctx, run, run.Head.ID, err); err != nil {
				return made, err
			}
			refused = &refusal{explain.OneLine(err), true} // the checkpoint is written all the same
		}
	}
	run.Notify(refused.notice())
	made.outcome = refused.outcome()
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
	for _, notice := range leftOutNotices(plan.Remainder, t.snap.LeftOut, s.LeftOut) {
		run.Notify(notice)
	}
	if len(plan.Paths) == 0 {
		made.outcome = outcome{"nothing to commit but the user's own changes"}
		return made, nil
	}
	id, subject := run.NewID(), subjectOf(t.subject, s.LastPrompt)
	if made.head, err = commitPlan(ctx, run, s, subject, plan, id); err != nil {
		return made, err
	}
	headEntries, err := run.DB.Lookup(run.Head.Tree, plan.Paths...)
	if err != nil {
		return made, err
	}
	index := indexChange(plan, headEntries, staged)
	store := func(next *workspace.Run, refs []shadow.RefChange, states []*session.State) (err error) {
		if made.remainder, err = inFiles(next.DB, t, plan.Remainder); err != nil {
			return err
		}
		s.StartsAt(made.remainder.before, made.head.ID, "")
		return applyCommit(ctx, next, append(refs, branchChange(run.Repo.Branch, run.Head.ID, made.head.ID)), states, subject, index)
	}
	pending := commits.PendingLink{ID: id, Head: run.Head.ID, Sessions: []string{s.SessionID}, Agents: []string{s.SessionID}, Partial: len(staged) > 0}
	result, err := reconcileCommit(ctx, run, s, t, made.head, pending, store)
	if err == nil {
		made.outcome = outcome{"committed " + made.head.ID.Short() + ", " + result.String()}
	}
	return made, err
}

// reconcileCommit writes the checkpoint of the commit, to which HEAD moves as store says.
func reconcileCommit(
	ctx context.Context, run *workspace.Run, s *session.State, t turn, made gitexec.Head, pending commits.PendingLink,
	store func(*workspace.Run, []shadow.RefChange, []*session.State) error,
) (commits.Result, error) {
	states, err := run.Sessions()
	if err != nil {
		return commits.Result{}, err
	}
	if t.task == "" && len(s.TurnCheckpointIDs) > 0 {
		run.DB.WarmWriter()
	}
	s.StartsAt(run.Head.Tree, run.Head.ID, "")
	s.CheckpointIn(t.task)
	if run.Settings.Links() != settings.Trailer {
		pending.Beside = []string{pending.ID}
	}
	next := run.On(made)
	run.Entry.Made = string(made.ID)
	return commits.Reconcile(ctx, next, commits.Request{Way: commits.OfTurn, Commit: made.ID, Pending: pending, States: withState(states, s),
		Strategy: settings.AutoCommit, Store: func(refs []shadow.RefChange, states []*session.State) error {
			if t.task == "" { // the turn has ended: its transcript is complete
				s.Unfinished(slices.DeleteFunc(s.TurnCheckpointIDs, func(id string) bool { return id == pending.ID }))
			}
			return store(next, refs, states)
		}})
}

// branchChange moves a branch to a commit. On one without commits old is all zeros.
func branchChange(branch string, old, commit gitexec.OID) shadow.RefChange {
	change := shadow.RefChange{Ref: branch, New: commit}
	if !old.IsZero() {
		change.Old = old
	}
	return change
}

// leftOutNotices are the notices for what is not committed: files in which the turn's changes are
// on top of the user's, and files that the snapshot doesn't hold, but held at the turn's start.
func leftOutNotices(remainder []gitexec.Path, leftOut, before []session.LeftOut) (notices []string) {
	if len(remainder) > 0 {
		notices = append(notices, fmt.Sprintf("not committed: %s; the turn's changes there are on top of yours, or beside them in an untracked file. "+
			"They are kept as a checkpoint; your commit of them will be linked",
			strings.Join(gitexec.DisplayFew(remainder), ", ")))
	}
	for _, file := range leftOut {
		if !slices.ContainsFunc(before, func(known session.LeftOut) bool { return known.Path == file.Path }) {
			notices = append(notices, fmt.Sprintf("not committed: %s: %s", file.Path.Display(), file.Reason))
		}
	}
	return notices
}

// subjectOf is the subject of a turn's commit: a task's, or the prompt. git would delete a comment
// with the first edit of the message, and read some words as a trailer.
func subjectOf(ofTask, prompt string) string {
	subject := cmp.Or(strings.TrimLeft(cmp.Or(ofTask, prompt), "#; \t"), shadow.NoDescription)
	if strings.HasPrefix(subject, "Entire-") {
		return "Prompt: " + subject
	}
	return subject
}

// commitPlan writes the commit, by git's user. No ref names it yet.
func commitPlan(
	ctx context.Context, run *workspace.Run, s *session.State, subject string, plan autocommit.Commit, id string,
) (gitexec.Head, error) {
	name, email, err := run.Repo.User(ctx)
	if err != nil {
		return gitexec.Head{}, fmt.Errorf("%w: %w", errNoIdentity, err)
	}
	text, err := commitMessage(ctx, run, s, subject, plan, id)
	if err != nil {
		return gitexec.Head{}, err
	}
	user := gitexec.Ident{Name: name, Email: email, When: run.Now()}
	made, err := run.DB.WriteCommits(gitexec.NewCommit{
		Tree: plan.Tree, Parents: []gitexec.OID{run.Head.ID}, Author: user, Committer: user, Message: text,
	})
	return gitexec.Head{ID: made, Tree: plan.Tree}, err
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
	asTurn.StartsAt(run.Head.Tree, run.Head.ID, s.TurnStartIndex)
	share, err := commits.ShareText(ctx, run.Repo, run.DB, checkpoints.Request{Matches: []condense.Matched{{Session: &asTurn, Commits: true}},
		Changes: changes, Tree: plan.Tree, ParentTree: run.Head.Tree})
	if err != nil || share == "" {
		return string(text), err
	}
	return string(message.SetAttribution(text, id, share)), nil
}

// withState has a session's state among others, instead of the one that is stored.
func withState(states []*session.State, s *session.State) []*session.State {
	at := slices.IndexFunc(states, func(other *session.State) bool { return other.SessionID == s.SessionID })
	if at < 0 {
		return append(states, s)
	}
	states[at] = s
	return states
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
func applyCommit(ctx context.Context, run *workspace.Run, refs []shadow.RefChange, states []*session.State, subject string, index *shadow.IndexChange) (err error) {
	index.Check = func() error {
		if why := run.ConcurrentGit(); why != "" { // it may have started while the checkpoint was prepared
			return &interferenceError{why}
		}
		return nil
	}
	// 0.3 seconds: an editor's git status in a large worktree holds the lock for less. The agent's
	// stop waits. Where it takes longer, the turn stays uncommitted, and the next one commits both.
	for range 10 {
		err = shadow.ApplyCommit(ctx, run.DB, run.Store, "commit ("+shadow.Reason+"): "+subject, refs, states, index)
		if !errors.Is(err, gitexec.ErrIndexLocked) && !errors.Is(err, gitexec.ErrIndexChanged) {
			return err
		}
		time.Sleep(30 * time.Millisecond)
	}
	return err
}
