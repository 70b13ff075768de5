// Package stats adds up what is recorded of commits, their lines and what these cost: pure.
package stats

import (
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/transcript"
)

// By is what the rows of a table are.
type By string

// Rows by what a commit is, by what an agent's part is, and by directory.
const (
	Nothing By = ""
	Week    By = "week"
	Author  By = "author"
	Branch  By = "branch"
	Session By = "session"
	Agent   By = "agent"
	Model   By = "model"
	Path    By = "path"
)

// All are the names that a user may give.
var All = []By{Week, Author, Branch, Session, Agent, Model, Path}

// Rows in which the lines are that no agent wrote, in tables by what an agent's part is.
const (
	HumanRow   = "(human)"
	UnknownRow = "(unknown)"
	NoName     = "(none)" // nothing is recorded
)

// Commit is a commit that counts.
type Commit struct {
	ID     gitexec.OID
	When   time.Time
	Author string
	Branch string // on which its checkpoint was made; empty: not known
	Linked bool
}

// Owner is whose lines are.
type Owner struct {
	Kind                      attribution.Kind
	Checkpoint, Session, Turn string
	Agent, Model              string
	Kept                      bool // the commit only moves them, or changes their form
}

// Lines are lines of one file and one owner that a commit brings.
type Lines struct {
	Commit    *Commit
	Path      gitexec.Path
	Owner     *Owner
	Generated bool
}

// Spent is what one session's part in a checkpoint cost.
type Spent struct {
	Commit *Commit // the first that links the checkpoint
	Owner  *Owner
	Usage  *transcript.Usage // nil: not recorded
	USD    float64
	Known  bool // the price is
}

// Request is what to add up.
type Request struct {
	By    By        // required; empty: totals alone
	Depth int       // of directories, by path; 0: 1
	Now   time.Time // required
	Most  int       // rows; 0: all
}

// Lifespan is how many lines a commit brought that were removed at a time.
type Lifespan struct {
	N    int
	Died time.Time // zero: they are alive
}
