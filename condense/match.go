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
	Session  *session.State
	Streams  []shadow.Stream // the streams with its work; none for a turn in progress
	Origins  []gitexec.OID   // the last checkpoints of streams that do not exist any more
	Files    []gitexec.Path  // of the commit, sorted
	OldNames []gitexec.Path  // that files of the work have no more: see FollowRenames
	Commits  bool            // its agent makes the commit
	InTurn   []gitexec.Path  // those of a turn in progress, where its agent does not make the commit
	Early    []gitexec.Path  // those that it changed before the turn of the agent that makes the commit
	Reset    []session.Link  // reset commits whose work it is
	Links    []string        // the links of these that the commit takes: see Overlap.Takes
	Unlinked []gitexec.Path  // its files with work that has no such link
	Reason   string
}

// Reasons of a match.
const (
	ContentMatches  = "the commit holds what the agent wrote"
	FileModified    = "the commit changes a file that the agent changed"
	AgentCommits    = "the agent made the commit in its turn"
	TurnInProgress  = "the commit holds what the agent wrote in the turn in progress"
	ResetBefore     = "the commit holds work of a linked commit that was reset"
	LinkGivenOut    = "the link was given out for it"
	ContentRestored = "the commit holds exactly what the agent wrote and was discarded"
)

// Overlap is what a commit and one session's work have in common.
type Overlap struct {
	Work   Work
	Counts bool   // the session is linked for it
	Reason string // one of the reasons above; empty if not Counts
	Takes  bool   // the commit takes the work's link: it holds most of the linked commit's work
	Files  []FileOverlap
}

// FileOverlap is one file that both the commit and the work change.
type FileOverlap struct {
	Path    gitexec.Path
	Verdict Verdict
}

// Verdict is the result for one file.
type Verdict string

// The verdicts.
const (
	Held     Verdict = "the agent's content is in it"
	Modified Verdict = "the agent changed this file, but none of its significant lines are in the commit"
	Undone   Verdict = "what the agent changed is as it was before"
	Replaced Verdict = "a new file without the agent's content"
	Deleted  Verdict = "the agent changed this file, and another deleted it"
)

// Counts reports whether a file with the verdict is evidence for the work.
func (v Verdict) Counts() bool { return v == Held || v == Modified || v == Deleted }

// files lists the files with the work. A file that another deleted is one only where there is no
// better evidence; one without the agent's content only where the work began.
func (o Overlap) files() []gitexec.Path {
	var files []gitexec.Path
	for _, f := range o.Files {
		if f.Verdict.Counts() && (f.Verdict != Modified || o.Work.here()) && (f.Verdict != Deleted || o.Reason == "" || o.Reason == FileModified) {
			files = append(files, f.Path)
		}
	}
	return files
}

// Match decides which sessions' work a change of the tree holds (seed 002, Content-Aware Overlap
// Detection): before the commit, changes are the staged ones against HEAD; after it, the commit's
// against its parent. It also returns what it found of each work.
//
// A stream counts if the agent's content, whole or in part, is in one of its files. If no work has
// such a file, a file that existed before and that the agent changed counts all the same, for the
// newest such stream: the user has edited the session's work; unless the change was visibly undone,
// or the stream is elsewhere.
// A new file without the agent's content never counts: it was reverted and replaced. Work that is
// on no stream counts only by its content, except what an agent that itself makes the commit has
// changed in its turn: that always counts.
//
// stashed reports whether a stash entry has any of an agent's changes of a file; nil: there is no
// stash. That a commit changes such a file, or removes lines that the agent replaced there, is no
// evidence: the user has changed another version.
func Match(
	changes []gitexec.Change, works []Work, texts suffix.Texts, match suffix.Match, stashed func(own []suffix.Change) (bool, error),
) ([]Matched, []Overlap, error) {
	matches, overlaps, err := matchAll(changes, works, texts, match)
	if err != nil || stashed == nil {
		return matches, overlaps, err
	}
	var here []Work
	for i, o := range overlaps { // in the order of the works
		away, err := o.inStash(changes, texts, match, stashed)
		if err != nil {
			return nil, nil, err
		}
		if !away {
			here = append(here, works[i])
		}
	}
	if len(here) == len(works) {
		return matches, overlaps, nil
	}
	return matchAll(changes, here, texts, match)
}

