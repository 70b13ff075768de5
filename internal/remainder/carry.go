// Package remainder carries what a commit leaves uncommitted of the sessions' work to streams on
// it.
package remainder

import (
	"context"
	"slices"
	"sort"
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

// remaining is a file of one session's work that the commit doesn't hold, or only in part.
type remaining struct {
	work    condense.Work
	path    gitexec.Path
	changes []suffix.Change // the work's, of this file
	now     gitexec.Entry   // what is carried: the worktree's content
	kept    bool            // or, version after version, what the stream has: see condense.Fate
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
	left, err := remainders(ctx, repo, db, head, works, staged, match, who.When)
	if err != nil {
		return out, err
	}
	for _, s := range states {
		s.MoveTo(head.ID)
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

// Concerned gives the sessions, and their work, that a commit says something about: those whose
// base was its parent, those that it links, and those that share a stream with them, since a stream
// goes as a whole. What hangs on other bases waits for the user to come back to it.
func Concerned(parent gitexec.OID, states []*session.State, works []condense.Work, matches []condense.Matched) ([]*session.State, []condense.Work) {
	here := map[*session.State]bool{}
	for _, s := range states {
		here[s] = parent != "" && s.BaseCommit == parent
	}
	for _, m := range matches {
		here[m.Session] = true
	}
	for grown := true; grown; {
		grown = false
		streams := map[string]bool{}
		for _, w := range works {
			if here[w.Session] || w.Stream.Base == parent.Short() && parent != "" {
				streams[w.Stream.Ref()] = true
			}
		}
		for _, w := range works {
			if streams[w.Stream.Ref()] && !here[w.Session] {
				here[w.Session], grown = true, true
			}
		}
	}
	states = slices.DeleteFunc(slices.Clone(states), func(s *session.State) bool { return !here[s] })
	works = slices.DeleteFunc(slices.Clone(works), func(w condense.Work) bool { return !here[w.Session] })
	return states, works
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
// differ.
func remainders(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, head gitexec.Commit, works []condense.Work, staged []gitexec.Change, match suffix.Match, when time.Time) ([]remaining, error) {
	var paths []gitexec.Path
	for _, w := range works {
		for _, c := range w.Changes {
			paths = append(paths, c.Path)
		}
	}
	paths = condense.Union(nil, paths)
	found, err := db.Lookup(head.Tree, paths...)
	if err != nil {
		return nil, err
	}
	committed := map[gitexec.Path]gitexec.Entry{}
	for i, p := range paths {
		committed[p] = found[i]
	}
	stashes, err := shadow.Stashes(ctx, repo, db)
	if err != nil {
		return nil, err
	}
	index := map[gitexec.Path]gitexec.Entry{}
	for _, c := range staged {
		index[c.Path] = c.New
	}
	var open []remaining
	var ask []gitexec.Path
	for _, w := range works {
		for _, changes := range suffix.ByFile(w.Changes) {
			// A stash entry, or the index, may hold what a later turn took back.
			last := changes[len(changes)-1]
			if _, inIndex := index[last.Path]; last.After != committed[last.Path] || len(stashes) > 0 || inIndex {
				open = append(open, remaining{work: w, path: last.Path, changes: changes})
				ask = append(ask, last.Path)
			}
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	return stillThere(ctx, repo, db, open, condense.Union(nil, ask), stashes, index, committed, match, when)
}

// stillThere decides what becomes of files that the commit may not hold as the agent left them.
func stillThere(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, open []remaining, ask []gitexec.Path, stashes []shadow.Stash, index, committed map[gitexec.Path]gitexec.Entry, match suffix.Match, when time.Time) ([]remaining, error) {
	now, refused, err := repo.HashInto(ctx, committed, "", ask)
	if err != nil {
		return nil, err
	}
	texts := &shadow.Texts{DB: db}
	var left []remaining
	for _, l := range open {
		versions := []gitexec.Entry{now[l.path]}
		if version, ok := index[l.path]; ok {
			versions = append(versions, version)
		}
		for _, s := range stashes {
			found, err := s.Lookup(db, l.path)
			if err != nil {
				return nil, err
			}
			versions = append(versions, found[0])
		}
		here, kept, err := condense.Fate(l.changes, versions, committed[l.path], texts, match)
		if err != nil {
			return nil, err
		}
		_, unreadable := refused[l.path]
		if kept || unreadable {
			asItWas := l
			asItWas.kept = true
			left = append(left, asItWas)
		}
		if here && !unreadable {
			l.now = now[l.path]
			left = append(left, l)
		}
		if last, first := l.changes[len(l.changes)-1].After, l.changes[0].Before; !here && !kept && !unreadable && last.Exists() && last != first && committed[l.path] == first {
			l.work.Session.Dismiss(session.Dismissed{Path: l.path, Entry: last, When: when})
		}
	}
	return left, nil
}

// groups sorts leftovers into the streams to be: what is in the worktree together, and per old
// stream what is kept.
func groups(left []remaining) [][]remaining {
	var order []string
	by := map[string][]remaining{}
	for _, l := range left {
		key := ""
		if l.kept {
			key = l.work.Stream.Ref()
		}
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], l)
	}
	sort.Strings(order) // what is in the worktree first
	var all [][]remaining
	for _, key := range order {
		all = append(all, by[key])
	}
	return all
}

// carrySteps makes checkpoints out of a group, one session's after the other's.
func carrySteps(db *gitexec.ODB, head gitexec.Commit, group []remaining, meta map[string]shadow.Metadata, suffix int) ([]shadow.Step, error) {
	var steps []shadow.Step
	tree := head.Tree
	carried := map[gitexec.Path]bool{} // with the worktree's content, by an earlier session's step
	for rest := group; len(rest) > 0; {
		w := rest[0].work
		mine, others := split(rest, w.Session)
		files, err := metadataFiles(db, w, meta)
		if err != nil {
			return nil, err
		}
		s := w.Session
		before := len(steps)
		parts, err := again(db, head.Tree, mine, carried)
		if err != nil {
			return nil, err
		}
		for _, part := range append(parts, partsOf(mine)...) {
			was := tree
			if tree, err = db.EditTree(tree, part.edits); err != nil {
				return nil, err
			}
			if tree == was {
				continue // the commit has all of it, whoever brought it there
			}
			step := shadow.Step{Session: s.SessionID, Turn: s.TurnID, Part: part.of, Subject: shadow.Describe(s.LastPrompt), Tree: tree}
			if part.of == shadow.Agent {
				step.Overlay = files
				s.CheckpointCount++
				step.From = carriedFrom(group, mine)
				if step.Work, err = workOf(db, mine); err != nil {
					return nil, err
				}
			}
			steps = append(steps, step)
		}
		rest = others
		for _, l := range mine {
			carried[l.path] = carried[l.path] || !l.kept
		}
		if len(steps) == before {
			continue
		}
		var left []gitexec.Path
		for _, l := range mine {
			left = append(left, l.path)
		}
		s.FilesTouched = condense.Union(s.FilesTouched, left)
		s.ShadowBranchSuffix = suffix
	}
	return steps, nil
}

// again is the human's part before a session's that carries what another one's before it has
// carried already: both wrote the file, and each has to have it as its work. It takes that back to
// what the commit holds.
func again(db *gitexec.ODB, head gitexec.OID, mine []remaining, carried map[gitexec.Path]bool) ([]part, error) {
	var paths []gitexec.Path
	for _, l := range mine {
		if !l.kept && carried[l.path] {
			paths = append(paths, l.path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	committed, err := db.Lookup(head, paths...)
	if err != nil {
		return nil, err
	}
	back := part{shadow.Human, gitexec.Edits{}}
	for i, path := range paths {
		back.edits[path] = committed[i]
	}
	return []part{back}, nil
}

// carriedFrom gives the tips of the streams whose work a checkpoint takes from the worktree, and of
// other sessions' in the same files: whose each line is has to be known from there. What is kept
// turn by turn says it by itself.
func carriedFrom(group, mine []remaining) []gitexec.OID {
	var tips []gitexec.OID
	for _, l := range group {
		same := slices.ContainsFunc(mine, func(m remaining) bool { return m.path == l.path && !m.kept })
		if same && !l.kept && l.work.Stream != nil && !slices.Contains(tips, l.work.Stream.Tip.ID) {
			tips = append(tips, l.work.Stream.Tip.ID)
		}
	}
	return tips
}

// workOf gives the streams on which what is carried was done; none where all of it is kept as it
// was done.
func workOf(db *gitexec.ODB, group []remaining) ([]gitexec.OID, error) {
	var tips []gitexec.OID
	seen := map[string]bool{}
	for _, l := range group {
		asDone := l.kept && !slices.ContainsFunc(l.changes, func(c suffix.Change) bool { return len(c.Of) > 0 })
		if asDone || l.work.Stream == nil || seen[l.work.Stream.Ref()] {
			continue
		}
		seen[l.work.Stream.Ref()] = true
		found, err := l.work.Stream.Work(db)
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

func split(group []remaining, s *session.State) (mine, others []remaining) {
	for _, l := range group {
		if l.work.Session == s {
			mine = append(mine, l)
		} else {
			others = append(others, l)
		}
	}
	return mine, others
}

// part is one checkpoint to be: what it changes.
type part struct {
	of    shadow.Part
	edits gitexec.Edits
}

// partsOf gives what a session's leftovers are carried as: the worktree's content at once, what is
// kept turn by turn, with the human's part between turns, since a stash entry may hold what was
// there after any of them.
func partsOf(group []remaining) []part {
	var parts []part
	for i, more := 0, true; more; i++ {
		more = false
		human, agent := part{shadow.Human, gitexec.Edits{}}, part{shadow.Agent, gitexec.Edits{}}
		for _, l := range group {
			switch {
			case !l.kept && i == 0:
				agent.edits[l.path] = l.now
			case l.kept && i < len(l.changes):
				more = true
				agent.edits[l.path] = l.changes[i].After
				if i > 0 && l.changes[i].Before != l.changes[i-1].After {
					human.edits[l.path] = l.changes[i].Before
				}
			}
		}
		for _, p := range []part{human, agent} {
			if len(p.edits) > 0 {
				parts = append(parts, p)
			}
		}
	}
	return parts
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
