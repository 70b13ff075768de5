package commits

import (
	"iter"
	"maps"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// A stash entry is the repository's, and a stream is a worktree's: what an agent did in one
// worktree may come to another one by git stash, or by a patch, and be committed there.

// cameHere is work of other worktrees' streams in files that a commit here changes.
type cameHere struct {
	works  []condense.Work
	states []*session.State // of its sessions, here; those that were known are the same
	whole  []shadow.Stream  // of which the commit's tree has everything
}

// mayComeHere lists the sessions with work on a stream of another worktree, which may have been
// removed. No process.
func mayComeHere(repo *gitexec.Repo, store session.Store) ([]*session.State, error) {
	all, err := store.List()
	return slices.DeleteFunc(all, func(s *session.State) bool { return len(placesElsewhere(repo, s)) == 0 }), err
}

// placesElsewhere are the session's places in other worktrees where it has work on a stream.
func placesElsewhere(repo *gitexec.Repo, s *session.State) []session.Place {
	return slices.DeleteFunc(s.Places(), func(place session.Place) bool {
		// Suffixes count from 1: 0 is no stream.
		onNone := place.ShadowBranchSuffix == 0 && len(place.OtherBases) == 0
		return place.WorktreeID == repo.WorktreeID() || onNone
	})
}

// comeHere finds work of other worktrees in files that a commit changes. It counts by its content
// alone. known are the states that the hook has read; tree is the commit's, empty before it is
// made.
func comeHere(run *workspace.Run, changes []gitexec.Change, tree gitexec.OID, known []*session.State) (came cameHere, err error) {
	candidates, err := mayComeHere(run.Repo, run.Store)
	if err != nil {
		return came, err
	}
	for s, names := range namesElsewhere(run.Repo, candidates, gitexec.PathsOf(changes)) {
		for _, name := range names {
			if err := addFrom(run, &came, s, name, changes, tree, known); err != nil {
				return came, err
			}
		}
	}
	return came, nil
}

// namesElsewhere are the names of the streams of other worktrees, by session, that may have work in
// some files.
func namesElsewhere(repo *gitexec.Repo, states []*session.State, paths []gitexec.Path) iter.Seq2[*session.State, []shadow.Name] {
	return func(yield func(*session.State, []shadow.Name) bool) {
		// A hook must not read the streams of a hundred worktrees: what was found until then
		// counts.
		left := mostElsewhere
		for _, s := range states {
			var names []shadow.Name
			for _, place := range placesElsewhere(repo, s) {
				// Without a stream but the last one, its files tell whether it is worth reading.
				touched := func(path gitexec.Path) bool { return slices.Contains(place.FilesTouched, path) } // on its last stream
				if place.ShadowBranchSuffix > 1 || len(place.OtherBases) > 0 || slices.ContainsFunc(paths, touched) {
					names = append(names, streamsOfPlace(place)...)
				}
			}
			names = names[:min(len(names), left)]
			if left -= len(names); !yield(s, names) {
				return
			}
		}
	}
}

// elsewhere are the versions of files on streams of other worktrees as other sessions than s left
// them: its shell may have brought lines from there, as by git diff and git apply.
func elsewhere(run *workspace.Run, s *session.State, paths []gitexec.Path) (map[gitexec.Path][]works.Source, error) {
	candidates, err := mayComeHere(run.Repo, run.Store)
	if err != nil {
		return nil, err
	}
	found := map[gitexec.Path][]works.Source{}
	for other, names := range namesElsewhere(run.Repo, candidates, paths) {
		if other.SessionID == s.SessionID {
			continue
		}
		for _, name := range names {
			stream, made, err := streamNamed(run.DB, name)
			if err != nil {
				return nil, err
			}
			for _, c := range made {
				if c.Session == other.SessionID && c.New.IsFile() && slices.Contains(paths, c.Path) {
					found[c.Path] = append(found[c.Path], works.Source{Commit: stream.Tip.ID, Entry: c.New, Before: c.Old})
				}
			}
		}
	}
	return found, nil
}

// streamsOfPlace are the names that a session's streams in a place may have: on its latest base up
// to the last one that it was on, on others the first few.
func streamsOfPlace(place session.Place) (names []shadow.Name) {
	for _, base := range place.Bases() {
		last := mostOnOtherBase
		if base == place.BaseCommit {
			last = min(place.ShadowBranchSuffix, mostOnBase)
		}
		// The newest first. Which of them exist is asked when they are read.
		for n := last; n > 0; n-- {
			names = append(names, shadow.NewName(base, place.WorktreeID, n))
		}
	}
	return names
}

// HasStream reports whether a stream of a session's place is there.
func HasStream(db *gitexec.ODB, place session.Place) (bool, error) {
	var refs []gitexec.OID
	for _, name := range streamsOfPlace(place) {
		refs = append(refs, gitexec.OID(name.Ref()))
	}
	info, err := db.Info(refs...)
	return slices.ContainsFunc(info, func(o gitexec.Object) bool { return o.Type != "" }), err
}

// Limits: streams of a session's latest base in another worktree that are looked up, those of its
// other bases, whose suffixes aren't known, and streams of all sessions. The newest are looked up
// first: what a commit picks from elsewhere is mostly the last of them. A lookup costs less than a
// millisecond, and a stream that is there is read.
const mostOnBase, mostOnOtherBase, mostElsewhere = 32, 4, 128

// addFrom adds what a session did on a stream of another worktree.
func addFrom(run *workspace.Run,
	came *cameHere, s *session.State, name shadow.Name, changes []gitexec.Change, tree gitexec.OID, known []*session.State,
) error {
	stream, made, err := streamNamed(run.DB, name)
	if err != nil {
		return err
	}
	// By file what the stream left, of all sessions on it: the stream is done with only if the
	// commit has all of that.
	last := map[gitexec.Path]shadow.Change{}
	work := condense.Work{Session: s, Foreign: true, Origins: []gitexec.OID{stream.Tip.ID}}
	for _, c := range made {
		last[c.Path] = c
		shared := slices.ContainsFunc(changes, func(now gitexec.Change) bool { return now.Path == c.Path })
		if shared && c.Session == s.SessionID {
			work.Changes = append(work.Changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
		}
	}
	if len(work.Changes) == 0 {
		return nil
	}
	// The hook's own value of the state is changed and saved: a second one would lose the changes
	// of one of them.
	if at := slices.IndexFunc(known, func(k *session.State) bool { return k.SessionID == s.SessionID }); at >= 0 {
		work.Session = known[at]
	} else {
		s.Enter(run.Repo.WorktreeID(), run.Repo.Top, run.Head.ID)
	}
	came.works = append(came.works, work)
	came.states = sets.With(came.states, work.Session)
	if slices.ContainsFunc(came.whole, func(other shadow.Stream) bool { return other.Name == stream.Name }) {
		return nil // another session's work is on it, too
	}
	whole, err := allIn(run.DB, tree, last)
	if whole {
		came.whole = append(came.whole, stream)
	}
	return err
}

// streamNamed reads a stream and the agents' changes on it; none where it is not there or cannot be
// read.
func streamNamed(db *gitexec.ODB, name shadow.Name) (stream shadow.Stream, made []shadow.Change, err error) {
	info, err := db.Info(gitexec.OID(name.Ref()))
	if err != nil || info[0].Type != "commit" {
		return stream, nil, err
	}
	tip, ours, err := shadow.ReadCheckpoint(db, info[0].ID)
	if err != nil || !ours {
		return stream, nil, err
	}
	stream = shadow.Stream{Name: name, Tip: tip}
	if made, err = stream.AgentChanges(db); err != nil {
		return stream, nil, nil
	}
	return stream, made, nil
}

// allIn reports whether a tree has all files as changes leave them.
func allIn(db *gitexec.ODB, tree gitexec.OID, last map[gitexec.Path]shadow.Change) (bool, error) {
	if tree == "" {
		return false, nil
	}
	paths := slices.Sorted(maps.Keys(last))
	entries, err := db.Files(tree, paths...)
	for i, path := range paths {
		if err != nil || entries[i] != last[path].New {
			return false, err
		}
	}
	return true, nil
}

// leave has sessions forget streams of other worktrees, whose work is committed here.
func leave(states []*session.State, streams []shadow.Stream) {
	for _, s := range states {
		s.LeaveStreams(func(place session.Place) bool {
			name := shadow.NewName(place.BaseCommit, place.WorktreeID, place.ShadowBranchSuffix)
			return slices.ContainsFunc(streams, func(stream shadow.Stream) bool { return stream.Name == name })
		})
	}
}
