package condense

import (
	"slices"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/suffix"
)

// Reason is why a commit is linked for a work.
type Reason string

// The reasons.
const (
	ContentMatches  Reason = "the commit holds what the agent wrote"
	FileModified    Reason = "the commit changes a file that the agent changed"
	AgentCommits    Reason = "the agent made the commit in its turn"
	TurnInProgress  Reason = "the commit holds what the agent wrote in the turn in progress"
	ResetBefore     Reason = "the commit holds work of a linked commit that was reset"
	BroughtBack     Reason = "the commit brings lines of a linked commit back"
	LinkGivenOut    Reason = "the link was given out for it"
	ContentRestored Reason = "the commit holds what the agent wrote and was discarded"
)

// Overlap is what a commit and one session's work have in common.
type Overlap struct {
	Work   Work
	Counts bool   // the session is linked for it
	Reason Reason // empty if not Counts
	Takes  bool   // the commit takes the work's link: it holds most of the linked commit's work
	Files  []FileOverlap
}

// FileOverlap is one file that both the commit and the work change.
type FileOverlap struct {
	Path    gitexec.Path
	Verdict Verdict

	changes []suffix.Change // the work's
	found   suffix.File     // what the commit has of them; zero where its agent makes the commit
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
	Since    Verdict = "a commit has changed this file since, without the agent's content"
	Had      Verdict = "the commit's parent has the agent's content already"
	Few      Verdict = "less than half of what the agent wrote"
	Others   Verdict = "work in this worktree accounts for all that the commit has of it"
)

// Counts reports whether a file with the verdict is evidence for the work.
func (v Verdict) Counts() bool { return v == Held || v == Modified || v == Deleted }

// files lists the files with the work. A file that another deleted is one only where there is no
// better evidence; one without the agent's content only where the work began.
func (o Overlap) files() []gitexec.Path {
	var files []gitexec.Path
	for _, f := range o.Files {
		// Reason is empty while countNewestModified still asks whether the work counts.
		if f.Verdict.Counts() && (f.Verdict != Modified || o.Work.here()) && (f.Verdict != Deleted || o.Reason == "" || o.Reason == FileModified) {
			files = append(files, f.Path)
		}
	}
	return files
}

