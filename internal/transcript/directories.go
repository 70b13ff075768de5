package transcript

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Directories are those of some directories in which the agent and its subagents did something,
// by what their tools were told since the last prompt.
type Directories struct {
	Wrote []string // a tool was asked to write a file there
	Named []string // a command names it, or makes a worktree of its name
}

// DirectoriesNamed looks for directories, which are absolute, in what comes after so many bytes of
// a transcript. near is a directory from which they are named, too. Errors are those of Read.
func DirectoriesNamed(ctx context.Context, path string, from int64, near string, dirs []string) (d Directories, err error) {
	wrote, err := written(ctx, path, 0, from, lastPrompt)
	if err != nil {
		return d, err
	}
	for _, dir := range dirs {
		if slices.ContainsFunc(wrote.Files, func(file string) bool { return strings.HasPrefix(filepath.Clean(file), dir+"/") }) {
			d.Wrote = append(d.Wrote, dir)
		}
	}
	if wrote.All { // no shell was used
		return d, nil
	}
	began, err := d.search(ctx, path, from, near, dirs)
	if err != nil {
		return d, err
	}
	theirs, _ := subagentsSince(path, began)
	for _, file := range theirs {
		_, _ = d.search(ctx, file, 0, near, dirs) // an unreadable one is no evidence
	}
	slices.Sort(d.Named)
	d.Named = slices.Compact(d.Named)
	return d, nil
}

// search looks for commands that name directories in one transcript, since the last prompt. began
// is when that was; zero: no record tells.
func (d *Directories) search(ctx context.Context, path string, from int64, near string, dirs []string) (began time.Time, err error) {
	err = eachLine(ctx, path, from, func(line []byte) {
		if toolOutput(line) {
			return
		}
		rec, ok := decode(line)
		switch {
		// What a subagent is asked is no command of its.
		case !ok || rec.subagent && rec.prompt != "":
		// A notification may come as a prompt: it begins no turn of the user's.
		case rec.begins() && rec.notifies == nil:
			d.Named, began = nil, rec.when
		case slices.ContainsFunc(rec.blocks, func(b block) bool { return b.runs() || b.command != "" }): // cd alone leads there, too
			for _, dir := range dirs {
				if namesDirectory(line, near, dir) {
					d.Named = append(d.Named, dir)
				}
			}
		}
	})
	return began, err
}

// namesDirectory reports whether a record, as JSON, has a directory's path, as it is or from
// another one, or makes a worktree of its name.
func namesDirectory(line []byte, near, dir string) bool {
	if hasWord(line, quoted(dir)) {
		return true
	}
	// A dot is in most commands, and names nothing.
	if rel, err := filepath.Rel(near, dir); err == nil && rel != "." && hasWord(line, quoted(rel)) {
		return true
	}
	// git worktree add ../NAME, from whatever directory the shell was in.
	return bytes.Contains(line, []byte("worktree add")) && hasWord(line, quoted(filepath.Base(dir)))
}

// hasWord reports whether a text has a path that no other letters of a name surround.
func hasWord(text, word []byte) bool {
	for from := 0; len(word) > 0; {
		at := bytes.Index(text[from:], word)
		if at < 0 {
			break
		}
		at += from
		if canBegin(text[:at]) && (at+len(word) == len(text) || !nameByte(text[at+len(word)])) {
			return true
		}
		from = at + 1
	}
	return false
}

// canBegin reports whether a name can begin behind a text, as behind a line break, in JSON.
func canBegin(before []byte) bool {
	return len(before) == 0 || !nameByte(before[len(before)-1]) || bytes.HasSuffix(before, []byte(`\n`)) || bytes.HasSuffix(before, []byte(`\t`))
}

// nameByte reports whether a byte may be of a file's name, in what people call their worktrees.
func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte("._-+@", c) >= 0
}
