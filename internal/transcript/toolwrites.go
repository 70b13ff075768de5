package transcript

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"time"
)

// Wrote is what the agent's tools wrote in a part of a transcript, by their names.
type Wrote struct {
	Files []string // by the names that stand there, sorted
	// Texts are what the tools were given to put into files, by these names. A tool of which the
	// format isn't known has none.
	Texts map[string]Texts
	// All tells that there is nothing else: no shell command, and no tool of which nobody knows
	// whether it writes.
	All bool
	// Prompt is the last prompt in the part; empty: there is none.
	Prompt string
	// Last is when the agent last did something in it, or was interrupted; zero: no record tells.
	Last time.Time
	// Interrupted is when the user, or an error, stopped the agent in it, and no prompt had it go
	// on; zero: nothing did.
	Interrupted time.Time

	delegated bool // to subagents, whose transcripts may tell the rest
}

// Written finds out what the tools of the agent and its subagents were asked to write since the
// last prompt. Files that a shell command wrote are not among them. Errors are those of Read.
func Written(ctx context.Context, path string) (Wrote, error) {
	return written(ctx, path, 0, 0, lastPrompt)
}

// WrittenEver is Written for all of the transcript after its first copied lines.
func WrittenEver(ctx context.Context, path string, copied int) (Wrote, error) {
	return written(ctx, path, copied, 0, all)
}

// WrittenSince is Written for what comes after so many bytes of the transcript.
func WrittenSince(ctx context.Context, path string, bytes int64) (Wrote, error) {
	return written(ctx, path, 0, bytes, lastPrompt)
}

// WrittenInAnswer is Written since the last prompt that the agent has begun to answer.
func WrittenInAnswer(ctx context.Context, path string) (Wrote, error) {
	return written(ctx, path, 0, 0, lastAnswer)
}

// portion is the part of a transcript that counts.
type portion int

const (
	all portion = iota
	lastPrompt
	lastAnswer
)

// WrittenAfter is Written for what comes after so many bytes of the transcript, whatever prompts
// are in it. A transcript that has become shorter is read as a whole.
func WrittenAfter(ctx context.Context, path string, bytes int64) (Wrote, error) {
	return written(ctx, path, 0, bytes, all)
}

// written reads a session's transcript, and those of the subagents that were at work in the part.
func written(ctx context.Context, path string, copied int, from int64, of portion) (Wrote, error) {
	w, began, err := writtenTo(ctx, path, copied, from, of)
	if err != nil {
		return w, err
	}
	theirs := subagentsSince(path, began)
	for _, file := range theirs {
		sub, _, err := writtenTo(ctx, file, 0, 0, all)
		if err != nil {
			w.All = false
			continue
		}
		w.Files, w.All = append(w.Files, sub.Files...), w.All && sub.All
		for name, texts := range sub.Texts {
			w.addTexts(name, texts)
		}
		if sub.Last.After(w.Last) {
			w.Last = sub.Last
		}
	}
	w.All = w.All && (!w.delegated || len(theirs) > 0)
	slices.Sort(w.Files)
	w.Files = slices.Compact(w.Files)
	return w, nil
}