// Match decides which sessions' work a change of the tree holds (seed 002, Content-Aware Overlap
// Detection): before the commit, changes are the staged ones against HEAD; after it, the commit's
// against its parent. It returns the sessions that count, the one that began first first, and what
// it found of each work: of those that it was given, in their order, without works that only a
// stash has. Its errors are those of texts and stashed.
//
// A stream counts if the agent's content, whole or in part, is in one of its files. If no work has
// such a file, a file that existed before and that the agent changed counts all the same, for the
// newest such stream: the user has edited the session's work; unless the change was visibly undone,
// or the stream is elsewhere.
//
// A new file without the agent's content never counts: it was reverted and replaced. Work that is
// on no stream counts only by its content, except what an agent that itself makes the commit has
// changed in its turn: that always counts.
//
// stashed is nil if there is no stash. That a commit changes a file whose changes are in a stash
// entry, or removes lines that the agent removed there, is no evidence: the user has changed
// another version.
//
// worktree reads the lines of a file there; nil: it isn't known what is there.
func Match(
	changes []gitexec.Change, works []Work, texts suffix.Texts, stashed Stashed, worktree Worktree,
) ([]Matched, []Overlap, error) {
	matches, overlaps, err := matchAll(changes, works, texts, worktree)
	if err != nil || stashed == nil {
		return matches, overlaps, err
	}
	// Work that only counts by a modified file, and is in the stash, is left out, and all is judged
	// again: another work may count by the same rule then.
	var here []Work
	for i, o := range overlaps { // in the order of the works
		away, err := o.inStash(stashed)
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
	return matchAll(changes, here, texts, worktree)
}

func matchAll(changes []gitexec.Change, works []Work, texts suffix.Texts, worktree Worktree) ([]Matched, []Overlap, error) {
	byPath := gitexec.ByPath(changes)
	fromOld := sync.OnceValues(func() (map[gitexec.Path]gitexec.Change, error) { return fromOldFiles(changes, texts) })
	judged := make([]Overlap, len(works))
	for i, w := range works {
		var err error
		if judged[i], err = overlapOf(w, byPath, fromOld, texts); err != nil {
			return nil, nil, err
		}
	}
	// The order matters. Moved lines are looked for of work that doesn't count yet. Work of others
	// is then measured by what counts here. Weak evidence comes after both, and links are taken by
	// what is left.
	if err := countMoved(judged, changes, texts, worktree); err != nil {
		return nil, nil, err
	}
	if err := discountForeign(judged, lineage.Content{Changes: byPath, Texts: texts}); err != nil {
		return nil, nil, err
	}
	// Short lines need company, and a mere change of a file counts only where there is none.
	if slices.ContainsFunc(judged, func(o Overlap) bool { return o.Counts }) {
		countFew(judged)
	} else {
		countNewestModified(judged)
	}
	if err := takeLinks(judged, lineage.Content{Changes: byPath, Texts: texts}); err != nil {
		return nil, nil, err
	}
	return merge(judged), judged, nil
}

// fromOldFiles are a commit's changes by their files, where those that it renames go from their old
// versions.
func fromOldFiles(changes []gitexec.Change, texts suffix.Texts) (map[gitexec.Path]gitexec.Change, error) {
	given, err := suffix.FromOldFiles(suffix.ChangesOf(changes), texts)
	byPath := make(map[gitexec.Path]gitexec.Change, len(given))
	for _, c := range given {
		byPath[c.Path] = gitexec.Change{Path: c.Path, Old: c.Before, New: c.After}
	}
	return byPath, err
}

// takeLinks marks the overlaps whose links the commit takes. Work of which other work accounts for
// every line does not count.
func takeLinks(judged []Overlap, content lineage.Content) error {
	var candidates []lineage.Candidate
	var of []*Overlap
	for i := range judged {
		switch o := &judged[i]; {
		// Reset work is a candidate for its commit's link, however little of it was found.
		case o.Work.Link != nil:
			of = append(of, o)
			candidates = append(candidates, lineage.Candidate{Commit: o.Work.Link.Commit, Changes: o.Work.Changes,
				Free: o.Work.Free, Dropped: o.Work.Link.Dropped, Brought: o.Work.Brought, Found: o.Counts})
		// What uncommitted work accounts for, a reset commit does not get as well: each line counts
		// once.
		case o.Work.Stream != nil && o.Counts:
			own, err := suffix.FromOldFiles(o.Work.Changes, content.Texts) // of a file that it renamed, what is new
			if err != nil {
				return err
			}
			content.Attribute(own)
		}
	}
	shares, err := content.Replaces(candidates)
	taken := map[string]bool{}
	for i, share := range shares {
		of[i].Counts, of[i].Takes = share.Some, share.Link
		taken[of[i].Work.Link.ID] = taken[of[i].Work.Link.ID] || share.Link
	}
	// Where the commit takes the link for one of them, the others' work is under it, too.
	for _, o := range of { // several commits may have one link
		o.Takes = o.Takes || o.Counts && taken[o.Work.Link.ID]
	}
	return err
}

// overlapOf compares a work with a commit's changes. For the work of an earlier commit, what a file
// had under another name is not new: fromOld has the changes as they go from there.
func overlapOf(
	w Work, byPath map[gitexec.Path]gitexec.Change, fromOld func() (map[gitexec.Path]gitexec.Change, error), texts suffix.Texts,
) (Overlap, error) {
	o := Overlap{Work: w}
	if w.Committing {
		o.Counts, o.Reason = true, AgentCommits
	}
	for _, changes := range suffix.ByFile(w.Changes) {
		c, committed := byPath[changes[0].Path]
		// A work that is the rename itself has nothing else to be found by.
		if committed && w.Link != nil && changes[0].Before != changes[len(changes)-1].After {
			old, err := fromOld()
			if err != nil {
				return o, err
			}
			c = old[c.Path]
		}
		if !committed || w.Link != nil && c.Old == c.New { // the commit only renames it
			continue
		}
		f := FileOverlap{Path: c.Path, Verdict: Held, changes: changes}
		// A commit that the turn makes itself has the turn's work, whatever the comparison says.
		if !w.Committing {
			var err error
			if f.found, err = suffix.Compare(changes, c, texts); err == nil {
				f.Verdict, err = w.verdict(f, c, texts)
			}
			// Held by its content, the commit may still bring nothing: its parent may have the work
			// already.
			if f.Verdict == Held && err == nil {
				f.Verdict, err = w.unlessUnder(f, c, texts)
			}
			if err != nil {
				return o, err
			}
		}
		o.Files = append(o.Files, f)
		if f.Verdict == Held && !o.Counts {
			o.Counts, o.Reason = true, w.reason()
		}
	}
	if o.Counts && !w.here() && o.onlyRemoves() { // whoever changes the same lines removes them, too
		o.discount(Modified)
	}
	return o, nil
}

// unlessUnder judges one file that a commit holds by whether the version under it has the work
// already: of a turn in progress an earlier commit may have taken it, and a commit that takes out
// what came later has a linked commit's version again.
func (w Work) unlessUnder(f FileOverlap, c gitexec.Change, texts suffix.Texts) (Verdict, error) {
	if !w.InTurn && !w.Brought {
		return Held, nil
	}
	// A turn committed a part, and the human commits the same file again for another line.
	if more, err := f.found.Advances(f.changes, c, texts); !more && c.Old.Exists() || err != nil {
		return Had, err
	}
	// Lines that are gone bring nothing back: a revert of what came later has the linked version
	// again.
	if brings, err := f.found.Brings(f.changes, c, texts); w.Brought && !brings {
		return Since, err
	}
	return Held, nil
}

// verdict judges one file of the work by a commit's change of it.
func (w Work) verdict(f FileOverlap, c gitexec.Change, texts suffix.Texts) (Verdict, error) {
	wentOn := w.InPlace || w.onBase() && !c.Old.Exists() // the worktree did, from the work, as a rule
	switch {
	case w.Discarded && !f.found.Half(): // a few of its lines are written again by chance
		return Few, nil
	// Where the worktree went on from the work, two short lines and half of them will do.
	case f.found.Present, wentOn && f.found.Most():
		return Held, nil
	// A new file with none of the agent's lines: the agent's was reverted, and another was written
	// under its name.
	case !c.Old.Exists():
		return Replaced, nil
	// A commit changed the file after the work: that it differs now may be that commit's doing.
	case w.Since[c.Path]:
		return Since, nil
	case !c.New.Exists():
		return Deleted, nil
	}
	undone, err := f.found.Undone(f.changes, texts)
	if undone || err != nil {
		return Undone, err
	}
	return Modified, nil
}

// here reports whether the work is of a turn in progress, or began on the commit's parent or where
// its session was last.
func (w Work) here() bool { return w.Committing || w.InTurn || w.Stream != nil && !w.Elsewhere }

func (w Work) reason() Reason {
	switch {
	// Brought is asked before Link: lines that are brought have a link, too.
	case w.Stream != nil:
		return ContentMatches
	case w.InTurn:
		return TurnInProgress
	case w.Brought:
		return BroughtBack
	case w.Link != nil:
		return ResetBefore
	}
	return ContentRestored
}

// countFew marks the work of which the commit has some lines in a file, too few or too short to be
// evidence by themselves, where its session counts already, or it is on a stream of the commit's
// parent, so that a mere change of the file would do if nothing else counted.
func countFew(judged []Overlap) {
	counts := map[string]bool{}
	for _, o := range judged {
		if o.Counts {
			counts[o.Work.Session.SessionID] = true
		}
	}
	for i := range judged {
		o := &judged[i]
		// Of a turn in progress and of discarded work a few lines are no evidence.
		if o.Work.Committing || o.Work.Stream == nil && o.Work.Link == nil {
			continue
		}
		for k, f := range o.Files {
			known := counts[o.Work.Session.SessionID]
			// `i++` alone is nobody's. Beside other lines of the session it is the session's; so
			// are two such lines, and half of what the agent wrote in the file, of a stream of the
			// parent.
			if f.Verdict == Held || f.Verdict == Had || !(known && f.found.Any() || o.Work.onBase() && f.found.Most()) {
				continue
			}
			o.Files[k].Verdict = Held
			if !o.Counts {
				o.Counts, o.Reason = true, o.Work.reason()
			}
		}
	}
}

// discountForeign leaves out work of other worktrees, and discarded work, of which work here
// accounts for every line: two agents may have been given the same task, or one of them twice.
func discountForeign(judged []Overlap, content lineage.Content) error {
	known := false
	for _, o := range judged {
		if o.Counts && o.Work.here() {
			content.Attribute(o.Work.Changes)
			known = true
		}
	}
	var candidates []lineage.Candidate
	var of []*Overlap
	for i := range judged {
		// Work of another worktree stands by itself where nothing here counts: the commit may be
		// its pick.
		if o := &judged[i]; o.Counts && (o.Work.Discarded || o.Work.Foreign && known) {
			of = append(of, o)
			candidates = append(candidates, lineage.Candidate{Commit: o.Work.Origins[0], Changes: o.Work.Changes, Found: true})
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	shares, err := content.Replaces(candidates)
	for i, share := range shares {
		if !share.Some {
			of[i].discount(Others)
		}
	}
	return err
}

// onBase reports whether the work is on a stream of the commit's parent, or of where its session
// was last and HEAD went on from.
func (w Work) onBase() bool { return w.Stream != nil && !w.Elsewhere && !w.Left }

// countNewestModified marks the streams with the highest suffix among those that have a modified
// file, are not elsewhere, and whose base HEAD has not left.
func countNewestModified(judged []Overlap) {
	// Of several streams on one base only the newest is likely in the worktree: the others were
	// left.
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

// onlyRemoves reports whether a commit has nothing of the work but that lines are gone which it
// removed, or files that it deleted, although it did something else.
func (o Overlap) onlyRemoves() bool {
	// A work that is nothing but deletions has no other evidence to offer, and isn't discounted.
	return slices.ContainsFunc(o.Work.Changes, func(c suffix.Change) bool { return c.After.Exists() }) &&
		!slices.ContainsFunc(o.Files, func(f FileOverlap) bool { return f.Verdict == Held && !f.found.ByRemoval() })
}

// discount notes that what a commit has of the work is no evidence, and why.
func (o *Overlap) discount(why Verdict) {
	o.Counts, o.Reason = false, ""
	for i := range o.Files {
		if o.Files[i].Verdict == Held {
			o.Files[i].Verdict = why
		}
	}
}

// Stashed reports whether a stash entry has any of an agent's changes of a file, own, which are not
// empty, and not the version that a commit has, as after `git stash apply`.
type Stashed func(own []suffix.Change, committed gitexec.Entry) (bool, error)

// inStash reports whether work counts without any of its content in the commit, and a stash entry
// has it.
func (o Overlap) inStash(stashed Stashed) (away bool, err error) {
	// Only of these two may the evidence be that something changed, or is gone.
	if !o.Counts || o.Work.Stream == nil || o.Reason != FileModified && o.Reason != ContentMatches {
		return false, nil
	}
	for _, f := range o.Files {
		if f.found.Present && !f.found.ByRemoval() {
			return false, nil
		}
		if !away {
			if away, err = stashed(f.changes, f.found.Now); err != nil {
				return false, err
			}
		}
	}
	return away, nil
}
