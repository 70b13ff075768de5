package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"entire-plumb/internal/sets"
)

// Kind is what a passage is.
type Kind int

// The kinds of passages of a transcript.
const (
	Prompt  Kind = iota + 1
	Answer       // of the agent, or of a subagent
	Command      // what a tool was given: all but names of files
	File         // the names of files that a tool was given, one a line
)

// Passage is a text of a transcript by which people look for it. Tools' results are none.
type Passage struct {
	Kind     Kind
	Text     string
	When     time.Time // zero: the record doesn't tell
	Subagent bool
	Line     int // of the transcript, counted from 0
}

// mostPassage is how many bytes of a passage are kept.
const mostPassage = 256 << 10

// Passages reads a transcript and gives its passages, in their order. Records that are no JSON are
// passed over.
func Passages(in io.Reader, each func(Passage) error) error {
	var said once
	err := records(context.Background(), in, func(rec record, line []byte, at int) error {
		for _, p := range said.first(rec).passages(line) {
			p.When, p.Subagent, p.Line = rec.when, rec.subagent, at
			if p.Text = beginning(strings.TrimSpace(p.Text), mostPassage); p.Text == "" {
				continue
			}
			if err := each(p); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// passages are those of a record, which a line holds.
func (r record) passages(line []byte) (all []Passage) {
	// What a subagent is asked was written by the agent: it has been found as what its tool was
	// given.
	if r.prompt != "" && !r.subagent {
		return []Passage{{Kind: Prompt, Text: r.prompt}}
	}
	uses := 0
	for _, b := range r.blocks {
		if b.tool != "" {
			uses++
		}
	}
	var given [][]json.RawMessage
	if uses > 0 {
		given = toolInputs(line)
		given = given[max(0, len(given)-uses):] // of a message that grows, those of the new uses
	}
	for _, b := range r.blocks {
		if b.tool == "" {
			all = append(all, Passage{Kind: Answer, Text: b.text})
			continue
		}
		var input []json.RawMessage
		// Where the record has more uses than inputs, none can be told from the others.
		if len(given) == uses && uses > 0 {
			input, given = given[0], given[1:]
			uses--
		}
		var texts, files []string
		for _, value := range input {
			words, names := arguments(value)
			texts, files = append(texts, words...), sets.With(files, names...)
		}
		if len(texts) == 0 && b.command != "" {
			texts = []string{b.command} // of a format whose inputs are elsewhere
		}
		files = sets.With(files, b.files...)
		all = append(all, Passage{Kind: Command, Text: strings.Join(texts, "\n")}, Passage{Kind: File, Text: strings.Join(files, "\n")})
	}
	return all
}

// toolInputs are what the tools of a line, of any format, were given, in their order.
func toolInputs(line []byte) (all [][]json.RawMessage) {
	for _, at := range told {
		if first, _, _ := strings.Cut(at.uses, "."); !names(line, first) {
			continue
		}
		for _, use := range valuesAt(line, at.uses) {
			var given []json.RawMessage
			for _, path := range at.inputs {
				given = append(given, valuesAt(use, path)...)
			}
			if len(given) > 0 {
				all = append(all, given)
			}
		}
	}
	if len(all) == 0 {
		all = append(all, append(valuesAt(line, "text"), valuesAt(line, "input")...)) // any program's
	}
	return all
}

// fileKeys are the keys of tools' inputs whose values are names of files.
var fileKeys = []string{"file_path", "notebook_path", "absolute_path", "path", "dir_path", "file", "filePath"}

// arguments are the texts in a tool's input, in their order, and the names of files in it. An input
// may be JSON in a string.
func arguments(input json.RawMessage) (texts, files []string) {
	if text := ""; json.Unmarshal(input, &text) == nil {
		// A patch or a command as it is.
		if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
			return []string{text}, nil
		}
		input = json.RawMessage(text)
	}
	w := argumentWalk{decode: json.NewDecoder(bytes.NewReader(input))}
	for w.next() {
	}
	return w.texts, w.files
}

// argumentWalk reads JSON, token by token.
type argumentWalk struct {
	decode       *json.Decoder
	objects      []bool // that are open: it is one, or a list
	key          string // of the value that comes; empty: a key comes
	texts, files []string
}

func (w *argumentWalk) next() bool {
	token, err := w.decode.Token()
	if err != nil {
		return false
	}
	within := len(w.objects) > 0 && w.objects[len(w.objects)-1]
	switch token := token.(type) {
	case json.Delim:
		if token == '{' || token == '[' {
			w.objects = append(w.objects, token == '{')
		} else {
			// The decoder gives an end only for what was begun.
			w.objects = w.objects[:len(w.objects)-1]
		}
		w.key = ""
		return true
	case string:
		// The decoder gives keys as strings like values.
		if within && w.key == "" {
			w.key = token + " " // not empty
			return true
		}
		w.text(token)
	}
	w.key = ""
	return true
}

func (w *argumentWalk) text(text string) {
	switch {
	case strings.TrimSpace(text) == "":
	case slices.Contains(fileKeys, strings.TrimSuffix(w.key, " ")):
		w.files = sets.With(w.files, text)
	default:
		w.texts = append(w.texts, text)
	}
}
