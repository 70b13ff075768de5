package transcript

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

// Span is a time in which commands ran. A zero End says that the last one had not ended.
type Span struct{ Begin, End time.Time }

// few is how exactly a file's time stamp and a record's tell the same moment.
const few = time.Second

// Spans are times in which commands ran, in order.
type Spans []Span

// Has reports whether commands ran at a time.
func (s Spans) Has(at time.Time) bool {
	for _, one := range s {
		if !at.Before(one.Begin.Add(-few)) && (one.End.IsZero() || !at.After(one.End.Add(few))) {
			return true
		}
	}
	return false
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
			case running.Begin.IsZero():
				running.Begin = rec.when
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
