package main

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// further are workflows that -further plays beside ops: agents that run git and resolve conflicts,
// formatters, moves between files, two writers in one file.
var further = []op[world]{
	{"agent merges", 8, agentMerges, true},
	{"agent borrows", 8, agentBorrows, false},
	{"human brings", 6, humanBrings, false},
	{"files are joined", 3, joins, false},
	{"work in the middle of a merge", 6, workWithinMerge, false},
	{"format", 8, formats, false},
	{"commit, formatted by a hook", 4, commitFormatted, false},
	{"move to another file", 6, movesToAnother, false},
	{"sort a file", 3, sorts, false},
	{"turn, and the human saves a file", 6, turnBesideHuman, false},
	{"two agents in one file", 5, agentsInOneFile, false},
	{"ignored file", 2, ignoredFile, false},
	{"shell's work that another commits", 3, shellsWorkCommitted, false},
}

// claude is an idle session of Claude Code, whose tools' inputs have the text; nil: there is none.
func (w *world) claude(not ...*session) *session {
	idle := slices.DeleteFunc(w.idle(), func(s *session) bool { return s.agent != "claude-code" || slices.Contains(not, s) })
	if len(idle) == 0 {
		return nil
	}
	return pick(w.r, idle)
}

// brings has somebody bring content that has its authors, or change its form: that makes nobody its
// author.
func (w *world) brings(s *session, do func()) {
	before := read(w.at.dir)
	do()
	after := read(w.at.dir)
	for _, names := range [][]string{before.names(), after.names()} {
		for _, name := range names {
			if before[name] == after[name] {
				continue
			}
			if s != nil {
				w.at.touch(s.id, name)
			}
			left := keysOf(after[name].lines())
			for _, line := range before[name].lines() {
				if left[key(line)] == 0 {
					w.ledger.takeOut(name, line, s.name())
				}
			}
			if _, there := after[name]; !there {
				w.ledger.takeOut(name, "", s.name())
			}
		}
	}
}

// shell runs a command of the workflow that git doesn't run.
func (w *world) shell(command string) bool {
	w.tick()
	res := w.exec(call{args: []string{"sh", "-c", command}})
	w.script.say("exec sh -c %s", quoted([]string{command}))
	return !res.failed
}

// edited says in the transcript what the agent's tool put into a file.
func (w *world) edited(s *session, file string, lines []string) {
	if s.agent != "claude-code" {
		w.uses(s, file)
		return
	}
	w.tool(s, "Edit", object{"file_path": filepath.Join(w.at.dir, filepath.FromSlash(file)), "old_string": "", "new_string": string(join(lines))})
}

// adds has a session put lines of its own into a file, by its tools.
func (w *world) adds(s *session, name string) {
	w.edits(s, nil, func() {
		var own []string
		lines := insertLines(w.r, read(w.at.dir)[name].lines(), func() string {
			own = append(own, w.line(s, name))
			return own[len(own)-1]
		})
		w.write(name, join(lines))
		w.edited(s, name, own)
	})
}

// aside is a side branch, with nothing uncommitted: it makes one where there is none. Empty: it
// can't.
func (w *world) aside() string {
	if !w.born() {
		return ""
	}
	if !w.clean() {
		commitAll(w)
	}
	if w.side() == "" {
		sideBranch(w)
	}
	if !w.clean() {
		return ""
	}
	return w.side()
}

