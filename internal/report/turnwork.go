package report

import (
	"maps"
	"path"
	"slices"
	"strings"

	"entire-plumb/internal/query"
	"entire-plumb/internal/transcript"
)

// TurnFile is a file in which a turn did something.
type TurnFile struct {
	Path  string `json:"path"`
	Lines int    `json:"lines"`           // of the turn, in the chapters
	Place string `json:"place,omitempty"` // on the page
}

// Limits of the uses of tools on a page.
const (
	mostUses  = 200      // in a turn
	mostAsked = 16 << 10 // bytes of them in a turn
)

// asked keeps what tools were given, as far as there is room for it. left counts the others.
func asked(uses []transcript.ToolUse) (kept []transcript.ToolUse, left int) {
	kept = []transcript.ToolUse{}
	n := 0
	for i, u := range uses {
		u = transcript.ToolUse{Name: oneLine(u.Name), File: oneLine(u.File), Command: clean(u.Command)}
		if n += len(u.Name) + len(u.File) + len(u.Command); n > mostAsked {
			return kept, len(uses) - i
		}
		kept = append(kept, u)
	}
	return kept, 0
}

// changed are the places of a chapter's files on the page, by their paths.
type changed map[string]string

// changedIn are those of the chapters that a turn is part of.
func (g *reporter) changedIn(names []string) changed {
	all := changed{}
	for _, c := range g.chapters {
		if slices.Contains(names, c.Name) {
			for _, f := range c.Files {
				all[f.Path] = f.ID
			}
		}
	}
	return all
}

// named is the path in the repository of a file that a tool was given. Of a file elsewhere its last
// part is kept: a page does not say where a home directory is.
func (c changed) named(file, top string) string {
	if !path.IsAbs(file) {
		return strings.TrimPrefix(path.Clean(file), "./")
	}
	if inside, ok := strings.CutPrefix(file, strings.TrimSuffix(top, "/")+"/"); ok && top != "" {
		return inside
	}
	for _, known := range slices.Sorted(maps.Keys(c)) {
		if strings.HasSuffix(file, "/"+known) {
			return known
		}
	}
	return "…/" + path.Base(file)
}

// work fills in a turn's files: those in which it has lines, and those that its tools wrote.
func (t *turnOn) work(in changed, top string) {
	lines := maps.Clone(t.touched)
	if lines == nil {
		lines = map[string]int{}
	}
	for i, u := range t.Uses {
		if u.File == "" {
			continue
		}
		name := in.named(u.File, top)
		t.Uses[i].File = name
		// A file that was only read is listed where the commit changes it: a shell may have written
		// it.
		if _, known := in[name]; known && t.Here() || u.Writes() {
			lines[name] += 0
		}
		t.wrote = t.wrote || u.Writes()
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		t.Files = append(t.Files, TurnFile{Path: name, Lines: lines[name], Place: in[name]})
	}
}

// gone reports whether the commits of a session's turn have nothing of it, although its tools wrote
// files. It is not known where a commit is missing, or lines have no known author.
func (g *reporter) gone(session string, t turnOn) bool {
	if !t.wrote || t.Turn.Lines > 0 || len(t.touched) > 0 || !t.Here() {
		return false
	}
	for _, c := range g.chapters {
		changes := func(p query.ShownPart) bool {
			// It may have taken lines out, or renamed files: see query.ShownPart.Changes.
			return p.SessionID == session && len(p.Prompts) == t.Number && p.Changes()
		}
		if slices.Contains(t.Of, c.Name) && (c.Commit == nil || c.Lines.Unknown > 0 || !c.shown || slices.ContainsFunc(c.parts, changes)) {
			return false
		}
	}
	return true
}
