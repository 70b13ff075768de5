package report

import (
	"cmp"
	"fmt"

	"entire-plumb/internal/amount"
	"entire-plumb/shadow"
)

// mostSteps is how many steps of a chapter's graph are drawn; more are skipped in the middle.
const mostSteps = 60

// graph fills in a chapter's graph: for a stream step by step; for a commit, whose stream is
// deleted, from its lines of each turn.
func (c *draft) graph() {
	var parts []Step
	if c.stream != nil {
		parts = c.streamSteps()
	} else {
		for _, o := range c.Owners {
			parts = append(parts, ownersStep(o))
		}
	}
	if over := len(parts) - mostSteps; over > 0 {
		// The first and the last steps say most: where the work began, and what was committed.
		half := mostSteps / 2
		parts = append(append(append([]Step{}, parts[:half]...), Step{Kind: "more", Label: fmt.Sprintf("%d more", over)}),
			parts[half+over:]...)
	}
	base := c.base
	if base.Kind == "" {
		base = Step{Kind: "base", Label: "base unknown"}
	}
	c.Graph = append(append(c.Graph, base), parts...)
	switch {
	case c.stream != nil:
		c.Graph = append(c.Graph, Step{Kind: "waiting", Label: "not committed", More: c.Stream})
		return
	case c.Commit != nil:
		c.Graph = append(c.Graph, Step{Kind: "commit", Label: c.Commit.Short(), More: c.Commit.Subject})
	default:
		c.Graph = append(c.Graph, Step{Kind: "commit", Label: "the commit no longer exists"})
	}
	for _, id := range c.Checkpoints {
		c.Graph = append(c.Graph, Step{Kind: "checkpoint", Label: id, More: "checkpoint on entire/checkpoints/v1"})
	}
}

func ownersStep(o *Owner) Step {
	s := Step{Kind: o.Kind, More: o.Prompt, Tint: o.Tint}
	lines := amount.Of(o.Lines, "line")
	switch o.Kind {
	case Human:
		s.Label = "Human, " + lines
	case Unknown:
		s.Label = "Unknown author, " + lines
	default:
		s.Label = fmt.Sprintf("%s %s, %s", o.Mark, cmp.Or(o.Agent, "an agent"), lines)
	}
	if len(o.On) > 0 {
		s.On = o.On[0]
	}
	return s
}

// streamSteps are the steps of a stream.
func (c *draft) streamSteps() []Step {
	var steps []Step
	for _, k := range c.history {
		s := Step{Kind: Human, Label: "Human " + k.ID.Short(), More: oneLine(k.Subject)}
		if k.Part == shadow.Agent {
			s.Kind, s.Label = Agent, "Agent "+k.ID.Short()
			for _, o := range c.Owners {
				if o.Session != k.Session || o.Turn != k.Turn {
					continue
				}
				s.Kind, s.Tint, s.Label = o.Kind, o.Tint, fmt.Sprintf("%s %s %s", o.Mark, cmp.Or(o.Agent, "an agent"), k.ID.Short())
				if len(o.On) > 0 {
					s.On = o.On[0]
				}
			}
			if k.Task != "" {
				s.Label += ", a subagent's task"
			}
		}
		steps = append(steps, s)
	}
	return steps
}
