package transcript

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"entire-plumb/internal/safefile"
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
	// Used tells that a tool was used, whatever it does, or that one would be named. Of other
	// formats it isn't known: they may name none.
	Used bool
	// Prompt is the last prompt in the part; empty: there is none.
	Prompt string
	// Began is when the part begins; zero: no record tells.
	Began time.Time
	// Last is when the agent last did something in it, or was interrupted; zero: no record tells.
	Last time.Time
	// Interrupted is when the user, or an error, stopped the agent in it, and no prompt had it go
	// on; zero: nothing did.
	Interrupted time.Time

	stopped   bool   // its last message waits for nobody but the user
	answer    string // the last text of that
	delegated bool   // to subagents, whose transcripts may tell the rest
	given     []given
	uses      byUse // the places in given
	found     map[string]*Found
	kept      int // bytes of results
}

// ToItsEnd reports whether the part ends as an agent leaves it that has stopped with an answer;
// empty: it is not known. Else records are late, and what the part doesn't say proves nothing.
func (w Wrote) ToItsEnd(answer string) bool { return w.stopped && ends(w.answer, answer) }

// given is a file that a use of a tool names, or a text that it was given for one.
type given struct {
	use   string // its ID; empty: not said
	when  time.Time
	file  string
	texts *Texts // nil: the file alone
	// failed tells that the use failed, or was refused. A shell may have written before.
	failed, shell bool
}

// Written finds out what the tools of the agent and its subagents were asked to write since the
// last prompt. Of what a shell's commands wrote it is what stands in their words. Errors are those
// of Read.
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

// WrittenInAnswer is Written for what comes after so many bytes of the transcript, since the last
// prompt that the agent has begun to answer.
func WrittenInAnswer(ctx context.Context, path string, bytes int64) (Wrote, error) {
	return written(ctx, path, 0, bytes, lastAnswer)
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
	w, err := writtenTo(ctx, path, copied, from, of)
	if err != nil {
		return w, err
	}
	theirs, whole := subagentsSince(path, w.Began)
	for _, file := range theirs {
		sub, err := writtenTo(ctx, file, 0, 0, all)
		if err != nil {
			w.All = false
			continue
		}
		w.Files, w.All, w.Used = append(w.Files, sub.Files...), w.All && sub.All, w.Used || sub.Used
		for name, texts := range sub.Texts {
			w.addTexts(name, texts)
		}
		if sub.Last.After(w.Last) {
			w.Last = sub.Last
		}
	}
	w.All = w.All && whole && (!w.delegated || len(theirs) > 0)
	slices.Sort(w.Files)
	w.Files = slices.Compact(w.Files)
	return w, nil
}

// writtenTo reads one transcript.
func writtenTo(ctx context.Context, path string, copied int, from int64, of portion) (Wrote, error) {
	r := writesReader{Wrote: Wrote{All: true}, of: of, used: map[string]effect{}}
	err := eachLine(ctx, path, from, func(line []byte) {
		if copied > 0 {
			copied--
			return
		}
		r.line(line)
	})
	if err != nil {
		return Wrote{}, err
	}
	r.Last = timeOf(r.last)
	made := r.madeAllTheSame()
	for _, g := range r.given {
		if g.failed && !made[given{use: g.use, file: g.file}] {
			continue
		}
		if g.texts == nil {
			r.Files = append(r.Files, g.file)
		} else {
			r.addTexts(g.file, *g.texts)
		}
	}
	for file, found := range r.found {
		texts := r.Texts[file]
		texts.Found = found
		r.Texts[file] = texts
	}
	r.given, r.uses, r.found = nil, nil, nil
	return r.Wrote, nil
}

// writesReader reads the lines of a transcript for what its tools wrote.
type writesReader struct {
	Wrote
	of   portion
	last []byte // record of the agent's
	next *Wrote // begins with the next answer
	cwd  string
	used map[string]effect
}

