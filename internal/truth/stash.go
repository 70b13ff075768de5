package main

import (
	"encoding/json"
	"slices"
)

func stash(w *world) {
	w.need(w.born() && w.dirty())
	args := []string{"stash", "push", "-q"}
	if w.chance(2) {
		args = append(args, "-u")
	}
	if w.chance(4) {
		if changed := w.changedFiles(); len(changed) > 0 {
			args = append(args, "-u", "--", pick(w.r, changed))
		}
	}
	w.need(w.git(args...))
}

// stashed reports whether there are stash entries.
func (w *world) stashed() bool { return w.ask("stash", "list") != "" }

func stashPop(w *world) {
	w.need(w.stashed())
	w.takeBack("stash^", "stash") // commits may have changed its files since
	if w.git("stash", "pop", "-q") {
		return
	}
	if len(w.conflicts()) == 0 {
		return // git refused
	}
	if !w.resolve() {
		w.git("reset", "-q", "--hard")
		return
	}
	w.git("reset", "-q")
	w.git("stash", "drop", "-q")
}

// dismiss throws work away, of all files or of one.
func dismiss(w *world) {
	w.need(w.born() && w.dirty())
	names := w.names("diff", "--name-only")
	if len(names) > 0 && w.chance(3) {
		w.need(w.git("checkout", "-q", "--", pick(w.r, names)))
		return
	}
	w.git("checkout", "-q", "--", ".")
	if w.chance(2) {
		w.git("clean", "-q", "-f", "-d")
	}
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
func rewind(w *world) {
	w.need(w.born())
	var points []point
	w.need(json.Unmarshal([]byte(w.plumb("rewind", "--json").out), &points) == nil)
	points = slices.DeleteFunc(points, func(p point) bool { return p.LogsOnly || p.Part != "agent" })
	w.need(len(points) > 0)
	to := pick(w.r, points)
	before, index, head := read(w.at.dir), w.index(), w.ask("rev-parse", "HEAD")
	w.need(w.rewindTo(to.ID))
	w.tally.Rewinds++
	after := read(w.at.dir)
	last := w.rewinds[w.at]
	if _, same := equal(last.after, before); same && last.to == to.ID && last.head == head {
		before = last.before // the same once more: --undo undoes both
	}
	w.rewinds[w.at] = aRewind{to.ID, head, before, after}
	for _, s := range w.stops {
		if s.tree == w.at && s.head == head && s.prompt == to.Message {
			w.checkRewound("to "+to.Message, s.files, after)
		}
	}
	if w.index() != index {
		w.fail(bytesChanged, "rewind changed the index")
	}
	if w.chance(2) {
		w.rewindTo("--undo")
		delete(w.rewinds, w.at)
		w.checkRewound("--undo", before, read(w.at.dir))
	}
}

func (w *world) checkRewound(how string, want, got files) {
	if name, same := equal(want, got); !same {
		w.fail(rewound, "rewind %s: %s is not as it was", how, name)
	}
}

func (w *world) rewindTo(to string) bool {
	w.tick()
	res := w.run("entire-plumb", "rewind", to)
	w.script.ran(res.failed, "plumb", "rewind", to)
	return !res.failed
}
