package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// links are those of a commit, and what they lead to for each session.
type links struct {
	checkpoints []string
	sessions    map[string]*linked
}

// linked is what a commit's links lead to for one session.
type linked struct {
	touched []string // the files
	kept    bool     // another commit linked a checkpoint of it before this step
	again   bool     // likewise, or in it
	lax     bool     // for another commit the link may be there or not
	with    []string // all sessions of its checkpoints
}

const branch = "entire/checkpoints/v1"

// readJSON reads a file of the checkpoints' branch.
func (w *world) readJSON(name string, into any) bool {
	data, ok := w.objects.read(branch + ":" + name)
	return ok && json.Unmarshal([]byte(data), into) == nil
}

// linkedBy are the checkpoints that a commit links.
func (w *world) linkedBy(id string) []string {
	var side struct{ Checkpoints []string }
	w.readJSON("links/"+id[:2]+"/"+id[2:]+".json", &side) // there may be none
	return union(strings.Fields(w.ask("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", id)), side.Checkpoints)
}

// meetReplaced notes the checkpoints of commits that the present step made and replaced.
func (w *world) meetReplaced(branches []string) {
	for _, id := range w.list("log", "-g", "--format=%H") {
		if !w.seen[id] && !slices.Contains(branches, id) {
			for _, checkpoint := range w.linkedBy(id) {
				w.met[checkpoint] = true
			}
		}
	}
}

// links reads a commit's links, and their checkpoints, by git alone.
func (w *world) links(id string) links {
	l := links{w.linkedBy(id), map[string]*linked{}}
	for _, checkpoint := range l.checkpoints {
		if w.linkedNow[checkpoint] == "" {
			w.linkedNow[checkpoint] = id
		}
		var summary struct{ Sessions []struct{ Metadata string } }
		if !w.readJSON(checkpoint[:2]+"/"+checkpoint[2:]+"/metadata.json", &summary) {
			w.fail(unsound, "%s links %s, which is not there", short(id), checkpoint)
		}
		var all []string
		for _, s := range summary.Sessions {
			var meta struct {
				Session string   `json:"session_id"`
				Touched []string `json:"files_touched"`
			}
			if !w.readJSON(strings.TrimPrefix(s.Metadata, "/"), &meta) {
				w.fail(unsound, "%s is not there", s.Metadata)
			}
			all = append(all, meta.Session)
			of := l.sessions[meta.Session]
			if of == nil {
				of = &linked{}
				l.sessions[meta.Session] = of
			}
			of.touched = append(of.touched, meta.Touched...)
			of.kept = of.kept || w.met[checkpoint]
			of.again = of.again || of.kept || w.linkedNow[checkpoint] != id
			of.lax = of.lax || w.lax[checkpoint+meta.Session]
		}
		for _, s := range all {
			l.sessions[s].with = append(l.sessions[s].with, all...)
		}
	}
	return l
}

// traces are what the lines of a commit say of the sessions.
type traces struct {
	wrote   map[string][]string       // a session: its lines, but for those of more than one right owner
	touched map[string]map[string]int // and the files, with the number of these lines
	maybe   map[string]bool           // sessions that may be linked
	names   relation[string]          // a file: the sessions for which it may be named
}

// may notes that sessions may be linked, for any of some files.
func (t *traces) may(sessions map[string]bool, files ...string) {
	for who := range sessions {
		t.maybe[who] = true
		for _, name := range files {
			t.names.add(name, who)
		}
	}
}

// tracesIn reads a commit's lines.
func (w *world) tracesIn(id string, files []fileDiff) *traces {
	t := &traces{map[string][]string{}, map[string]map[string]int{}, map[string]bool{}, relation[string]{}}
	for _, f := range files {
		gone := linesIn(f.removed)
		if f.new == "" {
			gone = append(gone, "") // the file itself
		}
		for _, name := range []string{f.new, f.old} {
			t.may(w.renamers[name], f.new, f.old)
			for _, line := range gone {
				t.may(w.ledger.removed[place{name, line}], f.new, f.old)
			}
		}
		if f.old != "" && f.new != "" && f.old != f.new { // it brings the lines there
			for _, line := range w.content(id, f.new).lines() {
				if author, ok := authorOf(line); ok {
					t.names.add(f.new, author)
				}
			}
		}
		for _, line := range linesIn(f.added) {
			w.traceAdded(t, f.new, line)
		}
	}
	return t
}