func (r *writesReader) line(line []byte) {
	if f, ok := outputFormat(line); ok {
		r.last = append(r.last[:0], line...)
		r.refuse(f.results.failures(line))
		r.resulted(f.results, line)
		return
	}
	rec, ok := decode(line)
	if !ok {
		r.All = r.All && noRecord(line)
		return
	}
	r.cwd = cmp.Or(rec.cwd, r.cwd)
	if rec.who == typeAssistant || rec.interrupted {
		r.last = append(r.last[:0], line...)
	}
	if r.next != nil && rec.who == typeAssistant && (!rec.subagent || len(rec.blocks) > 0) {
		r.Wrote, r.next = *r.next, nil
	}
	r.add(rec, line, r.cwd)
	r.refuse(rec.failedUses())
	for _, b := range rec.blocks {
		r.wroteOver(r.uses[b.id], b.had)
		if b.id != "" {
			r.used[b.id] = b.effect
		}
	}
	if !rec.subagent {
		r.turn(rec)
	}
	if rec.who != "" && !rec.subagent && r.next == nil { // the next prompt ends no part
		r.stopped, r.answer = rec.stopped, rec.lastText()
	}
}

// refuse notes the uses of tools that failed: they changed no file, as where the user refused them.
func (w *Wrote) refuse(failed []string) {
	for _, i := range w.uses.take(failed) {
		w.given[i].failed = true
	}
}

// resulted notes what a tool's result says of the file that it wrote. A use has one result.
func (w *Wrote) resulted(r results, line []byte) {
	use := r.usedFor(line)
	uses := w.uses.take([]string{use})
	if slices.ContainsFunc(uses, func(i int) bool { return w.given[i].whole() }) {
		text, _ := r.before(line)
		w.wroteOver(uses, text)
	}
	if len(uses) > 0 {
		line = slices.Clone(line) // once: a use may have thousands of edits
	}
	edits := map[string][]Edit{}
	for _, i := range uses {
		g := w.given[i]
		if g.texts == nil {
			continue
		}
		edits[g.file] = append(edits[g.file], g.texts.Edits...)
		if w.forget(g.file); w.kept+len(line) <= mostFound {
			if w.found == nil {
				w.found = map[string]*Found{}
			}
			w.found[g.file], w.kept = &Found{line, r, g.when, edits[g.file]}, w.kept+len(line)
		}
	}
}

// forget drops what the last tool found in a file.
func (w *Wrote) forget(file string) {
	if found := w.found[file]; found != nil {
		w.kept -= len(found.line)
		delete(w.found, file)
	}
}

func (g given) whole() bool { return g.texts != nil && len(g.texts.Wholes) > 0 }

// wroteOver notes the text that a file had before a tool was given all of it: what was there is
// none of the tool's.
func (w *Wrote) wroteOver(uses []int, text string) {
	for _, i := range uses {
		if g := w.given[i]; text != "" && g.whole() {
			*g.texts = textsOf(Edit{Old: text, New: g.texts.Wholes[0], Located: true})
		}
	}
}

func (w *Wrote) give(g given) {
	w.uses.add(g.use, len(w.given))
	w.forget(g.file) // that of this use comes
	w.given = append(w.given, g)
}

// Limits of what is read to find out whether a use was made: files, and bytes of each.
const (
	mostFailed     = 100
	mostFailedFile = 1 << 20
)

// madeAllTheSame are the uses, each with a file, that a transcript calls failed or refused, and
// whose text stands in the file. A shell may have written before it failed. Of other tools Claude
// Code says so, too, where the user interrupts a hook that follows the tool (seen: 2.1.197).
func (w *Wrote) madeAllTheSame() map[given]bool {
	made, read := map[given]bool{}, 0
	for _, g := range w.given {
		if !g.failed || g.texts == nil || !g.shell && w.Interrupted.IsZero() || !filepath.IsAbs(g.file) || read == mostFailed {
			continue
		}
		read++
		text, err := safefile.Read(g.file, mostFailedFile)
		if err == nil && slices.ContainsFunc(g.texts.Edits, func(e Edit) bool { return e.made(string(text)) }) {
			made[given{use: g.use, file: g.file}] = true
		}
	}
	return made
}

// turn notes what a record of the main agent's says of the turn: a prompt, an interruption.
func (r *writesReader) turn(rec record) {
	if rec.notifies != nil { // a task of an earlier prompt went on in the part
		r.All = r.All && r.used[*rec.notifies] != unknownEffect
	}
	switch {
	case rec.queued, rec.notifies != nil:
		r.Interrupted = time.Time{}
	case (rec.interrupted || rec.madeUp) && r.Interrupted.IsZero():
		r.Interrupted = rec.when
	}
	if rec.prompt != "" {
		r.prompted(rec)
	}
	if r.Began.IsZero() {
		r.Began = rec.when
	}
}

