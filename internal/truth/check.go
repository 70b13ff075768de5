package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/replay"
)

// check checks the commits that weren't there before.
func (w *world) check() {
	if !w.born() {
		return
	}
	branches := w.branches()
	w.meetReplaced(branches)
	for _, id := range branches {
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
	Line            int
	OriginalLine    int `json:"original_line"`
	Commit, Content string
	Owner           struct {
		Kind    string
		Session string `json:"session_id"`
		Turn    string `json:"turn_id"`
	}
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
	w.json(&all, "blame", "--json", "--rev", id, file)
	return all
}

// A fileDiff is what a commit does to a file.
type fileDiff struct {
	old, new       string // names; empty: there is none
	added, removed []numbered
}

// numbered is a line with its number.
type numbered struct {
	n    int
	text string
}

// linesIn are the texts of lines.
func linesIn(lines []numbered) (all []string) {
	for _, line := range lines {
		all = append(all, line.text)
	}
	return all
}

// diff is what git's diff says of a commit, beside its first parent.
func (w *world) diff(id string, parents []string) (all []fileDiff) {
	parent := append(parents, "--root")[0]
	patch := w.asked("-c", "core.quotePath=false", "diff-tree", "-r", "-p", "-U0", "-M", "--no-commit-id", parent, id).out
	must(gitexec.ParsePatch(strings.NewReader(patch), func(p gitexec.FilePatch) error {
		f := fileDiff{old: string(p.Old), new: string(p.New)}
		for _, h := range p.Hunks {
			f.added = append(f.added, w.span(id, f.new, h.NewStart, h.NewLines)...)
			f.removed = append(f.removed, w.span(parent, f.old, h.OldStart, h.OldLines)...)
		}
		all = append(all, f)
		return nil
	}))
	return all
}

// span are so many lines of a commit's file.
func (w *world) span(id, file string, first, count int) (all []numbered) {
	if count > 0 {
		for i, line := range w.content(id, file).lines()[first-1:][:count] {
			all = append(all, numbered{first + i, line})
		}
	}
	return all
}

// content is a commit's file; empty: there is none.
func (w *world) content(id, file string) text {
	content, _ := w.objects.read(id + ":" + file)
	return text(content)
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
	added := 0 // a commit may have lines of our settings, too
	for _, f := range files {
		added += len(f.added)
	}
	hasSettings := slices.ContainsFunc(files, func(f fileDiff) bool { return ours(f) && len(f.added) > 0 })
	files = slices.DeleteFunc(files, ours)
	seen := w.look(id) // what no hook saw is found now
	w.findDoubts(id, parents, files)
	w.findTaken(id, files)
	if len(parents) > 1 && !w.ledger.strict {
		w.findMoved(id, parents, files)
	}
	owned := owners{}
	for _, f := range files {
		if f.new == "" || len(f.added) == 0 {
			continue
		}
		for _, line := range w.blame(id, f.new) {
			if w.checkLine(id, f.new, line); line.Commit == id {
				owned[lineAt{f.new, line.Line}] = line.who()
			}
		}
	}
	if len(parents) < 2 || w.ledger.strict {
		w.checkLinks(id, files)
	}
	if len(parents) < 2 {
		w.checkSums(id, added, seen)
		if !hasSettings {
			w.checkOwners(id, seen, owned)
		}
	}
}

// findDoubts notes the lines of a commit whose owner is a matter of definition: git sees them as
// the commit's, but they were in its parent under another name, are in it twice, were taken out by
// an earlier commit, or come back by a revert; or they are too short to be evidence.
func (w *world) findDoubts(id string, parents []string, files []fileDiff) {
	times, before, known := w.linesOf(id), map[string]int{}, map[string]bool{}
	if len(parents) > 0 {
		before = w.linesOf(parents[0])
	}
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
}

// findTaken notes which lines a commit takes out, and a session's only line that it adds and that
// needs a link, if that is no evidence: a commit without a link is the human's.
func (w *world) findTaken(id string, files []fileDiff) {
	wrote := map[string][]string{}
	for _, f := range files {
		for _, line := range linesIn(f.added) {
			if author, _ := authorOf(line); !w.linkless[line] {
				wrote[author] = append(wrote[author], line)
			}
		}
		for _, line := range linesIn(f.removed) {
			w.takers[line] = append(w.takers[line], id)
		}
	}
	for author, lines := range wrote {
		if author != human && len(lines) == 1 && !significant(lines[0]) {
			w.ledger.bring(lines[0], human)
		}
	}
}

// rewritten reports whether a file was renamed, and less than half of it is as it was under an
// earlier name, in a commit or at the end of a turn.
func (w *world) rewritten(id, file string) bool {
	versions := []text{w.content(id, file)}
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

// linesOf counts how often each line is in a commit, whatever its form.
func (w *world) linesOf(id string) map[string]int {
	if known, ok := w.cached[id]; ok {
		return known
	}
	times := map[string]int{}
	w.cached[id] = times
	for _, name := range w.names("ls-tree", "-r", "--name-only", id) {
		for _, line := range w.content(id, name).lines() {
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
			w.tally.Unknown++
		}
	case !w.ledger.may(line.Content, who):
		w.fail(wrongLine, "%s:%d in %s is %s's, not %s's: %q", file, line.OriginalLine, short(line.Commit), author, who, line.Content)
	case own && w.ledger.doubtful(line.Content):
		w.tally.Doubtful++
	}
	if own {
		w.tally.Lines++
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
		res := w.asked(args...)
		if res.failed {
			return res.out, fmt.Errorf("git %s: %s", strings.Join(args, " "), res.errs)
		}
		return res.out, nil
	}, false)
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			if !strings.Contains(line, "doesn't change") { // its commit was reset, perhaps; see checkLinks
				w.fail(unsound, "%s", strings.TrimSpace(line))
			}
		}
	}
	w.checkElsewhere()
}