// agentMerges: an agent merges, picks or reverts in its turn, resolves the conflicts with lines of
// its own, and may add a file.
func agentMerges(w *world) bool {
	side, s := w.aside(), w.claude()
	if side == "" || s == nil {
		return false
	}
	commits := w.list("rev-list", "--no-merges", "--reverse", "HEAD.."+side)
	if len(commits) == 0 {
		return false
	}
	w.prompt(s)
	w.as(s, func() {
		command, name := []string{"merge", "-q", "--no-commit", "--no-ff", side}, "MERGE_HEAD"
		switch w.r.IntN(5) {
		case 0:
			command, name = []string{"cherry-pick", pick(w.r, commits)}, "CHERRY_PICK_HEAD"
		case 1:
			if w.depth() > 0 && w.linear(1) {
				w.reverts = true
				command, name = []string{"revert", "--no-commit", "HEAD"}, "REVERT_HEAD"
			}
		}
		w.runs(s, "git "+strings.Join(command, " "))
		w.brings(s, func() { w.git(command...) })
		if name == "REVERT_HEAD" || w.during(name) {
			if !w.resolveBy(s) {
				w.git("reset", "-q", "--hard")
				return
			}
			if w.chance(2) {
				w.adds(s, w.newName())
			}
			w.git("add", "-A")
			if w.chance(3) {
				return // the human concludes it
			}
			w.runs(s, "git commit")
			w.git("commit", "-q", "-m", w.message())
		}
	})
	w.stop(s)
	w.git("add", "-A")
	if w.during("MERGE_HEAD") || w.during("CHERRY_PICK_HEAD") || w.during("REVERT_HEAD") {
		w.git("commit", "-q", "-m", w.message())
	} else {
		w.commit(nil)
	}
	for _, left := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		if w.during(left) { // it has come to nothing
			w.git("reset", "-q", "--hard")
		}
	}
	return true
}

// resolveBy resolves conflicts, and puts lines of the session's where some were.
func (w *world) resolveBy(s *session) bool {
	conflicts := w.conflicts()
	done := false
	w.brings(s, func() { done = w.resolve() })
	if !done {
		return false
	}
	for _, name := range conflicts {
		if _, there := read(w.at.dir)[name]; there {
			w.adds(s, name)
			w.git("add", "--", name)
		}
	}
	return true
}

// agentBorrows: an agent brings what others wrote to the worktree by git, and may add to it.
func agentBorrows(w *world) bool {
	idle := w.idle()
	side := w.aside()
	if len(idle) == 0 || !w.born() || !w.clean() {
		return false
	}
	s := pick(w.r, idle)
	var command []string
	switch w.r.IntN(5) {
	case 0:
		if w.ask("stash", "list") != "" {
			command = []string{"stash", "pop", "-q"}
		}
	case 1:
		if side != "" {
			command = []string{"merge", "-q", "--squash", side}
		}
	case 2:
		if commits := w.list("rev-list", "--no-merges", "HEAD.."+cmp.Or(side, "HEAD")); len(commits) > 0 {
			command = []string{"cherry-pick", "-n", pick(w.r, commits)}
		}
	default:
		names := slices.DeleteFunc(w.names("diff", "--name-only", "--no-renames", "--diff-filter=AM", "HEAD", cmp.Or(side, "HEAD")),
			func(n string) bool { return n[0] == '"' })
		if len(names) > 0 {
			command = []string{"checkout", "-q", side, "--", pick(w.r, names)}
			if w.chance(2) {
				command = []string{"restore", "--source=" + side, "--", command[4]}
			}
		}
	}
	if command == nil {
		return false
	}
	w.prompt(s)
	w.as(s, func() {
		w.runs(s, "git "+strings.Join(command, " "))
		w.brings(s, func() {
			if !w.git(command...) {
				w.git("reset", "-q", "--hard")
				if w.ask("status", "--porcelain") != "" {
					w.git("clean", "-q", "-f", "-d")
				}
			}
		})
	})
	if w.chance(2) {
		w.writes(s, 1, false, nil)
	}
	w.stop(s)
	return true
}

// humanBrings: the human brings a file from another branch or from an old commit, by git or by
// hand, and may commit it at once.
func humanBrings(w *world) bool {
	from := "HEAD~1"
	if w.chance(2) {
		from = w.aside()
	} else if w.depth() < 2 || !w.clean() {
		return false
	}
	if from == "" {
		return false
	}
	names := slices.DeleteFunc(w.names("diff", "--name-only", "--no-renames", "--diff-filter=AM", "HEAD", from),
		func(n string) bool { return n[0] == '"' || n[0] == '\'' })
	if len(names) == 0 {
		return false
	}
	name := pick(w.r, names)
	w.brings(nil, func() {
		switch w.r.IntN(3) {
		case 0:
			w.git("checkout", "-q", from, "--", name)
		case 1:
			w.git("restore", "--source="+from, "--", name)
		default:
			w.write(name, text(w.ask("show", from+":"+name)+"\n"))
		}
	})
	if w.chance(2) {
		commitAll(w)
	}
	return true
}

