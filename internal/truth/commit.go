package main

import (
	"fmt"
	"slices"
	"strings"
)

// message is one that no other commit has.
func (w *world) message() string {
	w.commits++
	return fmt.Sprintf("Commit %d in step %d", w.commits, w.step)
}

// commit commits what is staged, if anything is.
func (w *world) commit(s *session) bool {
	if !w.staged() {
		return false
	}
	message := w.message()
	w.runs(s, "git commit -m '"+message+"'")
	before := read(w.at.dir)
	done := w.git("commit", "-q", "-m", message)
	if name, same := equal(before, read(w.at.dir)); !same {
		w.fail(bytesChanged, "git commit changed %s", name)
	}
	return done
}

func (w *world) staged() bool {
	if w.born() {
		return !w.asks("diff", "--cached", "--quiet")
	}
	return w.ask("ls-files") != ""
}

// born reports whether HEAD has a commit.
func (w *world) born() bool { return w.asks("rev-parse", "-q", "--verify", "HEAD") }

// clean reports whether the worktree has nothing that HEAD hasn't.
func (w *world) clean() bool { return w.ask("status", "--porcelain") == "" }

// dirty reports whether it has.
func (w *world) dirty() bool { return !w.clean() }

// depth is how many commits there are above the first ones.
func (w *world) depth() int {
	if w.asks("rev-parse", "-q", "--verify", "root") {
		return len(w.list("rev-list", "--first-parent", "root..HEAD"))
	}
	return max(0, len(w.list("rev-list", "--first-parent", "HEAD"))-1)
}

// linear reports whether the last n commits are no merges.
func (w *world) linear(n int) bool {
	return w.ask("rev-list", "--merges", fmt.Sprintf("HEAD~%d..HEAD", n)) == ""
}

func commitAll(w *world) {
	before := w.foresee()
	w.git("add", "-A")
	w.need(w.commit(nil))
	w.checkForeseen(before)
}

func commitTracked(w *world) {
	w.need(w.born() && !w.asks("diff", "--quiet", "HEAD"))
	w.need(w.git("commit", "-q", "-a", "-m", w.message()))
}

// changedFiles are those whose worktree differs from the index.
func (w *world) changedFiles() []string {
	names := w.names("ls-files", "--modified", "--deleted", "--others", "--exclude-standard")
	slices.Sort(names)
	return slices.Compact(names)
}

// stageSome stages some of the files, one at least.
func (w *world) stageSome() bool {
	changed := some(w.r, w.changedFiles())
	return len(changed) > 0 && w.git(append([]string{"add", "-A", "--"}, changed...)...)
}

func commitSome(w *world) { w.need(w.stageSome() && w.commit(nil)) }

// commitPart commits a part of a file, as after `git add -p`.
func commitPart(w *world) { w.need(w.stagePart() && w.commit(nil)) }

func (w *world) stagePart() bool {
	all := read(w.at.dir)
	changed := slices.DeleteFunc(w.changedFiles(), func(n string) bool { return all[n] == "" })
	if len(changed) == 0 {
		return false
	}
	name := pick(w.r, changed)
	return w.stagePartOf(name, all[name])
}

// stagePartOf stages some of the changes of a file's text.
func (w *world) stagePartOf(name string, now text) bool {
	staged := text(w.asked("show", ":"+name).out)
	part := join(partOf(w.r, staged.lines(), now.lines()))
	if part == staged || part == now || part == "" {
		return w.git("add", "--", name)
	}
	blob := strings.TrimSpace(w.exec(nil, string(part), "git", "hash-object", "-w", "--stdin").out)
	in := w.script.file(strings.TrimSuffix(string(part), "\n"))
	w.script.say("exec git hash-object -w ../%s", in)
	return w.git("update-index", "--add", "--cacheinfo", "100644,"+blob+","+name)
}

// commitPath commits one file, whatever is staged.
func commitPath(w *world) {
	names := w.names("diff", "--name-only", "HEAD")
	w.need(len(names) > 0 && w.born())
	w.need(w.git("commit", "-q", "-m", w.message(), "--", pick(w.r, names)))
}

// commitWithoutHooks is a commit by a client that runs none, or by an agent with such a shell.
func commitWithoutHooks(w *world) {
	w.git("add", "-A")
	w.need(w.staged())
	w.need(w.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", w.message()))
}

// commitTree makes a commit by plumbing.
func commitTree(w *world) {
	w.git("add", "-A")
	w.need(w.staged() && w.born())
	message := w.message()
	w.tick()
	tree := w.ask("write-tree")
	commit := w.ask("commit-tree", "-p", "HEAD", "-m", message, tree)
	w.script.say("exec sh -c 'git update-ref HEAD $(git commit-tree -p HEAD -m \"%s\" $(git write-tree))'", message)
	w.need(w.asks("update-ref", "HEAD", commit))
}

// grown reports whether there are commits above the first ones.
func (w *world) grown() bool { return w.born() && w.depth() > 0 }

// amendable reports whether the last commit is above the first ones, and no merge.
func (w *world) amendable() bool { return w.grown() && w.linear(1) }

func (w *world) amend(more ...string) bool {
	return w.git(append([]string{"commit", "-q", "--amend"}, more...)...)
}

func amendMessage(w *world) { w.need(w.amendable() && w.amend("--only", "-m", w.message())) }

func amendMore(w *world) {
	w.need(w.amendable())
	if w.chance(3) {
		w.editFile(nil, nil)
	}
	w.need(w.stageSome())
	if w.chance(2) {
		w.need(w.amend("--no-edit"))
	} else {
		w.need(w.amend("-m", w.message()))
	}
}

// amendLess takes a file out of the last commit, or a part of one, as after `git reset -p HEAD^`.
func amendLess(w *world) {
	w.need(w.amendable())
	name := pick(w.r, w.list("-c", "core.quotePath=false", "diff", "--name-only", "--no-renames", "HEAD^", "HEAD"))
	w.git("reset", "-q", "HEAD^", "--", name)
	if text := read(w.at.dir)[name]; text != "" && w.chance(2) {
		w.stagePartOf(name, text)
	}
	if w.asks("diff", "--cached", "--quiet", "HEAD^") { // git refuses to make it empty
		w.git("reset", "-q")
		w.need(false)
	}
	w.need(w.amend("--no-edit"))
}

func resetAndCommit(w *world) {
	w.need(w.grown())
	n := 1 + w.r.IntN(min(3, w.depth()))
	w.need(w.linear(n))
	w.takeBack(fmt.Sprintf("HEAD~%d", n), "HEAD")
	w.git("reset", "-q", pick(w.r, []string{"--soft", "--mixed"}), fmt.Sprintf("HEAD~%d", n))
	switch w.r.IntN(4) {
	case 0:
		w.editFile(nil, nil)
	case 1:
		turn(w)
	}
	w.try(commitAll)
}

func resetAndUndo(w *world) {
	w.need(w.grown())
	w.need(w.git("reset", "-q", "--soft", "HEAD~1") && w.git("reset", "-q", "--soft", "HEAD@{1}"))
}

func resetHard(w *world) { w.need(w.grown() && w.git("reset", "-q", "--hard", "HEAD~1")) }

// split makes two commits or more of one.
func split(w *world) {
	w.need(w.amendable())
	w.takeBack("HEAD^", "HEAD")
	w.git("reset", "-q", "HEAD^")
	if w.chance(2) && w.stagePart() {
		w.commit(nil)
	}
	if w.stageSome() {
		w.commit(nil)
	}
	w.try(commitAll)
}
