package turns

import (
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// turn is what a turn changed.
type turn struct {
	snap       shadow.Snapshot
	before     gitexec.OID       // the worktree at the turn's start, rebased on HEAD, with what others have done since
	start      gitexec.OID       // the same without others' changes; empty: equal
	touched    []gitexec.Path    // by the agent, uncommitted
	wrote      *transcript.Wrote // by its transcript, where that was read; nil: not known
	sources    []gitexec.OID     // commits from which git brought lines
	subject    string            // of its checkpoint; empty: the prompt
	startKnown bool              // a start event came, and no end event before this one
	task       string            // the tool use of the subagent; empty: none
	estimated  bool              // see shadow.Checkpoint
	open       bool              // tasks of it continue in the background
	prompted   bool              // the transcript has the next prompt already
	answer     string            // with which the agent stopped; empty: not known
	finished   bool              // its transcript is there to its end: it was interrupted, or is a task's, whose subagent alone was at work
	ofShells   []gitexec.Path    // by shells of earlier turns, by their commands
	elsewhere  bool              // it continues in another worktree, or is a subagent's: its commits are not final
}

// told reports whether the transcripts tell all that was written until the turn's end, or a task's.
func (t turn) told() bool { return t.wrote != nil && t.toldBy(*t.wrote) }

// toldBy is the same question to what was read of the transcripts. The file isn't looked at again:
// it may have grown since.
func (t turn) toldBy(wrote transcript.Wrote) bool {
	return wrote.All && (t.finished || wrote.ToItsEnd(t.answer))
}

// readChanges is the agent's part of the turn: the difference between the snapshots at its start
// and its end. Where HEAD has moved in between, it omits what HEAD holds with the same content:
// that was committed, or came with a pull or another branch.
func readChanges(run *workspace.Run, s *session.State, snap shadow.Snapshot) (turn, error) {
	start, commit := s.TurnStartTree, s.TurnStartCommit
	sure := s.Phase == session.Active
	if !objectsExist(run.DB, start, commit) {
		start, commit, sure = run.Head.Tree, run.Head.ID, false // no start event: all uncommitted changes count as the turn's
	}
	t := turn{snap: snap, before: start, startKnown: sure}
	diff, err := run.DB.DiffTrees(start, snap.Tree)
	if err != nil {
		return t, err
	}
	if commit == run.Head.ID {
		t.touched = gitexec.PathsOf(diff)
		return t, nil
	}
	return acrossCommits(run, t, commit, diff)
}

// objectsExist reports whether objects exist: no ref keeps a snapshot, and git may have pruned it
// after weeks. The next transaction relies on them.
func objectsExist(db *gitexec.ODB, ids ...gitexec.OID) bool {
	if slices.Contains(ids, "") {
		return false
	}
	ids = slices.DeleteFunc(slices.Clone(ids), gitexec.OID.IsZero) // before the first commit
	info, err := db.Info(ids...)
	if err != nil || slices.ContainsFunc(info, func(o gitexec.Object) bool { return o.Type == "" }) {
		return false
	}
	db.Rely(ids...)
	return true
}

func acrossCommits(run *workspace.Run, t turn, commit gitexec.OID, diff []gitexec.Change) (turn, error) {
	old, err := run.DB.Commit(commit)
	if err != nil {
		return t, err
	}
	files, err := changedIn(run.DB, run.Head, old, diff)
	if err != nil {
		return t, err
	}
	committed, err := committedIn(run, t, old, diff)
	if err != nil {
		return t, err
	}
	undo := gitexec.Edits{}
	for _, f := range append(files, committed...) {
		before, touched := f.Uncommitted()
		if touched && before == f.Began {
			// Of a part of the file that a commit took, only what it left is uncommitted.
			if before, err = works.Rebased(run.DB, f); err != nil {
				return t, err
			}
		}
		if touched && before != f.Ended {
			t.touched, undo[f.Path] = append(t.touched, f.Path), before
		}
	}
	slices.Sort(t.touched)
	t.before, err = run.DB.EditTree(t.snap.Tree, undo)
	return t, err
}

// changedIn lists the files that differ between a turn's start and its end. One that a commit in
// the turn renamed begins under its former name.
func changedIn(db *gitexec.ODB, head gitexec.Head, began gitexec.Commit, diff []gitexec.Change) ([]condense.TurnFile, error) {
	heads, err := db.Versions(began.Tree, head.Tree, gitexec.PathsOf(diff)...)
	if err != nil {
		return nil, err
	}
	files := make([]condense.TurnFile, len(heads))
	for i, h := range heads {
		files[i] = condense.TurnFile{Path: h.Path, Began: diff[i].Old, Ended: diff[i].New, HeadAtStart: h.Old, HeadAtEnd: h.New}
	}
	work, err := suffix.FromOldFiles(suffix.ChangesOf(diff), &shadow.Texts{DB: db})
	for i, c := range work {
		if f := &files[i]; c.Before != f.Began && f.HeadAtEnd.Exists() && !f.HeadAtStart.Exists() {
			from := heads[slices.IndexFunc(diff, func(d gitexec.Change) bool { return d.Old == c.Before && !d.New.Exists() })]
			f.Began, f.HeadAtStart = c.Before, from.Old
		}
	}
	return files, err
}

// committedIn lists the files that were committed during the turn and are equal at its start and
// its end.
func committedIn(run *workspace.Run, t turn, began gitexec.Commit, diff []gitexec.Change) ([]condense.TurnFile, error) {
	committed, err := run.DB.DiffTrees(began.Tree, run.Head.Tree)
	if err != nil {
		return nil, err
	}
	changed := gitexec.PathsOf(diff) // in order
	committed = slices.DeleteFunc(committed, func(c gitexec.Change) bool {
		_, found := slices.BinarySearch(changed, c.Path)
		return found
	})
	ends, err := run.DB.Files(t.snap.Tree, gitexec.PathsOf(committed)...)
	if err != nil {
		return nil, err
	}
	files := make([]condense.TurnFile, len(committed))
	undone := false
	for i, c := range committed {
		files[i] = condense.TurnFile{Path: c.Path, Began: ends[i], Ended: ends[i], HeadAtStart: c.Old, HeadAtEnd: c.New}
		_, touched := files[i].Uncommitted()
		undone = undone || touched
	}
	if !undone {
		return nil, nil
	}
	// Where HEAD moved back or to another branch, the commit was undone, not the work.
	if onward, err := reachedFrom(run, began.ID); err != nil || !onward {
		return nil, err
	}
	return files, nil
}

// reachedFrom reports whether a commit is a near first-parent ancestor of HEAD.
func reachedFrom(run *workspace.Run, from gitexec.OID) (bool, error) {
	// A turn makes few commits. Where HEAD is further away, it came by a pull or another branch.
	const few = 100
	at := run.Head.ID
	for range few {
		if at == from {
			return true, nil
		}
		if at.IsZero() {
			return false, nil
		}
		read, err := run.DB.Commit(at)
		if err != nil {
			return false, err
		}
		at = commits.ParentOf(run.Repo, read)
	}
	return false, nil
}

// currentHead reads HEAD again under the lock: another session's turn may have been committed just
// before.
func currentHead(db *gitexec.ODB, head gitexec.Head, strategy string) (gitexec.Head, error) {
	if strategy != settings.AutoCommit {
		return head, nil
	}
	return headNow(db, head)
}

// headNow is HEAD as it is by now. Of a branch without a commit it stays as it was found.
func headNow(db *gitexec.ODB, head gitexec.Head) (gitexec.Head, error) {
	if head.ID.IsZero() {
		return head, nil
	}
	now, err := db.Info("HEAD^{commit}")
	if err != nil || now[0].Type != "commit" || now[0].ID == head.ID {
		return head, err
	}
	c, err := db.Commit(now[0].ID)
	if err != nil {
		return head, err
	}
	return gitexec.Head{ID: c.ID, Tree: c.Tree}, nil
}

// inFiles is a turn in some of its files: those that were not committed, or that are its
// own.
func inFiles(db *gitexec.ODB, t turn, files []gitexec.Path) (turn, error) {
	began, err := db.Files(t.before, files...)
	if err != nil {
		return t, err
	}
	edits := gitexec.Edits{}
	for i, path := range files {
		edits[path] = began[i]
	}
	before, err := db.EditTree(t.snap.Tree, edits)
	t.before, t.touched = before, files
	return t, err
}
