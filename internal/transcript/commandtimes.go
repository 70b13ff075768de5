package transcript

import (
	"context"
	"encoding/json"
	"io"
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
	f, size, err := open(path)
	if err != nil {
		return nil, false, failed(path, err)
	}
	defer f.Close()
	if size > maxNew {
		return nil, false, failed(path, ErrTooLarge)
	}
	complete = true
	var running Span // since the first of the uses without a result yet; zero: none
	end := func() {
		if !running.Begin.IsZero() && !running.End.IsZero() {
			spans, running = append(spans, running), Span{}
		}
	}
	err = lines(io.NewSectionReader(f, 0, size), func(line []byte) error {
		if toolOutput(line) {
			if at := timeOf(line); !running.Begin.IsZero() {
				complete = complete && !at.IsZero()
				running.End = at
			}
			return ctx.Err()
		}
		rec, ok := decode(line)
		switch {
		case !ok:
			complete = complete && line != nil && (line[len(line)-1] == '\n' || json.Valid(line)) // else it may hold anything
			return ctx.Err()
		case rec.who != typeAssistant:
			complete = complete && rec.notifies == nil
			return ctx.Err()
		}
		end()
		for _, b := range rec.blocks {
			switch {
			case b.tool == "" || b.effect != unknownEffect:
			case rec.when.IsZero():
				complete = false
			default:
				if running.Begin.IsZero() {
					running.Begin = rec.when
				}
				running.Commands += string(line[:min(len(line), maxCommands-len(running.Commands))])
			}
		}
		return ctx.Err()
	})
	if end(); !running.Begin.IsZero() {
		spans = append(spans, running)
	}
	if err != nil {
		return nil, false, failed(path, err)
	}
	return spans, complete, nil
}