func (r *writesReader) prompted(rec record) {
	switch now := (Wrote{All: true, Prompt: rec.prompt, Began: rec.when}); {
	case r.of == all || rec.queued: // what the agent did before it is of the same turn
		r.Prompt = rec.prompt
	case r.of == lastPrompt:
		r.Wrote = now
	case r.of == lastAnswer:
		r.next = &now
	}
}

// noRecord reports whether a line that cannot be decoded is no record that counts. Else it may hold
// anything: it is too long, or not there to its end.
func noRecord(line []byte) bool {
	return line != nil && (line[len(line)-1] == '\n' || json.Valid(line))
}

// add adds what the tools of a record, which a line holds, were asked to write, in the agent's
// directory.
func (w *Wrote) add(rec record, line []byte, cwd string) {
	named := map[given]bool{}
	w.Used = w.Used || rec.namesTools
	for _, b := range rec.blocks {
		if b.tool == "" {
			continue
		}
		w.Used = true
		w.delegated = w.delegated || b.effect == delegates
		if w.All = w.All && b.effect != unknownEffect; b.effect == unknownEffect {
			w.addShell(b, rec.when, within(cwd, b.dir))
		}
		for _, file := range b.files {
			named[given{use: b.id, when: rec.when, file: within(cwd, file)}] = true
		}
	}
	if len(named) > 0 {
		w.addInputs(rec, line, cwd, named)
	}
}

// addShell adds the texts that stand in a command of a shell, and that it puts into files. It names
// no file: of a command only its words are known, and others may write the file, too.
func (w *Wrote) addShell(b block, when time.Time, dir string) {
	for _, one := range shellWrites(b.command) {
		texts := textsOf(Edit{New: one.text, Whole: !one.adds})
		w.give(given{use: b.id, when: when, file: within(dir, one.file), texts: &texts, shell: true})
	}
}

// addInputs adds the files that the tools of a record name, and the texts that they were given.
func (w *Wrote) addInputs(rec record, line []byte, cwd string, named map[given]bool) {
	var all map[string]any
	known := map[given]bool{}
	if json.Unmarshal(line, &all) == nil {
		rec.inputs(all, func(use, file string, e Edit) {
			g, texts := given{use: use, when: rec.when, file: within(cwd, file)}, textsOf(e)
			known[g] = true
			w.give(given{use: g.use, when: g.when, file: g.file, texts: &texts})
		})
	}
	for g := range named {
		w.give(g)
		if !known[g] {
			w.give(given{use: g.use, when: g.when, file: g.file, texts: &Texts{Vague: true}})
		}
	}
}

// within is a file's name in a directory, if that is known.
func within(dir, file string) string {
	if dir == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

func (w *Wrote) addTexts(name string, texts Texts) {
	if w.Texts == nil {
		w.Texts = map[string]Texts{}
	}
	all := w.Texts[name] // appended to in place: there may be many
	w.Texts[name] = Texts{append(all.Parts, texts.Parts...), append(all.Wholes, texts.Wholes...), append(all.Edits, texts.Edits...), all.Vague || texts.Vague, all.lastFound(texts)}
}

// Texts are what tools were given for a file: the new lines of parts, and whole contents, which
// have the lines that were there, too.
type Texts struct {
	Parts, Wholes []string
	Edits         []Edit // the same in order, with what they replace
	Vague         bool   // a tool wrote it of which the text, or what that replaces, is not known
	Found         *Found // nil: the last tool's result doesn't tell
}

func textsOf(e Edit) Texts {
	t := Texts{Edits: []Edit{e}, Vague: !e.Whole && !e.Located}
	if e.Whole {
		t.Wholes = []string{e.New}
	} else {
		t.Parts = []string{e.text()}
	}
	return t
}

// With is these and others.
func (t Texts) With(o Texts) Texts {
	return Texts{append(slices.Clip(t.Parts), o.Parts...), append(slices.Clip(t.Wholes), o.Wholes...), append(slices.Clip(t.Edits), o.Edits...), t.Vague || o.Vague, t.lastFound(o)}
}

// Known reports whether there are any.
func (t Texts) Known() bool { return len(t.Parts)+len(t.Wholes) > 0 }

// timeOf is the time stamp of a line; zero if it has none.
func timeOf(line []byte) time.Time {
	var rec struct{ Timestamp, Time stamp }
	_ = json.Unmarshal(line, &rec) // what is no record tells nothing
	return cmp.Or(rec.Timestamp, rec.Time).Time
}
