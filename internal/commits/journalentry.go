package commits

import (
	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
)

// mostJournaled is how many works, files of a work, and rewritten commits one line of the journal
// has, and how many files the evidence of a link beside a commit. The journal has two files of 1
// MB: a commit of thousands of files would be all of it. What is left out is counted (More).
const mostJournaled = 40

// journalWorks lists, for the journal, the works that a commit was compared with.
func journalWorks(overlaps []condense.Overlap) []journal.Work {
	var works []journal.Work
	for _, o := range overlaps[:min(mostJournaled, len(overlaps))] {
		w := journal.Work{Session: o.Work.Session.SessionID, On: sourceOf(o.Work), Linked: o.Counts, Reason: string(o.Reason)}
		if o.Reason == condense.FileModified {
			w.Kind = journal.FileModified
		}
		both := map[string]bool{}
		for _, f := range o.Files {
			both[string(f.Path)] = true
			if len(w.Files) < mostJournaled {
				w.Files = append(w.Files, journal.WorkFile{Path: f.Path.Display(), Verdict: string(f.Verdict)})
			} else {
				w.More++
			}
		}
		for _, c := range o.Work.Changes {
			switch {
			case both[string(c.Path)]:
				continue
			case len(w.Others) < mostJournaled:
				w.Others = append(w.Others, c.Path.Display())
			default:
				w.More++
			}
			both[string(c.Path)] = true
		}
		works = append(works, w)
	}
	return works
}

// journalRewrote lists, for the journal, the predecessors of rewritten commits.
func journalRewrote(predecessors map[gitexec.OID][]gitexec.OID) map[string][]string {
	rewrote := map[string][]string{}
	for id, olds := range predecessors {
		for _, old := range olds[:min(mostJournaled, len(olds))] {
			if len(rewrote) < mostJournaled {
				rewrote[string(id)] = append(rewrote[string(id)], string(old))
			}
		}
	}
	return rewrote
}

// sourceOf names where a work is recorded.
func sourceOf(w condense.Work) string {
	switch {
	case w.Stream != nil:
		return "stream " + w.Stream.Name.String()
	case w.Committing, w.InTurn:
		return "the turn in progress"
	case w.Link != nil:
		if w.Brought {
			return "commit " + w.Link.Commit.Short() + ", which has lines of it"
		}
		return "commit " + w.Link.Commit.Short() + ", which was reset"
	}
	return "discarded work"
}
