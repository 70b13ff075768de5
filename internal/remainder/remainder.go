// Package remainder carries what a commit leaves uncommitted of the sessions' work to streams on
// it.
package remainder

import (
	"context"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Carried is what a commit left over of the sessions' work, brought to streams on the new base.
type Carried struct {
	Commits []gitexec.NewCommit // the streams' commits, one chain after the other
	Chains  []Chain
	Drop    []shadow.Stream // all streams that the work was on
}

// Chain is one new stream: the last of its commits is its tip.
type Chain struct {
	Name   shadow.Name
	Length int // commits
}

// CarryForward takes what is left of works after a commit to streams on it (seed 002, Content-Aware
// Carry-Forward), and notes that in the sessions' states. A file that the commit holds as the agent
// left it is done. One that the worktree still has otherwise than the commit, with something of the
// agent's in it, is carried with the worktree's content. One that only a stash entry still holds,
// or of which that cannot be told, is carried with the stream's content, on a stream of its own.
// One that is nowhere was dismissed, which the session remembers. meta is the conversation of the
// sessions that were condensed, staged what the index still holds otherwise than the commit: it
// counts as a stash entry does.
func CarryForward(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, head gitexec.Commit, listing shadow.Listing, who gitexec.Ident,
	states []*session.State, works []condense.Work, meta map[string]shadow.Metadata, staged []gitexec.Change, match suffix.Match) (Carried, error) {
	out := Carried{Drop: streamsOf(works)}
	left, committed, err := remainders(ctx, repo, db, head, works, staged, match, who.When)
	if err != nil {
		return out, err
	}
	for _, s := range states {
		s.MoveTo(head.ID)
	}
	suffix := 1
	for _, group := range condense.Groups(left) {
		for listing.Has(shadow.NewName(head.ID, repo.WorktreeID(), suffix)) {
			suffix++
		}
		name := shadow.NewName(head.ID, repo.WorktreeID(), suffix)
		steps, err := checkpointsOf(db, head, condense.Steps(group, committed), meta, suffix)
		if err != nil {
			return out, err
		}
		commits, err := shadow.Commits(db, head.Tree, head.ID, shadow.Checkpoint{}, who, steps)
		if err != nil {
			return out, err
		}
		if len(commits) > 0 {
			out.Commits = append(out.Commits, commits...)
			out.Chains = append(out.Chains, Chain{Name: name, Length: len(commits)})
			suffix++
		}
	}
	return out, nil
}

func streamsOf(works []condense.Work) []shadow.Stream {
	var streams []shadow.Stream
	seen := map[string]bool{}
	for _, w := range works {
		if w.Stream != nil && !seen[w.Stream.Ref()] {
			streams, seen[w.Stream.Ref()] = append(streams, *w.Stream), true
		}
	}
	return streams
}

// remainders holds each file of the works against the commit, and against the worktree where they
// differ. It also gives what the commit has of the files.
func remainders(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, head gitexec.Commit, works []condense.Work, staged []gitexec.Change, match suffix.Match, when time.Time) (left []condense.Remainder, committed map[gitexec.Path]gitexec.Entry, err error) {
	var paths []gitexec.Path
	for _, w := range works {
		for _, c := range w.Changes {
			paths = append(paths, c.Path)
		}
	}
	paths = condense.Union(nil, paths)
	found, err := db.Lookup(head.Tree, paths...)
	if err != nil {
		return nil, nil, err
	}
	committed = map[gitexec.Path]gitexec.Entry{}
	for i, p := range paths {
		committed[p] = found[i]
	}
	stashes, err := shadow.Stashes(ctx, repo, db)
	if err != nil {
		return nil, nil, err
	}
	index := map[gitexec.Path]gitexec.Entry{}
	for _, c := range staged {
		index[c.Path] = c.New
	}
	open := condense.MayRemain(works, committed, index, len(stashes) > 0)
	if len(open) == 0 {
		return nil, committed, nil
	}
	var ask []gitexec.Path
	for _, r := range open {
		ask = append(ask, r.Path())
	}
	now, refused, err := repo.HashInto(ctx, committed, "", condense.Union(nil, ask))
	if err != nil {
		return nil, nil, err
	}
	texts := &shadow.Texts{DB: db}
	for _, r := range open {
		v := condense.Versions{Committed: committed[r.Path()], Worktree: now[r.Path()]}
		_, v.Unreadable = refused[r.Path()]
		if version, ok := index[r.Path()]; ok {
			v.Others = append(v.Others, version)
		}
		for _, s := range stashes {
			found, err := s.Lookup(db, r.Path())
			if err != nil {
				return nil, nil, err
			}
			v.Others = append(v.Others, found[0])
		}
		remains, dismissed, err := r.Remains(v, texts, match)
		if err != nil {
			return nil, nil, err
		}
		left = append(left, remains...)
		if dismissed.Exists() {
			r.Work.Session.Dismiss(session.Dismissed{Path: r.Path(), Entry: dismissed, When: when})
		}
	}
	return left, committed, nil
}

// checkpointsOf makes checkpoints of what was planned, and notes them in the sessions' states.
func checkpointsOf(db *gitexec.ODB, head gitexec.Commit, plan []condense.Step, meta map[string]shadow.Metadata, suffix int) (steps []shadow.Step, err error) {
	tree := head.Tree
	var of *session.State
	var files gitexec.Tree
	for _, k := range plan {
		was := tree
		if tree, err = db.EditTree(tree, k.Edits); err != nil {
			return nil, err
		}
		if tree == was {
			continue
		}
		s := k.Work.Session
		step := shadow.Step{Session: s.SessionID, Turn: s.TurnID, Part: k.Part, Subject: shadow.Describe(s.LastPrompt), Tree: tree}
		if k.Part == shadow.Agent {
			if s != of {
				if files, err = metadataFiles(db, k.Work, meta); err != nil {
					return nil, err
				}
				of = s
			}
			step.Overlay = files
			for _, from := range k.From {
				step.From = append(step.From, from.Tip.ID)
			}
			if step.Work, err = workOf(db, k.Done); err != nil {
				return nil, err
			}
			s.OnStream(suffix, head.ID, k.Files)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// workOf gives the tips of the streams on which the work on streams was done.
func workOf(db *gitexec.ODB, streams []*shadow.Stream) ([]gitexec.OID, error) {
	var tips []gitexec.OID
	for _, s := range streams {
		found, err := s.Work(db)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			if !slices.Contains(tips, id) {
				tips = append(tips, id)
			}
		}
	}
	return tips, nil
}

// metadataFiles is a session's metadata for the new stream: as condensed just now, or as it is on
// the old stream.
func metadataFiles(db *gitexec.ODB, w condense.Work, meta map[string]shadow.Metadata) (gitexec.Tree, error) {
	if m, ok := meta[w.Session.SessionID]; ok {
		return m.Files(), nil
	}
	found, err := db.Lookup(w.Stream.Tip.Tree, gitexec.Path(shadow.MetadataDir+"/"+w.Session.SessionID))
	if err != nil || !found[0].IsTree() {
		return nil, err
	}
	trees, err := db.Trees(found[0].ID)
	if err != nil {
		return nil, err
	}
	return trees[0], nil
}
