package works

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/divide"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/transcript"
)

// Moved are lines that a turn's tools wrote, by the other files to which the user moved them while
// it went on.
type Moved map[gitexec.Path]transcript.Texts

// MovedByUser finds them by what the tools were given for files, which is all that they wrote, in
// changes since the turn began. Of more than mostDivided changes it finds none.
func MovedByUser(db *gitexec.ODB, texts map[gitexec.Path]transcript.Texts, changes []gitexec.Change) (Moved, error) {
	if len(changes) > mostDivided {
		return nil, nil
	}
	files, lost := make([]divide.File, len(changes)), someLines{}
	for i, c := range changes {
		f, ok, err := fileOf(db, c)
		if err != nil {
			return nil, err
		}
		if f.Own = texts[c.Path]; !ok {
			continue
		}
		// Where a tool's text is not known in full, what of it is gone isn't either.
		if files[i] = f; f.Own.Known() && !f.Own.Vague {
			lost.add(f.Lost())
		}
	}
	moved := Moved{}
	for i, f := range files {
		there := transcript.Texts{Parts: lost.in(f.Now)}
		if len(there.Parts) == 0 {
			continue
		}
		// The lines that were lost elsewhere are judged like texts that a tool was given for this
		// file: they must be new in it, and weigh enough.
		if own, _ := divide.Own(f.Was, f.Now, there); own != nil {
			moved[changes[i].Path] = there
		}
	}
	return moved, nil
}

// AddTo adds them to what the turn's tools wrote, which stays as it is.
func (m Moved) AddTo(w condense.Written) condense.Written {
	w.Files, w.Texts = append(slices.Clip(w.Files), slices.Sorted(maps.Keys(m))...), maps.Clone(w.Texts)
	for path, texts := range m {
		w.Texts[path] = w.Texts[path].With(texts)
	}
	return w
}

// someLines are lines of files, a text for each file, which may stand in others.
type someLines struct {
	texts []string
	first map[string]int // by a line that is evidence: the first text that has it
}

func (l *someLines) add(text string) {
	if text == "" {
		return
	}
	if l.first == nil {
		l.first = map[string]int{}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		// Without the blanks around it, since a block that is moved is often indented otherwise.
		if _, known := l.first[line]; !known && ledger.Weight(line) >= ledger.Evidence {
			l.first[line] = len(l.texts)
		}
	}
	l.texts = append(l.texts, text)
}

// in are the texts of which a file has a line that is evidence, the first one that has it: a turn
// may have hundreds of files, and to compare each with all takes long.
func (l *someLines) in(file []byte) (texts []string) {
	if len(l.texts) == 0 {
		return nil
	}
	found := map[int]bool{}
	for line := range bytes.Lines(file) {
		if at, ok := l.first[string(bytes.TrimSpace(line))]; ok {
			found[at] = true
		}
	}
	for at, text := range l.texts {
		if found[at] {
			texts = append(texts, text)
		}
	}
	return texts
}

// fileOf is a file with its texts before and after a change; ok is false where one has no lines
// that can be compared.
func fileOf(db *gitexec.ODB, c gitexec.Change) (f divide.File, ok bool, err error) {
	was, had, err := textOf(db, c.Old)
	if err != nil || !had && c.Old.Exists() {
		return f, false, err
	}
	now, has, err := textOf(db, c.New)
	return divide.File{Was: was, Now: now}, has || !c.New.Exists(), err
}
