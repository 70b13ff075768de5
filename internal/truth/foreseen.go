package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// foreseen are the owners of the lines of the files that a commit of all would change, as blame
// has them before it.
type foreseen struct {
	files map[string][]lineOwner
	total counts // by diff
}

// foresee asks for them. Where a merge or the like is under way too: its commit is foreseen.
func (w *world) foresee() foreseen {
	all := foreseen{files: map[string][]lineOwner{}}
	if !w.born() {
		return all
	}
	w.plumb("log", "-n", "1") // what hooks left undone is finished, and links are found by content
	recorded := w.recorded()
	defer func() {
		if now := w.recorded(); now != recorded {
			w.fail(bytesChanged, "blame of uncommitted lines changed what is recorded: %q", changedLines(recorded, now))
		}
	}()
	names := append(w.names("diff", "--name-only", "--no-renames", "--diff-filter=d", "HEAD"), w.names("ls-files", "--others", "--exclude-standard")...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		var lines []lineOwner
		w.json(&lines, "blame", "--json", name)
		all.files[name] = lines
	}
	var d diffed
	w.json(&d, "diff", "--stat", "--json")
	all.total = d.counts()
	return all
}

// checkForeseen: after the commit, blame gives each line the owner that it gave it before.
func (w *world) checkForeseen(before foreseen) {
	if len(before.files) == 0 {
		return
	}
	var d diffed
	w.json(&d, "diff", "--stat", "--json", "HEAD")
	if d.counts() != before.total {
		w.fail(views, "diff counts %s before the commit, and %s after it", before.total, d.counts())
	}
	for _, name := range sorted(before.files) {
		after := w.blame("HEAD", name)
		if len(after) != len(before.files[name]) {
			w.fail(views, "blame of %s has %d lines before the commit, and %d after it", name, len(before.files[name]), len(after))
			continue
		}
		for i, line := range before.files[name] {
			w.tally.Foreseen++
			if was, is := line.who(), after[i].who(); was != is || line.Owner.Turn != after[i].Owner.Turn {
				w.fail(views, "blame of %s:%d says %q %s before the commit, and %q %s after it: %q", name, line.Line,
					was, line.Owner.Turn, is, after[i].Owner.Turn, line.Content)
			}
		}
	}
}

// recorded are the refs, the number of objects, and the files of ours but what readers keep for
// themselves.
func (w *world) recorded() string {
	text := w.ask("for-each-ref") + "\n" + w.ask("count-objects", "-v")
	for _, dir := range []string{"entire-plumb", "entire-sessions"} {
		root := filepath.Join(w.trees[0].gitDir, dir)
		_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
			case d.IsDir() && slices.Contains([]string{"index", "tmp"}, d.Name()):
				return fs.SkipDir
			case d.Type().IsRegular():
				data, _ := os.ReadFile(name)
				text += fmt.Sprintf("\n%s %x", strings.TrimPrefix(name, root), sha256.Sum256(data))
			}
			return nil
		})
	}
	return text
}

// changedLines are the lines that are in one of two texts.
func changedLines(a, b string) (all []string) {
	old, now := strings.Split(a, "\n"), strings.Split(b, "\n")
	for _, line := range append(slices.Clone(old), now...) {
		if slices.Contains(old, line) != slices.Contains(now, line) {
			all = append(all, line)
		}
	}
	return all
}
