package attribution

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
)

// A commit's diff has lines that its parents have, too: with other white space, in other lines, in
// another place or in another file. They keep their authors: those that git blame finds for them in
// the parent.

// place is a line of a file in a commit, counted from 1.
type place struct {
	commit gitexec.OID
	path   gitexec.Path
	line   int
}

// Limits: bytes of a version that is compared, and of all of them, files of a commit among which
// lines are looked for, commits before it whose removed files are, and how many of these, git
// processes for one answer, and commits through which a line is followed.
const (
	largestKept, mostKept                  = 4 << 20, 32 << 20
	mostKeptFiles, mostBefore, mostRemoved = 200, 20, 50
	mostBlames, mostFollowed               = 400, 50
)

// keptLines finds the lines of a file in a commit that its parents have, by line from 1.
func (c *Commit) keptLines(path gitexec.Path, here gitexec.Entry) (map[int]place, error) {
	if known, ok := c.kept[path]; ok {
		return known, nil
	}
	if c.kept == nil {
		c.kept = map[gitexec.Path]map[int]place{}
	}
	c.kept[path] = nil
	data, ok := c.text(here)
	if !ok || len(c.of.Parents) == 0 {
		return nil, nil
	}
	book, places, read := ledger.New(), []place{}, 0
	step := ledger.Step{Charge: func(int, bool) ledger.Owner { return ledger.Base }}
	// Each old line has an owner of its own: it says which one a line is.
	add := func(parent gitexec.OID, path gitexec.Path, e gitexec.Entry) *ledger.Version {
		if read >= mostKept {
			return nil
		}
		data, ok := c.text(e)
		if !ok {
			return nil
		}
		read += len(data)
		if v := book.Known(string(path), string(e.ID)); v != nil {
			return v
		}
		owners := make([]ledger.Owner, bytes.Count(data, []byte("\n"))+1)
		for i := range owners {
			owners[i] = ledger.FirstTurn + ledger.Owner(len(places))
			places = append(places, place{parent, path, i + 1})
		}
		return book.Add(string(path), string(e.ID), data, owners...)
	}
	was, now := map[string]*ledger.Version{}, map[string]ledger.Text{}
	for i, parent := range c.of.Parents {
		info, err := c.db.Info(parent)
		if err != nil || info[0].Type != "commit" {
			return nil, err
		}
		commits, err := c.db.Commits(parent)
		if err != nil {
			return nil, err
		}
		changes, err := c.db.DiffTrees(commits[0].Tree, c.tree)
		if err != nil {
			return nil, err
		}
		for _, change := range changes {
			if change.Path == path {
				if v := add(parent, path, change.Old); step.Nearest == nil {
					step.Nearest = v
				} else {
					step.Others = append(step.Others, v)
				}
			}
		}
		if i > 0 || len(changes) > mostKeptFiles {
			continue
		}
		if step.Nearest == nil { // a new file may be an old one that was committed as removed before
			gone, err := c.reader.goneBefore(parent)
			if err != nil {
				return nil, err
			}
			paths := make([]gitexec.Path, len(gone))
			for i, old := range gone {
				paths[i] = old.path
			}
			back, err := c.db.Files(c.tree, paths...)
			if err != nil {
				return nil, err
			}
			for i, old := range gone {
				if back[i].Exists() || was[string(old.path)] != nil {
					continue
				}
				if v := add(old.commit, old.path, old.entry); v != nil {
					was[string(old.path)], step.Gone = v, append(step.Gone, v)
				}
			}
		}
		for _, change := range changes {
			if change.Path == path || !change.Old.Exists() {
				continue
			}
			old := add(parent, change.Path, change.Old)
			if old == nil {
				continue
			}
			was[string(change.Path)], now[string(change.Path)] = old, nil
			if data, ok := c.text(change.New); ok {
				read += len(data)
				now[string(change.Path)] = book.Text(data)
			} else if !change.New.Exists() {
				step.Gone = append(step.Gone, old)
			}
		}
	}
	if len(places) == 0 {
		return nil, nil
	}
	step.Beside = func(path string) (*ledger.Version, ledger.Text, bool) {
		return was[path], now[path], was[path] != nil
	}
	found := map[int]place{}
	for line, o := range book.Assign(string(path), string(here.ID), data, step).Owners {
		if o.IsTurn() {
			found[line+1] = places[o-ledger.FirstTurn]
		}
	}
	c.kept[path] = found
	return found, nil
}

// removed is a file that a commit took away, with its parent.
type removed struct {
	commit gitexec.OID
	path   gitexec.Path
	entry  gitexec.Entry
}

