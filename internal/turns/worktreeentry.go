package turns

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/commits"
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
	// Each commit runs this: most repositories never had a linked worktree, and pay one system
	// call.
	if _, err := os.Lstat(filepath.Join(run.Repo.CommonDir, "worktrees")); err != nil {
		return nil // there never was another one
	}
	all, err := run.Store.List()
	if err != nil {
		return err
	}
	here := run.Repo.WorktreeID()
	all = slices.DeleteFunc(all, func(s *session.State) bool { return !s.CanEnter(here) })
	entering := slices.DeleteFunc(slices.Clone(all), func(s *session.State) bool {
		return !runsHere(run, s, all) && !(s.BornInTurn(here) && namesWorktree(ctx, run.Repo, s))
	})
	if len(entering) == 0 {
		return nil
	}
	return run.Locked(ctx, func() error {
		for _, s := range entering {
			if err := enterLocked(ctx, run, s.SessionID); err != nil {
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
		// A shell in an agent that another agent started has the marks of both: then none of them
		// is sure.
		return !slices.ContainsFunc(all, func(o *session.State) bool { return o != s && slices.Contains(named, o.SessionID) })
	}
	// With a terminal and without a mark the user may have typed the command, below the same
	// process.
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

// enterLocked has a session's turn in progress be in progress here, under the lock.
func enterLocked(ctx context.Context, run *workspace.Run, id string) error {
	s, err := run.Store.Load(id)
	if err != nil || !s.CanEnter(run.Repo.WorktreeID()) {
		return err
	}
	born := s.BornInTurn(run.Repo.WorktreeID())
	tree, commit, err := beganHere(ctx, run, s, born)
	if err != nil {
		return err
	}
	run.Note("session " + s.SessionID + ": its turn moved to this worktree")
	s.EnterTurn(run.Repo.WorktreeID(), run.Repo.Top, run.Head.ID, tree, commit)
	if born {
		s.MadeThisWorktree()
	}
	return run.Store.Save(s)
}

// beganHere is the worktree, and HEAD, from which a session's turn has worked here. A worktree that
// was made in the turn began as its first commit. In another one, what was saved before the turn,
// and not committed, is not the turn's.
func beganHere(ctx context.Context, run *workspace.Run, s *session.State, born bool) (tree, commit gitexec.OID, err error) {
	known := s.In(run.Repo.WorktreeID())
	// The turn has been here before, and its start here is known.
	if born && known && s.TurnStartTree != "" { // the turn was here already
		return s.TurnStartTree, s.TurnStartCommit, nil
	}
	// The index has what the commit will have: what was saved before the turn is the human's.
	if !born {
		staged, err := run.Repo.DiffStaged(ctx, run.Repo.IndexFile, run.Head.Tree)
		if err != nil {
			return "", "", err
		}
		tree, err = savedBefore(run.Repo, run.DB, s, run.Head.Tree, staged)
		return tree, run.Head.ID, err
	}
	tree, commit = run.Head.Tree, run.Head.ID
	first, err := firstHead(ctx, run)
	if err != nil {
		return "", "", err
	}
	// HEAD may have moved on since: the oldest entry of its reflog says what the worktree began as.
	if !first.ID.IsZero() {
		tree, commit = first.Tree, first.ID
	}
	if seen := commits.ReadSeenHead(run.Repo.PrivateDir()); seen.Head == "" { // commits that ran no hook are looked for from there
		err = (commits.SeenHead{First: commit}).Write(run.Repo.PrivateDir(), commit)
	}
	return tree, commit, err
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
		s.WorksFor(e.By) // the task is this subagent's from now on
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
	return run.DB.Commit(moves[len(moves)-1].To)
}

// savedBefore is a tree with those of the changes that were saved before a session's turn.
func savedBefore(repo *gitexec.Repo, db *gitexec.ODB, s *session.State, tree gitexec.OID, changes []gitexec.Change) (gitexec.OID, error) {
	if s.LastInteractionTime == nil {
		return tree, nil
	}
	before := slices.DeleteFunc(changes, func(c gitexec.Change) bool {
		// SavedAfter allows a second for an agent's last command. A prompt has none: it is taken
		// off here.
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
		// Commits since HEAD was last seen here may be the turn's: it began at what was seen.
		began := run.Head
		if seen := commits.ReadSeenHead(run.Repo.PrivateDir()).Head; seen != "" && !seen.IsZero() && seen != run.Head.ID {
			if c, err := run.DB.Commit(seen); err == nil {
				began.ID, began.Tree = seen, c.Tree
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

// boundaries are the events between turns, and whether they end one.
var boundaries = map[string]bool{agent.Stop: true, agent.SessionEnd: true, agent.Prompt: false, agent.SessionStart: false}

// enterByTranscript has the turn that an event ends be in progress in the worktrees that it was
// made in, or wrote to: those that the session made and that a command names, and those in which a
// tool wrote files. Of the latter nothing else is known to be the turn's.
func enterByTranscript(ctx context.Context, run *workspace.Run, verb string, e Event) error {
	ends, boundary := boundaries[verb]
	if !boundary {
		return nil
	}
	linked := shadow.ReadWorktrees(run.Repo)
	if len(linked.IDs) == 0 {
		return nil
	}
	s, err := knownSession(run.Store, e.SessionID)
	if err != nil || s == nil {
		return err
	}
	here := run.Repo.WorktreeID()
	if ends && s.BornInTurn(here) && s.CanEnter(here) {
		if err := enter(ctx, run, e.SessionID); err != nil {
			return err
		}
	}
	if s.TranscriptPath != "" {
		enterNamed(ctx, run, s, enterable(s, here, linked.IDs, linked.Tops, run.Repo.MainTop()), ends)
	}
	return nil
}

// enterNamed has a session's turn be in progress in those of the worktrees in which its transcript
// says that it worked.
func enterNamed(ctx context.Context, run *workspace.Run, s *session.State, trees []otherWorktree, ends bool) {
	if len(trees) == 0 {
		return
	}
	from := s.Recorded.Bytes
	// What was said before the last recording may name a worktree that the turn made only then.
	if slices.ContainsFunc(trees, func(tree otherWorktree) bool { return tree.born }) {
		from = 0
	}
	said, err := transcript.DirectoriesNamed(ctx, s.TranscriptPath, from, run.Repo.Top, topsOf(trees))
	if err != nil {
		return // what cannot be read tells nothing
	}
	for _, tree := range trees {
		enter := tree.entry(said, ends)
		if enter == nil {
			continue
		}
		run.WarnOf(enterOther(ctx, run, s.SessionID, tree.top, enter))
	}
}

// otherWorktree is a worktree that a session's turn in progress is not in.
type otherWorktree struct {
	top  string
	born bool // it was made in the turn
	made bool // an earlier turn of the session made it
}

func topsOf(trees []otherWorktree) (tops []string) {
	for _, tree := range trees {
		tops = append(tops, tree.top)
	}
	return tops
}

// entry decides how a session's turn enters a worktree, by what its transcript says: nil if it
// doesn't. ends: an event ends the turn.
func (tree otherWorktree) entry(said transcript.Directories, ends bool) func(ctx context.Context, there *workspace.Run, id string) error {
	wrote := slices.Contains(said.Wrote, tree.top)
	goes := wrote || slices.Contains(said.Named, tree.top)
	switch {
	// Made in this turn: all of it is the turn's. Made by an earlier one: what came since HEAD was
	// seen. Else another's: what tools wrote there, and only when the turn is over, since a later
	// tool may write more.
	case goes && tree.born:
		return enter
	case goes && tree.made:
		return enterAgain
	case wrote && ends:
		return enterWritten
	}
	return nil
}

// enter has a session's turn in progress be in progress here.
func enter(ctx context.Context, run *workspace.Run, id string) error {
	return run.Locked(ctx, func() error { return enterLocked(ctx, run, id) })
}

// mostEntered is how many worktrees an event enters: each takes a lock and reads the transcript's
// words of it. Agents that work side by side have one each.
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

// enterable are the worktrees that a session's turn in progress is not in: of the linked ones, with
// these IDs and top levels, and the main one. A worktree's name in git may be another one's by now.
func enterable(s *session.State, here string, ids, tops []string, main string) (trees []otherWorktree) {
	// The main worktree has the ID "".
	for i, id := range append(slices.Clone(ids), "") {
		top := main
		if i < len(ids) {
			top = tops[i]
		}
		if top == "" || id == here || !s.CanEnter(id) || len(trees) == mostEntered {
			continue
		}
		trees = append(trees, otherWorktree{top: top, born: s.BornInTurn(id), made: s.Made(id)})
	}
	return trees
}

// enterOther has a session's turn be in progress in another worktree.
func enterOther(ctx context.Context, run *workspace.Run, id, top string, enter func(ctx context.Context, there *workspace.Run, id string) error) error {
	return inOther(ctx, run, top, journal.Entry{Hook: "worktree entered", Session: id}, func(there *workspace.Run) (string, error) {
		if there.Repo.CommonDir != run.Repo.CommonDir {
			return "it is another repository's now", nil
		}
		return "the turn moved to this worktree", enter(ctx, there, id)
	})
}
