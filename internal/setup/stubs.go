package setup

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/githooks"
)

func describeStub(c githooks.Change) string {
	name := filepath.Base(c.Path)
	switch c.Action {
	case githooks.Dropped:
		if name == c.Name { // overcommit has a directory of them
			name = filepath.Join(filepath.Base(filepath.Dir(c.Path)), name)
		}
		return "removed " + name + ", a copy of our hook"
	case githooks.Others:
		return "left the hooks in " + gitexec.Harmless(c.Path) + " alone: they are another repository's"
	case githooks.Needed:
		return "left " + name + ", a stub of ours that does nothing now: " + gitexec.Harmless(filepath.Base(c.File)) + " runs it, or may"
	case githooks.GivenBack:
		return "gave the entire CLI's " + c.Name + " hook its place back"
	case githooks.Left:
		return describeLeft(c)
	}
	line := fmt.Sprintf("%s the %s hook", c.Action, c.Name)
	if name != c.Name {
		line += ", as " + name + ", which pre-commit runs"
	}
	if c.Kept != "" && c.Action == githooks.KeptAside {
		line += ", which still runs the existing one, now " + filepath.Base(c.Kept)
	}
	return line
}

func describeLeft(c githooks.Change) string {
	if c.Line == "" {
		is := string(c.Before)
		if c.Before == githooks.Foreign {
			is = "not entire-plumb's"
		}
		return fmt.Sprintf("left the %s hook alone: it is %s (%s)", c.Name, is, c.Path)
	}
	return fmt.Sprintf("left the %s hook alone: %s calls entire-plumb by itself, in the line\n  %s", c.Name, cmp.Or(c.File, c.Path),
		gitexec.Harmless(c.Line))
}

// describeStubs describes all changes but those of some kinds.
func describeStubs(stubs []githooks.Change, but ...githooks.Action) (lines []string) {
	for _, c := range stubs {
		if !slices.Contains(but, c.Action) {
			lines = append(lines, describeStub(c))
		}
	}
	return lines
}

// wantedLines are the lines that the user has to add to the files of a hook manager that runs hooks
// by their own names: our stubs would not run there, or be overwritten.
func wantedLines(repo *gitexec.Repo, stubs []githooks.Change) (lines []string) {
	wanted := map[string][]githooks.Change{}
	for _, c := range stubs {
		if c.Action == githooks.Wanted {
			wanted[c.Manager] = append(wanted[c.Manager], c)
		}
	}
	if overcommit := wanted[githooks.Overcommit]; overcommit != nil {
		lines = append(lines, "overcommit runs git's hooks here, and none of ours is installed: turns are recorded, but no commit is linked, and no push is\n"+
			"checked, until overcommit calls entire-plumb. Add to .overcommit.yml, beside what each key has:")
		for _, c := range overcommit {
			lines = append(lines, overcommitLines(c))
		}
		lines = append(lines, "hint: overcommit --sign; for hook in "+strings.Join(githooks.Names, " ")+"; do overcommit --sign $hook; done")
	}
	for _, c := range wanted[""] {
		lines = append(lines, fmt.Sprintf("the %s hook reads its own name, so that none of ours stands in front of it. Add to %s:\n  %s",
			c.Name, gitexec.Harmless(fromHere(repo, c.File)), c.Line))
	}
	if husky := wanted[githooks.Husky]; husky != nil {
		line := "husky runs git's hooks here, and none of ours is installed: turns are recorded, but no commit is linked, and no push is\n" +
			"checked, until husky's files call entire-plumb. Run these, or entire-plumb enable --write, and commit the files:"
		for _, c := range husky {
			line += fmt.Sprintf("\n  printf '\\n%%s\\n' %s >>%s", quoted(c.Line), quoted(fromHere(repo, c.File)))
		}
		lines = append(lines, line)
		if !onPath(os.Getenv, program) {
			lines = append(lines, "the lines search for "+program+" on PATH, which lacks it\nhint: put it on PATH, or extend PATH in ~/.config/husky/init.sh")
		}
	}
	return lines
}

// overcommitLines are what overcommit's own file has to say for a hook.
func overcommitLines(c githooks.Change) string {
	key := ""
	for word := range strings.SplitSeq(c.Name, "-") {
		key += strings.ToUpper(word[:1]) + word[1:]
	}
	return fmt.Sprintf("%s:\n  EntirePlumb:\n    enabled: true\n    command: ['sh', '-c', '%s', 'sh']", key, c.Line)
}

// sharedHooks reports whether git takes the hooks from outside of the repository, as where the
// user's or the system's configuration sets core.hooksPath.
func sharedHooks(repo *gitexec.Repo) bool {
	for _, dir := range []string{repo.Top, repo.GitDir, repo.CommonDir} {
		if name, err := filepath.Rel(dir, repo.HooksDir); err == nil && filepath.IsLocal(name) {
			return false
		}
	}
	return repo.MainTop() == "" || !strings.HasPrefix(repo.HooksDir, repo.MainTop()+string(filepath.Separator))
}

// fromHere is the path of a file of the worktree, relative to the current directory.
func fromHere(repo *gitexec.Repo, file string) string {
	if here, err := os.Getwd(); err == nil && here == repo.Top {
		return rel(repo, file)
	}
	return file
}

// quoted makes a single shell word.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// rel is a file's name for people, from the worktree's top level if possible.
func rel(repo *gitexec.Repo, file string) string {
	if r, err := filepath.Rel(repo.Top, file); err == nil {
		return r
	}
	return file
}
