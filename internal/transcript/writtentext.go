package transcript

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// WrittenText is what a tool was asked to put into a file.
type WrittenText struct {
	File string    // absolute where the record tells its directory
	Text string    // new content, or the new lines of a part
	When time.Time // zero: no record tells
	Turn int       // the number of prompts before it
}

// WrittenTexts reads the texts that the agent's tools were asked to write, in order, without those
// of uses that failed. Errors are those of Read.
func WrittenTexts(ctx context.Context, path string, each func(WrittenText)) error {
	r := textsReader{each: each}
	if err := eachLine(ctx, path, 0, r.line); err != nil {
		return err
	}
	r.flush()
	return nil
}

// textsReader reads the lines of a transcript for the texts that its tools were given.
type textsReader struct {
	each func(WrittenText)
	turn int
	cwd  string
	now  []textOfUse // of the turn: a result may yet say that it failed
	uses byUse       // the places in now
}

type textOfUse struct {
	failed bool
	WrittenText
}

func (r *textsReader) line(line []byte) {
	if f, ok := outputFormat(line); ok {
		r.refuse(f.results.failures(line))
		return
	}
	if copilotRepeats(line) {
		return
	}
	rec, ok := decode(line)
	if ok && rec.who == typeUser && rec.prompt != "" && !rec.subagent {
		r.flush()
		r.turn++
	}
	var all map[string]any
	if json.Unmarshal(line, &all) != nil {
		return
	}
	if dir, ok := all["cwd"].(string); ok {
		r.cwd = dir
	}
	when := timeOf(line)
	rec.inputs(all, func(use, file string, e Edit) {
		r.uses.add(use, len(r.now))
		r.now = append(r.now, textOfUse{false, WrittenText{File: within(r.cwd, file), Text: e.text(), When: when, Turn: r.turn}})
	})
	r.refuse(rec.failedUses())
}

func (r *textsReader) refuse(failed []string) {
	for _, i := range r.uses.take(failed) {
		r.now[i].failed = true
	}
}

func (r *textsReader) flush() {
	for _, t := range r.now {
		if !t.failed {
			r.each(t.WrittenText)
		}
	}
	r.now, r.uses = nil, nil
}

// deepestInput is how deep a tool's input is within a record.
const deepestInput = 12

// inputs finds what the tools of a record, which is all of a line, were given to write. An object
// with the ID of a use, by one of the keys that agents have for it, holds its input.
func (r record) inputs(all map[string]any, each func(use, file string, e Edit)) {
	search := inputSearch{uses: map[string]bool{}, each: each}
	for _, b := range r.blocks {
		search.uses[b.id] = b.id != ""
	}
	search.find(all, 0)
}

// inputSearch finds the inputs of tools that write: file_path with content, new_string or edits, as
// Claude Code and Gemini CLI have them; filePath and newString, as OpenCode has them; path with
// file_text or new_str, as Copilot CLI has them, or with what pi or Kimi Code has; TargetFile with
// CodeContent or ReplacementContent, as Antigravity has them; and patches.
type inputSearch struct {
	uses map[string]bool
	use  string // whose input it is in; empty: not known
	each func(use, file string, e Edit)
}

func (s inputSearch) found(file string, e Edit) { s.each(s.use, file, e) }

func (s inputSearch) find(v any, depth int) {
	if depth > deepestInput {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			s.find(one, depth+1)
		}
	case string:
		if strings.Contains(v, "*** Begin Patch") {
			s.patch(v, depth+1)
		}
	case map[string]any:
		for _, key := range []string{"id", "call_id", "callID", "toolCallId"} {
			if id := stringIn(v, key); s.use == "" && s.uses[id] {
				s.use = id
			}
		}
		s.input(v)
		for key, one := range v {
			if key != "toolUseResult" { // what the tool says that it did, again
				s.find(one, depth+1)
			}
		}
	}
}

// input reads what may be the input of a tool that writes, or have it.
func (s inputSearch) input(v map[string]any) {
	v = decodedInput(v)
	if file := stringOf(v, "file_path", "filePath", "TargetFile"); file != nil {
		eachInput(v, *file, s.found)
	}
	pathInputs(v, s.found)
	if file, _ := v["path"].(string); file != "" {
		if text, ok := v["file_text"].(string); ok {
			s.found(file, Edit{New: text, Whole: true})
		}
		if text, ok := v["new_str"].(string); ok {
			s.found(file, edit(v, text, "old_str"))
		}
	}
}

