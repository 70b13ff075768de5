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
var further = []op[func(*world)]{
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

// shell runs a command of the workflow that git doesn't run.
func (w *world) shell(command string) bool {
	w.tick()
	res := w.run("sh", "-c", command)
	w.script.say("exec sh -c %s", quoted([]string{command}))
	return !res.failed
}

// adds has a session put lines of its own into a file, by its tools.
func (w *world) adds(s *session, name string) {
	w.edits(s, func() {
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
		w.try(commitAll)
	}
	if w.side() == "" {
		w.try(sideBranch)
	}
	if !w.clean() {
		return ""
	}
	return w.side()
}

// opens are the files by which git says that it is in the middle of a command.
var opens = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"}

// open reports whether git is in the middle of one of these commands.
func (w *world) open() bool { return slices.ContainsFunc(opens, w.during) }

// mergesBy are the arguments of git for a command that an agent merges, picks or reverts by.
func (w *world) mergesBy(side string, picks []string) []string {
	switch w.r.IntN(5) {
	case 0:
		return []string{"cherry-pick", pick(w.r, picks)}
	case 1:
		if w.depth() > 0 && w.linear(1) {
			return []string{"revert", "--no-commit", "HEAD"}
		}
	}
	return []string{"merge", "-q", "--no-commit", "--no-ff", side}
}

// agentMerges: an agent merges, picks or reverts in its turn, resolves the conflicts with lines of
// its own, and may add a file.
func agentMerges(w *world) {
	side, s := w.aside(), w.claude()
	w.need(side != "" && s != nil)
	picks := w.picks(side)
	w.need(len(picks) > 0)
	w.prompt(s)
	w.as(s, func() { w.mergesAs(s, w.mergesBy(side, picks)) })
	w.stop(s)
	w.git("add", "-A")
	if w.open() {
		w.git("commit", "-q", "-m", w.message())
	} else {
		w.commit(nil)
	}
	if w.open() { // it has come to nothing
		w.git("reset", "-q", "--hard")
	}
}

// mergesAs has an agent run such a command, resolve the conflicts, and commit, or not.
func (w *world) mergesAs(s *session, command []string) {
	w.reverts = w.reverts || command[0] == "revert"
	w.runs(s, "git "+strings.Join(command, " "))
	w.brings(s, func() { w.git(command...) })
	if command[0] != "revert" && !w.open() {
		return // it is done, or refused
	}
	if !w.resolveBy(s) {
		w.git("reset", "-q", "--hard")
		return
	}
	if w.chance(2) {
		w.adds(s, w.newName())
	}
	w.git("add", "-A")
	if !w.chance(3) { // else the human concludes it
		w.runs(s, "git commit")
		w.git("commit", "-q", "-m", w.message())
	}
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
		if exists(w.path(name)) {
			w.adds(s, name)
			w.git("add", "--", name)
		}
	}
	return true
}

// agentBorrows: an agent brings what others wrote to the worktree by git, and may add to it.
func agentBorrows(w *world) {
	idle := w.idle()
	side := w.aside()
	w.need(len(idle) > 0 && w.born() && w.clean())
	s := pick(w.r, idle)
	command := w.borrowsBy(side)
	w.prompt(s)
	w.as(s, func() {
		w.runs(s, "git "+strings.Join(command, " "))
		w.brings(s, func() {
			if !w.git(command...) {
				w.git("reset", "-q", "--hard")
				if w.dirty() {
					w.git("clean", "-q", "-f", "-d")
				}
			}
		})
	})
	if w.chance(2) {
		w.writes(s, 1, false, nil)
	}
	w.stop(s)
}

// borrowsBy are the arguments of git for a command that brings what others wrote.
func (w *world) borrowsBy(side string) []string {
	switch w.r.IntN(5) {
	case 0:
		w.need(w.stashed())
		return []string{"stash", "pop", "-q"}
	case 1:
		w.need(side != "")
		return []string{"merge", "-q", "--squash", side}
	case 2:
		picks := w.list("rev-list", "--no-merges", "HEAD.."+cmp.Or(side, "HEAD"))
		w.need(len(picks) > 0)
		return []string{"cherry-pick", "-n", pick(w.r, picks)}
	}
	name := w.fileOf(cmp.Or(side, "HEAD"))
	if w.chance(2) {
		return []string{"restore", "--source=" + side, "--", name}
	}
	return []string{"checkout", "-q", side, "--", name}
}

// fileOf is a file that another revision has otherwise.
func (w *world) fileOf(rev string) string {
	names := slices.DeleteFunc(w.names("diff", "--name-only", "--no-renames", "--diff-filter=AM", "HEAD", rev),
		func(n string) bool { return n[0] == '"' })
	w.need(len(names) > 0)
	return pick(w.r, names)
}

// humanBrings: the human brings a file from another branch or from an old commit, by git or by
// hand, and may commit it at once.
func humanBrings(w *world) {
	from := "HEAD~1"
	if w.chance(2) {
		from = w.aside()
	} else {
		w.need(w.depth() >= 2 && w.clean())
	}
	w.need(from != "")
	name := w.fileOf(from)
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
		w.try(commitAll)
	}
}

