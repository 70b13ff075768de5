// Package report writes what is recorded of a commit, a checkpoint or a session as one
// self-contained HTML page, on which all data from transcripts, files and names is plain text.
package report

import (
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/transcript"
)

// Page is the content of the page. All texts are clean: see clean.
type Page struct {
	Kind     string            `json:"kind"` // commit, checkpoint, stream, session, range
	Name     string            `json:"name"` // in full
	Title    string            `json:"title"`
	Branch   string            `json:"branch,omitempty"`
	Lines    Lines             `json:"lines"`
	Tokens   *transcript.Usage `json:"token_usage,omitempty"` // of the checkpoints shown; of a session, all of its own
	Summary  *Summary          `json:"summary"`
	Sessions []Session         `json:"sessions"`
	Chapters []Chapter         `json:"chapters"`
	Notes    []string          `json:"notes"`
	Gaps     []string          `json:"gaps,omitempty"` // why the lines are not all counted, in words
	Absent   bool              `json:"-"`              // because of a checkpoint that is not here, among others
	Version  string            `json:"cli_version"`

	Home      string `json:"-"` // the page of the whole repository; empty: there is none
	HomeTitle string `json:"-"`

	Damage []string `json:"-"` // for stderr; the notes name it in its place
}

// Lines counts new lines by author, and removed lines.
type Lines struct {
	Agent   int `json:"agent"`
	Other   int `json:"other_sessions"`
	Human   int `json:"human"`
	Unknown int `json:"unknown"`
	Removed int `json:"removed"`
	// Moved are those of the agents' lines that a commit without a link only moves or formats. Its
	// own counts have them, and no total has: they count where they were brought.
	Moved int `json:"moved,omitempty"`
	// Again are lines that an older chapter also brings; no sum has them.
	Again int `json:"again,omitempty"`

	movedAgent, movedOther int // those of Moved that Agent and Other have
}

// All is the number of new lines.
func (l Lines) All() int { return l.Agent + l.Other + l.Human + l.Unknown }

// brought are the lines without those that are only moved.
func (l Lines) brought() Lines {
	l.Agent, l.Other = l.Agent-l.movedAgent, l.Other-l.movedOther
	l.movedAgent, l.movedOther = 0, 0
	return l
}

// Add adds another count.
func (l *Lines) Add(m Lines) {
	l.Agent, l.Other, l.Human, l.Unknown, l.Removed = l.Agent+m.Agent, l.Other+m.Other, l.Human+m.Human, l.Unknown+m.Unknown, l.Removed+m.Removed
	l.Moved, l.movedAgent, l.movedOther = l.Moved+m.Moved, l.movedAgent+m.movedAgent, l.movedOther+m.movedOther
	l.Again += m.Again
}

// once are the lines as totals count them: without those that are only moved, and those that are
// brought again.
func (l Lines) once(again Lines) Lines {
	l = l.brought()
	l.Agent, l.Other, l.Human, l.Unknown = l.Agent-again.Agent, l.Other-again.Other, l.Human-again.Human, l.Unknown-again.Unknown
	l.Again = again.All()
	return l
}

// sum is the count of new lines with all sessions' together.
func (l Lines) sum() attribution.Sum {
	l = l.brought()
	return attribution.Sum{Agent: l.Agent + l.Other, Human: l.Human, Unknown: l.Unknown}
}

// anyAgents is the count with all sessions' lines together.
func (l Lines) anyAgents() Lines {
	l = l.brought()
	l.Agent, l.Other = l.Agent+l.Other, 0
	return l
}

// Session is a conversation.
type Session struct {
	ID      string   `json:"session_id"`
	Agent   string   `json:"agent,omitempty"`
	Model   string   `json:"model,omitempty"`
	Turns   []Turn   `json:"turns"`
	Dropped int      `json:"turns_left_out"`
	Notes   []string `json:"notes"`

	Withheld bool   `json:"-"` // the transcript is encrypted for others, or was dropped
	Page     string `json:"-"` // its own; empty: it has none
}

