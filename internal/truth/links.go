package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// linked is what a commit's links lead to: the sessions, and the files of each.
type linked struct {
	checkpoints []string
	touched     map[string][]string
	kept        map[string]bool     // sessions of checkpoints that other commits linked before this step
	again       map[string]bool     // likewise, or in it
	with        map[string][]string // a session: all those of its checkpoint
	lax         map[string]bool     // sessions whose link may be there or not, for another commit
}

const branch = "entire/checkpoints/v1"

// links reads a commit's links, and their checkpoints, by git alone.
func (w *world) links(id string) linked {
	l := linked{touched: map[string][]string{}, kept: map[string]bool{}, again: map[string]bool{}, with: map[string][]string{}, lax: map[string]bool{}}
	l.checkpoints = strings.Fields(w.ask("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", id))
	if data, ok := w.objects.read(branch + ":links/" + id[:2] + "/" + id[2:] + ".json"); ok {
		var side struct{ Checkpoints []string }
		if err := json.Unmarshal([]byte(data), &side); err != nil {
			w.fail(unsound, "the side link of "+short(id)+": "+err.Error())
		}
		l.checkpoints = append(l.checkpoints, side.Checkpoints...)
	}
	slices.Sort(l.checkpoints)
	l.checkpoints = slices.Compact(l.checkpoints)
	for _, checkpoint := range l.checkpoints {
		if w.linkedNow[checkpoint] == "" {
			w.linkedNow[checkpoint] = id
		}
		at := branch + ":" + checkpoint[:2] + "/" + checkpoint[2:]
		var summary struct {
			Sessions []struct{ Metadata string }
		}
		data, ok := w.objects.read(at + "/metadata.json")
		if !ok || json.Unmarshal([]byte(data), &summary) != nil {
			w.fail(unsound, fmt.Sprintf("%s links %s, which is not there", short(id), checkpoint))
		}
		var all []string
		for _, s := range summary.Sessions {
			var meta struct {
				Session string   `json:"session_id"`
				Touched []string `json:"files_touched"`
			}
			data, _ := w.objects.read(branch + ":" + strings.TrimPrefix(s.Metadata, "/"))
			if json.Unmarshal([]byte(data), &meta) != nil {
				w.fail(unsound, s.Metadata+" is not there")
			}
			l.touched[meta.Session] = append(l.touched[meta.Session], meta.Touched...)
			l.kept[meta.Session] = l.kept[meta.Session] || w.met[checkpoint]
			l.again[meta.Session] = l.again[meta.Session] || w.met[checkpoint] || w.linkedNow[checkpoint] != id
			all = append(all, meta.Session)
		}
		for _, s := range all {
			l.lax[s] = l.lax[s] || w.lax[checkpoint+s]
			l.with[s] = append(l.with[s], all...)
		}
	}
	return l
}

// hasOther reports whether a commit doesn't change one of some files: where it replays another one,
// the checkpoint of that one may name a file as it was called there.
func hasOther(files []fileDiff, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(files, func(f fileDiff) bool { return f.new == name || f.old == name })
	})
}

// traces are what the lines of a commit say of the sessions.
type traces struct {
	wrote   map[string][]string       // a session: its lines, but for those of more than one right owner
	touched map[string]map[string]int // and the files, with the number of these lines
	maybe   map[string]bool           // sessions that may be linked
	names   map[place]bool            // files that may be touched, with the session in place of a line
}

// may notes that a session may be linked, for any of some files.
func (t *traces) may(who string, files ...string) {
	t.maybe[who] = true
	for _, name := range files {
		t.names[place{name, who}] = true
	}
}