// twoFiles are a file with three lines at least, and another of its kind.
func (w *world) twoFiles() (from, to string, all files) {
	from, lines, all := w.someFile()
	others := slices.DeleteFunc(all.names(), func(n string) bool { return n == from || path.Ext(n) != path.Ext(from) })
	w.need(len(lines) >= 3 && len(others) > 0)
	return from, pick(w.r, others), all
}

// joins: somebody puts the lines of a file at the end of another one, and deletes it.
func joins(w *world) {
	from, to, all := w.twoFiles()
	w.somebody(func(s *session) {
		w.runs(s, "cat "+from+" >>"+to)
		w.brings(s, func() {
			w.write(to, join(append(all[to].lines(), all[from].lines()...)))
			w.shell(fmt.Sprintf("rm '%s'", from))
		})
	})
}

// workWithinMerge: an agent's turn ends before or while the human has a merge open, who then
// commits all of it.
func workWithinMerge(w *world) {
	side, s := w.aside(), pick(w.r, w.idle())
	w.need(side != "")
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
			return // git refuses: it would overwrite the work
		}
		if !w.resolve() {
			w.git("reset", "-q", "--hard")
			return
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
		must(os.Chtimes(w.path(name), w.clock, w.clock))
	})
}

// formats: the human, or an agent in a turn, reformats a file and may commit that at once.
func formats(w *world) {
	names := read(w.at.dir).names()
	w.need(len(names) > 0)
	w.somebody(func(s *session) {
		name := pick(w.r, names)
		w.runs(s, "fmt "+name)
		w.form(s, name)
		if s != nil && w.chance(2) {
			w.writes(s, 1, false, nil)
		}
	})
	if w.chance(2) {
		w.try(commitAll)
	}
}

// commitFormatted: a pre-commit hook of the user's reformats what is committed.
func commitFormatted(w *world) {
	w.git("add", "-A")
	w.need(w.staged() && w.born())
	hook := filepath.Join(w.at.gitDir, "hooks", "pre-commit")
	w.need(w.at == w.trees[0] && !exists(hook))
	body := "#!/bin/sh\ngit -c core.quotePath=false diff --cached --name-only --diff-filter=AM | grep -v '^[.\"]' | while read -r f; do sed -i '" +
		pick(w.r, forms) + "' \"$f\"; git add -- \"$f\"; done\n"
	in := w.script.file(strings.TrimSuffix(body, "\n"))
	w.script.say("exec sh -c 'cp $WORK/%s .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit'", in)
	must(os.WriteFile(hook, []byte(body), 0o755))
	w.brings(nil, func() { w.git("commit", "-q", "-m", w.message()) })
	must(os.Remove(hook))
	w.script.say("rm .git/hooks/pre-commit")
}

// movesToAnother: the human, or an agent, moves a block of lines to another file that is there.
func movesToAnother(w *world) {
	from, to, all := w.twoFiles()
	lines, there := all[from].lines(), all[to].lines()
	at := w.r.IntN(len(lines) - 2)
	end := at + 2 + w.r.IntN(len(lines)-at-2)
	w.somebody(func(s *session) {
		w.brings(s, func() {
			w.write(from, join(slices.Delete(slices.Clone(lines), at, end)))
			w.write(to, join(slices.Insert(there, w.r.IntN(len(there)+1), lines[at:end]...)))
		})
		w.uses(s, from)
		w.uses(s, to)
	})
}

// sorts: an agent sorts the lines of a file.
func sorts(w *world) {
	name, before, _ := w.someFile()
	lines := slices.Sorted(slices.Values(before))
	w.need(len(lines) >= 3 && !slices.Equal(lines, before))
	s := w.begins()
	w.brings(s, func() { w.write(name, join(lines)) })
	w.uses(s, name)
	w.stop(s)
}

// turnBesideHuman: the human saves another file while a turn goes on whose tools name theirs.
func turnBesideHuman(w *world) {
	s := w.claude()
	w.need(s != nil)
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
}

// agentsInOneFile: two sessions edit one file, one of which may have stopped when the human
// commits.
func agentsInOneFile(w *world) {
	a := w.claude()
	b := w.claude(a)
	names := read(w.at.dir).names()
	w.need(a != nil && b != nil && len(names) > 0)
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
		w.try(commitAll)
	}
	if open {
		w.stop(a)
	}
	w.stop(b)
}

// ignoredFile: an agent writes a file that git ignores, and the human adds it all the same.
func ignoredFile(w *world) {
	s := w.claude()
	w.need(s != nil && w.born())
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
}

// shellsWorkCommitted: what a session's shell writes is committed in the middle of its turn, by the
// human or by another session.
func shellsWorkCommitted(w *world) {
	a := w.claude()
	b := w.claude(a)
	w.need(a != nil && b != nil)
	w.prompt(a)
	file := w.editFile(a, nil)
	w.runs(a, "make "+file)
	if w.chance(2) {
		w.try(commitAll)
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
}
