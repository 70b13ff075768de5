package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// todos are edits of a rebase's list, as sed scripts, of the lines alone.
var todos = map[string]string{
	"squash": "2,$s/^pick/squash/", "fixup": "2s/^pick/fixup/", "reword": "1s/^pick/reword/", "drop": "1s/^pick/drop/",
	"edit": "1s/^pick/edit/", "swap": "1{h;d};2{G}", "exec": `1a exec true`,
}

func rebaseInteractive(w *world) {
	w.need(w.born() && w.depth() >= 2 && w.clean())
	n := 2 + w.r.IntN(min(3, w.depth()-1))
	w.need(w.linear(n))
	what := pick(w.r, []string{"squash", "fixup", "reword", "drop", "edit", "swap", "exec"})
	env := []string{"GIT_SEQUENCE_EDITOR=sed -i '/^#/d;/^$/d;" + todos[what] + "'", "GIT_EDITOR=true"}
	if what == "reword" {
		env[1] = "GIT_EDITOR=sed -i '1s/$/, reworded/'"
	}
	w.gitWith(env, "rebase", "-q", "-i", fmt.Sprintf("HEAD~%d", n))
	if what == "edit" && w.during("rebase-merge") && len(w.conflicts()) == 0 {
		w.editFile(nil, nil)
		w.git("add", "-A")
		w.amend("--no-edit")
	}
	w.conclude("rebase", "rebase-merge")
}

func rebaseOnto(w *world) {
	side := w.cleanSide()
	w.need(w.ask("rev-list", "--merges", side+"..HEAD") == "" && w.ask("merge-base", side, "HEAD") != "")
	w.git("rebase", "-q", side)
	w.conclude("rebase", "rebase-merge")
}

// during reports whether git is in the middle of something.
func (w *world) during(name string) bool { return exists(filepath.Join(w.at.gitDir, name)) }

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// conclude resolves conflicts until git is done, or gives up. name is the file that is there
// meanwhile.
func (w *world) conclude(command, name string) {
	for range 10 {
		if !w.during(name) {
			return
		}
		if !w.resolve() {
			break
		}
		if !w.gitWith([]string{"GIT_EDITOR=true"}, command, "--continue") && len(w.conflicts()) == 0 &&
			w.asks("diff", "--cached", "--quiet") {
			w.git(command, "--skip")
		}
	}
	if w.during(name) {
		w.git(command, "--abort")
	}
}

// conflicts are the files with some that aren't resolved.
func (w *world) conflicts() []string {
	return w.list("-c", "core.quotePath=false", "diff", "--name-only", "--diff-filter=U")
}

// resolve takes of each file in conflict the lines that are on our side, and those that the other
// one adds: none that were taken out. It reports whether that was possible.
func (w *world) resolve() bool {
	if w.chance(6) {
		return false // the human gives up
	}
	for _, name := range w.conflicts() {
		stages := map[int]text{}
		for stage := 1; stage <= 3; stage++ {
			if res := w.asked("show", fmt.Sprintf(":%d:%s", stage, name)); !res.failed {
				stages[stage] = text(res.out)
			}
		}
		now, there := read(w.at.dir)[name]
		_, ours := stages[2]
		_, theirs := stages[3]
		if !there || !ours || !theirs {
			if there && w.chance(2) {
				w.git("add", "--", name)
			} else {
				w.git("rm", "-q", "--", name)
			}
			continue
		}
		if kept := join(resolved(now.lines(), stages[1].lines(), stages[2].lines(), stages[3].lines())); kept != now {
			w.write(name, kept)
		}
		w.git("add", "--", name)
	}
	return true
}

// resolved takes lines of a file with conflict marks.
func resolved(marked, base, ours, theirs []string) []string {
	allowed := map[string]int{}
	for _, line := range ours {
		allowed[line]++
	}
	for _, run := range runs(base, theirs) {
		if !run.same {
			for _, line := range run.now {
				allowed[line] = max(allowed[line], 1)
			}
		}
	}
	var kept []string
	for _, line := range marked {
		if allowed[line]--; allowed[line] >= 0 {
			kept = append(kept, line)
		}
	}
	return kept
}
