package gitai

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ainote"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// reading is a note that is being read, and what becomes of it.
type reading struct {
	Commit
	w    *workspace.Workspace
	note ainote.Note

	by    map[string]int // sessions by the first part of their keys
	turns map[string]int // turns by their keys, in their sessions
}

// mostFileText is how many bytes of a file are read to count its lines.
const mostFileText = 64 << 20

// read compares the note with the lines of the commit. why says what does not fit; empty: all does.
func (r *reading) read(n attribution.Counted) (why string, err error) {
	r.by, r.turns = map[string]int{}, map[string]int{}
	brought := map[gitexec.Path]map[int]bool{}
	for _, f := range n.Files {
		brought[f.Path] = linesOf(f)
	}
	var paths []gitexec.Path
	for _, f := range r.note.Files {
		paths = append(paths, f.Path)
	}
	there, err := r.w.DB.Files(r.noted.Commit.Tree, paths...)
	if err != nil {
		return "", err
	}
	seen := map[gitexec.Path]bool{}
	for i, f := range r.note.Files {
		switch {
		case !there[i].Exists():
			return fmt.Sprintf("it names %s, which the commit does not have", f.Path.Display()), nil
		case seen[f.Path]:
			return fmt.Sprintf("it names %s twice", f.Path.Display()), nil
		}
		seen[f.Path] = true
		if why, err = r.file(f, there[i].ID, brought[f.Path]); why != "" || err != nil {
			return why, err
		}
	}
	return "", r.others(n, seen)
}

// others adds the files that the note does not name: the authors of their lines are unknown.
func (r *reading) others(n attribution.Counted, named map[gitexec.Path]bool) error {
	files := slices.DeleteFunc(slices.Clone(n.Files), func(f attribution.CountedFile) bool { return named[f.Path] })
	var paths []gitexec.Path
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	there, err := r.w.DB.Files(r.noted.Commit.Tree, paths...)
	if err != nil {
		return err
	}
	for i, f := range files {
		lines := linesOf(f)
		r.noted.Files = append(r.noted.Files, checkpoints.OwnedFile{Path: f.Path, Blob: there[i].ID, Lines: len(lines), Unknown: runs(lines)})
		r.Lines.Unknown += len(lines)
	}
	return nil
}

// linesOf are the lines that a commit brought in a file, whoever wrote them.
func linesOf(f attribution.CountedFile) map[int]bool {
	lines := map[int]bool{}
	all := [][][2]int{f.Human, f.Unknown}
	for _, ranges := range f.Parts {
		all = append(all, ranges)
	}
	for _, r := range slices.Concat(all...) {
		for line := r[0]; line < r[0]+r[1]; line++ {
			lines[line] = true
		}
	}
	return lines
}

// file gives a file's lines to the authors that the note names.
func (r *reading) file(f ainote.File, blob gitexec.OID, brought map[int]bool) (why string, err error) {
	last := 0
	for _, e := range f.Entries {
		for _, span := range e.Ranges {
			last = max(last, span[0]+span[1]-1)
		}
	}
	if why, err := r.fits(f.Path, blob, last, brought); why != "" || err != nil {
		return why, err
	}
	lines := slices.Sorted(maps.Keys(brought))
	keys, older := painted(f.Entries, lines)
	r.Older += older
	open := map[int]bool{}
	for i, line := range lines {
		s, known := r.note.Session(keys[i])
		switch {
		case known:
			r.give(f.Path, line, keys[i], s)
			r.Lines.Agent++
		case r.note.Human(keys[i]):
			r.Lines.Human++
		default:
			open[line] = true
			r.Lines.Unknown++
		}
	}
	if len(lines) > 0 {
		r.noted.Files = append(r.noted.Files, checkpoints.OwnedFile{Path: f.Path, Blob: blob, Lines: len(lines), Unknown: runs(open)})
	}
	return "", nil
}

