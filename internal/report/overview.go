package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"entire-plumb/internal/stats"
)

// Overview is the content of a repository's first page.
type Overview struct {
	Title    string
	Version  string
	Sessions []SessionCard // newest first
	Counted  int           // of them; those that others added are in no sum
	Commits  []CommitCard  // newest first
	Weeks    []Week        // newest first
	Files    []FileSum
	Lines    Lines
	Tokens   int
	Cost     Cost
	Turns    int
	Survival []Survivors // empty: not known
	Notes    []string
}

// Week is what happened in a week.
type Week struct {
	Monday   time.Time
	Sessions int // that had a turn
	Turns    int
	Commits  int
	Lines    Lines
	Tokens   int
	Cost     Cost
}

// Survivors says how many lines were still there after some time, in words.
type Survivors struct{ After, Agent, Human string }

// Summed is an overview of sessions and commits.
func Summed(sessions []SessionCard, commits []CommitCard) Overview {
	o := Overview{Sessions: slices.Clone(sessions), Commits: slices.Clone(commits)}
	slices.SortFunc(o.Sessions, func(a, b SessionCard) int { return cmp.Or(b.Began.Compare(a.Began), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(o.Commits, func(a, b CommitCard) int { return cmp.Or(b.When.Compare(a.When), cmp.Compare(a.ID, b.ID)) })
	weeks := map[time.Time]*Week{}
	at := func(t time.Time) *Week {
		day := stats.Monday(t)
		if weeks[day] == nil {
			weeks[day] = &Week{Monday: day}
		}
		return weeks[day]
	}
	for _, s := range o.Sessions {
		if !s.Added {
			o.Counted++
			o.session(s, at)
		}
	}
	var chapters []Chapter
	for _, c := range o.Commits {
		lines := c.Lines.once(c.again)
		o.Lines.Add(lines)
		w := at(c.When)
		w.Commits++
		w.Lines.Add(lines)
		chapter := Chapter{}
		for _, f := range c.Files {
			chapter.Files = append(chapter.Files, File{Path: f.Path, Lines: f.Lines, again: f.again})
		}
		chapters = append(chapters, chapter)
	}
	o.Files = filesOf(chapters)
	slices.SortStableFunc(o.Files, func(a, b FileSum) int { return cmp.Compare(b.Lines.share(), a.Lines.share()) })
	for _, w := range weeks {
		o.Weeks = append(o.Weeks, *w)
	}
	slices.SortFunc(o.Weeks, func(a, b Week) int { return b.Monday.Compare(a.Monday) })
	return o
}

// share is the agents' part of the lines with a known author.
func (l Lines) share() float64 {
	l = l.brought()
	if known := l.All() - l.Unknown; known > 0 {
		return float64(l.Agent+l.Other) / float64(known)
	}
	return -1
}

// session adds a session's turns, each to its week. One without a time counts when the session
// began.
func (o *Overview) session(s SessionCard, at func(time.Time) *Week) {
	o.Turns += len(s.Turns)
	seen := map[time.Time]bool{}
	for _, t := range s.Turns {
		when := t.When
		if when.IsZero() {
			when = s.Began
		}
		w := at(when)
		w.Turns++
		if !seen[w.Monday] {
			seen[w.Monday] = true
			w.Sessions++
		}
		for _, sum := range []*Cost{&w.Cost, &o.Cost} {
			sum.USD, sum.Unpriced = sum.USD+t.Cost.USD, sum.Unpriced+t.Cost.Unpriced
		}
		w.Tokens, o.Tokens = w.Tokens+t.Tokens, o.Tokens+t.Tokens
	}
}

// strip is a session in the drawing of all.
type strip struct {
	X, Width float64 // per cent
	Y        int
	Tint     string
	Text     string
}

const (
	mostLanes  = 8
	laneHeight = 10 // pixels
)

// lanes draws sessions by time, those that overlap below each other.
func lanes(sessions []SessionCard) (all drawing) {
	var first, last time.Time
	timed := []SessionCard{}
	for _, s := range slices.Backward(sessions) {
		if s.Began.IsZero() {
			continue
		}
		timed = append(timed, s)
		if first.IsZero() || s.Began.Before(first) {
			first = s.Began
		}
		if end := s.end(); end.After(last) {
			last = end
		}
	}
	// A single session has no length to divide by, and would fill the drawing.
	whole := max(last.Sub(first), time.Hour).Seconds()
	var free []float64 // where each lane is free again
	for i, s := range timed {
		x := 100 * s.Began.Sub(first).Seconds() / whole
		// A session of minutes among months would not be seen.
		one := strip{X: x, Width: max(0.5, 100*s.end().Sub(s.Began).Seconds()/whole), Tint: tint(i), Text: s.Title}
		lane := slices.IndexFunc(free, func(until float64) bool { return until <= x })
		switch {
		case lane < 0 && len(free) < mostLanes:
			lane, free = len(free), append(free, 0)
		case lane < 0:
			// All lanes are taken: it is drawn over another one.
			lane = i % mostLanes
		}
		// The last one has its least width within the drawing.
		one.X = min(one.X, 99.5)
		free[lane], one.Y = one.X+one.Width, lane*laneHeight
		all.Strips = append(all.Strips, one)
	}
	all.Height = len(free) * laneHeight
	return all
}

func (s SessionCard) end() time.Time {
	if s.Ended.After(s.Began) {
		return s.Ended
	}
	return s.Began
}

// byWeek are consecutive sessions that began in one week.
type byWeek struct {
	Title    string
	Sessions []SessionCard
}

func sessionWeeks(sessions []SessionCard) []byWeek {
	var all []byWeek
	for _, s := range sessions {
		title := "Without a time"
		if !s.Began.IsZero() {
			title = weekTitle(stats.Monday(s.Began))
		}
		if len(all) == 0 || all[len(all)-1].Title != title {
			all = append(all, byWeek{Title: title})
		}
		all[len(all)-1].Sessions = append(all[len(all)-1].Sessions, s)
	}
	return all
}

func weekTitle(monday time.Time) string {
	year, week := monday.ISOWeek()
	return fmt.Sprintf("%d-W%02d", year, week)
}

// drawing is the sessions' strips.
type drawing struct {
	Strips []strip
	Height int
}

// weekRow is a week in the table, with its tokens beside the most of any week.
type weekRow struct {
	Week
	Title string
	Width float64
}

func weekRows(weeks []Week) []weekRow {
	most := 1
	for _, w := range weeks {
		most = max(most, w.Tokens)
	}
	var all []weekRow
	for _, w := range weeks {
		all = append(all, weekRow{w, weekTitle(w.Monday), 100 * float64(w.Tokens) / float64(most)})
	}
	return all
}

// rejected counts a session's turns that were rejected.
func rejected(s SessionCard) int {
	n := 0
	for _, t := range s.Turns {
		if t.Rejected {
			n++
		}
	}
	return n
}
