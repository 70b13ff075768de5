package transcript

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"
)

// Span is a time in which commands ran. A zero End says that the last one had not ended.
type Span struct {
	Begin, End time.Time
	Commands   string // the records of the tools' uses, as they are written, cut at maxCommands
}

// maxCommands is how many bytes of the commands of a span are kept.
const maxCommands = 64 << 10

// A file's time stamp and a record's may tell the same moment that far apart: few at most, and
// grain where the nearer of two agents is asked for.
const (
	few   = time.Second
	grain = 20 * time.Millisecond
)

// Spans are times in which commands ran, in order.
type Spans []Span

// Saved reports whether one of these commands saved a file at a time rather than one of some
// others: theirs ran then or shortly before or after, and the others' not as near to it. Where both
// ran as near, it is the command that names the file.
func (s Spans) Saved(name string, at time.Time, others Spans) bool {
	near, far := s.distance(at), others.distance(at)
	switch {
	case near > few || far < near-grain:
		return false
	case near < far-grain:
		return true
	}
	return s.name(name, at, near+grain) && !others.name(name, at, far+grain)
}

// name reports whether a command that ran as near to a time as that names a file.
func (s Spans) name(name string, at time.Time, within time.Duration) bool {
	return slices.ContainsFunc(s, func(one Span) bool {
		return Spans{one}.distance(at) <= within && strings.Contains(one.Commands, name)
	})
}

// distance tells how far a time is from the nearest one in which commands ran. It is 0 where they
// ran, and the longest there is where none ever did.
func (s Spans) distance(at time.Time) time.Duration {
	nearest := time.Duration(math.MaxInt64)
	for _, one := range s {
		far := max(one.Begin.Sub(at), 0)
		if !one.End.IsZero() {
			far = max(far, at.Sub(one.End))
		}
		nearest = min(nearest, far)
	}
	return nearest
}

// CommandTimes tells when the agent and its subagents used a shell, or a tool of which nobody knows
// what it writes: from its use to its result. complete is false where a record doesn't say, or a
// command went on in the background: then others may have run, too. Errors are those of Read.
func CommandTimes(ctx context.Context, path string) (spans Spans, complete bool, err error) {
	spans, complete, err = commandTimes(ctx, path)
	if err != nil {
		return nil, false, err
	}
	for _, file := range subagentsSince(path, time.Time{}) {
		more, known, err := commandTimes(ctx, file)
		spans, complete = append(spans, more...), complete && known && err == nil
	}
	return spans, complete, nil
}

func commandTimes(ctx context.Context, path string) (spans Spans, complete bool, err error) {
	c := commandClock{complete: true}
	if err := eachLine(ctx, path, 0, c.line); err != nil {
		return nil, false, err
	}
	if c.end(); !c.running.Begin.IsZero() {
		c.spans = append(c.spans, c.running)
	}
	return c.spans, c.complete, nil
}

// commandClock reads the lines of a transcript for the times of commands.
type commandClock struct {
	spans    Spans
	running  Span // since the first of the uses without a result yet; zero: none
	complete bool
}

// end ends the span of commands that all have their results.
func (c *commandClock) end() {
	if !c.running.Begin.IsZero() && !c.running.End.IsZero() {
		c.spans, c.running = append(c.spans, c.running), Span{}
	}
}

func (c *commandClock) line(line []byte) {
	if toolOutput(line) {
		if at := timeOf(line); !c.running.Begin.IsZero() {
			c.complete = c.complete && !at.IsZero()
			c.running.End = at
		}
		return
	}
	rec, ok := decode(line)
	switch {
	case !ok:
		c.complete = c.complete && noRecord(line)
	case rec.who != typeAssistant:
		c.complete = c.complete && rec.notifies == nil
	default:
		c.end()
		for _, b := range rec.blocks {
			if b.runs() {
				c.run(rec.when, line)
			}
		}
	}
}

// run notes the use of a tool that may have saved anything.
func (c *commandClock) run(when time.Time, line []byte) {
	if when.IsZero() {
		c.complete = false
		return
	}
	if c.running.Begin.IsZero() {
		c.running.Begin = when
	}
	c.running.Commands += string(line[:min(len(line), maxCommands-len(c.running.Commands))])
}
