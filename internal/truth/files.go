package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// text is a file's content.
type text string

func (t text) lines() []string {
	if t == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(t), "\n"), "\n")
}

func join(lines []string) text {
	if len(lines) == 0 {
		return ""
	}
	return text(strings.Join(lines, "\n") + "\n")
}

// files are a worktree's, by name.
type files map[string]text

// names are the files that the workflow works on, in order: not the settings.
func (f files) names() []string {
	var all []string
	for name := range f {
		if !strings.HasPrefix(name, ".") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// read reads a worktree.
func read(dir string) files {
	all := files{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, file)
		if name == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(file)
		all[filepath.ToSlash(name)] = text(data)
		return err
	})
	must(err)
	return all
}

// must ends the workflow: what it needs of the machine failed.
func must(err error) {
	if err != nil {
		panic(broken{err})
	}
}

// broken is what ends a workflow that the machine, and not the program, fails.
type broken struct{ error }