// joins: somebody puts the lines of a file at the end of another one, and deletes it.
func joins(w *world) bool {
	all := read(w.at.dir)
	from := pick(w.r, append(all.names(), ""))
	others := slices.DeleteFunc(all.names(), func(n string) bool { return n == from || path.Ext(n) != path.Ext(from) })
	if len(all[from].lines()) < 3 || len(others) == 0 {
		return false
	}
	to := pick(w.r, others)
	w.somebody(func(s *session) {
		w.runs(s, "cat "+from+" >>"+to)
		w.brings(s, func() {
			w.write(to, join(append(slices.Clone(all[to].lines()), all[from].lines()...)))
			w.shell(fmt.Sprintf("rm '%s'", from))
		})
	})
	return true
}

// workWithinMerge: an agent's turn ends before or while the human has a merge open, who then
// commits all of it.
func workWithinMerge(w *world) bool {
	side, s := w.aside(), pick(w.r, w.idle())
	if side == "" {
		return false
	}
	before, squash := w.chance(2), w.chance(2)
	does := func() {
		w.prompt(s)
		w.writes(s, 1+w.r.IntN(2), true, nil)
		w.stop(s)
	}
	if before {
		does()
	}
	command := []string{"merge", "-q", "--no-commit", "--no-ff", side}
	if squash {
		command = []string{"merge", "-q", "--squash", side}
	}
	if !w.git(command...) {
		if len(w.conflicts()) == 0 {
			return true // git refuses: it would overwrite the work
		}
		if !w.resolve() {
			w.git("reset", "-q", "--hard")
			return true
		}
	}
	if !before {
		does()
	}
	w.git("add", "-A")
	if w.during("MERGE_HEAD") {
		w.git("commit", "-q", "--no-edit")
	} else {
		w.commit(nil)
	}
	return true
}

// forms are changes of form alone, as shell commands for a file.
var forms = []string{"s/^/    /", `s/^/\t/`, `s/^[ \t]*//`, "s/$/  /", `s/[ \t\r]*$//`, `s/\r*$/\r/`, `s/\r$//`}

// form has somebody change the form of a file.
func (w *world) form(s *session, name string) {
	w.brings(s, func() {
		if w.chance(6) {
			w.shell(fmt.Sprintf(`printf %%s "$(cat '%s')" >'%s.new' && mv '%s.new' '%s'`, name, name, name, name))
		} else {
			w.shell(fmt.Sprintf("sed -i '%s' '%s'", pick(w.r, forms), name))
		}
		must(os.Chtimes(filepath.Join(w.at.dir, filepath.FromSlash(name)), w.clock, w.clock))
	})
}

// formats: the human, or an agent in a turn, reformats a file and may commit that at once.
func formats(w *world) bool {
	names := read(w.at.dir).names()
	if len(names) == 0 {
		return false
	}
	w.somebody(func(s *session) {
		name := pick(w.r, names)
		w.runs(s, "fmt "+name)
		w.form(s, name)
		if s != nil && w.chance(2) {
			w.writes(s, 1, false, nil)
		}
	})
	if w.chance(2) {
		commitAll(w)
	}
	return true
}

