package commits

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// divideTurns divides the files of turns in progress that a commit may hold, for works.OfTurns.
func divideTurns(ctx context.Context, run *workspace.Run, q workQuery, wrote map[string]condense.Written) (map[string]gitexec.Edits, []gitexec.OID, error) {
	began := map[string]gitexec.Edits{}
	var sources []gitexec.OID
	paths := gitexec.PathsOf(q.changes)
	for _, s := range q.states {
		// The work of a turn that has ended is on a stream, and was divided when it ended.
		if s.Phase != session.Active || s.TurnStartTree == "" || s.TranscriptPath == "" {
			continue
		}
		own, read := wrote[s.SessionID]
		// The agent that makes the commit may have written any file of it, by a command; others
		// have those that their tools name.
		commits := slices.Contains(q.agents, s.SessionID)
		if commits && !read {
			own, read = WrittenBy(ctx, run.Repo, s, nil)
		}
		if !read {
			continue
		}
		atStart, err := run.DB.Files(s.TurnStartTree, paths...)
		if err != nil {
			return nil, nil, err
		}
		renamed := gitexec.Edits{}
		if !commits {
			if renamed, err = renamedSince(run, s.TurnStartTree, q, atStart, own.Files); err != nil {
				return nil, nil, err
			}
		}
		for i, path := range paths {
			atStart[i] = cmp.Or(renamed[path], atStart[i])
		}
		if !commits && own.Told {
			moved, err := movedInTurn(run, q.changes, s, own, atStart)
			if err != nil {
				return nil, nil, err
			}
			own = moved.AddTo(own)
			wrote[s.SessionID] = own
		}
		e := works.Evidence{Own: own, Others: TextsBeside(ctx, run, s, q.states), Told: own.Told}
		changes := changedInTurn(q.changes, atStart, func(path gitexec.Path) bool { return commits || slices.Contains(own.Files, path) })
		if !own.Told {
			if e.Apart, err = editedBefore(ctx, run, s, own, changes, commits); err != nil {
				return nil, nil, err
			}
		}
		d, err := PlaceOf(run).Divide(ctx, s, e, changes)
		if err != nil {
			return nil, nil, err
		}
		for path, e := range renamed {
			d.Began[path] = cmp.Or(d.Began[path], e)
		}
		if !commits {
			if own, err = addSaid(run.DB, own, q.changes, atStart, d.Began); err != nil {
				return nil, nil, err
			}
			wrote[s.SessionID] = own
		} else if !own.Told {
			addApart(ctx, run, s, own, q.changes, d.Began)
		}
		began[s.SessionID], sources = d.Began, append(sources, d.Sources...)
	}
	return began, sources, nil
}

// addSaid adds the changed files that nothing names, and into which commands of the turn put texts
// that stand in their words: only the lines of these are the turn's.
func addSaid(
	db *gitexec.ODB, own condense.Written, commit []gitexec.Change, atStart []gitexec.Entry, began gitexec.Edits,
) (condense.Written, error) {
	unnamed := func(path gitexec.Path) bool { return own.Texts[path].Known() && !slices.Contains(own.Files, path) }
	said, err := works.WithoutTexts(db, changedInTurn(commit, atStart, unnamed), own.Texts)
	own.Files = append(slices.Clip(own.Files), slices.Sorted(maps.Keys(said))...)
	maps.Copy(began, said)
	return own, err
}

// editedBefore is EditedApart before a commit, of files that the worktree has as the commit does.
// commits: the session's agent makes it.
func editedBefore(
	ctx context.Context, run *workspace.Run, s *session.State, own condense.Written, changes []gitexec.Change, commits bool,
) (map[gitexec.Path]bool, error) {
	// What was saved long before was not saved by a tool of which the transcript is yet to tell.
	now := []transcript.Span{{Begin: time.Now()}}
	if commits {
		now = commandNow(run, s)
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(c gitexec.Change) bool {
		// A file that was staged and changed since has the time of another version.
		return !own.Texts[c.Path].Known() || !isBack(run.DB, run.Repo.Top, c.Path, c.New)
	})
	return EditedApart(ctx, run, s, own.Texts, changes, time.Time{}, now...)
}