// writtenTo reads one transcript. began is when the part begins; zero: no record tells.
func writtenTo(ctx context.Context, path string, copied int, from int64, of portion) (w Wrote, began time.Time, err error) {
	f, size, err := open(path)
	if err != nil {
		return w, began, failed(path, err)
	}
	defer f.Close()
	if from > size {
		from = 0
	}
	if size-from > maxNew {
		return w, began, failed(path, ErrTooLarge)
	}
	w.All = true
	var prompt time.Time // of next
	var last []byte      // record of the agent's
	var next *Wrote      // begins with the next answer
	cwd := ""
	used := map[string]effect{}
	err = lines(io.NewSectionReader(f, from, size-from), func(line []byte) error {
		if copied > 0 {
			copied--
			return ctx.Err()
		}
		if toolOutput(line) {
			last = append(last[:0], line...)
			return ctx.Err()
		}
		rec, ok := decode(line)
		if !ok {
			w.All = w.All && line != nil && (line[len(line)-1] == '\n' || json.Valid(line)) // else it may hold anything
			return ctx.Err()
		}
		cwd = cmp.Or(rec.cwd, cwd)
		if rec.who == typeAssistant || rec.interrupted {
			last = append(last[:0], line...)
		}
		if next != nil && rec.who == typeAssistant && (!rec.subagent || len(rec.blocks) > 0) {
			w, next, began = *next, nil, prompt
		}
		w.add(rec, line, cwd)
		for _, b := range rec.blocks {
			if b.id != "" {
				used[b.id] = b.effect
			}
		}
		if rec.subagent {
			return ctx.Err()
		}
		if rec.notifies != nil { // a task of an earlier prompt went on in the part
			w.All = w.All && used[*rec.notifies] != unknownEffect
		}
		switch {
		case rec.queued, rec.notifies != nil:
			w.Interrupted = time.Time{}
		case (rec.interrupted || rec.madeUp) && w.Interrupted.IsZero():
			w.Interrupted = rec.when
		}
		if rec.prompt != "" {
			switch now := (Wrote{All: true, Prompt: rec.prompt}); {
			case of == all || rec.queued: // what the agent did before it is of the same turn
				w.Prompt = rec.prompt
			case of == lastPrompt:
				w, began = now, rec.when
			case of == lastAnswer:
				next, prompt = &now, rec.when
			}
		}
		if began.IsZero() {
			began = rec.when
		}
		return ctx.Err()
	})
	if err != nil {
		return Wrote{}, began, failed(path, err)
	}
	w.Last = timeOf(last)
	return w, began, nil
}

// add adds what the tools of a record, which a line holds, were asked to write, in the agent's
// directory.
func (w *Wrote) add(rec record, line []byte, cwd string) {
	texts := false
	for _, b := range rec.blocks {
		if b.tool == "" {
			continue
		}
		texts = texts || len(b.files) > 0
		w.delegated = w.delegated || b.effect == delegates
		w.All = w.All && b.effect != unknownEffect
		for _, file := range b.files {
			if cwd != "" && !filepath.IsAbs(file) {
				file = filepath.Join(cwd, file)
			}
			w.Files = append(w.Files, file)
		}
	}
	if !texts {
		return
	}
	var all map[string]any
	if json.Unmarshal(line, &all) != nil {
		return
	}
	eachWrite(all, 0, func(file, text string, whole bool) {
		if cwd != "" && !filepath.IsAbs(file) {
			file = filepath.Join(cwd, file)
		}
		if whole {
			w.addTexts(file, Texts{Wholes: []string{text}})
		} else {
			w.addTexts(file, Texts{Parts: []string{text}})
		}
	})
}

func (w *Wrote) addTexts(name string, texts Texts) {
	if w.Texts == nil {
		w.Texts = map[string]Texts{}
	}
	all := w.Texts[name]
	w.Texts[name] = Texts{append(all.Parts, texts.Parts...), append(all.Wholes, texts.Wholes...)} // in place: there may be many
}

// Texts are what tools were given for a file: the new lines of parts, and whole contents, which
// have the lines that were there, too.
type Texts struct{ Parts, Wholes []string }

// With is these and others.
func (t Texts) With(o Texts) Texts {
	return Texts{append(slices.Clip(t.Parts), o.Parts...), append(slices.Clip(t.Wholes), o.Wholes...)}
}

// Known reports whether there are any.
func (t Texts) Known() bool { return len(t.Parts)+len(t.Wholes) > 0 }

// timeOf is the time stamp of a line; zero if it has none.
func timeOf(line []byte) time.Time {
	var rec struct{ Timestamp, Time stamp }
	_ = json.Unmarshal(line, &rec) // what is no record tells nothing
	return cmp.Or(rec.Timestamp, rec.Time).Time
}
