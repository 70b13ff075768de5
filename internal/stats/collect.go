package stats

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/internal/attribution"
)

// Result is what was added up.
type Result struct {
	By       By       `json:"by,omitempty"`
	Totals   Row      `json:"totals"`
	Groups   []Row    `json:"groups"`
	Rows     int      `json:"rows"` // all, also those that Groups has together
	Survival []Age    `json:"survival"`
	Prompts  []Prompt `json:"prompts"`
}

// Collector adds up. Commits come parents first.
type Collector struct {
	request Request
	totals  *Row
	rows    map[string]*Row
	known   map[cohortKey]*cohort // by the first commit of a turn's lines
	cohorts map[cohortKey]*cohort
	humans  map[cohortKey]*cohort
	places  map[cohortKey][]place // by turn: the lines that it brought
	moved   map[cohortKey][]place // and those of them that other commits only move
}

// New begins to add up.
func New(r Request) *Collector {
	return &Collector{request: r, totals: newRow(""), rows: map[string]*Row{}, known: map[cohortKey]*cohort{}, cohorts: map[cohortKey]*cohort{},
		humans: map[cohortKey]*cohort{}, places: map[cohortKey][]place{}, moved: map[cohortKey][]place{}}
}

// row is the row of lines.
func (c *Collector) row(key string) *Row {
	r := c.rows[key]
	if r == nil {
		r = newRow(key)
		c.rows[key] = r
	}
	return r
}

// rowsOf are those in which lines count.
func (c *Collector) rowsOf(l Lines) []*Row {
	if c.request.By == Nothing {
		return []*Row{c.totals}
	}
	return []*Row{c.totals, c.row(c.key(l))}
}

// key names the row of lines.
func (c *Collector) key(l Lines) string {
	if c.request.By == Path {
		return Directory(string(l.Path), max(c.request.Depth, 1))
	}
	if name, ok := commitKey(c.request.By, l.Commit); ok {
		return name
	}
	switch l.Owner.Kind {
	case attribution.Agent:
		return partKey(c.request.By, l.Owner)
	case attribution.Human:
		return HumanRow
	}
	return UnknownRow
}

// commitKey names the row of a commit, if rows are commits'.
func commitKey(by By, c *Commit) (string, bool) {
	switch by {
	case Week:
		return WeekOf(c.When), true
	case Author:
		return cmp.Or(c.Author, NoName), true
	case Branch:
		return cmp.Or(c.Branch, NoName), true
	}
	return "", false
}

// partKey names the row of a session's part.
func partKey(by By, o *Owner) string {
	switch by {
	case Session:
		return cmp.Or(o.Session, NoName)
	case Agent:
		return cmp.Or(o.Agent, NoName)
	}
	return cmp.Or(o.Model, NoName)
}

// WeekOf is the ISO week of a time, with the day of its Monday.
func WeekOf(t time.Time) string {
	t = t.UTC()
	year, week := t.ISOWeek()
	return fmt.Sprintf("%d-W%02d %s", year, week, Monday(t).Format(time.DateOnly))
}

// Monday is the beginning of a time's week, in UTC.
func Monday(t time.Time) time.Time {
	day := t.UTC().Truncate(24 * time.Hour)
	return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
}

// Directory is the directory of a file, down to a depth; "./" for one at the top.
func Directory(path string, depth int) string {
	names := strings.Split(path, "/")
	if len(names) == 1 {
		return "./"
	}
	return strings.Join(names[:min(depth, len(names)-1)], "/") + "/"
}

// Commit counts a commit, also one without lines.
func (c *Collector) Commit(commit *Commit) {
	c.totals.count(commit)
	if key, ok := commitKey(c.request.By, commit); ok {
		c.row(key).count(commit)
	}
}

// Added counts lines as attribution does.
func (c *Collector) Added(l Lines, n int) {
	for _, r := range c.rowsOf(l) {
		r.count(l.Commit)
		r.added(l, n)
	}
}

// Edited counts lines that humans changed in a checkpoint's commit.
func (c *Collector) Edited(commit *Commit, n int) {
	c.totals.Edited += n
	if key, ok := commitKey(c.request.By, commit); ok {
		c.row(key).Edited += n
	}
}

// Spent counts a session's part in a checkpoint.
func (c *Collector) Spent(s Spent) {
	c.totals.spent(s)
	switch key, ok := commitKey(c.request.By, s.Commit); {
	case c.request.By == Nothing || c.request.By == Path:
	case ok:
		c.row(key).spent(s)
	default:
		c.row(partKey(c.request.By, s.Owner)).spent(s)
	}
}

// Born counts what became of lines.
func (c *Collector) Born(l Lines, lives []Lifespan) {
	all, alive := 0, 0
	for _, life := range lives {
		if all += life.N; life.Died.IsZero() {
			alive += life.N
		}
	}
	c.follow(l, lives)
	for _, r := range c.rowsOf(l) {
		r.count(l.Commit)
	}
	switch turn := turnOf(l.Owner); {
	case l.Generated:
	case l.Owner.Kept: // they were brought before, and count there
		c.moved[turn] = append(c.moved[turn], place{l, 0, alive})
	case l.Owner.Kind == attribution.Agent:
		c.places[turn] = append(c.places[turn], place{l, all, alive})
	default:
		c.born(place{l, all, alive})
	}
}

// born counts the lines of a place in its rows.
func (c *Collector) born(p place) {
	for _, r := range c.rowsOf(p.lines) {
		r.Born.add(p.lines.Owner.Kind, p.born)
		r.Alive.add(p.lines.Owner.Kind, p.alive)
	}
}

// Result is what was added up.
func (c *Collector) Result() Result {
	// Only now are all places known in which a turn's moved lines may have been before.
	for turn, places := range c.places {
		settle(places, c.moved[turn], func(a, b Lines) bool { return c.key(a) == c.key(b) })
		for _, p := range places {
			c.born(p)
		}
	}
	c.totals.finish()
	result := Result{By: c.request.By, Totals: *c.totals, Groups: []Row{}, Rows: len(c.rows), Survival: c.survival(), Prompts: c.prompts()}
	for _, r := range c.sorted() {
		r.finish()
		result.Groups = append(result.Groups, *r)
	}
	return result
}

// sorted are the rows: weeks by time, others by lines, the agents' first; those beyond the limit
// are one row.
func (c *Collector) sorted() []*Row {
	all := slices.SortedFunc(maps.Values(c.rows), func(a, b *Row) int {
		if c.request.By == Week {
			return strings.Compare(b.Key, a.Key)
		}
		return cmp.Or(cmp.Compare(b.Agent, a.Agent), cmp.Compare(b.All()+b.Others, a.All()+a.Others), strings.Compare(a.Key, b.Key))
	})
	if most := c.request.Most; most > 0 && len(all) > most {
		rest := newRow(fmt.Sprintf("(%d others)", len(all)-most))
		for _, r := range all[most:] {
			rest.plus(r)
		}
		all = append(all[:most:most], rest)
	}
	if c.request.By == Week {
		slices.Reverse(all)
	}
	return all
}
