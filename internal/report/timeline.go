package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"entire-plumb/internal/amount"
)

// moment is a turn in its place among those of all sessions.
type moment struct {
	Turn
	Session int    // counted from 0
	Mark    string // as beside lines of code
	Tint    string // the session's colour
	Lines   bar
	Tokens  bar
}

// bar is a figure, beside the largest one on the page.
type bar struct {
	Width float64 // per cent
	Text  string
}

// timeline are the turns of all sessions in the order of time. A turn without a time comes right
// after the one before it in its session.
func timeline(sessions []Session) []moment {
	type at struct {
		moment
		when time.Time
	}
	var all []at
	for i, s := range sessions {
		var last time.Time
		for _, t := range s.Turns {
			// A transcript may have any times: a session's own turns stay in their order.
			if t.Began.After(last) {
				last = t.Began
			}
			all = append(all, at{moment{Turn: t, Session: i, Mark: letter(i) + fmt.Sprint(t.Number), Tint: tint(i)}, last})
		}
	}
	slices.SortStableFunc(all, func(a, b at) int {
		return cmp.Or(a.when.Compare(b.when), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Number, b.Number))
	})
	moments := make([]moment, len(all))
	for i, one := range all {
		moments[i] = one.moment
	}
	measure(moments)
	return moments
}

// measure fills in the bars of the turns that are part of the page's subject.
func measure(all []moment) {
	lines, tokens := 0, 0
	for _, m := range all {
		if m.Here() {
			lines, tokens = max(lines, m.Turn.Lines), max(tokens, m.Turn.Tokens.All())
		}
	}
	for i := range all {
		m := &all[i]
		if n := m.Turn.Lines; m.Here() && n > 0 {
			m.Lines = bar{percentOf(n, lines), amount.Of(n, "line")}
		}
		if n := m.Turn.Tokens.All(); m.Here() && n > 0 {
			m.Tokens = bar{percentOf(n, tokens), amount.Tokens(n) + " tokens"}
		}
	}
}

func percentOf(n, of int) float64 { return max(1, 100*float64(n)/float64(of)) }

// run is consecutive turns that either are all part of the page's subject, or none is.
type run struct {
	Here  bool
	Turns []moment
}

func runs(turns []moment) []run {
	var all []run
	for _, t := range turns {
		if len(all) == 0 || all[len(all)-1].Here != t.Here() {
			all = append(all, run{Here: t.Here()})
		}
		all[len(all)-1].Turns = append(all[len(all)-1].Turns, t)
	}
	return all
}

// letters are the marks of sessions. H is the human.
const letters = "ABCDEFGIJKLMNOPQRSTUVWXYZ"

// letter is the mark of a session by its place on the page.
func letter(place int) string { return letters[min(place, len(letters)-1):][:1] }

// tints is how many colours there are for sessions. Their marks tell more of them apart.
const tints = 6

// tint is the class of the colour of a session by its place on the page.
func tint(place int) string { return fmt.Sprintf("s%d", place%tints) }

// mostListedTurns and mostListedFiles are how many an index lists.
const (
	mostListedTurns = 200
	mostListedFiles = 200
)

// indexed is what a part of the index lists.
type indexed[T any] struct {
	List []T
	More int
}

// few is the beginning of a list.
func few[T any](all []T, most int) indexed[T] {
	n := min(len(all), most)
	return indexed[T]{all[:n], len(all) - n}
}

// turnIndex lists the turns of the page's subject.
func turnIndex(all []moment) indexed[moment] {
	return few(slices.DeleteFunc(slices.Clone(all), func(m moment) bool { return !m.Here() }), mostListedTurns)
}

func fileIndex(c Chapter) indexed[File] {
	var list []File
	for _, f := range c.Files {
		if f.ID != "" {
			list = append(list, f)
		}
	}
	index := few(list, mostListedFiles)
	index.More += c.MoreFiles
	return index
}
