package transcript

import (
	"cmp"
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
	// Ran are the commands in these, but for what failed or was refused and has no other command in
	// it, which may have been done before.
	Ran []string

	uses []string // the IDs of what ran
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

// Ran reports whether one of these commands may have saved a file at a time.
func (s Spans) Ran(at time.Time) bool { return s.distance(at) <= few }

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
	c := commandClock{complete: true, counts: block.runs}
	err = c.readAll(ctx, path, 0, time.Time{})
	return c.spans, c.complete, err
}

// Working is when an agent and its subagents used tools that may write a file, whatever they
// wrote: a program that the agent's settings name may run after each.
type Working struct {
	Spans
	Last time.Time // of the latest record; zero: not known
}

// WorkingTimes is Working in a part of a transcript, and of subagents that were at work since a
// time. complete and errors are those of CommandTimes; but without a single result, of whatever
// tool, the format may have none, and the record of a use may be as late as its end.
func WorkingTimes(ctx context.Context, path string, from int64, since time.Time) (w Working, complete bool, err error) {
	c := commandClock{complete: true, each: true, counts: func(b block) bool { return b.tool != "" && b.effect != reads }}
	err = c.readAll(ctx, path, from, since)
	return Working{c.spans, timeOf(c.last)}, c.complete && c.results, err
}

// Since drops the spans that ended before a time.
func (w *Working) Since(began time.Time) {
	w.Spans = slices.DeleteFunc(w.Spans, func(one Span) bool { return !one.End.IsZero() && one.End.Before(began) })
}

// Apart reports whether a file was saved, at a time, by none of these tools: none ran within a
// while before or after, no command until then names the file, and the agent went on for a while.
// apart is that while. A file that is new may be any earlier command's.
func (w Working) Apart(name string, isNew bool, at time.Time) bool {
	return w.distance(at) > apart && w.Last.Sub(at) > apart && !w.may(name, isNew, at)
}

// After reports whether a file was saved, at a time, after these tools had been stopped, and no
// command names it.
func (w Working) After(name string, stopped, at time.Time) bool {
	return at.Sub(stopped) > few && !w.may(name, false, at)
}

// may reports whether a command that began before a time may have written a file, by its name.
func (w Working) may(name string, isNew bool, before time.Time) bool {
	name = escaped.Replace(name)
	return slices.ContainsFunc(w.Spans, func(one Span) bool {
		return one.Commands != "" && one.Begin.Before(before) && (isNew || strings.Contains(one.Commands, name))
	})
}

const apart = 3 * time.Second

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`) // as in JSON

func (c *commandClock) readAll(ctx context.Context, path string, from int64, since time.Time) error {
	if err := c.read(ctx, path, from); err != nil {
		*c = commandClock{}
		return err
	}
	subagents, whole := subagentsSince(path, since)
	c.complete = c.complete && whole
	for _, file := range subagents {
		sub := commandClock{complete: true, each: c.each, counts: c.counts}
		err := sub.read(ctx, file, 0)
		c.spans, c.complete = append(c.spans, sub.spans...), c.complete && sub.complete && err == nil
		c.results = c.results || sub.results
	}
	return nil
}

func (c *commandClock) read(ctx context.Context, path string, from int64) error {
	err := eachLine(ctx, path, from, c.line)
	c.end()
	if c.running.Begin = cmp.Or(c.running.Begin, c.waits); !c.running.Begin.IsZero() {
		if c.each {
			c.running.End = time.Time{} // what ended is not all that ran
		}
		c.spans = append(c.spans, c.running)
	}
	return err
}

// commandClock reads the lines of a transcript for the times of commands.
type commandClock struct {
	counts  func(block) bool // the uses of tools that count
	each    bool             // a span waits for a result of each use, and what goes on unseen counts
	open    int              // uses without a result, of all tools
	spans   Spans
	running Span // since the first of the uses without a result yet; zero: none
	// waits is when the first of the tools was used that write the files that they name, and that
	// have no result yet; zero: none.
	waits    time.Time
	complete bool
	results  bool   // the format has results of tools
	last     []byte // record of a tool's, or of the agent's
}

// end ends the span of commands that all have their results.
func (c *commandClock) end() {
	if !c.running.Begin.IsZero() && !c.running.End.IsZero() && (!c.each || c.open == 0) {
		c.spans, c.running, c.waits = append(c.spans, c.running), Span{}, time.Time{}
	}
}

func (c *commandClock) line(line []byte) {
	if f, ok := outputFormat(line); ok {
		c.result(line, f.results)
		c.fail(f.results.failures(line))
		c.results = true
		return
	}
	rec, ok := decode(line)
	switch {
	case !ok:
		c.complete = c.complete && noRecord(line)
	case rec.who != typeAssistant:
		c.complete = c.complete && rec.notifies == nil
	default:
		c.last = append(c.last[:0], line...)
		c.end()
		for _, b := range rec.blocks {
			if b.tool != "" {
				c.open++
			}
			if c.counts(b) {
				c.run(rec.when, b, line)
			}
		}
	}
}

// result notes the results of tools that a line has. A tool that writes the file it names has
// just done so: before, it may have waited for the user to allow it. What it says is no word of a
// command's.
func (c *commandClock) result(line []byte, r results) {
	c.last = append(c.last[:0], line...)
	c.open = max(0, c.open-r.count(line))
	at, waited := timeOf(line), c.running.Begin.IsZero() && !c.waits.IsZero()
	if waited {
		c.running.Begin = cmp.Or(at, c.waits)
	}
	if !c.running.Begin.IsZero() {
		c.complete = c.complete && !at.IsZero() && (!c.each || waited || !r.goesOn(line))
		c.running.End = at
	}
}

// fail drops commands that did nothing, by the IDs of uses that failed.
func (c *commandClock) fail(failed []string) {
	for _, use := range failed {
		i := slices.Index(c.running.uses, use)
		if i >= 0 && !strings.ContainsAny(c.running.Ran[i], ";|&\n") {
			c.running.Ran, c.running.uses = slices.Delete(c.running.Ran, i, i+1), slices.Delete(c.running.uses, i, i+1)
		}
	}
}

// run notes the use of a tool that may have saved something.
func (c *commandClock) run(when time.Time, b block, line []byte) {
	if when.IsZero() || c.each && detaches(b.command) {
		c.complete = false
	}
	if when.IsZero() {
		return
	}
	if b.effect == writes {
		c.waits = cmp.Or(c.waits, when)
		return
	}
	if c.running.Begin.IsZero() {
		c.running.Begin = when
	}
	if b.runs() {
		line = line[:min(len(line), maxCommands-len(c.running.Commands))]
		if c.running.Commands += string(line); len(b.command) <= len(line) {
			c.running.Ran, c.running.uses = append(c.running.Ran, b.command), append(c.running.uses, b.id)
			if b.failed {
				c.fail([]string{b.id})
			}
		}
	}
}
