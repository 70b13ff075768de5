package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/githooks"
)

func describeStub(c githooks.Change) string {
	line := fmt.Sprintf("%s the %s hook", c.Action, c.Name)
	if base := filepath.Base(c.Path); base != c.Name && c.Action != githooks.Left {
		line += ", as " + base + ", which pre-commit runs"
	}
	switch {
	case c.Action == githooks.Left && c.Line != "":
		path := c.Path
		if c.File != "" {
			path = c.File
		}
		line = fmt.Sprintf("left the %s hook alone: %s calls entire-plumb by itself, in the line\n  %s", c.Name, path,
			gitexec.Harmless(c.Line))
	case c.Kept != "" && c.Action == githooks.KeptAside:
		line += ", which still runs the existing one, now " + filepath.Base(c.Kept)
	case c.Action == githooks.GivenBack:
		line = "gave the entire CLI's " + c.Name + " hook its place back"
	case c.Action == githooks.Left:
		line = fmt.Sprintf("left the %s hook alone: it is %s (%s)", c.Name, c.Before, c.Path)
	}
	return line
}

// wantedLines are the lines that the user has to add to the files of a hook manager that runs hooks
// by their own names: our stubs would not run there, or be overwritten.
func wantedLines(repo *gitexec.Repo, stubs []githooks.Change) (lines []string) {
	for _, c := range stubs {
		if c.Action == githooks.Wanted && c.File == "" {
			lines = append(lines, fmt.Sprintf("left the %s hook alone: a hook manager runs it by its own name (%s)\nhint: let it run: %s",
				c.Name, c.Path, c.Line))
		}
	}
	var husky []string
	for _, c := range stubs {
		if c.Action == githooks.Wanted && c.File != "" {
			husky = append(husky, fmt.Sprintf("  printf '\\n%%s\\n' %s >>%s", quoted(c.Line), quoted(fromHere(repo, c.File))))
		}
	}
	if husky != nil {
		lines = append(lines, "husky runs git's hooks here, and none of ours is installed: turns are recorded, but no commit is linked, and no push is\n"+
			"checked, until husky's files call entire-plumb. Run these, and commit the files:\n"+strings.Join(husky, "\n"))
		if !onPath(os.Getenv, program) {
			lines = append(lines, "the lines search for "+program+" on PATH, which lacks it\nhint: put it on PATH, or extend PATH in ~/.config/husky/init.sh")
		}
	}
	return lines
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
