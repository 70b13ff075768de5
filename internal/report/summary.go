package report

import (
	"cmp"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/transcript"
)

// Summary is what the page's chapters add up to.
type Summary struct {
	Sessions []SessionSum `json:"sessions"`
	Files    []FileSum    `json:"files"` // those that only an agent touched come first
	Rejected []string     `json:"rejected_turns"`
	Cost     Cost         `json:"cost"`
}

// SessionSum is what a session did.
type SessionSum struct {
	ID      string           `json:"session_id"`
	Turns   int              `json:"turns"`
	Commits int              `json:"commits"`
	Files   int              `json:"files"`
	Lines   int              `json:"agent_lines"`
	Tokens  transcript.Usage `json:"token_usage"`
	Cost    Cost             `json:"cost"`
}

// FileSum is a file's lines in all chapters.
type FileSum struct {
	Path  string `json:"path"`
	Lines Lines  `json:"lines"`
	Only  bool   `json:"agent_only"` // no new line of it is a human's or of an unknown author
	Place string `json:"place"`      // of its last change
	// Generated says that it is generated or vendored: its lines are counted apart.
	Generated bool `json:"generated,omitempty"`

	path gitexec.Path // see File
}

// Cost is what tokens cost by list prices.
type Cost struct {
	USD      float64 `json:"usd"`
	Unpriced int     `json:"unpriced_tokens"` // of models without a price
	Day      string  `json:"prices_of,omitempty"`
}

// add adds what tokens cost.
func (c *Cost) add(t prices.Table, model string, when time.Time, u transcript.Usage) {
	usd, known := t.Cost(model, when, u)
	if c.USD += usd; !known {
		c.Unpriced += u.All()
	}
}

// Known reports whether anything has a price.
func (c Cost) Known() bool { return c.USD > 0 }

// bill is the tokens of a session's parts.
type bill struct {
	usage transcript.Usage
	cost  Cost
}

// charge adds the tokens of a session's part in a checkpoint, which several chapters may have, to
// the session's bill.
func (g *reporter) charge(checkpoint, session, model string, when time.Time, u *transcript.Usage) {
	key := [2]string{checkpoint, session}
	if u == nil || g.charged[key] {
		return
	}
	g.charged[key] = true
	b := g.bills[session]
	if b == nil {
		b = &bill{}
		g.bills[session] = b
	}
	used := u.Less(transcript.Usage{}) // others may have written less than nothing
	b.usage = b.usage.Add(used)
	b.cost.add(g.prices, model, when, used)
}

// summarise adds up a page.
func summarise(p Page, generated map[gitexec.Path]bool, bills map[string]*bill, day string) *Summary {
	s := &Summary{Sessions: []SessionSum{}, Files: filesOf(p.Chapters), Rejected: []string{}}
	apart := map[string]bool{}
	for i, f := range s.Files {
		s.Files[i].Generated = generated[f.path]
		apart[f.Path] = generated[f.path]
	}
	for _, one := range p.Sessions {
		sum := sessionSum(p.Chapters, apart, one)
		if b := bills[one.ID]; b != nil {
			sum.Tokens, sum.Cost = b.usage, b.cost
		}
		s.Sessions = append(s.Sessions, sum)
	}
	for _, m := range timeline(p.Sessions) {
		if m.Here() && (m.Dismissed != "" || m.Gone) {
			s.Rejected = append(s.Rejected, m.ID)
		}
	}
	for _, one := range s.Sessions {
		s.Cost.USD += one.Cost.USD
		s.Cost.Unpriced += one.Cost.Unpriced
	}
	s.Cost.Day = day
	return s
}

// sessionSum leaves out the files whose lines are counted apart.
func sessionSum(chapters []Chapter, apart map[string]bool, s Session) SessionSum {
	sum := SessionSum{ID: s.ID}
	files := map[string]bool{}
	for _, t := range s.Turns {
		if t.Here() {
			sum.Turns++
		}
	}
	for _, c := range chapters {
		has := false
		for _, o := range c.Owners {
			if o.isAgent() && o.Session == s.ID && !o.moved {
				sum.Lines, has = sum.Lines+o.once(), true
				for name := range o.in {
					if !apart[name] {
						files[name] = true
					}
				}
			}
		}
		// A commit in which nothing is left of the session is none of its.
		if has && c.Commit != nil {
			sum.Commits++
		}
	}
	sum.Files = len(files)
	return sum
}

// filesOf adds up the files of chapters: those that only agents touched, then by their lines.
func filesOf(chapters []Chapter) []FileSum {
	type name struct { // two paths may look the same
		shown string
		path  gitexec.Path
	}
	at, byHand := map[name]int{}, map[string]bool{}
	all := []FileSum{}
	for _, c := range chapters {
		for _, f := range c.Files {
			if c.Commit != nil && len(c.Checkpoints) == 0 && f.Lines.All() > 0 { // also an agent's lines that it wraps
				byHand[f.Path], byHand[f.Was] = true, true
			}
			file := name{f.Path, f.path}
			i, known := at[file]
			if !known {
				i = len(all)
				at[file], all = i, append(all, FileSum{Path: f.Path, path: f.path})
			}
			all[i].Lines.Add(f.Lines.once(f.again))
			// Chapters come oldest first: the last one's stays.
			all[i].Place = f.ID
		}
	}
	for i, f := range all {
		all[i].Only = !byHand[f.Path] && f.Lines.Agent+f.Lines.Other > 0 && f.Lines.Human+f.Lines.Unknown == 0
	}
	slices.SortStableFunc(all, func(a, b FileSum) int {
		switch {
		case a.Only && !b.Only:
			return -1
		case b.Only && !a.Only:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Lines.All(), a.Lines.All()), cmp.Compare(a.Path, b.Path))
	})
	return all
}