// painted are the keys of some lines, which are in order, by the last entry that names each; empty:
// none does. older is how many other lines the entries name. Ranges may be many and large: each
// line is painted once.
func painted(entries []ainote.Entry, lines []int) (keys []string, older int) {
	keys = make([]string, len(lines))
	free := make([]int, len(lines)+1) // of each line: the next one from it on that may have no key
	for i := range free {
		free[i] = i
	}
	next := func(i int) int {
		at := i
		for free[at] != at {
			at = free[at]
		}
		for free[i] != at && i != at {
			i, free[i] = free[i], at
		}
		return at
	}
	for _, e := range slices.Backward(entries) {
		for _, span := range e.Ranges {
			first, _ := slices.BinarySearch(lines, span[0])
			end, _ := slices.BinarySearch(lines, span[0]+span[1])
			older += span[1] - (end - first)
			for i := next(first); i < end; i = next(i) {
				keys[i], free[i] = e.Key, i+1
			}
		}
	}
	return keys, older
}

// fits says that a file has fewer lines than the note names, or cannot be read; empty: neither.
func (r *reading) fits(path gitexec.Path, blob gitexec.OID, last int, brought map[int]bool) (why string, err error) {
	if brought[last] || last == 0 {
		return "", nil
	}
	data, err := r.w.DB.Blob(blob, mostFileText)
	if err != nil {
		return fmt.Sprintf("it names line %d of %s: %s", last, path.Display(), explain.OneLine(err)), r.w.DB.Canceled()
	}
	lines := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		lines++
	}
	if last > lines {
		return fmt.Sprintf("it names line %d of %s, which has %d", last, path.Display(), lines), nil
	}
	return "", nil
}

// give gives a line to a turn of a session.
func (r *reading) give(path gitexec.Path, line int, key string, s ainote.Session) {
	of := r.session(key, s)
	one := &r.noted.Sessions[of]
	turn, known := r.turns[key]
	if !known {
		id, prompt := r.turn(key, s)
		turn = len(one.Turns)
		r.turns[key] = turn
		one.Turns, one.Prompts = append(one.Turns, id), append(one.Prompts, prompt)
	}
	ranges := one.Ranges[path]
	if i := len(ranges) - 1; i >= 0 && ranges[i][2] == turn && ranges[i][0]+ranges[i][1] == line {
		ranges[i][1]++
		return
	}
	one.Ranges[path] = append(ranges, [3]int{line, 1, turn})
}

// session finds a session, or adds it. Its ID is the agent's own, where that can be one.
func (r *reading) session(key string, s ainote.Session) int {
	name, _, _ := strings.Cut(key, "::")
	if at, known := r.by[name]; known {
		return at
	}
	id := s.Agent.ID
	unfit := func() bool { return session.CheckID(id) != nil || slices.Contains(r.Sessions, id) }
	if unfit() {
		id = strings.ReplaceAll(name, "/", "_")
	}
	for n := len(r.Sessions) + 1; unfit(); n++ {
		id = fmt.Sprintf("note-%d", n)
	}
	redact := r.w.Store.Secrets.Text
	r.by[name] = len(r.noted.Sessions)
	r.noted.Sessions = append(r.noted.Sessions, checkpoints.NotedSession{ID: id, Agent: beginning(redact(titleOf(s.Agent.Tool))),
		Model: beginning(redact(s.Agent.Model)), Ranges: map[gitexec.Path][][3]int{}})
	r.Sessions = append(r.Sessions, id)
	return r.by[name]
}

// turn is a key's turn, and its prompt if the note has it: as this program wrote them, or else the
// digits of the key.
func (r *reading) turn(key string, s ainote.Session) (id, prompt string) {
	name, trace, ours := strings.Cut(key, "::t_")
	if !ours {
		return beginning(cmp.Or(name, "note")), ""
	}
	id, prompt, _ = strings.Cut(s.Attributes["entire-plumb.t_"+trace], " ")
	return beginning(cmp.Or(id, trace)), beginning(r.w.Store.Secrets.Text(prompt))
}

// beginning is at most so much of a name or a line of others as is kept.
func beginning(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// runs are lines as ranges: the first, and how many.
func runs(lines map[int]bool) (ranges [][2]int) {
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if i := len(ranges) - 1; i >= 0 && ranges[i][0]+ranges[i][1] == line {
			ranges[i][1]++
		} else {
			ranges = append(ranges, [2]int{line, 1})
		}
	}
	return ranges
}

// finished is what was read.
func (r *reading) finished() Commit {
	subject, _, _ := strings.Cut(string(r.noted.Commit.Message), "\n")
	r.Subject, r.Checkpoint = subject, r.noted.ID()
	return r.Commit
}
