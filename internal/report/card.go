package report

import (
	"slices"
	"strings"
	"time"

	"entire-plumb/internal/attribution"
	"entire-plumb/internal/brief"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/transcript"
)

// Limits of what a site's search knows of a turn, in bytes.
const (
	mostSearchedPrompt = 2000
	mostSearchedSaid   = 4000
)

// SessionCard is what the pages of a whole repository say of a session.
type SessionCard struct {
	ID       string           `json:"session_id"`
	Page     string           `json:"page"`
	Title    string           `json:"title"`
	Agent    string           `json:"agent,omitempty"`
	Model    string           `json:"model,omitempty"`
	Began    time.Time        `json:"began,omitzero"`
	Ended    time.Time        `json:"ended,omitzero"`
	Lines    int              `json:"agent_lines"`
	Commits  int              `json:"commits"`
	Tokens   transcript.Usage `json:"token_usage"`
	Cost     Cost             `json:"cost"`
	Turns    []TurnCard       `json:"turns"`
	Withheld bool             `json:"withheld,omitempty"` // its conversation is not on the page
	Added    bool             `json:"added_by_others,omitempty"`
}

// TurnCard is what they say of a turn.
type TurnCard struct {
	Place    string    `json:"place"`
	Number   int       `json:"number"`
	When     time.Time `json:"when,omitzero"`
	Prompt   string    `json:"prompt"`
	Said     string    `json:"said,omitempty"`
	Lines    int       `json:"agent_lines"`
	Tokens   int       `json:"tokens"`
	Cost     Cost      `json:"cost"`
	Rejected bool      `json:"rejected,omitempty"`
}

// CommitCard is what they say of a commit.
type CommitCard struct {
	ID      string     `json:"commit"`
	Page    string     `json:"page"`
	Subject string     `json:"subject"`
	When    time.Time  `json:"when"`
	Lines   Lines      `json:"lines"`
	Files   []FileCard `json:"files"`
	// Generated are generated and vendored files: nothing else on the card counts them.
	Generated []string `json:"generated,omitempty"`

	again Lines // of Lines, those that an older commit brings, too
}

// FileCard is a file in a commit.
type FileCard struct {
	Path  string `json:"path"`
	Lines Lines  `json:"lines"`

	again Lines // likewise
}

// CountOnce keeps the lines of a commit that an older one brings, too, out of sums.
func (c *CommitCard) CountOnce(n attribution.Counted) {
	for _, f := range n.Files {
		if slices.Contains(c.Generated, oneLine(f.Path.Display())) {
			continue
		}
		again := Lines{Agent: f.Again.Agent, Human: f.Again.Human, Unknown: f.Again.Unknown}
		c.again.Add(again)
		for i := range c.Files {
			// The card has the names as they are shown.
			if c.Files[i].Path == oneLine(f.Path.Display()) {
				c.Files[i].again = again
			}
		}
	}
}

// CardOfSession is the card of the session that a page is about. ended is the time of its last
// checkpoint.
func CardOfSession(p Page, table prices.Table, began, ended time.Time) SessionCard {
	card := SessionCard{ID: p.Name, Title: p.Title, Began: began, Ended: ended, Turns: []TurnCard{}}
	for i, s := range p.Sessions {
		if s.ID != p.Name {
			continue
		}
		card.Agent, card.Model, card.Withheld = s.Agent, s.Model, s.Withheld
		sum := p.Summary.Sessions[i]
		card.Lines, card.Commits, card.Tokens, card.Cost = sum.Lines, sum.Commits, sum.Tokens, sum.Cost
		for _, t := range s.Turns {
			card.Turns = append(card.Turns, cardOfTurn(t, s.Model, table))
			if !t.Began.IsZero() && (card.Began.IsZero() || t.Began.Before(card.Began)) {
				card.Began = t.Began
			}
		}
	}
	// A session's page has all of its tokens, and not only those of checkpoints that are shown.
	if p.Tokens != nil {
		card.Tokens = *p.Tokens
	}
	return card
}

func cardOfTurn(t Turn, model string, table prices.Table) TurnCard {
	card := TurnCard{Place: t.ID, Number: t.Number, When: t.Began, Lines: t.Lines, Tokens: t.Tokens.All(), Rejected: t.Dismissed != "" || t.Gone}
	card.Cost.add(table, model, t.Began, t.Tokens)
	card.Prompt, _ = brief.Truncate(t.Prompt, mostSearchedPrompt)
	var said []string
	for _, w := range t.Said {
		said = append(said, w.Text)
	}
	card.Said, _ = brief.Truncate(strings.Join(said, "\n"), mostSearchedSaid)
	return card
}

// CardOfCommit is the card of the commit that a page is about.
func CardOfCommit(p Page) CommitCard {
	card := CommitCard{ID: p.Name, Subject: p.Title, Lines: p.Counted().anyAgents(), Files: []FileCard{}}
	for _, f := range p.Summary.Files {
		if f.Generated {
			card.Generated = append(card.Generated, f.Path)
		}
	}
	for _, c := range p.Chapters {
		if c.Commit != nil {
			card.When = c.Commit.When
		}
		for _, f := range c.Files {
			if !slices.Contains(card.Generated, f.Path) {
				card.Files = append(card.Files, FileCard{Path: f.Path, Lines: f.Lines.anyAgents()})
			}
		}
	}
	return card
}
