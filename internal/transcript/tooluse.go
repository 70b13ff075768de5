package transcript

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// ToolUse is one use of a tool: what it was given, as it stands in the transcript.
type ToolUse struct {
	Name    string `json:"name"`
	File    string `json:"path,omitempty"`
	Command string `json:"command,omitempty"` // its beginning, if it is long
}

// String is the tool's name, and what it was given.
func (u ToolUse) String() string {
	text := u.Name
	for _, given := range []string{u.File, u.Command} {
		if given != "" {
			text += " " + given
		}
	}
	return text
}

// mostCommand limits what is kept of a command, in bytes.
const mostCommand = 2000

// uses are those of a block: one for each file that the tool was given. None for a text.
func (b block) uses() []ToolUse {
	if b.tool == "" {
		return nil
	}
	one := ToolUse{Name: shortened(b.tool, mostToolName), Command: shortened(b.command, mostCommand)}
	names := b.files
	if len(names) == 0 && b.named != "" {
		names = []string{b.named}
	}
	if len(names) == 0 {
		return []ToolUse{one}
	}
	var all []ToolUse
	for _, name := range names {
		one.File = name
		all = append(all, one)
	}
	return all
}

func shortened(text string, most int) string {
	if cut := beginning(text, most); cut != text {
		return cut + "…"
	}
	return text
}

// beginning is a text's beginning, of whole characters, in at most so many bytes.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// toolInput is what is read of what a tool is given, whichever agent's it is. The names of the
// parameters differ. Each is empty where it has another shape.
type toolInput struct {
	File     loose `json:"file_path"`
	Notebook loose `json:"notebook_path"`
	Absolute loose `json:"absolute_path"`
	Camel    loose `json:"filePath"`
	Path     loose `json:"path"`
	Dir      loose `json:"dir_path"`
	Command  words `json:"command"`
	Cmd      words `json:"cmd"`
	// In these a command runs; in Dir, too.
	Workdir   loose `json:"workdir"`
	Working   loose `json:"working_directory"`
	Directory loose `json:"directory"`
}

// UnmarshalJSON never fails: another shape than an object says nothing.
func (in *toolInput) UnmarshalJSON(data []byte) error {
	type plain toolInput
	_ = json.Unmarshal(data, (*plain)(in))
	return nil
}

func (in toolInput) file() string {
	return string(cmp.Or(in.File, in.Notebook, in.Absolute, in.Camel, in.Path, in.Dir))
}

func (in toolInput) command() string { return string(cmp.Or(in.Command, in.Cmd)) }

// use is a use of a tool that was given it, and asked to write files by these names.
func (in toolInput) use(id, tool string, names ...string) block {
	b := block{id: id, tool: tool, effect: effects[tool], named: in.file(), command: in.command(), dir: string(cmp.Or(in.Workdir, in.Working, in.Directory, in.Dir))}
	// A shell that only looks at files writes none: the turn's files are then known for sure.
	if b.effect == unknownEffect && onlyReads(b.command) {
		b.effect = reads
	}
	if b.effect != writes {
		return b
	}
	for _, name := range names {
		if name != "" {
			b.files = append(b.files, name)
		}
	}
	if len(b.files) == 0 { // in another shape
		b.effect = unknownEffect
	}
	return b
}

// loose is a string; empty for any other shape.
type loose string

// UnmarshalJSON never fails.
func (l *loose) UnmarshalJSON(data []byte) error {
	_ = json.Unmarshal(data, (*string)(l))
	return nil
}

// words are a string, or a list of them, joined by blanks; empty for any other shape.
type words string

// UnmarshalJSON never fails.
func (w *words) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, (*string)(w)) != nil && json.Unmarshal(data, &list) == nil {
		*w = words(strings.Join(list, " "))
	}
	return nil
}

// Writes reports whether the tool is one that writes the file that it is given.
func (u ToolUse) Writes() bool { return effects[u.Name] == writes && u.File != "" }
