package commits

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/message"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Unlinked is what unlink did to a commit.
type Unlinked struct {
	Commit  gitexec.OID `json:"commit"`
	Removed []string    `json:"removed"`
	Links   []string    `json:"links,omitempty"` // those that remain
	// OnlyHere says that hooks decided the link where the commit was made: other clones keep it.
	OnlyHere bool `json:"only_here"`
}

// Errors of unlink.
var (
	ErrNotLinked = errors.New("it has no such link")
	ErrInMessage = errors.New("the link is in the commit's message, which only another commit can change")
)

// Unlink removes a link beside a commit, or with an empty checkpoint all of them. That is stored
// beside the commit, too, so that no clone finds it again. rev names the commit; a checkpoint's ID
// may be abbreviated.
func Unlink(ctx context.Context, e workspace.Env, rev, checkpoint string) (done Unlinked, err error) {
	run, err := Open(ctx, e, e.Dir)
	if err != nil {
		return done, err
	}
	begun := time.Now()
	err = run.Locked(ctx, func() error {
		done, err = unlink(ctx, run, rev, checkpoint)
		return err
	})
	if err == nil {
		run.Entry.Link = done.Removed[0]
	}
	return done, run.Finish(journal.Entry{Hook: "unlink", Commit: string(done.Commit), Outcome: "removed links beside a commit"}, begun, err)
}

func unlink(ctx context.Context, run *workspace.Run, rev, checkpoint string) (done Unlinked, err error) {
	ids, err := run.Repo.History(ctx, gitexec.History{Revs: []string{rev}, NoWalk: true})
	if err != nil || len(ids) != 1 {
		return done, &query.MisnamedError{Name: rev, Wanted: query.ACommit,
			Err: fmt.Errorf("%q is not the name of one commit\nhint: git log --oneline lists them", rev)}
	}
	c, err := run.DB.Commit(ids[0])
	if err != nil {
		return done, err
	}
	branch, err := checkpoints.ReadBranches(ctx, run.Repo, run.DB)
	if err != nil {
		return done, err
	}
	done.Commit = c.ID
	if done.Removed, err = toUnlink(branch.Beside(run.DB, c.ID), message.Links(c.Message), checkpoint); err != nil {
		err = fmt.Errorf("commit %s: %w", c.ID.Short(), err)
		if checkpoint != "" && errors.Is(err, ErrNotLinked) {
			err = &query.MisnamedError{Name: checkpoint, Wanted: query.ACheckpoint, Err: err}
		}
		return done, err
	}
	done.Links = without(branch.Links(run.DB, c), done.Removed)
	who := "somebody"
	if name, mail, err := workspace.AskUser(ctx, run.Repo); err == nil {
		who = name + " <" + mail + ">"
	}
	edits := gitexec.Edits{}
	if done.OnlyHere, err = checkpoints.Unlink(run.DB, branch, c.ID, done.Removed, checkpoints.Removal{By: who, When: run.Now()}, edits); err != nil {
		return done, err
	}
	return done, removeLinks(ctx, run, branch, edits, done)
}

// removeLinks stores the edits that remove links beside a commit, and what is decided with them.
func removeLinks(ctx context.Context, run *workspace.Run, branch checkpoints.Branch, edits gitexec.Edits, done Unlinked) error {
	states, err := run.RecentSessions()
	if err != nil {
		return err
	}
	var changed []*session.State
	for _, s := range states {
		if s.RemoveLinks(done.Commit, done.Removed) {
			changed = append(changed, s)
		}
	}
	refs, err := checkpoints.WriteBranch(run.DB, branch, edits, run.Author(nil), "Remove links beside a commit\n")
	if err != nil {
		return err
	}
	if err := shadow.Apply(ctx, run.DB, run.Store, refs, changed); err != nil {
		return err
	}
	// Without this the next comparison would find the same link by the commit's lines.
	Remember(run, decided.Only(done.Commit, done.Links))
	return nil
}

// toUnlink chooses the links that are removed, of those beside a commit and those in its message.
func toUnlink(beside, trailers []string, checkpoint string) (remove []string, err error) {
	inMessage := ""
	for _, id := range trailers {
		if strings.HasPrefix(id, checkpoint) {
			inMessage = id
		}
	}
	for _, id := range beside {
		// One that is in the message, too, would still be a link: to remove it here is no help.
		if strings.HasPrefix(id, checkpoint) && !slices.Contains(trailers, id) {
			remove = append(remove, id)
		}
	}
	switch {
	case len(remove) == 0 && inMessage != "":
		return nil, fmt.Errorf("%w\nhint: git commit --amend, and delete the line \"%s: %s\"; of an earlier commit, git rebase -i and reword",
			ErrInMessage, message.LinkKey, inMessage)
	case len(remove) == 0:
		return nil, fmt.Errorf("%w\nhint: entire-plumb why lists its links", ErrNotLinked)
	case checkpoint != "" && len(remove) > 1:
		return nil, &checkpoints.AmbiguousError{Prefix: checkpoint, Candidates: remove}
	}
	return remove, nil
}