// tracesIn reads a commit's lines.
func (w *world) tracesIn(id string, files []fileDiff) *traces {
	t := &traces{map[string][]string{}, map[string]map[string]int{}, map[string]bool{}, map[place]bool{}}
	for _, f := range files {
		for _, name := range []string{f.new, f.old} {
			for who := range w.renamers[name] {
				t.may(who, f.new, f.old)
			}
		}
		if f.old != "" && f.new != "" && f.old != f.new {
			now, _ := w.objects.read(id + ":" + f.new)
			for _, line := range text(now).lines() {
				if author, ok := authorOf(line); ok {
					t.names[place{f.new, author}] = true // it brings the file there
				}
			}
		}
		for _, line := range f.added {
			w.traceAdded(t, f.new, line.text)
		}
		gone := linesIn(f.removed)
		if f.new == "" {
			gone = append(gone, "") // the file itself
		}
		for _, name := range []string{f.new, f.old} {
			for _, line := range gone {
				for who := range w.ledger.removed[place{name, line}] {
					t.may(who, f.new, f.old)
				}
			}
		}
	}
	return t
}

// traceAdded reads a line that a commit adds to a file.
func (w *world) traceAdded(t *traces, file, line string) {
	if w.ledger.brought[line][anybody] {
		for _, s := range w.sessions {
			t.may(s.id, file)
		}
	}
	author, ok := authorOf(line)
	if !ok || author == human {
		return
	}
	t.may(author, file)
	for who := range w.ledger.brought[line] {
		t.may(who, file)
	}
	if w.ledger.doubtful(line) || w.linkless[line] {
		return
	}
	t.wrote[author] = append(t.wrote[author], line)
	if t.touched[author] == nil {
		t.touched[author] = map[string]int{}
	}
	t.touched[author][file]++
}

// checkLinks: a commit has a link to each session that wrote a line in it, and to no other.
func (w *world) checkLinks(id string, files []fileDiff) {
	t, l := w.tracesIn(id, files), w.links(id)
	for _, s := range sorted(t.wrote) {
		switch _, there := l.touched[s]; {
		case there:
			w.tally.Links++
			w.checkTouched(id, s, files, t, l)
		case len(t.wrote[s]) == 1 && !significant(t.wrote[s][0]):
			w.tally.Skipped++
		default:
			w.tally.Links++
			w.fail(missedLink, fmt.Sprintf("%s to %s, which wrote %q", short(id), s, t.wrote[s]))
		}
	}
	for s := range l.touched {
		if len(t.wrote[s]) == 0 {
			w.checkUnwritten(id, s, files, t, l)
		}
	}
	for s, names := range l.touched {
		for _, f := range names {
			changed := w.at.touched[s][f] || w.ledger.strict && w.at.edited[s][f] // or git brings a version of then
			if !t.names[place{f, s}] && !changed && !l.again[s] && slices.ContainsFunc(files, func(d fileDiff) bool { return d.new == f || d.old == f }) {
				w.fail(wrongFile, fmt.Sprintf("%s of %s in %s", f, s, short(id)))
			}
		}
	}
}

// checkTouched: the checkpoint of a session has the files with its lines.
func (w *world) checkTouched(id, s string, files []fileDiff, t *traces, l linked) {
	for f, lines := range t.touched[s] {
		if lines < 2 {
			continue // one line alone need be no evidence
		}
		w.tally.Files++
		if !slices.Contains(l.touched[s], f) && !(w.replays && l.kept[s] && hasOther(files, l.touched[s])) {
			w.fail(missedFile, fmt.Sprintf("%s of %s in %s", f, s, short(id)))
		}
	}
}

// checkUnwritten: a session none of whose lines a commit has is linked only where that may be.
func (w *world) checkUnwritten(id, s string, files []fileDiff, t *traces, l linked) {
	changed := slices.ContainsFunc(files, func(f fileDiff) bool { return w.at.touched[s][f.new] || w.at.touched[s][f.old] })
	beside := slices.ContainsFunc(l.with[s], func(other string) bool { return len(t.wrote[other]) > 0 })
	if !t.maybe[s] && !changed && !l.lax[s] && !(l.kept[s] && (w.replays || beside)) {
		w.fail(wrongLink, fmt.Sprintf("%s to %s, which wrote none of its lines", short(id), s))
		return
	}
	w.tally.Skipped++
	for _, checkpoint := range l.checkpoints {
		w.lax[checkpoint+s] = true
	}
}
