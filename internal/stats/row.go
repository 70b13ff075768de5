package stats

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/transcript"
)

// Counts are lines by kind of author.
type Counts struct {
	Agent   int `json:"agent_lines"`
	Human   int `json:"human_lines"`
	Unknown int `json:"unknown_lines"`
}

// All is the number of lines.
func (c Counts) All() int { return c.Agent + c.Human + c.Unknown }

func (c *Counts) add(kind attribution.Kind, n int) {
	switch kind {
	case attribution.Agent:
		c.Agent += n
	case attribution.Human:
		c.Human += n
	default:
		c.Unknown += n
	}
}

func (c *Counts) plus(o Counts) {
	c.Agent, c.Human, c.Unknown = c.Agent+o.Agent, c.Human+o.Human, c.Unknown+o.Unknown
}

// Share is the agents' share, in per cent, of the lines with a known author; nil: there are none.
func (c Counts) Share() *float64 {
	if c.Agent+c.Human == 0 {
		return nil
	}
	share := ledger.Percent(c.Agent, c.Agent+c.Human)
	return &share
}

// Tokens are those of one row.
type Tokens struct {
	Input      int `json:"input_tokens"`
	CacheWrite int `json:"cache_creation_tokens"`
	CacheRead  int `json:"cache_read_tokens"`
	Output     int `json:"output_tokens"`
}

// All is the number of tokens.
func (t Tokens) All() int { return t.Input + t.CacheWrite + t.CacheRead + t.Output }

func (t *Tokens) add(u *transcript.Usage) {
	for ; u != nil; u = u.SubagentTokens {
		t.Input, t.CacheWrite, t.CacheRead, t.Output = t.Input+u.InputTokens, t.CacheWrite+u.CacheCreationTokens,
			t.CacheRead+u.CacheReadTokens, t.Output+u.OutputTokens
	}
}

func (t *Tokens) plus(o Tokens) {
	t.Input, t.CacheWrite, t.CacheRead, t.Output = t.Input+o.Input, t.CacheWrite+o.CacheWrite, t.CacheRead+o.CacheRead, t.Output+o.Output
}

// Row is one row of a table, or the totals.
type Row struct {
	Key         string `json:"key,omitempty"`
	Commits     int    `json:"commits"`
	Linked      int    `json:"linked_commits"`
	Checkpoints int    `json:"checkpoints"`

	Counts             // of the linked commits, without generated files
	Others      int    `json:"other_lines"` // of the commits without a link, likewise
	Percent     any    `json:"agent_percentage"`
	Generated   Counts `json:"generated"` // of the linked commits, in generated and vendored files
	OthersApart int    `json:"generated_other_lines"`

	Accepted int    `json:"accepted_lines"`
	Edited   int    `json:"edited_lines"`
	Dropped  any    `json:"dropped_lines"` // null: not recorded
	Born     Counts `json:"brought"`       // with those of commits without a link, without generated files
	Alive    Counts `json:"alive"`         // of these, at HEAD

	Tokens   Tokens  `json:"token_usage"`
	USD      float64 `json:"usd"`
	Unpriced int     `json:"unpriced_tokens"`      // of models without a price
	NoTokens int     `json:"parts_without_tokens"` // sessions' parts in checkpoints that record none

	commits     map[gitexec.OID]bool // whether each is linked
	checkpoints map[string]bool
}

func newRow(key string) *Row {
	return &Row{Key: key, commits: map[gitexec.OID]bool{}, checkpoints: map[string]bool{}}
}

// count counts a commit once.
func (r *Row) count(c *Commit) { r.countOnce(c.ID, c.Linked) }

func (r *Row) countOnce(commit gitexec.OID, linked bool) {
	if _, counted := r.commits[commit]; counted {
		return
	}
	r.commits[commit] = linked
	if r.Commits++; linked {
		r.Linked++
	}
}

// added counts lines as attribution does.
func (r *Row) added(l Lines, n int) {
	switch {
	case !l.Commit.Linked && l.Generated:
		r.OthersApart += n
	case !l.Commit.Linked:
		r.Others += n
	case l.Generated:
		r.Generated.add(l.Owner.Kind, n)
	default:
		r.Counts.add(l.Owner.Kind, n)
		if l.Owner.Kind == attribution.Agent && !l.Owner.Kept {
			r.Accepted += n
		}
	}
}

// spent counts a session's part in a checkpoint.
func (r *Row) spent(s Spent) {
	if !r.checkpoints[s.Owner.Checkpoint] {
		r.checkpoints[s.Owner.Checkpoint] = true
		r.Checkpoints++
	}
	if s.Usage == nil {
		r.NoTokens++
		return
	}
	var t Tokens
	t.add(s.Usage)
	r.Tokens.plus(t)
	if s.Known {
		r.USD += s.USD
	} else {
		r.Unpriced += t.All()
	}
}

// plus adds another row, of other commits or parts.
func (r *Row) plus(o *Row) {
	for id, linked := range o.commits {
		r.countOnce(id, linked)
	}
	for id := range o.checkpoints {
		if !r.checkpoints[id] {
			r.checkpoints[id] = true
			r.Checkpoints++
		}
	}
	r.Counts.plus(o.Counts)
	r.Generated.plus(o.Generated)
	r.Born.plus(o.Born)
	r.Alive.plus(o.Alive)
	r.Tokens.plus(o.Tokens)
	r.Others, r.OthersApart, r.Accepted, r.Edited = r.Others+o.Others, r.OthersApart+o.OthersApart, r.Accepted+o.Accepted, r.Edited+o.Edited
	r.USD, r.Unpriced, r.NoTokens = r.USD+o.USD, r.Unpriced+o.Unpriced, r.NoTokens+o.NoTokens
}

func (r *Row) finish() { r.Percent = r.Share() }
