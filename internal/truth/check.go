package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/internal/replay"
)

// check checks the commits that weren't there before.
func (w *world) check() {
	if !w.born() {
		return
	}
	for _, id := range w.branches() {
		if !w.seen[id] {
			w.seen[id] = true
			w.checkCommit(id)
		}
	}
	for checkpoint := range w.linkedNow {
		w.met[checkpoint] = true
	}
	clear(w.linkedNow)
}

// branches are the commits that the branches have, oldest first.
func (w *world) branches() []string {
	return w.list("rev-list", "--reverse", "--topo-order", "--exclude=entire/*", "--branches", "HEAD")
}

// lineOwner is a line of blame --json.
type lineOwner struct {
	Line         int    `json:"line"`
	OriginalLine int    `json:"original_line"`
	Commit       string `json:"commit"`
	Content      string `json:"content"`
	Owner        struct {
		Kind    string `json:"kind"`
		Session string `json:"session_id"`
		Reason  string `json:"reason"`
	} `json:"owner"`
}

// who is the owner as the ledger names it; empty: unknown.
func (l lineOwner) who() string {
	switch l.Owner.Kind {
	case human:
		return human
	case "agent":
		return l.Owner.Session
	}
	return ""
}

func (w *world) blame(id, file string) (all []lineOwner) {
	res := w.plumb("blame", "--json", "--rev", id, file)
	if err := json.Unmarshal([]byte(res.out), &all); err != nil || res.failed {
		w.fail(complaints, fmt.Sprintf("blame of %s at %s: %s", file, id, res.errs))
	}
	return all
}

func (w *world) diff(id string, parents []string) []fileDiff {
	args := []string{"-c", "core.quotePath=false", "diff-tree", "-r", "-p", "-U0", "-M", "--no-commit-id"}
	if len(parents) == 0 {
		args = append(args, "--root", id)
	} else {
		args = append(args, parents[0], id)
	}
	return parseDiff(w.ask(args...))
}

// findMoved notes the lines of the other side that a merge adds to either: who resolved its
// conflict moved them.
func (w *world) findMoved(id string, parents []string, files []fileDiff) {
	side, moved := w.linesOf(parents[1]), map[string]bool{}
	for _, f := range files {
		for _, line := range f.added {
			moved[line.text] = side[key(line.text)] > 0
		}
	}
	for _, f := range w.diff(id, parents[1:]) {
		for _, line := range f.added {
			if moved[line.text] {
				w.ledger.bring(line.text, human)
			}
		}
	}
}

// ours reports whether a file is one of our settings.
func ours(f fileDiff) bool { return strings.HasPrefix(f.new+f.old, ".") }

// checkCommit checks all that is said of a commit.
func (w *world) checkCommit(id string) {
	w.tally.Commits++
	parents := strings.Fields(w.ask("rev-list", "--no-walk", "--parents", id))[1:]
	files := w.diff(id, parents)
	settings := 0 // a commit may have lines of ours, too
	for _, f := range files {
		if ours(f) {
			settings += len(f.added)
		}
	}
	files = slices.DeleteFunc(files, ours)
	seen := w.look(id) // what no hook saw is found now
	w.findDoubts(id, parents, files)
	if len(parents) > 1 && !w.ledger.strict {
		w.findMoved(id, parents, files)
	}
	var owned []ownedLine
	for _, f := range files {
		if f.new != "" && len(f.added) > 0 {
			for _, line := range w.blame(id, f.new) {
				w.checkLine(id, f.new, line)
				if line.Commit == id {
					owned = append(owned, ownedLine{f.new, line.Line, line.who()})
				}
			}
		}
	}
	if len(parents) > 1 && w.ledger.strict {
		w.checkLinks(id, files)
	}
	if len(parents) < 2 {
		w.checkLinks(id, files)
		w.checkSums(id, files, settings, seen, owned)
	}
}

// findDoubts notes the lines of a commit whose owner is a matter of definition: git sees them as
// the commit's, but they were in its parent under another name, are in it twice, were taken out by
// an earlier commit, or come back by a revert; or they are too short to be evidence.
func (w *world) findDoubts(id string, parents []string, files []fileDiff) {
	times := map[string]int{} // whatever their form
	for line, n := range w.linesOf(id) {
		times[key(line)] += n
	}
	var before map[string]int
	if len(parents) > 0 {
		before = w.linesOf(parents[0])
	}
	known := map[string]bool{} // lines of the parents
	for _, parent := range parents {
		for line := range w.linesOf(parent) {
			known[line] = true
		}
	}
	clear(w.linkless)
	for _, f := range files {
		w.changed[f.new], w.changed[f.old] = true, true
		rewritten := w.rewritten(id, f.new)
		for _, line := range linesIn(f.added) {
			returned := rewritten || w.reverts || w.tookOutBefore(id, line)
			switch {
			case w.ledger.strict && times[key(line)] < 2:
				w.linkless[line] = returned || known[key(line)]
			case times[key(line)] > 1 || before[key(line)] > 0 || returned:
				w.ledger.bring(line, anybody)
			}
		}
		for _, line := range light(f.added, known) {
			w.ledger.bring(line, anybody)
		}
	}
	for author, lines := range linesByAuthor(files) {
		if author != human && len(lines) == 1 && !significant(lines[0]) {
			w.ledger.bring(lines[0], human) // no evidence: a commit without a link is the human's
		}
	}
	for _, f := range files {
		for _, line := range linesIn(f.removed) {
			w.takers[line] = append(w.takers[line], id)
		}
	}
}