// goneBefore are the files that a commit and those before it took away, the latest first: a rename
// may be committed in two parts. Where trees are missing it ends.
func (r *Reader) goneBefore(id gitexec.OID) (gone []removed, err error) {
	line, err := r.DB.Ancestors(id, mostBefore+1)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(line) && len(gone) < mostRemoved; i++ {
		of, known := r.removed[line[i-1].ID]
		if !known {
			changes, err := r.DB.DiffTrees(line[i].Tree, line[i-1].Tree)
			if missing := new(gitexec.MissingError); errors.As(err, &missing) {
				break
			}
			if err != nil {
				return nil, err
			}
			for _, c := range changes {
				if !c.New.Exists() && len(of) < mostRemoved {
					of = append(of, removed{line[i].ID, c.Path, c.Old})
				}
			}
			if r.removed == nil {
				r.removed = map[gitexec.OID][]removed{}
			}
			r.removed[line[i-1].ID] = of
		}
		gone = append(gone, of...)
	}
	return gone[:min(len(gone), mostRemoved)], nil
}

// text reads a version that has lines.
func (c *Commit) text(e gitexec.Entry) ([]byte, bool) {
	if e.Mode != gitexec.ModeFile && e.Mode != gitexec.ModeExec {
		return nil, false
	}
	data, err := c.db.Blob(e.ID, largestKept)
	return data, err == nil && bytes.IndexByte(data[:min(len(data), 8000)], 0) < 0
}

// follow finds the authors of lines that a commit keeps, as far as they are not the human's who
// made the commit that wrote them.
func (c *Commit) follow(path gitexec.Path, here gitexec.Entry, lines []int) (map[int]Author, error) {
	if c.reader == nil || len(lines) == 0 || c.reader.Branch.Tree == "" || c.reader.depth >= mostFollowed {
		return nil, nil
	}
	kept, err := c.keptLines(path, here)
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	type version struct {
		commit gitexec.OID
		path   gitexec.Path
	}
	of := map[version]map[int][]int{} // by old line, the lines that it is
	var order []version
	for _, line := range lines {
		from, ok := kept[line]
		if !ok {
			continue
		}
		v := version{from.commit, from.path}
		if of[v] == nil {
			of[v] = map[int][]int{}
			order = append(order, v)
		}
		of[v][from.line] = append(of[v][from.line], line)
	}
	found := map[int]Author{}
	for _, v := range order {
		authors, err := c.reader.blamed(v.commit, v.path, of[v])
		if err != nil {
			return nil, err
		}
		for old, lines := range of[v] {
			for _, line := range lines {
				if a, ok := authors[old]; ok {
					found[line] = a
				}
			}
		}
	}
	return found, nil
}

// blamed finds the authors of lines of a file in a commit, by line. One process.
func (r *Reader) blamed(commit gitexec.OID, path gitexec.Path, lines map[int][]int) (map[int]Author, error) {
	if r.blames++; r.blames > cmp.Or(r.Most, mostBlames) || !r.Until.IsZero() && time.Now().After(r.Until) {
		r.unsure = true
		return nil, nil
	}
	origins, err := r.DB.Blame(commit, path, slices.Sorted(maps.Keys(lines)))
	if fault := new(gitexec.Error); errors.As(err, &fault) {
		r.unsure = true // as of a path that git's options cannot name
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.depth++
	defer func() { r.depth-- }()
	wanted := map[place][]int{}
	for _, o := range origins {
		at := place{commit: o.Commit, path: o.Path}
		wanted[at] = append(wanted[at], o.Line)
	}
	files, authors := map[place]File{}, map[int]Author{}
	for _, o := range origins {
		at := place{commit: o.Commit, path: o.Path}
		file, ok := files[at]
		if !ok {
			commits, err := r.DB.Commits(o.Commit)
			if err != nil {
				return nil, err
			}
			here, err := r.DB.Lookup(commits[0].Tree, o.Path)
			if err != nil {
				return nil, err
			}
			if file, err = r.Commit(commits[0]).File(o.Path, here[0], wanted[at]); err != nil {
				return nil, err
			}
			files[at] = file
		}
		authors[o.Final] = file.Author(o.Line)
	}
	return authors, nil
}

// Wrote is checkpoints.Request's. Where git was not asked for all that was needed, or failed, no
// line is surely the human's.
func (r *Reader) Wrote(commit gitexec.OID, path gitexec.Path, lines []int) (map[int]checkpoints.Wrote, error) {
	asked := map[int][]int{}
	for _, line := range lines {
		asked[line] = nil
	}
	r.unsure = false
	authors, err := r.blamed(commit, path, asked)
	wrote := map[int]checkpoints.Wrote{}
	for line, a := range authors {
		wrote[line] = checkpoints.Wrote{Line: a.Line, Checkpoint: a.Checkpoint, Unknown: a.Kind == Unknown || a.Kind == Human && r.unsure}
	}
	return wrote, err
}
