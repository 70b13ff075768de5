package condense

import (
	"sort"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Matched is a session whose work a commit holds.
type Matched struct {
	Session *session.State
	Streams []shadow.Stream // the streams it is on; none for the turn that is going on
	Files   []gitexec.Path  // of the commit, sorted
	Reason  string
}

// Reasons of a match.
const (
	ContentMatches = "the commit holds what the agent wrote"
	FileModified   = "the commit changes a file that the agent changed"
	AgentCommits   = "the agent made the commit in its turn"
)

// Match decides which sessions' work a change of the tree holds (seed 002, Content-Aware Overlap Detection): before the
// commit, changes is what is staged against HEAD; after it, the commit against its parent.
//
// A stream counts if the agent's content, whole or in part, is in one of its files. If no stream can show that, a file that was
// there before and that the agent touched counts all the same, for the newest such stream: the user has edited the
// session's work. A new file without anything of the agent's in it never counts: it was reverted and replaced. Works
// without a stream are turns that are going on; they are given when the agent itself commits, and always count.
func Match(changes []gitexec.Change, works []Work, texts suffix.Texts, match suffix.Match) ([]Matched, error) {
	byPath := make(map[gitexec.Path]gitexec.Change, len(changes))
	for _, c := range changes {
		byPath[c.Path] = c
	}
	var judged []overlap
	evident := false
	for _, w := range works {
		o, err := overlapOf(w, byPath, texts, match)
		if err != nil {
			return nil, err
		}
		evident = evident || o.evident
		judged = append(judged, o)
	}
	if !evident {
		judged = newestModified(judged)
	}
	return merge(judged), nil
}

// overlap is what a commit and one session's work have in common.
type overlap struct {
	work    Work
	evident bool // content of the agent's is in it
	files   []gitexec.Path
	reason  string
}

func overlapOf(w Work, byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts, match suffix.Match) (overlap, error) {
	o := overlap{work: w, reason: FileModified}
	if w.Stream == nil {
		o.evident, o.reason = true, AgentCommits
	}
	for _, changes := range suffix.ByFile(w.Changes) {
		c, committed := byPath[changes[0].Path]
		if !committed {
			continue
		}
		here := w.Stream == nil
		if !here {
			var err error
			if here, err = suffix.InEffect(changes, c, texts, match); err != nil {
				return o, err
			}
		}
		if here && !o.evident {
			o.evident, o.reason = true, ContentMatches
		}
		if here || c.Old.Exists() {
			o.files = append(o.files, c.Path)
		}
	}
	return o, nil
}

// newestModified keeps the streams with the highest suffix among those that a modified file speaks for.
func newestModified(judged []overlap) []overlap {
	newest := 0
	for _, o := range judged {
		if len(o.files) > 0 && o.work.Stream != nil {
			newest = max(newest, o.work.Stream.Suffix)
		}
	}
	var kept []overlap
	for _, o := range judged {
		if len(o.files) > 0 && o.work.Stream != nil && o.work.Stream.Suffix == newest {
			o.evident = true
			kept = append(kept, o)
		}
	}
	return kept
}

// merge brings the overlaps together by session, oldest session first.
func merge(judged []overlap) []Matched {
	var matches []Matched
	at := map[string]int{}
	for _, o := range judged {
		if !o.evident {
			continue
		}
		id := o.work.Session.SessionID
		i, ok := at[id]
		if !ok {
			i = len(matches)
			at[id] = i
			matches = append(matches, Matched{Session: o.work.Session, Reason: o.reason})
		}
		if o.work.Stream != nil {
			matches[i].Streams = append(matches[i].Streams, *o.work.Stream)
		}
		matches[i].Files = Union(matches[i].Files, o.files)
	}
	matches = onlyWithFiles(matches)
	sort.SliceStable(matches, func(i, j int) bool { return matches[i].Session.StartedAt.Before(matches[j].Session.StartedAt) })
	return matches
}

// onlyWithFiles drops sessions that have no file in the commit, unless none has: then an agent commits what others did,
// and of several that are at work the last one heard of is taken for it.
func onlyWithFiles(matches []Matched) []Matched {
	var with []Matched
	for _, m := range matches {
		if len(m.Files) > 0 {
			with = append(with, m)
		}
	}
	if len(with) > 0 || len(matches) == 0 {
		return with
	}
	latest := matches[0]
	for _, m := range matches[1:] {
		a, b := latest.Session.LastInteractionTime, m.Session.LastInteractionTime
		if b != nil && (a == nil || b.After(*a)) {
			latest = m
		}
	}
	return []Matched{latest}
}

// Union merges two lists of paths, sorted and each once.
func Union(a, b []gitexec.Path) []gitexec.Path {
	has := map[gitexec.Path]bool{}
	var all []gitexec.Path
	for _, p := range append(append([]gitexec.Path{}, a...), b...) {
		if !has[p] {
			has[p] = true
			all = append(all, p)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all
}