// rewritten reports whether a file was renamed, and less than half of it is as it was under an
// earlier name, in a commit or at the end of a turn.
func (w *world) rewritten(id, file string) bool {
	now, _ := w.objects.read(id + ":" + file)
	versions := []text{text(now)}
	for _, stop := range w.stops {
		if v := stop.files[file]; v != "" {
			versions = append(versions, v)
		}
	}
	return slices.ContainsFunc(w.origins[file], func(was text) bool {
		return was != "" && slices.ContainsFunc(versions, func(v text) bool { return !alike(was, v) })
	})
}

// tookOutBefore reports whether an ancestor of a commit took a line out.
func (w *world) tookOutBefore(id, line string) bool {
	return slices.ContainsFunc(w.takers[line], func(taker string) bool { return w.asks("merge-base", "--is-ancestor", taker, id) })
}

// light are the lines that a commit adds to a file and that its parents have elsewhere, which alone
// or with those beside them are too short to be evidence of that.
func light(added []numbered, known map[string]bool) (all []string) {
	for i := 0; i < len(added); i++ {
		var run []string
		for begin := i; i < len(added) && known[key(added[i].text)] && added[i].n == added[begin].n+i-begin; i++ {
			run = append(run, added[i].text)
		}
		if len(run) > 0 {
			if i--; !significant(strings.Join(run, "")) {
				all = append(all, run...)
			}
		}
	}
	return all
}

// linesByAuthor are the lines that a commit adds.
func linesByAuthor(files []fileDiff) map[string][]string {
	lines := map[string][]string{}
	for _, f := range files {
		for _, line := range f.added {
			if author, ok := authorOf(line.text); ok {
				lines[author] = append(lines[author], line.text)
			}
		}
	}
	return lines
}

// linesOf counts how often each line is in a commit, whatever its form.
func (w *world) linesOf(id string) map[string]int {
	if known, ok := w.cached[id]; ok {
		return known
	}
	times := map[string]int{}
	w.cached[id] = times
	for _, name := range w.names("ls-tree", "-r", "--name-only", id) {
		blob, _ := w.objects.read(id + ":" + name)
		for _, line := range text(blob).lines() {
			times[key(line)]++
		}
	}
	return times
}

// checkLine compares a line's owner with the author whose name is in it.
func (w *world) checkLine(id, file string, line lineOwner) {
	author, ok := authorOf(line.Content)
	own := line.Commit == id
	switch who := line.who(); {
	case !ok:
		if own {
			w.tally.Nobodys++
		}
		return
	case who == "":
		if own {
			w.tally.Lines++
			w.tally.Unknown++
		}
	case !w.ledger.may(line.Content, who):
		if own {
			w.tally.Lines++
		}
		w.fail(wrongLine, fmt.Sprintf("%s:%d in %s is %s's, not %s's: %q", file, line.OriginalLine, short(line.Commit), author, who, line.Content))
	case own:
		w.tally.Lines++
		if w.ledger.doubtful(line.Content) {
			w.tally.Doubtful++
		}
	}
}

func short(id string) string { return id[:min(7, len(id))] }

// checkEnd checks the repository, and all that is said of the commits in the end.
func (w *world) checkEnd() {
	if !w.born() {
		return
	}
	w.plumb("status")
	for _, tree := range w.trees {
		w.cd(tree)
		for _, name := range w.names("ls-tree", "-r", "--name-only", "HEAD") {
			for _, line := range w.blame("HEAD", name) {
				w.checkLine("", name, line)
			}
		}
	}
	for _, id := range w.branches() {
		w.links(id)
	}
	w.cd(w.trees[0])
	err := replay.Promises(func(args ...string) (string, error) {
		res := w.exec(call{args: append([]string{"git"}, args...)})
		if res.failed {
			return res.out, fmt.Errorf("git %s: %s", strings.Join(args, " "), res.errs)
		}
		return res.out, nil
	}, false)
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			if !strings.Contains(line, "doesn't change") { // its commit was reset, perhaps; see checkLinks
				w.fail(unsound, strings.TrimSpace(line))
			}
		}
	}
	w.checkElsewhere()
}