// commitFormatted: a pre-commit hook of the user's reformats what is committed.
func commitFormatted(w *world) bool {
	w.git("add", "-A")
	if !w.staged() || !w.born() {
		return false
	}
	hook := filepath.Join(w.at.gitDir, "hooks", "pre-commit")
	if w.at != w.trees[0] || exists(hook) {
		return false
	}
	body := "#!/bin/sh\ngit -c core.quotePath=false diff --cached --name-only --diff-filter=AM | grep -v '^[.\"]' | while read -r f; do sed -i '" +
		pick(w.r, forms) + "' \"$f\"; git add -- \"$f\"; done\n"
	in := w.script.file(strings.TrimSuffix(body, "\n"))
	w.script.say("exec sh -c 'cp $WORK/%s .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit'", in)
	must(os.WriteFile(hook, []byte(body), 0o755))
	w.brings(nil, func() { w.git("commit", "-q", "-m", w.message()) })
	must(os.Remove(hook))
	w.script.say("rm .git/hooks/pre-commit")
	return true
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// movesToAnother: the human, or an agent, moves a block of lines to another file that is there.
func movesToAnother(w *world) bool {
	all := read(w.at.dir)
	from := pick(w.r, append(all.names(), ""))
	lines := all[from].lines()
	others := slices.DeleteFunc(all.names(), func(n string) bool { return n == from || path.Ext(n) != path.Ext(from) })
	if len(lines) < 3 || len(others) == 0 {
		return false
	}
	to := pick(w.r, others)
	at := w.r.IntN(len(lines) - 2)
	moved := slices.Clone(lines[at : at+2+w.r.IntN(len(lines)-at-2)])
	w.somebody(func(s *session) {
		w.brings(s, func() {
			w.write(from, join(slices.Delete(slices.Clone(lines), at, at+len(moved))))
			there := all[to].lines()
			w.write(to, join(slices.Insert(slices.Clone(there), w.r.IntN(len(there)+1), moved...)))
		})
		w.uses(s, from)
		w.uses(s, to)
	})
	return true
}

// sorts: an agent sorts the lines of a file.
func sorts(w *world) bool {
	all := read(w.at.dir)
	name := pick(w.r, append(all.names(), ""))
	lines := slices.Sorted(slices.Values(all[name].lines()))
	if len(lines) < 3 || slices.Equal(lines, all[name].lines()) {
		return false
	}
	s := pick(w.r, w.idle())
	w.prompt(s)
	w.brings(s, func() { w.write(name, join(lines)) })
	w.uses(s, name)
	w.stop(s)
	return true
}

// turnBesideHuman: the human saves another file while a turn goes on whose tools name theirs.
func turnBesideHuman(w *world) bool {
	s := w.claude()
	if s == nil {
		return false
	}
	w.prompt(s)
	wrote := []string{w.newName()}
	w.adds(s, wrote[0])
	if names := read(w.at.dir).names(); w.chance(2) {
		wrote = append(wrote, pick(w.r, names))
		w.adds(s, wrote[1])
	}
	w.editFile(nil, wrote)
	if w.chance(2) {
		w.adds(s, wrote[0])
	}
	w.stop(s)
	return true
}

// agentsInOneFile: two sessions edit one file, one of which may have stopped when the human
// commits.
func agentsInOneFile(w *world) bool {
	a := w.claude()
	b := w.claude(a)
	names := read(w.at.dir).names()
	if a == nil || b == nil || len(names) == 0 {
		return false
	}
	name := pick(w.r, names)
	w.prompt(a)
	if w.chance(2) {
		w.prompt(b)
	}
	w.adds(a, name)
	open := w.chance(2)
	if !open {
		w.stop(a)
	}
	if !b.active {
		w.prompt(b)
	}
	w.adds(b, name)
	if w.chance(2) {
		w.git("add", "-A")
		w.commit(nil)
	}
	if open {
		w.stop(a)
	}
	w.stop(b)
	return true
}

// ignoredFile: an agent writes a file that git ignores, and the human adds it all the same.
func ignoredFile(w *world) bool {
	s := w.claude()
	if s == nil || !w.born() {
		return false
	}
	exclude := filepath.Join(w.trees[0].gitDir, "info", "exclude")
	if data, _ := os.ReadFile(exclude); !strings.Contains(string(data), "ignored*") {
		must(os.WriteFile(exclude, append(data, "ignored*\n"...), 0o644))
		w.script.say("exec sh -c 'mkdir -p %s; echo \"ignored*\" >>%s'", "$WORK/repo/.git/info", "$WORK/repo/.git/info/exclude")
	}
	w.prompt(s)
	w.lines++
	name := fmt.Sprintf("ignored%d.txt", w.lines)
	w.adds(s, name)
	w.stop(s)
	w.git("add", "-f", "--", name)
	w.commit(nil)
	return true
}

// shellsWorkCommitted: what a session's shell writes is committed in the middle of its turn, by the
// human or by another session.
func shellsWorkCommitted(w *world) bool {
	a := w.claude()
	b := w.claude(a)
	if a == nil || b == nil {
		return false
	}
	w.prompt(a)
	w.edits(a, nil, func() {})
	file := w.editFile(a, nil)
	w.runs(a, "make "+file)
	if w.chance(2) {
		w.git("add", "-A")
		w.commit(nil)
	} else {
		w.prompt(b)
		name := w.newName()
		w.adds(b, name)
		w.as(b, func() {
			w.git("add", "-A")
			w.commit(b)
		})
		w.stop(b)
	}
	w.stop(a)
	return true
}