// checkElsewhere checks that a clone of what was pushed gives each line the same owner, and that
// the repository does when git has removed all that no ref and no reflog has.
func (w *world) checkElsewhere() {
	branches := w.list("for-each-ref", "--format=%(refname:short)", "refs/heads")
	branches = slices.DeleteFunc(branches, func(name string) bool { return strings.HasPrefix(name, "entire/") })
	here := w.ownersOf(branches, "")
	server := filepath.Join(w.dir, "server.git")
	w.must("init", "-q", "--bare", "--object-format="+w.ask("rev-parse", "--show-object-format"), server)
	refs := append(slices.Clone(branches), branch)
	if !w.asks("rev-parse", "-q", "--verify", "refs/heads/"+branch) {
		refs = branches
	}
	w.must(append([]string{"-c", "core.hooksPath=/dev/null", "push", "-q", server}, refs...)...)
	clone := &worktree{name: "clone", dir: filepath.Join(w.dir, "clone"), gitDir: filepath.Join(w.dir, "clone", ".git")}
	w.must("clone", "-q", "file://"+server, clone.dir)
	main := w.at
	w.at = clone
	there := w.ownersOf(branches, "origin/")
	w.at = main
	w.compareOwners("clone", here, there)
	w.must("gc", "-q", "--prune=now")
	w.compareOwners("gc", here, w.ownersOf(branches, ""))
}

// must runs a git command that is not part of the workflow.
func (w *world) must(args ...string) {
	if res := w.asked(args...); res.failed {
		panic(fmt.Sprintf("%q: %s", args, res.errs))
	}
}

// ownersOf asks for the owner of each line of some branches.
func (w *world) ownersOf(branches []string, prefix string) map[string]string {
	owners := map[string]string{}
	for _, name := range branches {
		for _, file := range w.names("ls-tree", "-r", "--name-only", prefix+name) {
			for _, line := range w.blame(prefix+name, file) {
				owners[fmt.Sprintf("%s:%s:%d, of %s", name, file, line.Line, short(line.Commit))] = line.who()
			}
		}
	}
	return owners
}

func (w *world) compareOwners(where string, here, there map[string]string) {
	for _, line := range sorted(here) {
		if w.tally.Elsewhere++; here[line] != there[line] {
			w.fail(elsewhere, "%s: %s is %q's here, %q's there", where, line, here[line], there[line])
		}
	}
}
