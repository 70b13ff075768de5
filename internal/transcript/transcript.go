// Package transcript reads an agent's append-only JSONL transcript (Claude
// Code's format) as it grows. What an earlier reading recorded is verified by
// its hash and neither parsed nor stored again; what is kept is the file's own
// bytes, whatever they are.
package transcript

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
)

// maxParse is the longest line, in bytes, that is parsed. A longer one holds a
// tool's output, never a prompt or an answer, and is stored unparsed.
const maxParse = 16 << 20

// Part is what a reading found beyond a Position.
type Part struct {
	// Restarted tells that the file no longer begins with what was recorded
	// (it was rewritten or truncated, or its last line went on): the Part then
	// describes the whole transcript, and earlier chunks, tokens and prompts
	// are void.
	Restarted bool
	// Chunks are the new records, cut at line ends, without the final newline;
	// nil if there are none. Each is at most ChunkSize bytes, unless a single
	// line is longer. A chunk is empty if the record is a blank line. They
	// share one array.
	Chunks [][]byte
	// Position is where the next reading begins.
	Position Position
	// Usage counts the tokens of the new records alone. Of a message that
	// began in an earlier reading it has the difference only, so that the
	// Parts of a transcript add up to the whole; a single field of a
	// difference can be negative.
	Usage Usage
	// Prompts are what the user asked in the new records, in their order.
	Prompts []string
	// LastText is the last text that the assistant wrote in the new records,
	// subagents apart; "" if none.
	LastText string
	// Model is the model of the last assistant record among the new ones,
	// subagents apart; "" if none.
	Model string
}

// Read reads what is new in the file at path since pos. A last line without
// newline is taken if it is valid JSON; else it is half-written, and left for
// the next reading.
//
// The chunks of all readings since the last restart, joined by "\n", are the
// file's first Position.Bytes bytes, without their final newline.
//
// An error names the path, and wraps what the system said (fs.ErrNotExist,
// fs.ErrPermission) or the context's error; ErrTooLarge if more than MaxNew
// bytes are new.
func Read(ctx context.Context, path string, pos Position) (Part, error) {
	part, err := read(ctx, path, pos, ChunkSize)
	if err != nil {
		return Part{}, failed(path, err)
	}
	return part, nil
}

func read(ctx context.Context, path string, pos Position, chunkSize int) (Part, error) {
	f, size, err := open(path)
	if err != nil {
		return Part{}, err
	}
	defer f.Close()
	at, err := resume(ctx, f, size, pos)
	if err != nil {
		return Part{}, err
	}
	data, err := rest(ctx, f, size-at.pos.Bytes)
	if err != nil {
		return Part{}, err
	}
	part := Part{Restarted: at.restarted, Position: at.pos}
	taken := whole(data)
	if len(taken) == 0 {
		return part, nil
	}
	text := bytes.TrimSuffix(taken, newline)
	part.Chunks = cut(text, chunkSize)
	part.Position = at.advance(taken, text)
	err = part.parse(ctx, text)
	return part, err
}

// advance gives the position after the bytes taken, whose lines are text.
func (at cursor) advance(taken, text []byte) Position {
	if at.pos.Bytes > 0 {
		at.sum.Write(newline)
	}
	at.sum.Write(text)
	at.pos.Bytes += int64(len(taken))
	at.pos.Lines += bytes.Count(text, newline) + 1
	at.pos.SHA256 = hex.EncodeToString(at.sum.Sum(nil))
	return at.pos
}

// whole returns the lines of data that are written to their end.
func whole(data []byte) []byte {
	end := bytes.LastIndexByte(data, '\n') + 1
	if end < len(data) && json.Valid(data[end:]) {
		return data
	}
	return data[:end]
}

// parse fills in what the new lines say.
func (p *Part) parse(ctx context.Context, text []byte) error {
	count := newTally(p.Position.Recent)
	for line := range bytes.Lines(text) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if toolOutput(line) {
			continue
		}
		if rec, ok := decode(line); ok {
			p.note(rec)
			count.note(rec)
		}
	}
	p.Usage = count.total
	p.Position.Recent = count.recent()
	return nil
}

// note takes a record's words. A subagent's are not the session's.
func (p *Part) note(rec record) {
	if rec.IsSidechain {
		return
	}
	if prompt := rec.prompt(); prompt != "" {
		p.Prompts = append(p.Prompts, prompt)
	}
	if rec.Type != typeAssistant || rec.synthetic() {
		return
	}
	if rec.Message.Model != "" {
		p.Model = rec.Message.Model
	}
	if text := rec.Message.Content.lastText(); text != "" {
		p.LastText = text
	}
}