// Turn is one turn of a conversation.
type Turn struct {
	ID      string            `json:"id"` // on the page
	Number  int               `json:"number"`
	Turn    string            `json:"turn_id,omitempty"` // as it is recorded; empty: not known
	Prompt  string            `json:"prompt"`
	Began   time.Time         `json:"began,omitzero"`
	Seconds float64           `json:"seconds,omitempty"`
	Said    []Words           `json:"said"`
	Tools   []transcript.Tool `json:"tools"`
	Tokens  transcript.Usage  `json:"token_usage"`
	LeftOut int               `json:"bytes_left_out,omitempty"`
	Of      []string          `json:"chapters"` // names of the chapters whose work it is part of
	Lines   int               `json:"lines"`    // of the chapters, of this turn
	Files   []TurnFile        `json:"files"`
	// Uses are what its tools were given, without the contents that they wrote.
	Uses      []transcript.ToolUse `json:"uses"`
	MoreUses  int                  `json:"uses_left_out,omitempty"`
	Dismissed string               `json:"dismissed,omitempty"`     // where its work is, if the user dismissed it
	Gone      bool                 `json:"no_lines_here,omitempty"` // its tools wrote files, and its commits have no line of it
}

// Here reports whether the turn is part of the page's subject.
func (t Turn) Here() bool { return len(t.Of) > 0 }

// Words are a message of the conversation.
type Words struct {
	Who  string `json:"who"` // assistant, or agent for a subagent
	Text string `json:"text"`
}

// Chapter is a commit, or uncommitted work: its changes and their authors.
type Chapter struct {
	Name        string   `json:"name"`             // also the place on the page
	Commit      *Commit  `json:"commit,omitempty"` // nil: missing, or not made yet
	Also        []Commit `json:"other_commits"`    // that link it
	Checkpoints []string `json:"checkpoints"`
	Stream      string   `json:"stream,omitempty"` // the branch of uncommitted work
	Lines       Lines    `json:"lines"`
	Against     string   `json:"against,omitempty"`
	Files       []File   `json:"files"`
	MoreFiles   int      `json:"files_left_out"`
	Graph       []Step   `json:"graph"`
	Owners      []*Owner `json:"owners"`
	Notes       []string `json:"notes"`

	Page string `json:"-"` // the commit's own; empty: it has none
}

// Commit is a commit.
type Commit struct {
	ID      string    `json:"commit"`
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	When    time.Time `json:"when"`
}

// Short is the beginning of its ID.
func (c Commit) Short() string { return c.ID[:min(7, len(c.ID))] }

// Kinds of authors.
const (
	Agent   = "agent" // of the page's session, or of the first one
	Other   = "other" // another session's agent
	Human   = "human"
	Unknown = "unknown"
)

// Owner is an author of lines in a chapter.
type Owner struct {
	Kind    string   `json:"kind"`
	Mark    string   `json:"mark"` // beside each line
	Session string   `json:"session_id,omitempty"`
	Agent   string   `json:"agent,omitempty"`
	Turn    string   `json:"turn_id,omitempty"`
	Prompt  string   `json:"prompt,omitempty"`
	On      []string `json:"turns"` // on the page; several if ambiguous
	Numbers []int    `json:"-"`     // of those turns
	Lines   int      `json:"lines"`
	Tint    string   `json:"-"` // the class of its colour

	in    map[string]int // its lines by file
	again map[string]int // of these, those that an older chapter brings, too
	apart int            // of the others, those in generated and vendored files
	moved bool           // the commit has no link, and only moves or formats them
}

// File is the change of a file in a chapter.
type File struct {
	ID      string `json:"id"` // on the page
	Path    string `json:"path"`
	Was     string `json:"was,omitempty"` // its old name
	What    string `json:"what"`          // added, deleted, changed, renamed
	Mode    string `json:"mode,omitempty"`
	Note    string `json:"note,omitempty"` // instead of lines
	Lines   Lines  `json:"lines"`
	Hunks   []Hunk `json:"hunks"`
	LeftOut int    `json:"lines_left_out,omitempty"`

	path  gitexec.Path // as git has it, and not as it is shown
	again Lines        // of Lines, those that an older chapter brings, too
}

// Hunk is a change with lines of context.
type Hunk struct {
	Head string `json:"head"`
	Rows []Row  `json:"rows"`
}

// Row is a line of a hunk.
type Row struct {
	Sign  string `json:"sign"` // "+", "-", " ", or "\" for a remark on the line before
	Old   int    `json:"old,omitempty"`
	New   int    `json:"new,omitempty"`
	Text  string `json:"text"`
	Owner *Owner `json:"-"`
	Mark  string `json:"owner,omitempty"` // its owner's
	Leads bool   `json:"-"`               // the line before has another author
}

// Step is a node of the graph.
type Step struct {
	Kind  string `json:"kind"` // base, human, agent, other, unknown, commit, checkpoint, more
	Label string `json:"label"`
	More  string `json:"more,omitempty"`
	On    string `json:"on,omitempty"` // the place on the page that says more
	Tint  string `json:"-"`            // the class of its colour
}
