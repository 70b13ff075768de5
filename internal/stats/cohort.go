package stats

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/ledger"
)

// ages are the weeks after which lines are looked at.
var ages = []int{1, 2, 4, 8, 12, 26, 52}

const week = 7 * 24 * time.Hour

// Age is what was alive some weeks after it was committed, of the lines that are as old.
type Age struct {
	Weeks int    `json:"weeks"`
	Agent Living `json:"agent"`
	Human Living `json:"human"`
}

// Living is how many of some lines are alive.
type Living struct {
	Lines   int      `json:"brought_lines"` // that are as old
	Alive   int      `json:"alive_lines"`
	Percent *float64 `json:"percentage"` // nil: there are no lines
}

// Prompt is a prompt of whose lines many died within a week.
type Prompt struct {
	Session    string      `json:"session_id"`
	Turn       string      `json:"turn_id"`
	Checkpoint string      `json:"checkpoint_id"`
	Commit     gitexec.OID `json:"commit"`
	When       time.Time   `json:"when"`
	Prompt     string      `json:"prompt"` // in a line
	Written    int         `json:"agent_lines"`
	Died       int         `json:"died_lines"` // within a week
	Alive      int         `json:"alive_lines"`
}

// cohortKey names a cohort: the lines of a turn in a commit, or those of the human.
type cohortKey struct {
	commit                    gitexec.OID
	checkpoint, session, turn string
}

// turnOf is the key of an agent's turn, whatever commits have its lines.
func turnOf(o *Owner) cohortKey { return cohortKey{"", o.Checkpoint, o.Session, o.Turn} }

// cohort is lines that were committed together.
type cohort struct {
	cohortKey
	lines   Lines // the first of them
	when    time.Time
	written int
	alive   []int // after the weeks of ages
	now     int
	early   int // removed within a week
}

// follow adds what became of lines to their cohort. Lines that a commit only moves are of the first
// one: they lived on.
func (c *Collector) follow(l Lines, lives []Lifespan) {
	if l.Generated || l.Owner.Kind != attribution.Agent && l.Owner.Kind != attribution.Human {
		return
	}
	turn := turnOf(l.Owner)
	key, among := turn, c.cohorts
	key.commit = l.Commit.ID
	if l.Owner.Kind == attribution.Human {
		among = c.humans
	}
	if l.Owner.Kept {
		if first := c.known[turn]; first != nil {
			first.add(l.Commit.When, lives, false)
		}
		return
	}
	one := among[key]
	if one == nil {
		one = &cohort{cohortKey: key, lines: l, when: l.Commit.When, alive: make([]int, len(ages))}
		if among[key] = one; c.known[turn] == nil && l.Owner.Kind == attribution.Agent {
			c.known[turn] = one
		}
	}
	one.add(l.Commit.When, lives, true)
}

func (k *cohort) add(born time.Time, lives []Lifespan, own bool) {
	for _, life := range lives {
		if own {
			k.written += life.N
		}
		if life.Died.IsZero() {
			k.now += life.N
		}
		for i, age := range ages {
			at := k.when.Add(time.Duration(age) * week)
			if !born.After(at) && (life.Died.IsZero() || life.Died.After(at)) {
				k.alive[i] += life.N
			}
		}
		early := k.when.Add(week)
		switch {
		case own && !life.Died.IsZero() && !life.Died.After(early):
			k.early += life.N
		case !own && !born.After(early) && (life.Died.IsZero() || life.Died.After(early)):
			k.early -= life.N // it only moved
		}
	}
}

// survival is what was alive after each age.
func (c *Collector) survival() []Age {
	all := []Age{}
	for i, weeks := range ages {
		one := Age{Weeks: weeks, Agent: c.living(c.cohorts, i), Human: c.living(c.humans, i)}
		if one.Agent.Lines+one.Human.Lines > 0 {
			all = append(all, one)
		}
	}
	return all
}

// living adds up the cohorts that are as old.
func (c *Collector) living(among map[cohortKey]*cohort, age int) (all Living) {
	for _, k := range among {
		if !k.when.Add(time.Duration(ages[age]) * week).After(c.request.Now) {
			all.Lines += k.written
			all.Alive += min(k.alive[age], k.written)
		}
	}
	if all.Lines > 0 {
		percent := ledger.Percent(all.Alive, all.Lines)
		all.Percent = &percent
	}
	return all
}

// prompts are those of which at least half of the lines died within a week, the most lines first.
func (c *Collector) prompts() []Prompt {
	by := map[cohortKey]*Prompt{}
	for _, k := range slices.SortedFunc(maps.Values(c.cohorts), func(a, b *cohort) int {
		return cmp.Or(a.when.Compare(b.when), strings.Compare(string(a.commit), string(b.commit)))
	}) {
		turn := cohortKey{"", "", k.session, k.turn}
		p := by[turn]
		if p == nil {
			p = &Prompt{Session: k.session, Turn: k.turn, Checkpoint: k.checkpoint, Commit: k.commit, When: k.when}
			by[turn] = p
		}
		p.Written, p.Died, p.Alive = p.Written+k.written, p.Died+max(k.early, 0), p.Alive+min(k.now, k.written)
	}
	all := []Prompt{}
	for _, p := range by {
		if p.Died > 0 && 2*p.Died >= p.Written {
			all = append(all, *p)
		}
	}
	slices.SortFunc(all, func(a, b Prompt) int {
		return cmp.Or(cmp.Compare(b.Died, a.Died), a.When.Compare(b.When), strings.Compare(a.Session, b.Session), strings.Compare(a.Turn, b.Turn))
	})
	return all
}
