package condense

import (
	"context"
	"sort"

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

// leftover is a file of one session's work that the commit doesn't hold, or only in part.
type leftover struct {
	work    Work
	path    gitexec.Path
	changes []suffix.Change // the work's, of this file
	entry   gitexec.Entry   // what is carried
	stash   bool            // only a stash holds it now
}

// CarryForward takes what is left of works after a commit to streams on it (seed 002, Content-Aware Carry-Forward), and
// notes that in the sessions' states. A file that the commit holds as the agent left it is done. One that the worktree
// still has otherwise than the commit, with something of the agent's in it, is carried with the worktree's content. One that
// only a stash entry still holds is carried with the stream's content, on a stream of its own. One that is nowhere was
// dismissed. meta is the conversation of the sessions that were condensed.
func CarryForward(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, head gitexec.Commit, listing shadow.Listing, who gitexec.Ident,
	states []*session.State, works []Work, meta map[string]shadow.Metadata, match suffix.Match) (Carried, error) {
	out := Carried{Drop: streamsOf(works)}
	left, err := leftovers(ctx, repo, db, head, works, match)
	if err != nil {
		return out, err
	}
	for _, s := range states {
		s.BaseCommit, s.AttributionBaseCommit = head.ID, head.ID
		s.FilesTouched, s.ShadowBranchSuffix, s.CheckpointCount = nil, 0, 0
	}
	suffix := 1
	for _, group := range groups(left) {
		for listing.Has(shadow.NewName(head.ID, repo.WorktreeID(), suffix)) {
			suffix++
		}
		name := shadow.NewName(head.ID, repo.WorktreeID(), suffix)
		steps, err := carrySteps(db, head, group, meta, suffix)
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

func streamsOf(works []Work) []shadow.Stream {
	var streams []shadow.Stream
	seen := map[string]bool{}
	for _, w := range works {
		if w.Stream != nil && !seen[w.Stream.Ref()] {
			streams, seen[w.Stream.Ref()] = append(streams, *w.Stream), true
		}
	}
	return streams
}

// leftovers holds each file of the works against the commit, and against the worktree where they differ.
func leftovers(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, head gitexec.Commit, works []Work, match suffix.Match) ([]leftover, error) {
	var paths []gitexec.Path
	for _, w := range works {
		for _, c := range w.Changes {
			paths = Union(paths, []gitexec.Path{c.Path})
		}
	}
	found, err := db.Lookup(head.Tree, paths...)
	if err != nil {
		return nil, err
	}
	committed := map[gitexec.Path]gitexec.Entry{}
	for i, p := range paths {
		committed[p] = found[i]
	}
	var open []leftover
	var ask []gitexec.Path
	for _, w := range works {
		for _, changes := range suffix.ByFile(w.Changes) {
			if last := changes[len(changes)-1]; last.After != committed[last.Path] {
				open = append(open, leftover{work: w, path: last.Path, changes: changes, entry: last.After})
				ask = Union(ask, []gitexec.Path{last.Path})
			}
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	return stillThere(ctx, repo, db, open, ask, committed, match)
}

// stillThere decides what becomes of files that the commit doesn't hold as the agent left them.
func stillThere(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, open []leftover, ask []gitexec.Path, committed map[gitexec.Path]gitexec.Entry, match suffix.Match) ([]leftover, error) {
	now, refused, err := repo.HashInto(ctx, committed, "", ask)
	if err != nil {
		return nil, err
	}
	stashes, err := shadow.Stashes(ctx, repo, db)
	if err != nil {
		return nil, err
	}
	texts := &shadow.Texts{DB: db}
	var left []leftover
	for _, l := range open {
		_, unreadable := refused[l.path]
		versions := []gitexec.Entry{now[l.path]}
		for _, s := range stashes {
			found, err := s.Lookup(db, l.path)
			if err != nil {
				return nil, err
			}
			versions = append(versions, found[0])
		}
		switch at, err := Whereabouts(l.changes, versions, committed[l.path], texts, match); {
		case err != nil:
			return nil, err
		case at == 0 && !unreadable:
			l.entry = now[l.path]
			left = append(left, l)
		case at > 0, unreadable: // what can't be read is kept as the stream has it
			l.stash = true
			left = append(left, l)
		}
	}
	return left, nil
}

// Whereabouts finds where what the agent did to a file still is after a commit: 0 for the worktree, i for the i-th stash
// entry, -1 for nowhere. versions are the file's in those places. A version that is the committed one has nothing left over in it.
func Whereabouts(changes []suffix.Change, versions []gitexec.Entry, committed gitexec.Entry, texts suffix.Texts, match suffix.Match) (int, error) {
	for i, version := range versions {
		if version == committed {
			continue
		}
		here, err := suffix.InEffect(changes, version, texts, match)
		if here || err != nil {
			return i, err
		}
	}
	return -1, nil
}

// groups sorts leftovers into the streams to be: what is in the worktree together, and per old stream what only a stash
// can hold.
func groups(left []leftover) [][]leftover {
	var order []string
	by := map[string][]leftover{}
	for _, l := range left {
		key := ""
		if l.stash {
			key = l.work.Stream.Ref()
		}
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], l)
	}
	sort.Strings(order) // what is in the worktree first
	var all [][]leftover
	for _, key := range order {
		all = append(all, by[key])
	}
	return all
}

// carrySteps makes a checkpoint a session out of a group, one on top of the other.
func carrySteps(db *gitexec.ODB, head gitexec.Commit, group []leftover, meta map[string]shadow.Metadata, suffix int) ([]shadow.Step, error) {
	var steps []shadow.Step
	tree := head.Tree
	done := map[string]bool{}
	for _, l := range group {
		s := l.work.Session
		if done[s.SessionID] {
			continue
		}
		done[s.SessionID] = true
		edits := gitexec.Edits{}
		for _, other := range group {
			if other.work.Session == s {
				edits[other.path] = other.entry
			}
		}
		var err error
		if tree, err = db.EditTree(tree, edits); err != nil {
			return nil, err
		}
		files, err := metadataFiles(db, l.work, meta)
		if err != nil {
			return nil, err
		}
		steps = append(steps, shadow.Step{Session: s.SessionID, Turn: s.TurnID, Part: shadow.Agent,
			Subject: shadow.Describe(s.LastPrompt), Tree: tree, Overlay: files})
		for p := range edits {
			s.FilesTouched = Union(s.FilesTouched, []gitexec.Path{p})
		}
		s.ShadowBranchSuffix, s.CheckpointCount = suffix, s.CheckpointCount+1
	}
	return steps, nil
}

// metadataFiles is a session's metadata for the new stream: as condensed just now, or as it is on the old stream.
func metadataFiles(db *gitexec.ODB, w Work, meta map[string]shadow.Metadata) (gitexec.Tree, error) {
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