// pathInputs is the input of a tool of pi's, Kimi Code's or Cursor's, by the names of eachInput:
// only in it "path" is the file's.
func pathInputs(use map[string]any, each func(file string, e Edit)) {
	in, _ := use[map[string]string{kimiCall: "args", blockToolUse: "input", piCall: "arguments"}[stringIn(use, "type")]].(map[string]any)
	if effects[stringIn(use, "name")] == writes {
		eachInput(in, stringIn(in, "path"), each)
	}
}

// eachInput reads the input of a tool that writes a file.
func eachInput(v map[string]any, file string, each func(file string, e Edit)) {
	if file == "" {
		return
	}
	if text := stringOf(v, "content", "contents", "CodeContent"); text != nil {
		each(file, Edit{New: *text, Whole: true})
	}
	edits, _ := v["edits"].([]any)
	chunks, _ := v["ReplacementChunks"].([]any)
	for _, one := range slices.Concat([]any{v}, edits, chunks) {
		in, _ := one.(map[string]any)
		if text := stringOf(in, "new_string", "newString", "new_str", "newText", "ReplacementContent"); text != nil {
			each(file, edit(in, *text, "old_string", "oldString", "old_str", "oldText", "TargetContent"))
		}
	}
}

// edit is one that a tool was given: the text that it puts there, and by one of some names the one
// that it takes away.
func edit(in map[string]any, text string, names ...string) Edit {
	e := Edit{New: text}
	if old := stringOf(in, names...); old != nil {
		e.Old, e.Located = *old, true
	}
	for _, name := range []string{"replace_all", "replaceAll", "AllowMultiple"} {
		if every, _ := in[name].(bool); every {
			e.Every = true
		}
	}
	return e
}

// Edit is what a tool was given to do to a file.
type Edit struct {
	Old, New string
	Whole    bool // New is all of the file
	Located  bool // Old says where it is
	Every    bool // in each place that has Old
}

// text is the new content, or the new lines of a part.
func (e Edit) text() string {
	if e.Whole {
		return e.New
	}
	return newLines(e.Old, e.New)
}

// On is a text after the edit. Where the text has no such place, the new lines stand at its end,
// and those that the edit takes away are gone.
func (e Edit) On(text string) string {
	switch {
	case e.Whole:
		return e.New
	case e.Old == "" || !strings.Contains(text, e.Old):
		return newLines(newLines(e.New, e.Old), text) + "\n" + e.text()
	case e.Every:
		return strings.ReplaceAll(text, e.Old, e.New)
	}
	return strings.Replace(text, e.Old, e.New, 1)
}

// Longest is how many bytes a text of so many may have after the edit.
func (e Edit) Longest(text int) int {
	// One in every place can make the text longer by the new text for each old one.
	if e.Every && e.Old != "" {
		return text + len(e.New) + text/len(e.Old)*len(e.New)
	}
	return text + len(e.New)
}

// made reports whether a text looks as the edit leaves it.
func (e Edit) made(text string) bool {
	if e.Whole {
		return text == e.New
	}
	replaced := !strings.Contains(text, e.Old) || strings.Contains(e.New, e.Old)
	return strings.TrimSpace(e.New) != "" && strings.Contains(text, e.New) && replaced
}

// stringOf is the string by the first of some names that has one; nil: none.
func stringOf(v map[string]any, names ...string) *string {
	for _, name := range names {
		if text, ok := v[name].(string); ok {
			return &text
		}
	}
	return nil
}

// newLines are the lines of an edit's new text that its old one doesn't have, white space aside:
// the others say where the edit is, and may be anybody's.
func newLines(old, text string) string {
	had := map[string]int{}
	for line := range strings.Lines(old) {
		had[strings.TrimSpace(line)]++
	}
	var lines strings.Builder
	for line := range strings.Lines(text) {
		if bare := strings.TrimSpace(line); had[bare] > 0 {
			had[bare]--
		} else {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// patch reads one of Codex's, or the JSON of arguments that has one.
func (s inputSearch) patch(patch string, depth int) {
	if strings.HasPrefix(strings.TrimSpace(patch), "{") {
		var inner any
		if json.Unmarshal([]byte(patch), &inner) == nil {
			s.find(inner, depth+1)
			return
		}
	}
	eachPatched(patch, s.found)
}