// traceAdded reads a line that a commit adds to a file.
func (w *world) traceAdded(t *traces, file, line string) {
	if w.ledger.brought[key(line)][anybody] {
		for _, s := range w.sessions {
			t.may(map[string]bool{s.id: true}, file)
		}
	}
	author, ok := authorOf(line)
	if !ok || author == human {
		return
	}
	t.may(map[string]bool{author: true}, file)
	t.may(w.ledger.brought[key(line)], file)
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
		switch of := l.sessions[s]; {
		case of != nil:
			w.tally.Links++
			w.checkTouched(id, s, files, t, of)
		case len(t.wrote[s]) == 1 && !significant(t.wrote[s][0]):
			w.tally.Skipped++
		default:
			w.tally.Links++
			w.fail(missedLink, "%s to %s, which wrote %q", short(id), s, t.wrote[s])
		}
	}
	for _, s := range sorted(l.sessions) {
		of := l.sessions[s]
		if len(t.wrote[s]) == 0 {
			w.checkUnwritten(id, s, files, t, l)
		}
		for _, f := range of.touched {
			changed := w.at.touched[s][f] || w.ledger.strict && w.at.edited[s][f] // or git brings a version of then
			if !t.names[f][s] && !changed && !of.again && changes(files, f) {
				w.fail(wrongFile, "%s of %s in %s", f, s, short(id))
			}
		}
	}
}

// changes reports whether a commit changes a file.
func changes(files []fileDiff, name string) bool {
	return slices.ContainsFunc(files, func(f fileDiff) bool { return f.new == name || f.old == name })
}

// checkTouched: the checkpoint of a session has the files with its lines. Where a commit replays
// another one, the checkpoint of that one may name a file as it was called there.
func (w *world) checkTouched(id, s string, files []fileDiff, t *traces, of *linked) {
	renamed := w.replays && of.kept && slices.ContainsFunc(of.touched, func(name string) bool { return !changes(files, name) })
	for f, lines := range t.touched[s] {
		if lines < 2 {
			continue // one line alone need be no evidence
		}
		if w.tally.Files++; !slices.Contains(of.touched, f) && !renamed {
			w.fail(missedFile, "%s of %s in %s", f, s, short(id))
		}
	}
}

// checkUnwritten: a session none of whose lines a commit has is linked only where that may be.
func (w *world) checkUnwritten(id, s string, files []fileDiff, t *traces, l links) {
	of := l.sessions[s]
	changed := slices.ContainsFunc(files, func(f fileDiff) bool { return w.at.touched[s][f.new] || w.at.touched[s][f.old] })
	beside := slices.ContainsFunc(of.with, func(other string) bool { return len(t.wrote[other]) > 0 || other != s && t.maybe[other] })
	if !t.maybe[s] && !changed && !of.lax && !(of.kept && (w.replays || beside)) {
		w.fail(wrongLink, "%s to %s, which wrote none of its lines", short(id), s)
		return
	}
	w.tally.Skipped++
	for _, checkpoint := range l.checkpoints {
		w.lax[checkpoint+s] = true
	}
}

// objects is a git process that reads objects for the checks, for as long as the workflow lasts.
type objects struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func openObjects(dir string, env []string) *objects {
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env = dir, env
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	return &objects{cmd, in, bufio.NewReader(out)}
}

// read returns an object that git knows by a name, and whether there is one.
func (o *objects) read(name string) (string, bool) {
	_, err := fmt.Fprintln(o.in, name)
	must(err)
	head, err := o.out.ReadString('\n')
	must(err)
	var size int
	if _, err := fmt.Sscanf(head[strings.LastIndex(head, " ")+1:], "%d", &size); err != nil {
		return "", false // it says that the object is missing
	}
	data := make([]byte, size+1)
	_, err = io.ReadFull(o.out, data)
	must(err)
	return string(data[:size]), true
}

func (o *objects) close() {
	o.in.Close()
	o.cmd.Wait()
}
