package transcript

import (
	"context"
	"encoding/json"
	"io"
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

// WrittenTexts reads the texts that the agent's tools were asked to write, in order. Errors are
// those of Read.
func WrittenTexts(ctx context.Context, path string, each func(WrittenText)) error {
	f, size, err := open(path)
	if err != nil {
		return failed(path, err)
	}
	defer f.Close()
	turn, cwd := 0, ""
	err = lines(io.NewSectionReader(f, 0, size), func(line []byte) error {
		if toolOutput(line) || copilotRepeats(line) {
			return ctx.Err()
		}
		if rec, ok := decode(line); ok && rec.who == typeUser && rec.prompt != "" && !rec.subagent {
			turn++
		}
		var record map[string]any
		if json.Unmarshal(line, &record) != nil {
			return ctx.Err()
		}
		if dir, ok := record["cwd"].(string); ok {
			cwd = dir
		}
		when := timeOf(line)
		eachWrite(record, 0, func(file string, e Edit) {
			each(WrittenText{File: within(cwd, file), Text: e.text(), When: when, Turn: turn})
		})
		return ctx.Err()
	})
	if err != nil {
		return failed(path, err)
	}
	return nil
}

// deepestInput is how deep a tool's input is within a record.
const deepestInput = 12

// eachWrite finds the inputs of tools that write: file_path with content, new_string or edits, as
// Claude Code and Gemini CLI have them; filePath and newString, as OpenCode has them; path with
// file_text or new_str, as Copilot CLI has them, or with what pi or Kimi Code has; and patches.
func eachWrite(v any, depth int, each func(file string, e Edit)) {
	if depth > deepestInput {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			eachWrite(one, depth+1, each)
		}
	case string:
		if strings.Contains(v, "*** Begin Patch") {
			eachPatch(v, depth+1, each)
		}
	case map[string]any:
		eachInput(v, each)
		piInputs(v, each)
		pathInputs(v, each)
		if file, _ := v["path"].(string); file != "" {
			if text, ok := v["file_text"].(string); ok {
				each(file, Edit{New: text, Whole: true})
			}
			if text, ok := v["new_str"].(string); ok {
				each(file, edit(v, text, "old_str"))
			}
		}
		for key, one := range v {
			if key != "toolUseResult" { // what the tool says that it did, again
				eachWrite(one, depth+1, each)
			}
		}
	}
}

// pathInputs is the input of a tool of Kimi Code's or Cursor's, by the names of eachInput: only in
// it "path" is the file's.
func pathInputs(use map[string]any, each func(file string, e Edit)) {
	in, _ := use[map[string]string{kimiCall: "args", blockToolUse: "input"}[stringIn(use, "type")]].(map[string]any)
	file := stringIn(in, "path")
	if effects[stringIn(use, "name")] != writes || file == "" {
		return
	}
	if text := stringOf(in, "content", "contents"); text != nil {
		each(file, Edit{New: *text, Whole: true})
	}
	if text := stringOf(in, "new_string"); text != nil {
		each(file, edit(in, *text, "old_string"))
	}
}

// eachInput reads the input of a tool that writes.
func eachInput(v map[string]any, each func(file string, e Edit)) {
	file := stringOf(v, "file_path", "filePath")
	if file == nil || *file == "" {
		return
	}
	if text := stringOf(v, "content"); text != nil {
		each(*file, Edit{New: *text, Whole: true})
	}
	edits, _ := v["edits"].([]any)
	for _, one := range append([]any{v}, edits...) {
		in, _ := one.(map[string]any)
		if text := stringOf(in, "new_string", "newString", "new_str"); text != nil {
			each(*file, edit(in, *text, "old_string", "oldString", "old_str"))
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
	for _, name := range []string{"replace_all", "replaceAll"} {
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

// On is a text after the edit. Where the text has no such place, the new lines stand at its end.
func (e Edit) On(text string) string {
	switch {
	case e.Whole:
		return e.New
	case e.Old == "" || !strings.Contains(text, e.Old):
		return text + "\n" + e.text()
	case e.Every:
		return strings.ReplaceAll(text, e.Old, e.New)
	}
	return strings.Replace(text, e.Old, e.New, 1)
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

// eachPatch reads a patch of Codex's, or the JSON of arguments that has one.
func eachPatch(patch string, depth int, each func(file string, e Edit)) {
	if strings.HasPrefix(strings.TrimSpace(patch), "{") {
		var inner any
		if json.Unmarshal([]byte(patch), &inner) == nil {
			eachWrite(inner, depth+1, each)
			return
		}
	}
	file, text := "", ""
	flush := func() {
		if file != "" && text != "" {
			each(file, Edit{New: text})
		}
		text = ""
	}
	for line := range strings.Lines(patch) {
		if strings.HasPrefix(line, "*** ") {
			flush()
			file = ""
			for _, head := range []string{"*** Add File: ", "*** Update File: "} {
				if name, ok := strings.CutPrefix(line, head); ok {
					file = strings.TrimSpace(name)
				}
			}
			continue
		}
		if added, ok := strings.CutPrefix(line, "+"); ok {
			text += added
		}
	}
	flush()
}
