package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/testdir"
)

// Most scripts begin with the same repository. A script whose first step makes it gets a copy of
// what the first such script has made, by a dozen processes, as real as that one.

// verb is one of the scripts'.
type verb = func(ts *testscript.TestScript, neg bool, args []string)

// made are the files of scripts after a first step repo, by its arguments.
var made sync.Map

// script is what is known of one that plays.
type script struct {
	first bool   // its next step is the first, a repo
	kept  string // where it has checked the promises last
}

// scriptOf is the key of a script's value that has its script.
type scriptOf struct{}

// noted is the verb promises, which notes where it was.
func noted(promises verb) verb {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		promises(ts, neg, args)
		ts.Value(scriptOf{}).(*script).kept = ts.MkAbs(".")
	}
}

// endsWithPromises reports whether a script's last step is promises: nothing happens after it.
func endsWithPromises(script string) bool {
	all := steps(script)
	return len(all) > 1 && all[len(all)-2] == "promises"
}

// beginsWithRepo reports whether the first step of a script is repo, and nothing differs before it
// from other such scripts.
func beginsWithRepo(script string) bool {
	return steps(script)[0] == "repo" && !strings.Contains(script, "\n-- repo/") && !strings.Contains(script, "\n-- home/")
}

// steps are the verbs of a script, with its lines' conditions other than those that skip it.
func steps(script string) (all []string) {
	script, _, _ = strings.Cut(script, "\n-- ")
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) > 0 && words[0][0] != '#' && !(words[0][0] == '[' && slices.Contains(words, "skip")) {
			all = append(all, words[0])
		}
	}
	return append(all, "")
}

// copied is the verb repo, which a script's first step has from another script.
func copied(repo verb) verb {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		script, work := ts.Value(scriptOf{}).(*script), filepath.Dir(ts.Getenv("HOME"))
		was := script.first
		script.first = false
		key := strings.Join(args, "\x00")
		if have, ok := made.Load(key); ok && was && !neg {
			ts.Check(have.(files).write(work))
			ts.Check(ts.Exec("git", "update-index", "-q", "--refresh"))
			return
		}
		repo(ts, neg, args)
		if was {
			have, err := filesBelow(work)
			ts.Check(err)
			made.Store(key, have)
		}
	}
}

// files are those of a script's repository and home, and the directory that they were in, which
// some of them name.
type files struct {
	in  string
	all []file
}

type file struct {
	name string
	mode fs.FileMode
	data []byte
}

func filesBelow(work string) (files, error) {
	found := files{in: work}
	for _, dir := range []string{"home", "repo"} {
		err := filepath.WalkDir(filepath.Join(work, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() && !d.Type().IsRegular() {
				return err
			}
			name, err := filepath.Rel(work, path)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			var data []byte
			if !d.IsDir() {
				data, err = os.ReadFile(path)
			}
			found.all = append(found.all, file{name, info.Mode(), data})
			return err
		})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

func (f files) write(work string) (err error) {
	for _, one := range f.all {
		path := filepath.Join(work, one.name)
		if one.mode.IsDir() {
			err = os.MkdirAll(path, one.mode.Perm())
		} else {
			err = os.WriteFile(path, bytes.ReplaceAll(one.data, []byte(f.in), []byte(work)), one.mode.Perm())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestRepositoryIsCopied: a copy has what the first one has, but the directory's name.
func TestRepositoryIsCopied(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	testdir.Write(t, from, "repo/.git/hooks/post-commit", "exec "+from+"/home/bin/entire-plumb\n", "repo/a", "one\n", "home/.local/state", from+"\n")
	testdir.Must(t, os.Chmod(filepath.Join(from, "repo/.git/hooks/post-commit"), 0o700))
	have, err := filesBelow(from)
	testdir.Must(t, err)
	testdir.Must(t, have.write(to))
	got, err := filesBelow(to)
	testdir.Must(t, err)
	for i, f := range have.all {
		if g := got.all[i]; g.name != f.name || g.mode != f.mode || string(g.data) != strings.ReplaceAll(string(f.data), from, to) {
			t.Errorf("%s %s became %s %s: %s", f.mode, f.name, g.mode, g.name, g.data)
		}
	}
	for script, want := range map[string]bool{
		"# A fact.\n[!long] skip 'long'\n\nrepo a one\nat 2026\n": true, "repo\n-- other/x --\n": true,
		"# A fact.\nenv A=B\nrepo\n": false, "[unix] env A=B\nrepo\n": false, "repo\n-- repo/x --\n": false, "git init\nrepo\n": false, "": false,
	} {
		if beginsWithRepo(script) != want {
			t.Errorf("%q: %v", script, !want)
		}
	}
	for script, want := range map[string]bool{"repo\npromises but orphans\n\n# x\n-- promises --\n": true, "promises\ngit gc\n": false, "": false} {
		if endsWithPromises(script) != want {
			t.Errorf("%q: %v", script, !want)
		}
	}
}
