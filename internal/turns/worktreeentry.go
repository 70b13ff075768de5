package turns

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// A shell of an agent's goes to another worktree without an event, and may have made it just now.
// The commits there, and what the transcript says, tell that it did. The session is the same.

// EnterByCommit has the sessions whose agent makes a commit here, in a turn that is in progress in
// another worktree, be at work here, too. So it is where a turn made this worktree, whoever
// commits.
func EnterByCommit(ctx context.Context, run *workspace.Run) error {
	if _, err := os.Lstat(filepath.Join(run.Repo.CommonDir, "worktrees")); err != nil {
		return nil // there never was another one
	}
	all, err := run.Store.List()
	if err != nil {
		return err
	}
	here := run.Repo.WorktreeID()
	all = slices.DeleteFunc(all, func(s *session.State) bool { return !s.CanEnter(here) })
	if len(all) == 0 {
		return nil
	}
	var entering []string
	for _, s := range all {
		if runsHere(run, s, all) || s.BornInTurn(here) && namesWorktree(ctx, run.Repo, s) {
			entering = append(entering, s.SessionID)
		}
	}
	if len(entering) == 0 {
		return nil
	}
	return run.Locked(ctx, func() error {
		for _, id := range entering {
			if err := enterLocked(ctx, run, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// runsHere reports whether a session's agent is known to run git here: the environment names the
// session alone of all, or the process that began its turn is above.
func runsHere(run *workspace.Run, s *session.State, all []*session.State) bool {
	named := agent.Sessions(run.Getenv)
	if slices.Contains(named, s.SessionID) {
		return !slices.ContainsFunc(all, func(o *session.State) bool { return o != s && slices.Contains(named, o.SessionID) })
	}
	return len(named) == 0 && s.AgentProcess != nil && (agent.Marked(run.Getenv) || !commits.HasTerminal(run.Getenv)) &&
		slices.ContainsFunc(run.Ancestors(), s.AgentProcess.Same)
}

// namesWorktree reports whether a session's transcript names this worktree.
func namesWorktree(ctx context.Context, repo *gitexec.Repo, s *session.State) bool {
	if s.TranscriptPath == "" {
		return false
	}
	d, err := transcript.DirectoriesNamed(ctx, s.TranscriptPath, 0, s.WorktreePath, []string{repo.Top})
	return err == nil && len(d.Named)+len(d.Wrote) > 0
}

// enterLocked has a session's turn in progress be in progress here. A worktree that was made in the
// turn began as its first commit. In another one, what was saved before the turn, and not
// committed, is not the turn's.
func enterLocked(ctx context.Context, run *workspace.Run, id string) error {
	s, err := run.Store.Load(id)
	if err != nil || !s.CanEnter(run.Repo.WorktreeID()) {
		return err
	}
	tree, commit := run.Head.Tree, run.Head.ID
	born, known := s.BornInTurn(run.Repo.WorktreeID()), s.In(run.Repo.WorktreeID())
	switch {
	case born && known && s.TurnStartTree != "": // the turn was here already
		tree, commit = s.TurnStartTree, s.TurnStartCommit
	case born:
		if first, err := firstHead(ctx, run); err != nil {
			return err
		} else if !first.ID.IsZero() {
			tree, commit = first.Tree, first.ID
		}
		if seen := commits.ReadSeenHead(run.Repo.PrivateDir()); seen.Head == "" { // commits that ran no hook are looked for from there
			if err := (commits.SeenHead{First: commit}).Write(run.Repo.PrivateDir(), commit); err != nil {
				return err
			}
		}
	default:
		staged, err := run.Repo.DiffStaged(ctx, run.Repo.IndexFile, run.Head.Tree)
		if err != nil {
			return err
		}
		if tree, err = savedBefore(run.Repo, run.DB, s, run.Head.Tree, staged); err != nil {
			return err
		}
	}
	run.Note("session " + s.SessionID + ": its turn came to this worktree")
	s.EnterTurn(run.Repo.WorktreeID(), run.Repo.Top, run.Head.ID, tree, commit)
	s.MadeWorktree = s.MadeWorktree || born
	return run.Store.Save(s)
}

// enterAsSubagent has a subagent's turn be in progress here, in the worktree that was made for it.
// A commit here may have told already that the session is at work here.
func enterAsSubagent(ctx context.Context, run *workspace.Run, e Event) (s *session.State, err error) {
	err = run.Locked(ctx, func() error {
		if err := enterLocked(ctx, run, e.SessionID); err != nil {
			return err
		}
		if s, err = run.Store.Load(e.SessionID); err != nil || !s.In(run.Repo.WorktreeID()) || s.Phase != session.Active {
			return err
		}
		s.AgentID = e.By.AgentID
		s.Working(e.By) // the task is this subagent's from now on
		return run.Store.Save(s)
	})
	return s, err
}

// firstHead is the commit that this worktree began as; the zero value where git keeps no reflog, or
// HEAD has moved too often.
func firstHead(ctx context.Context, run *workspace.Run) (first gitexec.Commit, err error) {
	moves, err := run.HeadMoves(ctx)
	if err != nil || len(moves) == 0 || len(moves) == workspace.MostMoves {
		return gitexec.Commit{ID: run.Repo.Format.Zero()}, err
	}
	commits, err := run.DB.Commits(moves[len(moves)-1].To)
	if err != nil {
		return first, err
	}
	return commits[0], nil
}

// savedBefore is a tree with those of the changes that were saved before a session's turn.
func savedBefore(repo *gitexec.Repo, db *gitexec.ODB, s *session.State, tree gitexec.OID, changes []gitexec.Change) (gitexec.OID, error) {
	if s.LastInteractionTime == nil {
		return tree, nil
	}
	before := slices.DeleteFunc(changes, func(c gitexec.Change) bool {
		return commits.SavedAfter(repo, c.Path, s.LastInteractionTime.Add(-time.Second))
	})
	return commits.TreeOf(db, tree, before)
}

// enterAgain has a session's turn be in progress here, in a worktree that an earlier turn of it
// made, since HEAD was last seen. What was saved before the turn is not the turn's.
func enterAgain(ctx context.Context, run *workspace.Run, id string) error {
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return err
	}
	run = run.On(snap.Head)
	return run.Locked(ctx, func() error {
		s, err := run.Store.Load(id)
		if err != nil || !s.CanEnter(run.Repo.WorktreeID()) {
			return err
		}
		changes, err := run.DB.DiffTrees(run.Head.Tree, snap.Tree)
		if err != nil {
			return err
		}
		began := run.Head
		if seen := commits.ReadSeenHead(run.Repo.PrivateDir()).Head; seen != "" && !seen.IsZero() && seen != run.Head.ID {
			if commits, err := run.DB.Commits(seen); err == nil {
				began.ID, began.Tree = seen, commits[0].Tree
			}
		}
		tree, err := savedBefore(run.Repo, run.DB, s, began.Tree, changes)
		if err != nil {
			return err
		}
		s.EnterTurn(run.Repo.WorktreeID(), run.Repo.Top, run.Head.ID, tree, began.ID)
		return run.Store.Save(s)
	})
}

// enterByTranscript has the turn that an event ends be in progress in the worktrees that it was
// made in, or wrote to: those that the session made and that a command names, and those in which a
// tool wrote files. Of the latter nothing else is known to be the turn's.
func enterByTranscript(ctx context.Context, run *workspace.Run, verb string, e Event) error {
	if !slices.Contains([]string{agent.Stop, agent.SessionEnd, agent.Prompt, agent.SessionStart}, verb) {
		return nil
	}
	trees := shadow.ReadWorktrees(run.Repo)
	if len(trees.IDs()) == 0 {
		return nil
	}
	s, err := run.Store.Load(e.SessionID)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	here := run.Repo.WorktreeID()
	ends := verb == agent.Stop || verb == agent.SessionEnd
	if ends && s.BornInTurn(here) && s.CanEnter(here) {
		if err := run.Locked(ctx, func() error { return enterLocked(ctx, run, e.SessionID) }); err != nil {
			return err
		}
	}
	tops, born, made := enterable(s, here, trees, run.Repo.MainTop())
	if len(tops) == 0 || s.TranscriptPath == "" {
		return nil
	}
	from := s.Recorded.Bytes
	if len(born) > 0 {
		from = 0
	}
	named, err := transcript.DirectoriesNamed(ctx, s.TranscriptPath, from, run.Repo.Top, tops)
	if err != nil {
		return nil // what cannot be read tells nothing
	}
	for _, top := range tops {
		wrote := slices.Contains(named.Wrote, top)
		goes := wrote || slices.Contains(named.Named, top)
		var enter func(*workspace.Run) error
		switch {
		case goes && slices.Contains(born, top):
			enter = func(there *workspace.Run) error {
				return there.Locked(ctx, func() error { return enterLocked(ctx, there, e.SessionID) })
			}
		case goes && slices.Contains(made, top):
			enter = func(there *workspace.Run) error { return enterAgain(ctx, there, e.SessionID) }
		case wrote && ends:
			enter = func(there *workspace.Run) error { return enterWritten(ctx, there, e.SessionID) }
		default:
			continue
		}
		if err := enterOther(ctx, run, e.SessionID, top, enter); err != nil {
			run.WarnLater(explain.OneLine(err))
		}
	}
	return nil
}

// mostEntered is how many worktrees an event enters.
const mostEntered = 20

// enterWritten has a session's turn be in progress here, of which nothing is known but the files
// that its tools wrote.
func enterWritten(ctx context.Context, run *workspace.Run, id string) error {
	return run.Locked(ctx, func() error {
		s, err := run.Store.Load(id)
		if err != nil || !s.CanEnter(run.Repo.WorktreeID()) {
			return err
		}
		s.EnterTurn(run.Repo.WorktreeID(), run.Repo.Top, run.Head.ID, "", "")
		return run.Store.Save(s)
	})
}

// enterable are the top levels of the other worktrees that a session's turn in progress is not in,
// those of them that were made in the turn, and those that were made in one before. A worktree's
// name in git may be another one's by now.
func enterable(s *session.State, here string, trees shadow.Worktrees, main string) (tops, born, made []string) {
	add := func(id, top string) {
		if top == "" || id == here || !s.CanEnter(id) || len(tops) == mostEntered {
			return
		}
		tops = append(tops, top)
		switch {
		case s.BornInTurn(id):
			born = append(born, top)
		case s.Made(id):
			made = append(made, top)
		}
	}
	for i, id := range trees.IDs() {
		add(id, trees.Tops()[i])
	}
	add("", main)
	return tops, born, made
}

// enterOther has a session's turn be in progress in another worktree.
func enterOther(ctx context.Context, run *workspace.Run, id, top string, enter func(there *workspace.Run) error) error {
	begun := time.Now()
	there, err := commits.Open(ctx, run.Env, top)
	if workspace.NotRecorded(err) {
		return nil
	}
	if err != nil {
		return err
	}
	outcome := "it is another repository's now"
	if there.Repo.CommonDir == run.Repo.CommonDir {
		outcome = "the turn came to this worktree"
		err = enter(there)
	}
	return there.Finish(journal.Entry{Hook: "worktree entered", Session: id, Outcome: outcome}, begun, err)
}
