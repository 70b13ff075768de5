package commits

import (
	"fmt"
	"reflect"
	"testing"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// TestSourceOf names where a work is recorded.
func TestSourceOf(t *testing.T) {
	link := &session.Link{ID: "1", Commit: "0123456789"}
	for want, w := range map[string]condense.Work{
		"stream entire/0123456-2":               {Stream: &shadow.Stream{Name: shadow.Name{Base: "0123456", Suffix: 2}}, InTurn: true},
		"the turn in progress":                  {InTurn: true, Link: link},
		"commit 0123456, which was reset":       {Link: link},
		"commit 0123456, which has lines of it": {Link: link, Brought: true},
		"discarded work":                        {},
	} {
		if got := sourceOf(w); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := sourceOf(condense.Work{Committing: true}); got != "the turn in progress" {
		t.Errorf("of the agent that commits: %q", got)
	}
}

// TestJournalWorks: files that the commit has, too, come with the verdict, each once.
func TestJournalWorks(t *testing.T) {
	s := active("s")
	o := condense.Overlap{Counts: true, Reason: "lines",
		Files: []condense.FileOverlap{{Path: "f", Verdict: "in effect"}},
		Work:  condense.Work{Session: s, Changes: []suffix.Change{{Path: "f"}, {Path: "g"}, {Path: "g"}, {Path: "a\nb"}}}}
	want := []journal.Work{{Session: "s", On: "discarded work", Linked: true, Reason: "lines",
		Files: []journal.WorkFile{{Path: "f", Verdict: "in effect"}}, Others: []string{"g", `"a\nb"`}}}
	if got := journalWorks([]condense.Overlap{o}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := journalWorks(nil); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestFileModifiedHasAKind: why a work is linked has a kind where something depends on it.
func TestFileModifiedHasAKind(t *testing.T) {
	for reason, want := range map[condense.Reason]journal.Kind{condense.FileModified: journal.FileModified, condense.ContentMatches: ""} {
		o := condense.Overlap{Reason: reason, Work: condense.Work{Session: active("s")}}
		if got := journalWorks([]condense.Overlap{o})[0]; got.Kind != want || got.Reason != string(reason) {
			t.Errorf("%s: %+v", reason, got)
		}
	}
}

// TestJournalLimits: a line of the journal has so many works, and so many files of each.
func TestJournalLimits(t *testing.T) {
	work := func(both, others int) (o condense.Overlap) {
		o.Work.Session = active("s")
		for i := range both {
			o.Files = append(o.Files, condense.FileOverlap{Path: gitexec.Path(fmt.Sprintf("both%d", i))})
		}
		for i := range others {
			path := gitexec.Path(fmt.Sprintf("other%d", i))
			o.Work.Changes = append(o.Work.Changes, suffix.Change{Path: path}, suffix.Change{Path: path})
		}
		return o
	}
	for _, c := range []struct{ both, others, more int }{{1, 1, 0}, {40, 40, 0}, {41, 40, 1}, {40, 43, 3}, {42, 43, 5}} {
		w := journalWorks([]condense.Overlap{work(c.both, c.others)})[0]
		if len(w.Files) != min(c.both, mostJournaled) || len(w.Others) != min(c.others, mostJournaled) || w.More != c.more {
			t.Errorf("%d, %d: %d and %d, %d more", c.both, c.others, len(w.Files), len(w.Others), w.More)
		}
	}
	many := make([]condense.Overlap, mostJournaled+1)
	for i := range many {
		many[i] = work(0, 0)
	}
	if got := len(journalWorks(many)); got != mostJournaled {
		t.Errorf("%d works", got)
	}
}

// TestJournalRewrote: so many commits, and so many predecessors of each.
func TestJournalRewrote(t *testing.T) {
	if got := journalRewrote(map[gitexec.OID][]gitexec.OID{"c": oids("a b"), "e": oids("d")}); !reflect.DeepEqual(got, map[string][]string{"c": {"a", "b"}, "e": {"d"}}) {
		t.Errorf("%v", got)
	}
	many := map[gitexec.OID][]gitexec.OID{"squash": make([]gitexec.OID, mostJournaled+1)}
	if got := journalRewrote(many); len(got["squash"]) != mostJournaled {
		t.Errorf("%d predecessors", len(got["squash"]))
	}
	for i := range 2 * mostJournaled {
		many[gitexec.OID(fmt.Sprint(i))] = oids("x")
	}
	if got := len(journalRewrote(many)); got != mostJournaled {
		t.Errorf("%d commits", got)
	}
}
