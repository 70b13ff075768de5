package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/internal/attribution"
)

// DiffOwner is whose lines are: a turn, a human, or of no known author. Mark stands for it.
type DiffOwner struct {
	Mark    string           `json:"mark"`
	Kind    attribution.Kind `json:"kind"`
	Session string           `json:"session_id,omitempty"`
	Agent   string           `json:"agent,omitempty"`
	Turn    string           `json:"turn_id,omitempty"`
	Prompt  string           `json:"prompt,omitempty"`
	Author  string           `json:"author,omitempty"` // of a human's; empty: whoever calls
	Reason  string           `json:"reason,omitempty"` // why the author is unknown
	Lines   int              `json:"line_count"`
}

// owner is the diff's entry for the author of a line.
func (d *OwnedDiff) owner(a attribution.Author, human string) *DiffOwner {
	// What else an author has, as the checkpoint, differs between commits: one turn has one mark in
	// all of them.
	key := DiffOwner{Kind: a.Kind}
	switch a.Kind {
	case attribution.Agent:
		key.Session, key.Agent, key.Turn, key.Prompt = a.Session, a.Agent, a.Turn, a.Prompt
	case attribution.Human:
		key.Author = human
	default:
		key.Kind, key.Reason = attribution.Unknown, a.Reason
	}
	if d.by[key] == nil {
		one := key
		d.by[key] = &one
	}
	return d.by[key]
}

// number gives the owners of the lines that are shown their marks, in the order in which they come,
// and sums up.
func (d *OwnedDiff) number() {
	for _, part := range d.Parts {
		d.Add(part.DiffLines)
		for _, f := range part.Files {
			for _, o := range f.owners {
				if o == nil {
					continue
				}
				if o.Lines++; o.Lines == 1 {
					d.Owners = append(d.Owners, o)
				}
			}
		}
	}
	mark(d.Owners)
}

// mark gives owners their marks, each its own, and sorts them by these: a letter for a session and
// a number for its turn, a human's name, or a question mark.
func mark(owners []*DiffOwner) {
	// Sessions keep the order in which their first line comes, so that A is at the top of the diff.
	place := map[string]int{}
	for _, o := range owners {
		if _, known := place[o.Session]; !known && o.Kind == attribution.Agent {
			place[o.Session] = len(place)
		}
	}
	slices.SortStableFunc(owners, func(a, b *DiffOwner) int {
		return cmp.Or(cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)), cmp.Compare(place[a.Session], place[b.Session]))
	})
	turns, taken := map[string]int{}, map[string]bool{}
	for _, o := range owners {
		turns[o.Session]++
		o.Mark = o.wanted(place[o.Session], turns[o.Session])
		// Two names may have the same first word, and a human may be called A1.
		for n := 2; taken[o.Mark]; n++ {
			o.Mark = fmt.Sprint(o.wanted(place[o.Session], turns[o.Session]), n)
		}
		taken[o.Mark] = true
	}
}

// wanted is the mark of an owner, unless another one has it.
func (o *DiffOwner) wanted(session, turn int) string {
	switch o.Kind {
	case attribution.Agent:
		return fmt.Sprint(letters(session), turn)
	case attribution.Human:
		name, _, _ := strings.Cut(o.Author, " ")
		few := []rune(name)
		return cmp.Or(string(few[:min(longestMark, len(few))]), "you")
	}
	return "?"
}

// kindRank has the agents before the human.
func kindRank(kind attribution.Kind) int {
	return slices.Index([]attribution.Kind{attribution.Agent, attribution.Human, attribution.Unknown}, kind)
}

// longestMark is how many characters of a human's name are a mark.
const longestMark = 8

// letters are A to Z, then AA, AB and so on.
func letters(n int) string {
	text := string(rune('A' + n%26))
	if n < 26 {
		return text
	}
	return letters(n/26-1) + text
}
