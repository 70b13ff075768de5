package condense

import (
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Remainder is a file of one session's work that a commit does not hold, or only in part.
type Remainder struct {
	Work    Work
	Changes []suffix.Change // the work's changes of this file
	Now     gitexec.Entry   // the content that is carried: the worktree's, without a turn's in progress
	Was     gitexec.Path    // the name that the commit knows, where the worktree has another; else empty
	Kept    bool            // carried is, version by version, the stream's content instead: see fate

	turns []suffix.Change // of a kept file: see uncommitted
	old   suffix.Change   // of a kept file: see oldFile
}

// Path is the file's name in the worktree, from its top.
func (r Remainder) Path() gitexec.Path { return r.Changes[0].Path }

// Versions are a file's versions when a commit was made. The zero entry is no file.
type Versions struct {
	Committed  gitexec.Entry
	Worktree   gitexec.Entry
	Unreadable bool            // git cannot read the worktree's version
	Starts     []gitexec.Entry // of turns in progress that have changed it since, oldest first
	Others     []gitexec.Entry // the index's, if it is not the committed one, and those of stash entries
}

// Concerned returns the sessions, and their work, that a commit affects: those whose base was its
// parent, those that it links, and those that share a stream with them, since a stream moves as a
// whole. Of these sessions it is the work on the parent, on their latest base, and on streams that
// the commit holds some of. Work on other bases stays there until the user returns to it: KeptOn
// lists these bases.
func Concerned(parent gitexec.OID, states []*session.State, works []Work, matches []Matched) ([]*session.State, []Work) {
	concerned, moves := map[*session.State]bool{}, map[string]bool{}
	for _, s := range states {
		concerned[s] = parent != "" && s.BaseCommit == parent
	}
	for _, m := range matches {
		concerned[m.Session] = true
		for _, stream := range m.Streams {
			moves[stream.Ref()] = true
		}
	}
	// A session takes in the streams of its base, and a stream the other sessions on it: until none
	// is added.
	for grown := true; grown; {
		grown = false
		for _, w := range works {
			base := w.Stream.Base
			if base == parent.Short() && parent != "" || concerned[w.Session] && base == w.Session.BaseCommit.Short() {
				moves[w.Stream.Ref()] = true
			}
		}
		for _, w := range works {
			if moves[w.Stream.Ref()] && !concerned[w.Session] {
				concerned[w.Session], grown = true, true
			}
		}
	}
	states = slices.DeleteFunc(slices.Clone(states), func(s *session.State) bool { return !concerned[s] })
	works = slices.DeleteFunc(slices.Clone(works), func(w Work) bool { return !moves[w.Stream.Ref()] })
	return states, works
}

// KeptOn lists the bases with work of a session that a commit does not affect, of the bases and of
// all work there; moved is what it affects.
func KeptOn(s *session.State, bases []gitexec.OID, all, moved []Work) []gitexec.OID {
	kept := map[string]bool{}
	for _, w := range all {
		stream := w.Stream.Ref()
		if w.Session == s && !slices.ContainsFunc(moved, func(m Work) bool { return m.Stream.Ref() == stream }) {
			kept[w.Stream.Base] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(bases), func(base gitexec.OID) bool { return !kept[base.Short()] })
}

// RemainderCandidates lists the files of works that a commit may not hold as the agents wrote them.
// staged are the index's versions that are not the committed ones. The index, or a stash entry if
// there is one (stash), may hold what a later turn undid.
func RemainderCandidates(works []Work, committed, staged map[gitexec.Path]gitexec.Entry, stash bool) []Remainder {
	var candidates []Remainder
	for _, w := range works {
		for _, changes := range suffix.ByFile(w.Changes) {
			last := changes[len(changes)-1]
			// The commit has the last turn's version, but the index or the stash may have an
			// earlier turn's.
			if _, inIndex := staged[last.Path]; last.After != committed[last.Path] || stash || inIndex {
				candidates = append(candidates, Remainder{Work: w, Changes: changes})
			}
		}
	}
	return candidates
}

// Parts decides what becomes of the file (seed 002, Content-Aware Carry-Forward): one part may be
// carried with the worktree's content, another kept with the stream's. dismissed is the agent's
// version if no place holds all of its work any more: the session's state keeps it; else the zero
// entry. Its errors are those of the texts.
func (r Remainder) Parts(v Versions, texts suffix.Texts) (parts []Remainder, dismissed gitexec.Entry, err error) {
	inWorktree, kept, err := fate(r.Changes, append([]gitexec.Entry{v.Worktree}, v.Others...), v.Committed, texts)
	if err != nil {
		return nil, dismissed, err
	}
	// What can't be read may be the agent's work: the stream's content is kept, so that nothing is
	// lost.
	if kept || v.Unreadable {
		fromStream := r
		fromStream.Kept = true
		fromStream.turns = uncommitted(r.Changes, v.Committed)
		if fromStream.old, err = r.oldFile(texts); err != nil {
			return nil, dismissed, err
		}
		parts = append(parts, fromStream)
	}
	if inWorktree && !v.Unreadable {
		if r.Now, err = v.carried(r.Changes, texts); err != nil {
			return nil, dismissed, err
		}
		parts = append(parts, r)
	}
	// Work that came to nothing, or that the commit has, was not dismissed.
	last, first := r.Changes[len(r.Changes)-1].After, r.Changes[0].Before
	if len(parts) > 0 || last == first || v.Committed == last {
		return parts, dismissed, nil
	}
	whole, err := suffix.Whole(r.Changes, v.Committed, texts)
	if err == nil && !whole {
		dismissed = last
	}
	return parts, dismissed, err
}

// carried is the version that is carried where the worktree has work: what turns in progress write
// is theirs, and in no checkpoint yet. So it is the version that the first of them that began with
// the work began from.
func (v Versions) carried(work []suffix.Change, texts suffix.Texts) (gitexec.Entry, error) {
	// The oldest start first: it has least of what turns in progress wrote.
	for _, start := range v.Starts {
		found, err := suffix.Compare(work, gitexec.Change{Old: v.Committed, New: start}, texts)
		if err != nil || found.Present {
			return start, err
		}
	}
	return v.Worktree, nil
}

// oldFile is the removal of the file that the work renamed to this one, if it did nothing else to
// it: what that had, the agent did not write. The zero value: there is none.
func (r Remainder) oldFile(texts suffix.Texts) (old suffix.Change, err error) {
	all, err := suffix.FromOldFiles(r.Work.Changes, texts)
	if err != nil {
		return old, err
	}
	for i, c := range r.Work.Changes {
		if c.Path != r.Path() || all[i].Before == c.Before {
			continue
		}
		removed := slices.IndexFunc(r.Work.Changes, func(w suffix.Change) bool { return w.Before == all[i].Before && !w.After.Exists() })
		old = r.Work.Changes[removed]
		first := slices.IndexFunc(r.Work.Changes, func(w suffix.Change) bool { return w.Path == old.Path })
		// Only a mere rename: if the agent changed the old file before, its turns are kept under
		// that name.
		if first == removed {
			return old, nil
		}
	}
	return suffix.Change{}, nil
}

// Groups sorts remainders into new streams: one for the worktree's content, and one per old stream
// for what is kept.
func Groups(remainders []Remainder) [][]Remainder {
	key := func(r Remainder) string {
		// What is in a stash may come back after the worktree's content has gone on: it has a
		// stream of its own.
		if r.Kept {
			return r.Work.Stream.Ref()
		}
		return ""
	}
	groups := sets.Groups(remainders, key)
	slices.SortFunc(groups, func(a, b []Remainder) int { return strings.Compare(key(a[0]), key(b[0])) }) // the worktree's first
	return groups
}

// Step is one checkpoint of a session's remainder.
type Step struct {
	Work  Work // the session's first
	Part  shadow.Part
	Edits gitexec.Edits
	Files []gitexec.Path // all of the session's carried files
	At    gitexec.OID    // the checkpoint that is kept; empty: none

	// From, of an agent's part, are the streams whose work it takes from the worktree, or keeps
	// after that, with others' lines in the same files: attribution follows the lines from there.
	// Work that is kept turn by turn does not need it.
	From []*shadow.Stream
	// WorkOn are the streams on which the carried work was done; none where all of it is kept turn
	// by turn.
	WorkOn []*shadow.Stream
}

// Steps plans the checkpoints of a group on its stream: the worktree's content, one session after
// another, or what is kept, turn by turn. One that changes nothing is not needed: the commit holds
// all of it. committed are the commit's versions of the group's files; one that is not there is no
// file. nil: no step is needed.
func Steps(group []Remainder, committed map[gitexec.Path]gitexec.Entry) []Step {
	if slices.ContainsFunc(group, func(r Remainder) bool { return r.Kept }) {
		return keptSteps(group, committed)
	}
	var steps []Step
	carried := map[gitexec.Path]bool{} // by an earlier session's step
	for _, mine := range bySession(group) {
		human, agent := restoredToCommit(mine, carried, committed), gitexec.Edits{}
		for _, r := range mine {
			// The agent's part has the whole file as it is now. Whose its lines are, attribution
			// finds on the streams that From names.
			agent[r.Path()], carried[r.Path()] = r.Now, true
			// In the commit the file has its old name: that the human renamed it comes before the
			// agent's part.
			if r.Was != "" {
				human[r.Was] = gitexec.Entry{}
			}
		}
		steps = append(steps, stepsOf(group, mine, human, agent)...)
	}
	return steps
}

// bySession sorts remainders by their sessions, in the order of the first of each.
func bySession(group []Remainder) [][]Remainder {
	return sets.Groups(group, func(r Remainder) *session.State { return r.Work.Session })
}

// stepsOf is the human's part and that of a session, if they have any edits.
func stepsOf(group, mine []Remainder, human, agent gitexec.Edits) (steps []Step) {
	var files []gitexec.Path
	for _, r := range mine {
		files = append(files, r.Path())
	}
	if len(human) > 0 {
		steps = append(steps, Step{Work: mine[0].Work, Part: shadow.Human, Edits: human, Files: files})
	}
	if len(agent) > 0 {
		steps = append(steps, Step{Work: mine[0].Work, Part: shadow.Agent, Edits: agent, Files: files,
			From: sourceStreams(group, mine), WorkOn: workStreams(mine)})
	}
	return steps
}

// restoredToCommit is the human's part before a session's checkpoint that carries files which an
// earlier session's has carried already: both wrote the file, and each needs it as its own work. It
// restores the committed versions.
func restoredToCommit(mine []Remainder, carried map[gitexec.Path]bool, committed map[gitexec.Path]gitexec.Entry) gitexec.Edits {
	edits := gitexec.Edits{}
	for _, r := range mine {
		if carried[r.Path()] {
			edits[r.Path()] = committed[r.Path()]
		}
	}
	return edits
}

func sourceStreams(group, mine []Remainder) []*shadow.Stream {
	var streams []*shadow.Stream
	for _, r := range group {
		// Also other sessions' streams with the same file: the content that is carried has their
		// lines as well.
		same := slices.ContainsFunc(mine, func(m Remainder) bool { return m.Path() == r.Path() && !m.turnByTurn() })
		if same && !r.turnByTurn() {
			streams = withStream(streams, r.Work.Stream)
		}
	}
	return streams
}

// turnByTurn reports whether the steps that keep it are the turns themselves.
func (r Remainder) turnByTurn() bool {
	// A change that carries others forward is no turn: whose lines it has is known on the streams
	// before.
	return r.Kept && !slices.ContainsFunc(r.Changes, func(c suffix.Change) bool { return len(c.Of) > 0 })
}

func workStreams(mine []Remainder) []*shadow.Stream {
	var streams []*shadow.Stream
	for _, r := range mine {
		if !r.turnByTurn() {
			streams = withStream(streams, r.Work.Stream)
		}
	}
	return streams
}

// withStream adds a stream to a list, once.
func withStream(streams []*shadow.Stream, s *shadow.Stream) []*shadow.Stream {
	if s == nil || slices.ContainsFunc(streams, func(known *shadow.Stream) bool { return known.Ref() == s.Ref() }) {
		return streams
	}
	return append(streams, s)
}
