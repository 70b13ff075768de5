package turns

import (
	"bytes"
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/divide"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

// largestMoved is how many bytes a file may have in which moved lines are looked for.
const largestMoved = 1 << 20

// movedByUser adds to what a turn's tools wrote the lines of theirs that the user moved to other
// files while it went on, where the tools name all that they wrote. A file of theirs that is gone
// was taken away by the user.
func movedByUser(run *workspace.Run, s *session.State, t turn) (turn, error) {
	if t.wrote == nil || !t.told(s) {
		return t, nil
	}
	texts, lost, gone := commits.TextsIn(run.Repo, t.wrote.Texts), lostTexts{}, gitexec.Edits{}
	named, err := run.DB.Versions(t.before, t.snap.Tree, slices.Sorted(maps.Keys(texts))...)
	if err != nil {
		return t, err
	}
	for _, c := range named {
		f, ok := fileOf(run.DB, c)
		if f.Own = texts[c.Path]; !ok || !f.Own.Known() || f.Own.Vague {
			continue
		}
		lost.add(f.Lost())
		if c.Old.Exists() && !c.New.Exists() {
			gone[c.Path] = gitexec.Entry{}
		}
	}
	if len(lost.texts)+len(gone) == 0 {
		return t, nil
	}
	t.touched = unnamedFiles(t.touched, slices.Collect(maps.Keys(gone)))
	changes, err := run.DB.Versions(t.before, t.snap.Tree, t.touched...)
	if err != nil {
		return t, err
	}
	wrote := *t.wrote
	wrote.Files, wrote.Texts = slices.Clone(wrote.Files), maps.Clone(wrote.Texts)
	for _, c := range changes {
		f, _ := fileOf(run.DB, c)
		there := transcript.Texts{Parts: lost.in(f.Now)}
		if own, _ := divide.Own(f.Was, f.Now, there); own != nil {
			name := filepath.Join(run.Repo.Top, filepath.FromSlash(string(c.Path)))
			wrote.Files, wrote.Texts[name] = append(wrote.Files, name), wrote.Texts[name].With(there)
		}
	}
	t.wrote, t.start = &wrote, cmp.Or(t.start, t.before)
	t.before, err = run.DB.EditTree(t.before, gone)
	return t, err
}

// lostTexts are texts of lines that are gone from their files.
type lostTexts struct {
	texts []string
	first map[string]int // by a line that is evidence: the first text that has it
}

func (l *lostTexts) add(text string) {
	if text == "" {
		return
	}
	if l.first == nil {
		l.first = map[string]int{}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, known := l.first[line]; !known && ledger.Weight(line) >= ledger.Evidence {
			l.first[line] = len(l.texts)
		}
	}
	l.texts = append(l.texts, text)
}

// in are the texts of which a file has a line that is evidence, the first one that has it: a turn
// may have hundreds of files, and to compare each with all takes long.
func (l *lostTexts) in(file []byte) (texts []string) {
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

// fileOf is a file with its texts before and after a change; ok is false where one can't be looked
// at.
func fileOf(db *gitexec.ODB, c gitexec.Change) (f divide.File, ok bool) {
	was, had := textOf(db, c.Old)
	now, has := textOf(db, c.New)
	if !had || !has {
		return f, false
	}
	return divide.File{Was: was, Now: now}, true
}

func textOf(db *gitexec.ODB, e gitexec.Entry) (data []byte, ok bool) {
	if !e.Exists() {
		return nil, true
	}
	data, err := db.Blob(e.ID, largestMoved)
	return data, err == nil && e.IsFile() && !gitexec.IsBinary(data)
}
