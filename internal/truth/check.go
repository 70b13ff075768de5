package main

import (
	"encoding/json"
	"fmt"
	"maps"
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
	if len(parents) < 2 {
		w.checkLinks(id, files)
		w.checkSums(id, files, settings, seen, owned)
	}
}

// findDoubts notes the lines of a commit whose owner is a matter of definition: git sees them as the
// commit's, but they were in its parent under another name, are in it twice, were taken out by an
// earlier commit, or come back by a revert.
func (w *world) findDoubts(id string, parents []string, files []fileDiff) {
	times := w.linesOf(id)
	var before map[string]int
	if len(parents) > 0 {
		before = w.linesOf(parents[0])
	}
	for _, f := range files {
		w.changed[f.new], w.changed[f.old] = true, true
		now, _ := w.objects.read(id + ":" + f.new)
		rewritten := slices.ContainsFunc(w.origins[f.new], func(was text) bool { return was != "" && !alike(was, text(now)) })
		for _, line := range f.added {
			returned := slices.ContainsFunc(w.takers[line.text], func(taker string) bool {
				return w.asks("merge-base", "--is-ancestor", taker, id)
			})
			if times[line.text] > 1 || before[line.text] > 0 || returned || rewritten || w.reverts {
				w.ledger.bring(line.text, anybody)
			}
		}
	}
	for _, f := range files {
		for _, line := range f.removed {
			w.takers[line.text] = append(w.takers[line.text], id)
		}
	}
}

// linesOf counts how often each line is in a commit.
func (w *world) linesOf(id string) map[string]int {
	if known, ok := w.cached[id]; ok {
		return known
	}
	times := map[string]int{}
	w.cached[id] = times
	for _, name := range w.list("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", id) {
		if !strings.HasPrefix(name, ".") {
			blob, _ := w.objects.read(id + ":" + name)
			for _, line := range text(blob).lines() {
				times[line]++
			}
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

// linked is what a commit's links lead to: the sessions, and the files of each.
type linked struct {
	checkpoints []string
	touched     map[string][]string
	kept        map[string]bool     // sessions of checkpoints that other commits linked before
	with        map[string][]string // a session: all those of its checkpoint
	lax         map[string]bool     // sessions whose link may be there or not, for another commit
}

const branch = "entire/checkpoints/v1"

// links reads a commit's links, and their checkpoints, by git alone.
func (w *world) links(id string) linked {
	l := linked{touched: map[string][]string{}, kept: map[string]bool{}, with: map[string][]string{}, lax: map[string]bool{}}
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
		w.linkedNow[checkpoint] = true
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
			all = append(all, meta.Session)
		}
		for _, s := range all {
			l.lax[s] = l.lax[s] || w.lax[checkpoint+s]
			l.with[s] = append(l.with[s], all...)
		}
	}
	return l
}

// checkLinks: a commit has a link to each session that wrote a line in it, and to no other.
func (w *world) checkLinks(id string, files []fileDiff) {
	wrote, maybe := map[string][]string{}, map[string]bool{} // a session: significant lines
	touched := map[string]map[string]int{}                   // and the files, with the number of lines
	mayTouch := map[string]bool{}
	for _, f := range files {
		for _, name := range []string{f.new, f.old} {
			for who := range w.renamers[name] {
				maybe[who] = true
				mayTouch[who+" "+f.new], mayTouch[who+" "+f.old] = true, true
			}
		}
		for _, line := range f.added {
			author, ok := authorOf(line.text)
			if w.ledger.brought[line.text][anybody] {
				for _, s := range w.sessions {
					maybe[s.id] = true
					mayTouch[s.id+" "+f.new] = true
				}
			}
			if !ok || author == human {
				continue
			}
			maybe[author] = true
			for who := range w.ledger.brought[line.text] {
				maybe[who] = true
				mayTouch[who+" "+f.new] = true
			}
			mayTouch[author+" "+f.new] = true
			if w.ledger.doubtful(line.text) {
				continue
			}
			wrote[author] = append(wrote[author], line.text)
			if touched[author] == nil {
				touched[author] = map[string]int{}
			}
			touched[author][f.new]++
		}
		for _, line := range f.removed {
			if who := w.ledger.removed[line.text]; who != "" {
				maybe[who] = true
				mayTouch[who+" "+f.new] = true
				mayTouch[who+" "+f.old] = true
			}
		}
	}
	l := w.links(id)
	for _, s := range slices.Sorted(maps.Keys(wrote)) {
		switch _, there := l.touched[s]; {
		case there:
			w.tally.Links++
			for f, lines := range touched[s] {
				if lines < 2 {
					continue // one line alone need be no evidence
				}
				w.tally.Files++
				if !slices.Contains(l.touched[s], f) {
					w.fail(missedFile, fmt.Sprintf("%s of %s in %s", f, s, short(id)))
				}
			}
		case len(wrote[s]) == 1 && !significant(wrote[s][0]):
			w.tally.Skipped++
		default:
			w.tally.Links++
			w.fail(missedLink, fmt.Sprintf("%s to %s, which wrote %q", short(id), s, wrote[s]))
		}
	}
	for s := range l.touched {
		if _, ok := wrote[s]; ok {
			continue
		}
		changed := slices.ContainsFunc(files, func(f fileDiff) bool { return w.at.touched[s][f.new] || w.at.touched[s][f.old] })
		beside := slices.ContainsFunc(l.with[s], func(other string) bool { return len(wrote[other]) > 0 })
		if maybe[s] || changed || l.lax[s] || l.kept[s] && (w.replays || beside) {
			w.tally.Skipped++
			for _, checkpoint := range l.checkpoints {
				w.lax[checkpoint+s] = true
			}
			continue
		}
		w.fail(wrongLink, fmt.Sprintf("%s to %s, which wrote none of its lines", short(id), s))
	}
	for s, names := range l.touched {
		for _, f := range names {
			if !mayTouch[s+" "+f] && !w.at.touched[s][f] && !l.kept[s] && slices.ContainsFunc(files, func(d fileDiff) bool { return d.new == f || d.old == f }) {
				w.fail(wrongFile, fmt.Sprintf("%s of %s in %s", f, s, short(id)))
			}
		}
	}
}

// checkEnd checks the repository, and all that is said of the commits in the end.
func (w *world) checkEnd() {
	if !w.born() {
		return
	}
	w.plumb("status")
	for _, tree := range w.trees {
		w.cd(tree)
		for _, name := range w.list("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD") {
			if !strings.HasPrefix(name, ".") {
				for _, line := range w.blame("HEAD", name) {
					w.checkLine("", name, line)
				}
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
			if !strings.Contains(line, "doesn't change") { // its commit was taken back, perhaps; see checkLinks
				w.fail(unsound, strings.TrimSpace(line))
			}
		}
	}
}