// movedInTurn finds what the user moved in a turn to the files of a commit, also from files that
// are in none, as when a new one was renamed.
func movedInTurn(run *workspace.Run, commit []gitexec.Change, s *session.State, own condense.Written, atStart []gitexec.Entry) (works.Moved, error) {
	all, changed := changedInTurn(commit, atStart, func(gitexec.Path) bool { return true }), sets.Of(gitexec.PathsOf(commit))
	left := slices.DeleteFunc(slices.Sorted(maps.Keys(own.Texts)), func(path gitexec.Path) bool { return changed[path] || !NotInWorktree(run.Repo, path) })
	began, err := run.DB.Files(s.TurnStartTree, left...)
	if err != nil {
		return nil, err
	}
	for i, path := range left {
		all = append(all, gitexec.Change{Path: path, Old: began[i]})
	}
	return works.MovedByUser(run.DB, own.Texts, all)
}

// changedInTurn are the changes since a turn began, of the files that a commit changes and that the
// turn may have. atStart are the files' versions then, in the order of the commit's changes.
func changedInTurn(commit []gitexec.Change, atStart []gitexec.Entry, may func(gitexec.Path) bool) (changes []gitexec.Change) {
	for i, c := range commit {
		if may(c.Path) && atStart[i] != c.New {
			changes = append(changes, gitexec.Change{Path: c.Path, Old: atStart[i], New: c.New})
		}
	}
	return changes
}

// renamedSince are the versions that new files of a commit had under other names when a turn began,
// of those that its tools name: neither the commit nor the worktree has the other names. atStart
// are the versions under their own names.
func renamedSince(run *workspace.Run, start gitexec.OID, q workQuery, atStart []gitexec.Entry, named []gitexec.Path) (gitexec.Edits, error) {
	var work []suffix.Change
	for i, c := range q.changes {
		if slices.Contains(named, c.Path) && !atStart[i].Exists() && c.New.Exists() {
			work = append(work, suffix.Change{Path: c.Path, After: c.New})
		}
	}
	if len(work) == 0 {
		return nil, nil
	}
	then, err := run.DB.DiffTrees(q.base, start)
	if err != nil {
		return nil, err
	}
	changed := gitexec.ByPath(q.changes)
	then = slices.DeleteFunc(then, func(c gitexec.Change) bool { return changed[c.Path].Path != "" || c.Old.Exists() })
	for i, c := range q.changes {
		then = append(then, gitexec.Change{Path: c.Path, Old: c.New, New: atStart[i]})
	}
	for _, c := range then {
		if c.New.Exists() && !c.Old.Exists() && NotInWorktree(run.Repo, c.Path) {
			work = append(work, suffix.Change{Path: c.Path, Before: c.New})
		}
	}
	work, err = suffix.FromOldFiles(work, &shadow.Texts{DB: run.DB})
	renamed := gitexec.Edits{}
	for _, c := range work {
		if c.Before.Exists() && c.After.Exists() {
			renamed[c.Path] = c.Before
		}
	}
	return renamed, err
}

// PlaceOf is where a run looks for commits from which git may have brought lines.
func PlaceOf(run *workspace.Run) works.Place {
	return works.Place{Repo: run.Repo, DB: run.DB, Head: run.Head.ID, Moves: run.HeadMoves,
		Elsewhere: func(s *session.State, paths []gitexec.Path) (map[gitexec.Path][]works.Source, error) {
			return elsewhere(run, s, paths)
		}}
}

// TextsBeside are what tools of the turns beside a session's were given for files.
func TextsBeside(ctx context.Context, run *workspace.Run, s *session.State, states []*session.State) map[gitexec.Path]transcript.Texts {
	texts := map[gitexec.Path]transcript.Texts{}
	for _, o := range TurnsBeside(run, s, states) {
		wrote, ok := WrittenBy(ctx, run.Repo, o, nil)
		if !ok {
			continue
		}
		for path, of := range wrote.Texts {
			texts[path] = texts[path].With(of)
		}
	}
	return texts
}

// TurnsBeside are the other sessions with a transcript whose turn is in progress, or was not over
// when the session's began; not those whose agent is known to have exited in it.
func TurnsBeside(run *workspace.Run, s *session.State, states []*session.State) []*session.State {
	return slices.DeleteFunc(slices.Clone(states), func(o *session.State) bool {
		// A killed agent's turn stays active in its state until a hook ends it.
		if alive, known := run.AgentAlive(o); o.Phase == session.Active && known && !alive {
			return true
		}
		// A turn that ended after this one began was beside it for a while: its last event is its
		// end.
		over := o.Phase != session.Active && (o.LastInteractionTime == nil || s.LastInteractionTime == nil ||
			o.LastInteractionTime.Before(*s.LastInteractionTime))
		return o.SessionID == s.SessionID || o.TranscriptPath == "" || over
	})
}