// inStash reports whether work counts without any of its content in the commit, and a stash entry
// has it.
func (o Overlap) inStash(
	changes []gitexec.Change, texts suffix.Texts, match suffix.Match, stashed func(own []suffix.Change) (bool, error),
) (bool, error) {
	if !o.Counts || o.Work.Stream == nil || o.Reason != FileModified && o.Reason != ContentMatches {
		return false, nil
	}
	away := false
	for _, own := range suffix.ByFile(o.Work.Changes) {
		at := slices.IndexFunc(changes, func(c gitexec.Change) bool { return c.Path == own[0].Path })
		if at < 0 {
			continue
		}
		held, err := suffix.InEffect(own, changes[at], texts, match)
		if held && err == nil {
			if held, err = suffix.OnlyRemoved(own, changes[at], texts, match); !held && err == nil {
				return false, nil
			}
		}
		if err == nil && !away {
			away, err = stashed(own)
		}
		if err != nil {
			return false, err
		}
	}
	return away, nil
}

func matchAll(changes []gitexec.Change, works []Work, texts suffix.Texts, match suffix.Match) ([]Matched, []Overlap, error) {
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
	if evident {
		if err := countFew(judged, byPath, texts, match); err != nil {
			return nil, nil, err
		}
	} else {
		countNewestModified(judged)
	}
	if err := takeLinks(judged, lineage.Content{Changes: byPath, Texts: texts, Match: match}); err != nil {
		return nil, nil, err
	}
	return merge(judged), judged, nil
}

// takeLinks marks the overlaps whose links the commit takes. Work of which other work accounts for
// every line does not count.
func takeLinks(judged []Overlap, content lineage.Content) error {
	var candidates []lineage.Candidate
	var of []*Overlap
	for i := range judged {
		switch o := &judged[i]; {
		case o.Work.Link != nil:
			of = append(of, o)
			candidates = append(candidates, lineage.Candidate{Commit: o.Work.Link.Commit, Changes: o.Work.Changes,
				Free: o.Work.Free, Dropped: o.Work.Link.Dropped, Found: o.Counts})
		case o.Work.Stream != nil && o.Counts:
			if err := content.Attribute(o.Work.Changes); err != nil {
				return err
			}
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
	if !o.Counts || w.here() {
		return o, nil
	}
	// Whoever changes the same lines removes them, too.
	removes, err := o.onlyRemoves(byPath, texts, match)
	if removes && err == nil {
		o.Counts, o.Reason = false, ""
		for i := range o.Files {
			if o.Files[i].Verdict == Held {
				o.Files[i].Verdict = Modified
			}
		}
	}
	return o, err
}

// verdict compares one file of the work with a commit's change of it.
func (w Work) verdict(changes []suffix.Change, c gitexec.Change, texts suffix.Texts, match suffix.Match) (Verdict, error) {
	if w.Committing {
		return Held, nil
	}
	if inEffect, err := suffix.InEffect(changes, c, texts, match); inEffect || err != nil {
		return Held, err
	}
	if !c.Old.Exists() {
		return Replaced, nil
	}
	if !c.New.Exists() {
		return Deleted, nil
	}
	if undone, err := suffix.Undone(changes, c, texts, match); undone || err != nil {
		return Undone, err
	}
	return Modified, nil
}

// here reports whether the work is of a turn in progress, or began on the commit's parent or where
// its session was last.
func (w Work) here() bool { return w.Committing || w.InTurn || w.Stream != nil && !w.Elsewhere }

// onlyRemoves reports whether a commit has nothing of the work but that lines are gone which it
// removed, or files that it deleted, although it added others.
func (o Overlap) onlyRemoves(byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts, match suffix.Match) (bool, error) {
	adds, lines := false, false
	for _, changes := range suffix.ByFile(o.Work.Changes) {
		added, err := suffix.Adds(changes, texts, match)
		if err != nil {
			return false, err
		}
		adds = adds || added
		if at := slices.IndexFunc(o.Files, func(f FileOverlap) bool { return f.Path == changes[0].Path }); at < 0 || o.Files[at].Verdict != Held {
			continue
		}
		if removes, err := suffix.InEffectByRemoval(changes, byPath[changes[0].Path], texts, match); !removes || err != nil {
			return false, err
		}
		lines = lines || byPath[changes[0].Path].New.Exists()
	}
	return adds || lines, nil
}

func (w Work) reason() string {
	switch {
	case w.Stream != nil:
		return ContentMatches
	case w.InTurn:
		return TurnInProgress
	case w.Link != nil:
		return ResetBefore
	}
	return ContentRestored
}

// countFew marks the work of which the commit has some lines in a file, too few or too short to be
// evidence by themselves, where its session counts already, it is on a stream of the commit's
// parent, so that a mere change of the file would do if nothing else counted, or a turn in progress
// went on from its version of the file.
func countFew(judged []Overlap, byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts, match suffix.Match) error {
	counts := map[string]bool{}
	for _, o := range judged {
		if o.Counts {
			counts[o.Work.Session.SessionID] = true
		}
	}
	for i := range judged {
		o := &judged[i]
		if o.Work.Committing || o.Work.Stream == nil && o.Work.Link == nil {
			continue
		}
		known := counts[o.Work.Session.SessionID]
		for _, changes := range suffix.ByFile(o.Work.Changes) {
			at := slices.IndexFunc(o.Files, func(f FileOverlap) bool { return f.Path == changes[0].Path })
			if at < 0 || o.Files[at].Verdict == Held {
				continue
			}
			found := suffix.AnyInEffect
			if !known && !continued(changes, judged) {
				if !o.Work.onBase() {
					continue
				}
				found = suffix.MostInEffect
			}
			few, err := found(changes, byPath[changes[0].Path], texts, match)
			if err != nil {
				return err
			}
			if few {
				o.Files[at].Verdict = Held
				if !o.Counts {
					o.Counts, o.Reason = true, o.Work.reason()
				}
			}
		}
	}
	return nil
}

// onBase reports whether the work is on a stream of the commit's parent, or of where its session
// was last and HEAD went on from.
func (w Work) onBase() bool { return w.Stream != nil && !w.Elsewhere && !w.Left }

// continued reports whether a turn in progress that counts went on from a version of a file that
// changes made. What was done on one stream is found by the stream's steps.
func continued(changes []suffix.Change, judged []Overlap) bool {
	return slices.ContainsFunc(judged, func(o Overlap) bool {
		return o.Counts && (o.Work.Committing || o.Work.InTurn) && slices.ContainsFunc(o.Work.Changes, func(next suffix.Change) bool {
			return next.Path == changes[0].Path && next.Before.Exists() &&
				slices.ContainsFunc(changes, func(c suffix.Change) bool { return c.After == next.Before })
		})
	})
}

// countNewestModified marks the streams with the highest suffix among those that have a modified
// file, are not elsewhere, and whose base HEAD has not left.
func countNewestModified(judged []Overlap) {
	newest := 0
	modified := func(o Overlap) bool {
		return o.Work.onBase() && len(o.files()) > 0
	}
	for _, o := range judged {
		if modified(o) {
			newest = max(newest, o.Work.Stream.Suffix)
		}
	}
	for i, o := range judged {
		if modified(o) && o.Work.Stream.Suffix == newest {
			judged[i].Counts, judged[i].Reason = true, FileModified
		}
	}
}

// merge joins the overlaps by session, oldest session first.
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
		m.Files, m.InTurn, m.Unlinked = Union(nil, m.Files), Union(nil, m.InTurn), Union(nil, m.Unlinked)
		m.Early = Union(nil, m.Early)
	}
	matches = withFiles(matches)
	sort.SliceStable(matches, func(i, j int) bool { return matches[i].Session.StartedAt.Before(matches[j].Session.StartedAt) })
	return matches
}

