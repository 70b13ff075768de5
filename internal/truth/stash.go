package main

import (
	"encoding/json"
	"slices"
)

func stash(w *world) bool {
	if !w.born() || w.clean() {
		return false
	}
	args := []string{"stash", "push", "-q"}
	if w.chance(2) {
		args = append(args, "-u")
	}
	if w.chance(4) {
		if changed := w.changedFiles(); len(changed) > 0 {
			args = append(args, "-u", "--", pick(w.r, changed))
		}
	}
	return w.git(args...)
}

func stashPop(w *world) bool {
	if w.ask("stash", "list") == "" {
		return false
	}
	w.takeBack("stash^", "stash") // commits may have changed its files since
	if w.git("stash", "pop", "-q") {
		return true
	}
	if len(w.conflicts()) == 0 {
		return true // git refused
	}
	if !w.resolve() {
		w.git("reset", "-q", "--hard")
		return true
	}
	w.git("reset", "-q")
	w.git("stash", "drop", "-q")
	return true
}

// dismiss throws work away, of all files or of one.
func dismiss(w *world) bool {
	if !w.born() || w.clean() {
		return false
	}
	names := w.names("diff", "--name-only")
	if len(names) > 0 && w.chance(3) {
		return w.git("checkout", "-q", "--", pick(w.r, names))
	}
	w.git("checkout", "-q", "--", ".")
	if w.chance(2) {
		w.git("clean", "-q", "-f", "-d")
	}
	return true
}

// point is a checkpoint that rewind lists.
type point struct {
	ID        string `json:"id"`
	Message   string `json:"message"`
	Part      string `json:"part"`
	LogsOnly  bool   `json:"is_logs_only"`
	SessionID string `json:"session_id"`
}

// aRewind is the last rewind of a worktree: to which checkpoint, at which HEAD, and the files.
type aRewind struct {
	to, head      string
	before, after files
}

// rewind goes back to the end of a turn, checks all bytes, and may undo that.
func rewind(w *world) bool {
	var points []point
	if !w.born() {
		return false
	}
	if res := w.plumb("rewind", "--json"); json.Unmarshal([]byte(res.out), &points) != nil {
		return false
	}
	points = slices.DeleteFunc(points, func(p point) bool { return p.LogsOnly || p.Part != "agent" })
	if len(points) == 0 {
		return false
	}
	to := pick(w.r, points)
	before, index, head := read(w.at.dir), w.index(), w.ask("rev-parse", "HEAD")
	if !w.rewindTo(to.ID) {
		return false
	}
	w.tally.Rewinds++
	after := read(w.at.dir)
	if last := w.rewinds[w.at]; last.to == to.ID && last.head == head {
		if _, same := equal(last.after, before); same {
			before = last.before // the same once more: --undo undoes both
		}
	}
	w.rewinds[w.at] = aRewind{to.ID, head, before, after}
	for _, s := range w.stops {
		if s.tree == w.at && s.head == head && s.prompt == to.Message {
			if name, same := equal(s.files, after); !same {
				w.fail(rewound, "rewind to "+to.Message+": "+name+" is not as it was")
			}
		}
	}
	if w.index() != index {
		w.fail(bytesChanged, "rewind changed the index")
	}
	if w.chance(2) {
		if w.rewindTo("--undo"); true {
			delete(w.rewinds, w.at)
			if name, same := equal(before, read(w.at.dir)); !same {
				w.fail(rewound, "rewind --undo: "+name+" is not as it was")
			}
		}
	}
	return true
}

func (w *world) rewindTo(to string) bool {
	w.tick()
	res := w.exec(call{args: []string{"entire-plumb", "rewind", to}})
	not := ""
	if res.failed {
		not = "! "
	}
	w.script.say("%splumb rewind %s", not, to)
	return !res.failed
}
