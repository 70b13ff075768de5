// Package transcript reads an agent's append-only JSONL transcript as it grows: Claude Code's,
// Codex's, Gemini CLI's, Copilot CLI's, Qwen Code's, OpenCode's, pi's, in which our plugin
// writes Cline's, Kimi Code's, or in the format that any program can write.
package transcript

// What an earlier reading recorded is verified by its hash and neither parsed nor stored again;
// what is kept is the file's own bytes, whatever they are.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"time"
)

// maxParse is the longest line, in bytes, that is parsed. A longer one holds a
// tool's output, never a prompt or an answer, and is stored unparsed.
const maxParse = 16 << 20

// Part is what a reading found beyond a Position.
type Part struct {
	// Restarted tells that the file no longer begins with what was recorded
	// (it was rewritten or truncated, or its last line went on): the Part then
	// describes the whole transcript, and earlier chunks and tokens are void.
	Restarted bool
	// Again tells that messages which were counted before are in it once more.
	Again bool
	// Position is where the next reading begins.
	Position Position
	// Usage counts the tokens of the new records alone, or, with Again, what
	// is beyond those that were counted. Of a message that
	// began in an earlier reading it has the difference only, so that the
	// Parts of a transcript add up to the whole; a single field of a
	// difference can be negative.
	Usage Usage
	// LastText is the last text that the assistant wrote in the new records,
	// subagents apart; "" if none.
	LastText string
	// Queued are the prompts among the new records that the user entered while the agent was at
	// work: no event names them.
	Queued []string
	// Title is what the user or the agent called the session last; "" if nothing new is said.
	Title string
	// Model is the model of the last assistant record among the new ones,
	// subagents apart; "" if none.
	Model string
}

// Chunk takes one chunk of what is new: records, cut at line ends, without the
// final newline. It is at most ChunkSize bytes, unless a single line is
// longer, and empty if the record is a blank line; it is void afterwards.
// restarted is Part.Restarted.
type Chunk func(chunk []byte, restarted bool) error

// Read reads what is new in the file at path since pos, and gives it chunk by
// chunk: what it has in memory is one chunk, whatever the file's size. A last
// line without newline is taken if it is valid JSON; else it is half-written,
// and left for the next reading, as is what half of the context's time does
// not suffice for.
//
// The chunks of all readings since the last restart, joined by "\n", are the
// file's first Position.Bytes bytes, without their final newline.
//
// An error is each's as it is, or names the path and wraps what the system
// said (fs.ErrNotExist, fs.ErrPermission) or the context's error; ErrNone; ErrTooLarge
// if more than maxNew bytes are new, ErrShorter if the file was cut meanwhile.
func Read(ctx context.Context, path string, pos Position, each Chunk) (Part, error) {
	if err := check(path); err != nil {
		return Part{}, err
	}
	return read(ctx, path, pos, portionOf(ctx), each)
}

// limits are how much a reading takes: chunks of a size, none after a time; the zero time: all.
type limits struct {
	chunk int
	until time.Time
}

// portionOf are the limits of a reading with half of the time that is left: who reads has work to
// do with what was read.
func portionOf(ctx context.Context) limits {
	l := limits{chunk: ChunkSize}
	if deadline, ok := ctx.Deadline(); ok {
		l.until = time.Now().Add(time.Until(deadline) / 2)
	}
	return l
}

// over reports whether no more is to be read.
func (l limits) over() bool { return !l.until.IsZero() && time.Now().After(l.until) }

func read(ctx context.Context, path string, pos Position, most limits, each Chunk) (Part, error) {
	f, size, err := open(path)
	if err != nil {
		return Part{}, failed(path, err)
	}
	defer f.Close()
	at, err := resume(ctx, f, size, pos)
	if err != nil {
		return Part{}, failed(path, err)
	}
	if size-at.pos.Bytes > maxNew {
		return Part{}, failed(path, ErrTooLarge)
	}
	part := Part{Restarted: at.restarted, Position: at.pos}
	text, err := whole(ctx, f, at.pos.Bytes, size)
	if err != nil {
		return Part{}, failed(path, err)
	}
	// Nothing is new, or no line is written to its end yet.
	if text.taken == text.from {
		return part, nil
	}
	cut := cutter{ctx: ctx, stretch: text, f: f, size: most.chunk}
	count := newTally(at.pos.Recent)
	if at.restarted {
		// By these messages it shows whether a rewritten file has again what was counted before.
		count.before = pos.Recent
	}
	for first := at.pos.Bytes == 0; ; first = false {
		chunk, more, err := cut.next()
		if err != nil {
			return Part{}, failed(path, err)
		}
		if !more {
			break
		}
		if !first {
			at.sum.Write(newline)
		}
		at.sum.Write(chunk)
		// Of the lines that are another session's, those that are still to come.
		copied := at.pos.Copied - at.pos.Lines
		err = beside(func() error { return each(chunk, at.restarted) }, func() { part.parse(chunk, copied, count) })
		if err != nil {
			return Part{}, err
		}
		// A chunk lacks its last newline.
		at.pos.Lines += bytes.Count(chunk, newline) + 1
		// The rest is the next reading's. Each reading takes one chunk at least, and so comes to an
		// end.
		if !cut.done && most.over() {
			text.taken = cut.from
			break
		}
	}
	at.pos.Bytes, at.pos.SHA256, at.pos.Recent = text.taken, hex.EncodeToString(at.sum.Sum(nil)), count.recent()
	part.Usage, part.Again = count.total, count.again
	at.pos.Used = count.total
	switch {
	case !at.restarted:
		at.pos.Used = pos.Used.Add(count.total)
	case count.again:
		// What is in the file again counts once.
		part.Usage = count.total.Less(pos.Used)
	}
	part.Position = at.pos
	return part, nil
}

// beside runs two functions at once. A panic of the other one is the caller's, too.
func beside(one func() error, other func()) error {
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		other()
	}()
	err := one()
	if p := <-panicked; p != nil {
		panic(p)
	}
	return err
}

// parse takes what lines say. The first copied ones of them are another session's.
func (p *Part) parse(lines []byte, copied int, count *tally) {
	for line := range bytes.Lines(lines) {
		copied--
		if toolOutput(line) {
			continue
		}
		rec, ok := decode(line)
		switch {
		case !ok:
		case copied >= 0:
			count.known(rec)
		default:
			p.note(rec)
			count.note(rec)
		}
	}
}

// note takes a record's words. A subagent's are not the session's.
func (p *Part) note(rec record) {
	if rec.subagent || rec.madeUp {
		return
	}
	if rec.queued && rec.prompt != "" {
		p.Queued = append(p.Queued, rec.prompt)
	}
	// The last one that says something.
	p.Title = cmp.Or(rec.title, p.Title)
	p.Model = cmp.Or(rec.model, p.Model)
	p.LastText = cmp.Or(rec.lastText(), p.LastText)
}