// add adds an overlap and its files.
func (m *Matched) add(o Overlap) {
	if o.Work.Stream != nil {
		m.Streams = append(m.Streams, *o.Work.Stream)
		m.Unlinked = append(m.Unlinked, o.files()...)
	}
	if l := o.Work.Link; l != nil {
		m.Reset = append(m.Reset, *l)
		switch {
		case !o.Takes:
			m.Unlinked = append(m.Unlinked, o.files()...)
		case !slices.Contains(m.Links, l.ID):
			m.Links = append(m.Links, l.ID)
		}
	}
	m.Origins = append(m.Origins, o.Work.Origins...)
	m.Files, m.OldNames = append(m.Files, o.files()...), append(m.OldNames, o.Work.OldNames...)
	m.Commits = m.Commits || o.Work.Committing
	switch {
	case o.Work.Early:
		m.Early = append(m.Early, o.files()...)
	case o.Work.InTurn:
		m.InTurn = append(m.InTurn, o.files()...)
	}
}

// withFiles omits sessions that have no file in the commit, unless none has: then an agent commits
// other work, and of several sessions the one with the latest event is taken.
func withFiles(matches []Matched) []Matched {
	var found []Matched
	for _, m := range matches {
		if len(m.Files) > 0 {
			found = append(found, m)
		}
	}
	if len(found) > 0 || len(matches) == 0 {
		return found
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

// Union merges two lists of paths, sorted, each once.
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
