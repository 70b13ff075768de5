package commits

import (
	"entire-plumb/internal/journal"
	"entire-plumb/shadow"
)

// Outcome is what was decided about a commit.
type Outcome int

// The outcomes.
const (
	undecided      Outcome = iota
	NoLink                 // it was given no link
	NoLinkReplayed         // nor was it, as git made it of others, and it was compared with no session's work
	NoLinkAlone            // nor was it, as there was no session to compare it with
	Linked                 // no hook ran for it, and it needs no link
	EarlierLink            // its links lead to checkpoints that are written
	NoWork                 // it holds no session's work
	KeepsLinks             // it makes the change of the commit that it replaces
	Moved                  // the checkpoints of the commits that it replaces are its own now
	Condensed              // it has a checkpoint of the sessions' work in it
)

var sentences = map[Outcome]string{
	NoLink:         journal.Unlinked.String(),
	NoLinkReplayed: journal.UnlinkedReplayed.String(),
	NoLinkAlone:    journal.UnlinkedAlone.String(),
	Linked:         journal.Linked.String(),
	EarlierLink:    "the commit's link is an earlier checkpoint",
	NoWork:         "no session's work is in the commit",
	KeepsLinks:     "the commit keeps the links of what it replaces",
	Moved:          "updated the checkpoints of the commits that it replaces",
	Condensed:      "condensed to ",
}

// kind is that of a journal entry; empty: nothing depends on it.
func (o Outcome) kind() journal.Kind {
	return map[Outcome]journal.Kind{NoLink: journal.Unlinked, NoLinkReplayed: journal.UnlinkedReplayed,
		NoLinkAlone: journal.UnlinkedAlone, Linked: journal.Linked}[o]
}

// unlinked reports whether a commit was given no link.
func (o Outcome) unlinked() bool { return o == NoLink || o == NoLinkReplayed }

// Result is what was decided and recorded about a commit.
type Result struct {
	Outcome Outcome
	Links   []string      // that it has
	ID      string        // the one whose checkpoint is written; empty: none is
	Carried []shadow.Name // the streams that its remainder is on
}

// String is the sentence for the journal.
func (r Result) String() string {
	text := sentences[r.Outcome]
	if r.Outcome == Condensed {
		text += r.ID
	}
	for _, name := range r.Carried {
		text += ", the remainder carried to " + name.String()
	}
	return text
}
