package condense

import (
	"slices"
	"sort"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Remainder is a file of one session's work that a commit doesn't hold, or only in part.
type Remainder struct {
	Work    Work
	Changes []suffix.Change // the work's, of this file
	Now     gitexec.Entry   // what is carried: the worktree's content
	Kept    bool            // or, version after version, what the stream has: see Fate
}

// Path is the file's.
func (r Remainder) Path() gitexec.Path { return r.Changes[0].Path }

// Versions are those of a file that are there when a commit was made.
type Versions struct {
	Committed  gitexec.Entry
	Worktree   gitexec.Entry
	Unreadable bool            // git doesn't read the worktree's
	Others     []gitexec.Entry // of the index, where it holds another one than the commit, and of the stash entries
}

// Concerned gives the sessions, and their work, that a commit says something about: those whose
// base was its parent, those that it links, and those that share a stream with them, since a stream
// goes as a whole. What hangs on other bases waits for the user to come back to it.
func Concerned(parent gitexec.OID, states []*session.State, works []Work, matches []Matched) ([]*session.State, []Work) {
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
	works = slices.DeleteFunc(slices.Clone(works), func(w Work) bool { return !here[w.Session] })
	return states, works
}

// MayRemain gives the files of works that a commit may not hold as the agents left them. staged is
// what the index still holds otherwise than the commit. It may hold what a later turn took back, as
// a stash entry may, if there is one.
func MayRemain(works []Work, committed, staged map[gitexec.Path]gitexec.Entry, stash bool) []Remainder {
	var open []Remainder
	for _, w := range works {
		for _, changes := range suffix.ByFile(w.Changes) {
			last := changes[len(changes)-1]
			if _, inIndex := staged[last.Path]; last.After != committed[last.Path] || stash || inIndex {
				open = append(open, Remainder{Work: w, Changes: changes})
			}
		}
	}
	return open
}

// Remains decides what becomes of the file (seed 002, Content-Aware Carry-Forward): a part of it
// may be carried as the worktree has it, and be kept as the stream has it. dismissed is the agent's
// version if it is nowhere any more: the session remembers it.
func (r Remainder) Remains(v Versions, texts suffix.Texts, match suffix.Match) (left []Remainder, dismissed gitexec.Entry, err error) {
	here, kept, err := Fate(r.Changes, append([]gitexec.Entry{v.Worktree}, v.Others...), v.Committed, texts, match)
	if err != nil {
		return nil, dismissed, err
	}
	if kept || v.Unreadable {
		asItWas := r
		asItWas.Kept = true
		left = append(left, asItWas)
	}
	if here && !v.Unreadable {
		r.Now = v.Worktree
		left = append(left, r)
	}
	last, first := r.Changes[len(r.Changes)-1].After, r.Changes[0].Before
	if len(left) == 0 && last != first && v.Committed == first {
		dismissed = last
	}
	return left, dismissed, nil
}

// Groups sorts remainders into the streams to be: what is in the worktree together, and per old
// stream what is kept.
func Groups(left []Remainder) [][]Remainder {
	var order []string
	by := map[string][]Remainder{}
	for _, r := range left {
		key := ""
		if r.Kept {
			key = r.Work.Stream.Ref()
		}
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], r)
	}
	sort.Strings(order) // what is in the worktree first
	var all [][]Remainder
	for _, key := range order {
		all = append(all, by[key])
	}
	return all
}

// Step is a checkpoint that a session's remainder is carried as.
type Step struct {
	Work  Work // the first of the session's
	Part  shadow.Part
	Edits gitexec.Edits
	Files []gitexec.Path // all that are carried of the session's

	// Of an agent's part: the streams whose work it takes from the worktree, and other sessions' in
	// the same files, since whose each line is has to be known from there. What is kept turn by
	// turn says it by itself.
	From []*shadow.Stream
	// And those on which what is carried was done; none where all of it is kept as it was done.
	Done []*shadow.Stream
}

// Steps plans the checkpoints of a group on its stream, one session's after the other's. One that
// changes nothing is not needed: the commit has all of it, whoever brought it there.
func Steps(group []Remainder, committed map[gitexec.Path]gitexec.Entry) []Step {
	var steps []Step
	carried := map[gitexec.Path]bool{} // with the worktree's content, by an earlier session's step
	for rest := group; len(rest) > 0; {
		first := rest[0].Work
		var mine, others []Remainder
		var files []gitexec.Path
		for _, r := range rest {
			if r.Work.Session == first.Session {
				mine, files = append(mine, r), append(files, r.Path())
			} else {
				others = append(others, r)
			}
		}
		from, done := carriedFrom(group, mine), doneOn(mine)
		for _, step := range append(takenBack(mine, carried, committed), partsOf(mine)...) {
			step.Work, step.Files = first, files
			if step.Part == shadow.Agent {
				step.From, step.Done = from, done
			}
			steps = append(steps, step)
		}
		for _, r := range mine {
			carried[r.Path()] = carried[r.Path()] || !r.Kept
		}
		rest = others
	}
	return steps
}

// takenBack is the human's part before a session's that carries what another one's before it has
// carried already: both wrote the file, and each has to have it as its work. It takes that back to
// what the commit holds.
func takenBack(mine []Remainder, carried map[gitexec.Path]bool, committed map[gitexec.Path]gitexec.Entry) []Step {
	back := gitexec.Edits{}
	for _, r := range mine {
		if !r.Kept && carried[r.Path()] {
			back[r.Path()] = committed[r.Path()]
		}
	}
	if len(back) == 0 {
		return nil
	}
	return []Step{{Part: shadow.Human, Edits: back}}
}

// partsOf gives what a session's remainder is carried as: the worktree's content at once, what is
// kept turn by turn, with the human's part between turns, since a stash entry may hold what was
// there after any of them.
func partsOf(mine []Remainder) []Step {
	var parts []Step
	for i, more := 0, true; more; i++ {
		more = false
		human, agent := Step{Part: shadow.Human, Edits: gitexec.Edits{}}, Step{Part: shadow.Agent, Edits: gitexec.Edits{}}
		for _, r := range mine {
			switch {
			case !r.Kept && i == 0:
				agent.Edits[r.Path()] = r.Now
			case r.Kept && i < len(r.Changes):
				more = true
				agent.Edits[r.Path()] = r.Changes[i].After
				if i > 0 && r.Changes[i].Before != r.Changes[i-1].After {
					human.Edits[r.Path()] = r.Changes[i].Before
				}
			}
		}
		for _, p := range []Step{human, agent} {
			if len(p.Edits) > 0 {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

func carriedFrom(group, mine []Remainder) []*shadow.Stream {
	var streams []*shadow.Stream
	for _, r := range group {
		same := slices.ContainsFunc(mine, func(m Remainder) bool { return m.Path() == r.Path() && !m.Kept })
		if same && !r.Kept {
			streams = withStream(streams, r.Work.Stream)
		}
	}
	return streams
}

func doneOn(mine []Remainder) []*shadow.Stream {
	var streams []*shadow.Stream
	for _, r := range mine {
		asDone := r.Kept && !slices.ContainsFunc(r.Changes, func(c suffix.Change) bool { return len(c.Of) > 0 })
		if !asDone {
			streams = withStream(streams, r.Work.Stream)
		}
	}
	return streams
}

// withStream adds a stream that is not among others yet.
func withStream(streams []*shadow.Stream, s *shadow.Stream) []*shadow.Stream {
	if s == nil || slices.ContainsFunc(streams, func(known *shadow.Stream) bool { return known.Ref() == s.Ref() }) {
		return streams
	}
	return append(streams, s)
}
