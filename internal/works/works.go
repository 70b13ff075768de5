// Package works collects the sessions' work that a commit may hold.
package works

import (
	"errors"
	"fmt"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/divide"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// OnStreams collects the sessions' work on the streams of the bases, base by base; streams lists
// those of one base. A stream with a missing object is skipped and reported in troubles, which are
// messages for the user; any other error ends it.
func OnStreams(
	db *gitexec.ODB, bases []gitexec.OID, states []*session.State, streams func(base gitexec.OID) ([]shadow.Stream, error),
) (works []condense.Work, troubles []error, err error) {
	for _, base := range bases {
		found, err := streams(base)
		if err != nil {
			return nil, nil, err
		}
		// Their trees are compared in parallel. Only where that fails each one is read alone, so
		// that one damaged stream doesn't hide the work of the others.
		all, broken := shadow.AgentChanges(db, found...)
		for i := range found {
			var changes []shadow.Change
			if broken == nil {
				changes = all[i]
			} else if changes, err = found[i].AgentChanges(db); err != nil { // find out which one
				var missing *gitexec.MissingError
				if errors.As(err, &missing) {
					troubles = append(troubles, fmt.Errorf("%w\nhint: git fsck says more; that stream is not changed", err))
					continue
				}
				return nil, nil, err
			}
			works = append(works, condense.OfStream(&found[i], changes, states)...)
		}
	}
	return works, troubles, nil
}

// Turns asks for the work of turns in progress that a commit can show.
type Turns struct {
	States  []*session.State
	Changes []gitexec.Change
	Agents  []string                    // the sessions whose agent makes the commit
	Began   map[string]gitexec.Edits    // versions that turns began from, by session, where others have written since
	Wrote   map[string]condense.Written // what the agents are known to have written, by session
	Streams []condense.Work             // the sessions' work on streams: its versions are recorded
}

// OfTurns is that work; nil: none. What tools of a turn beside a committing one wrote counts; an
// agent that makes the commit has all that changed since its turn began. It omits turns whose start
// is not known.
func OfTurns(db *gitexec.ODB, q Turns) ([]condense.Work, error) {
	var works []condense.Work
	paths := gitexec.PathsOf(q.Changes)
	// A session is in began only if its turn is in progress and its start is known.
	began, looked := map[*session.State][]gitexec.Entry{}, map[*session.State][]gitexec.Entry{} // with what others have done since, and without
	var committing *session.State
	for _, s := range q.States {
		if s.Phase != session.Active || s.TurnStartTree == "" {
			continue
		}
		var err error
		if began[s], err = db.Lookup(s.TurnStartTree, paths...); err != nil {
			return nil, err
		}
		if slices.Contains(q.Agents, s.SessionID) {
			// The agent makes the commit: what was staged when its turn began, and is committed as
			// it was staged, is the human's. The turn begins with the committed version there, and
			// so has nothing of it.
			staged, err := shadow.StagedBefore(db, s.TurnStartIndex, q.Changes, began[s])
			if err != nil {
				return nil, err
			}
			for _, i := range staged {
				began[s][i] = q.Changes[i].New
			}
		}
		looked[s] = slices.Clone(began[s])
		for i, path := range paths {
			if e, divided := q.Began[s.SessionID][path]; divided {
				began[s][i] = e
			}
		}
		// With two agents that may have made the commit, neither of their turns divides the others'
		// work.
		if len(q.Agents) == 1 && q.Agents[0] == s.SessionID {
			committing = s
		}
	}
	for _, s := range q.States {
		if began[s] == nil {
			continue
		}
		wrote := q.Wrote[s.SessionID]
		if commits := slices.Contains(q.Agents, s.SessionID); !commits && committing != nil {
			// By the snapshots as they were, since what others wrote is found in them.
			early := condense.BeforeTurn(condense.Overlapping{Of: s, Committing: committing, Changes: q.Changes, Began: looked[s],
				CommitterBegan: looked[committing], Wrote: q.Wrote, Streams: q.Streams})
			works = append(works, early...)
			wrote = wrote.Without(early)
		}
		now := condense.InProgress(s, q.Changes, began[s], slices.Contains(q.Agents, s.SessionID), wrote.Files)
		for i := range now {
			now[i].Began = q.Began[s.SessionID]
		}
		works = append(works, now...)
	}
	return works, nil
}

// OfIgnored is the work in files that git ignored when the sessions' tools wrote them, as far as
// the changes bring lines of it. texts are what a session's tools were given for files, by its
// transcript.
func OfIgnored(db *gitexec.ODB, states []*session.State, changes []gitexec.Change, texts func(*session.State) map[gitexec.Path]transcript.Texts,
) ([]condense.Work, error) {
	var works []condense.Work
	for _, s := range states {
		for i := range s.Ignored {
			file := &s.Ignored[i]
			// No snapshot has an ignored file. It becomes known when the human takes it in with
			// `git add -f`.
			at := slices.IndexFunc(changes, func(c gitexec.Change) bool { return c.Path == file.Path && c.New.Exists() })
			if at < 0 {
				continue
			}
			c := changes[at]
			mine, theirs, err := linesOf(db, c, texts(s)[c.Path])
			if err != nil {
				return nil, err
			}
			if !theirs.Exists() {
				continue
			}
			// The work is a change from what was committed to the tool's lines alone. The human's
			// lines are the version that the work began from, so that they are not its session's.
			own := c.New
			if own.ID, err = db.WriteBlob(mine); err != nil {
				return nil, err
			}
			works = append(works, condense.Work{Session: s, InTurn: true, Ignored: file, Began: gitexec.Edits{c.Path: theirs},
				Changes: []suffix.Change{{Path: c.Path, Before: c.Old, After: own}}})
		}
	}
	return works, nil
}

// linesOf is a file's new version with no new lines but those of texts. It writes the one with
// all other new lines alone; the zero entry where the texts have none, or the versions can't be
// compared.
func linesOf(db *gitexec.ODB, c gitexec.Change, texts transcript.Texts) (own []byte, others gitexec.Entry, err error) {
	f, ok, err := fileOf(db, c)
	if err != nil || !ok || !c.New.Exists() {
		return nil, others, err
	}
	own, rest := divide.Own(f.Was, f.Now, texts)
	if own == nil {
		return nil, others, nil
	}
	others = c.New
	others.ID, err = db.WriteBlob(rest)
	return own, others, err
}

// OfResets is the work of reset commits: what each changed in the session's files. inHistory
// reports whether a commit is in HEAD's history: its link is taken. parent is the new commit's,
// zeros for a root commit. It omits commits that git has pruned.
func OfResets(db *gitexec.ODB, s *session.State, parent gitexec.OID, reset, inHistory func(gitexec.OID) bool) ([]condense.Work, error) {
	var works []condense.Work
	for _, w := range condense.ResetWork(s, reset, inHistory) {
		info, err := db.Info(w.Link.Commit, w.Link.Tree)
		if err != nil {
			return nil, err
		}
		// git has pruned the commit, or the checkpoint's tree: then nothing says what was in it.
		if info[0].Type != "commit" || info[1].Type != "tree" {
			continue
		}
		c, err := db.Commit(w.Link.Commit)
		if err != nil {
			return nil, err
		}
		if w.Changes, err = changesOf(db, *w.Link, c); err != nil {
			return nil, err
		}
		before := c.Parents
		// The new commit stands where the reset one stood: after `reset --soft HEAD~2` and one
		// commit, each of the two has the new one's parent, or one that was reset, before it.
		w.InPlace = len(before) == 0 && parent.IsZero() ||
			slices.ContainsFunc(before, func(id gitexec.OID) bool { return id == parent || reset(id) })
		works = append(works, w)
	}
	return works, nil
}

// changesOf returns what a commit changed in the session's files, also since it renamed them.
func changesOf(db *gitexec.ODB, l session.Link, commit gitexec.Commit) ([]suffix.Change, error) {
	own, err := checkpoints.FilesTouched(db, l.Tree)
	if err != nil {
		return nil, err
	}
	parent, err := db.ParentTree(commit)
	if err != nil {
		return nil, err
	}
	diff, err := db.DiffTrees(parent, commit.Tree)
	if err != nil {
		return nil, err
	}
	changes, err := suffix.FromOldFiles(suffix.ChangesOf(diff), &shadow.Texts{DB: db})
	return condense.InFiles(changes, own), err
}
