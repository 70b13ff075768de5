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
