package condense

import (
	"slices"
	"sort"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Matched is a session whose work a commit holds.
type Matched struct {
	Session *session.State
	Streams []shadow.Stream // the streams it is on; none for the turn that is going on
	Files   []gitexec.Path  // of the commit, sorted
	Commits bool            // its agent makes the commit
	InTurn  []gitexec.Path  // those of them that are of the turn that is going on, where somebody else makes the commit
	Reset   []session.Link  // commits that reset took out, and whose work it is
	Links   []string        // of those, the links that the commit takes: see Overlap.Takes
	Own     []gitexec.Path  // those of its files that hold work for which no such link stands
	Reason  string
}

// Reasons of a match.
const (
	ContentMatches = "the commit holds what the agent wrote"
	FileModified   = "the commit changes a file that the agent changed"
	AgentCommits   = "the agent made the commit in its turn"
	TurnGoesOn     = "the commit holds what the agent wrote in the turn that is going on"
	ResetBefore    = "the commit holds what a linked commit held that was reset"
	LinkGivenOut   = "the link was given out for it"
	CameBack       = "the commit holds exactly what the agent wrote and was discarded"
)

// Overlap is what a commit and one session's work have in common.
type Overlap struct {
	Work   Work
	Counts bool   // the session is linked for it
	Reason string // one of those above; empty where it doesn't count
	Takes  bool   // and the commit takes the link that the work has: it holds most of that commit's work
	Files  []FileOverlap
}

// FileOverlap is one file that both the commit and the work have.
type FileOverlap struct {
	Path    gitexec.Path
	Verdict Verdict
}

// Verdict is what was found of a file.
type Verdict string

// The verdicts.
const (
	Held     Verdict = "the agent's content is in it"
	Modified Verdict = "the agent changed this file, but none of its significant lines are in the commit"
	Undone   Verdict = "what the agent changed is as it was before"
	Replaced Verdict = "a new file without the agent's content"
)

// Counts reports whether a file with the verdict may speak for the work.
func (v Verdict) Counts() bool { return v == Held || v == Modified }

func (o Overlap) files() []gitexec.Path {
	var files []gitexec.Path
	for _, f := range o.Files {
		if f.Verdict.Counts() {
			files = append(files, f.Path)
		}
	}
	return files
}

// Match decides which sessions' work a change of the tree holds (seed 002, Content-Aware Overlap
// Detection): before the commit, changes is what is staged against HEAD; after it, the commit
// against its parent. It also gives what it found of each work.
//
// A stream counts if the agent's content, whole or in part, is in one of its files. If no work can
// show that, a file that was there before and that the agent touched counts all the same, for the
// newest such stream: the user has edited the session's work; unless it can be seen that they took
// it back. A new file without anything of the agent's in it never counts: it was reverted and
// replaced. What is on no stream counts by its content alone, but for the work of an agent that
// itself makes the commit: that always does.
func Match(changes []gitexec.Change, works []Work, texts suffix.Texts, match suffix.Match) ([]Matched, []Overlap, error) {
	byPath := make(map[gitexec.Path]gitexec.Change, len(changes))
	for _, c := range changes {
		byPath[c.Path] = c
	}
	judged := make([]Overlap, len(works))
	evident := false
	for i, w := range works {
		var err error
		if judged[i], err = overlapOf(w, byPath, texts, match); err != nil {
			return nil, nil, err
		}
		evident = evident || judged[i].Counts
	}
	if !evident {
		newestModified(judged)
	}
	if err := takeLinks(judged, lineage.Content{Changes: byPath, Texts: texts, Match: match}); err != nil {
		return nil, nil, err
	}
	return merge(judged), judged, nil
}

// takeLinks marks the overlaps whose links the commit takes. Work of which nothing is there that
// others don't account for doesn't count.
func takeLinks(judged []Overlap, content lineage.Content) error {
	var candidates []lineage.Candidate
	var of []*Overlap
	for i := range judged {
		switch o := &judged[i]; {
		case o.Work.Link != nil:
			of = append(of, o)
			candidates = append(candidates, lineage.Candidate{Commit: o.Work.Link.Commit, Changes: o.Work.Changes, Free: o.Work.Free, Dropped: o.Work.Link.Dropped, Found: o.Counts})
		case o.Work.Stream != nil && o.Counts:
			content.Claim(o.Work.Changes)
		}
	}
	shares, err := content.Replaces(candidates)
	for i, share := range shares {
		of[i].Counts, of[i].Takes = share.Some, share.Link
	}
	return err
}

func overlapOf(w Work, byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts, match suffix.Match) (Overlap, error) {
	o := Overlap{Work: w}
	if w.Committing {
		o.Counts, o.Reason = true, AgentCommits
	}
	for _, changes := range suffix.ByFile(w.Changes) {
		c, committed := byPath[changes[0].Path]
		if !committed {
			continue
		}
		verdict, err := w.verdict(changes, c, texts, match)
		if err != nil {
			return o, err
		}
		o.Files = append(o.Files, FileOverlap{c.Path, verdict})
		if verdict == Held && !o.Counts {
			o.Counts, o.Reason = true, w.reason()
		}
	}
	return o, nil
}

// verdict holds one file of the work against what a commit does to it.
func (w Work) verdict(changes []suffix.Change, c gitexec.Change, texts suffix.Texts, match suffix.Match) (Verdict, error) {
	if w.Committing {
		return Held, nil
	}
	if here, err := suffix.InEffect(changes, c, texts, match); here || err != nil {
		return Held, err
	}
	if !c.Old.Exists() {
		return Replaced, nil
	}
	if undone, err := suffix.Undone(changes, c, texts, match); undone || err != nil {
		return Undone, err
	}
	return Modified, nil
}

func (w Work) reason() string {
	switch {
	case w.Stream != nil:
		return ContentMatches
	case w.InTurn:
		return TurnGoesOn
	case w.Link != nil:
		return ResetBefore
	}
	return CameBack
}

// newestModified lets the streams with the highest suffix count among those that a modified file
// speaks for.
func newestModified(judged []Overlap) {
	newest := 0
	for _, o := range judged {
		if o.Work.Stream != nil && len(o.files()) > 0 {
			newest = max(newest, o.Work.Stream.Suffix)
		}
	}
	for i, o := range judged {
		if o.Work.Stream != nil && len(o.files()) > 0 && o.Work.Stream.Suffix == newest {
			judged[i].Counts, judged[i].Reason = true, FileModified
		}
	}
}

// merge brings the overlaps together by session, oldest session first.
func merge(judged []Overlap) []Matched {
	var matches []Matched
	at := map[string]int{}
	for _, o := range judged {
		if !o.Counts {
			continue
		}
		id := o.Work.Session.SessionID
		i, ok := at[id]
		if !ok {
			i = len(matches)
			at[id] = i
			matches = append(matches, Matched{Session: o.Work.Session, Reason: o.Reason})
		}
		matches[i].add(o)
	}
	for i := range matches {
		m := &matches[i]
		m.Files, m.InTurn, m.Own = Union(nil, m.Files), Union(nil, m.InTurn), Union(nil, m.Own)
	}
	matches = onlyWithFiles(matches)
	sort.SliceStable(matches, func(i, j int) bool { return matches[i].Session.StartedAt.Before(matches[j].Session.StartedAt) })
	return matches
}

// add adds an overlap, with its files as they come.
func (m *Matched) add(o Overlap) {
	if o.Work.Stream != nil {
		m.Streams = append(m.Streams, *o.Work.Stream)
		m.Own = append(m.Own, o.files()...)
	}
	if l := o.Work.Link; l != nil {
		m.Reset = append(m.Reset, *l)
		switch {
		case !o.Takes:
			m.Own = append(m.Own, o.files()...)
		case !slices.Contains(m.Links, l.ID):
			m.Links = append(m.Links, l.ID)
		}
	}
	m.Files = append(m.Files, o.files()...)
	m.Commits = m.Commits || o.Work.Committing
	if o.Work.InTurn {
		m.InTurn = append(m.InTurn, o.files()...)
	}
}

// onlyWithFiles drops sessions that have no file in the commit, unless none has: then an agent
// commits what others did, and of several that are at work the last one heard of is taken for it.
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
