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
	"entire-plumb/internal/message"
	"entire-plumb/internal/sets"
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

// Limits of the search. A reader waits for it, and makes it for each file of a commit that it
// shows. A line that it doesn't find stays whose it seems to be: whose the commit's record says, or
// the human's. Only their sum is measured (docs/speed.md).
const (
	// Bytes of a version that is compared, and of all versions for one file: eight of the largest.
	largestKept, mostKept = 4 << 20, 32 << 20
	// mostKeptFiles is how many files a commit may change for lines to be looked for in the others:
	// the time grows with the square. A commit of more imports or formats a tree.
	mostKeptFiles = 200
	// mostBefore is how many commits before it may have removed the file that it adds, and
	// mostRemoved how many such files there are: a rename in two parts is mostly two commits in a
	// row (attribution_rename_committed_in_two_parts).
	mostBefore, mostRemoved = 20, 50
	// mostBlames is how many git processes one answer takes, of some milliseconds each in a small
	// history: about a second. A hook has its own, smaller limit (commits.mostBlames).
	mostBlames = 400
	// mostFollowed is through how many commits that only keep a line it is followed: each is a
	// level of recursion, and an answer of its own.
	mostFollowed = 50
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
	o := origins{c: c, path: path, book: ledger.New(), was: map[string]*ledger.Version{}, now: map[string]ledger.Text{}}
	trees, err := commitTrees(c.db, c.of.Parents)
	if err != nil || slices.Contains(trees, "") {
		return nil, err
	}
	for i, parent := range c.of.Parents {
		if err := o.addParent(parent, trees[i], i == 0); err != nil {
			return nil, err
		}
	}
	if err := o.addReverted(); err != nil {
		return nil, err
	}
	c.kept[path] = o.find(string(here.ID), data)
	return c.kept[path], nil
}

// origins are the versions in which lines of a file in a commit are looked for.
type origins struct {
	c      *Commit
	path   gitexec.Path
	book   *ledger.Book
	step   ledger.Step
	places []place                    // by owner: each old line has one of its own, which says which one a line is
	read   int                        // bytes
	was    map[string]*ledger.Version // other files before the commit
	now    map[string]ledger.Text     // and after it
}

// add adds an old version; nil: it has no lines, or too much is read.
func (o *origins) add(commit gitexec.OID, path gitexec.Path, e gitexec.Entry) *ledger.Version {
	if o.read >= mostKept {
		return nil
	}
	data, ok := o.c.text(e)
	if !ok {
		return nil
	}
	o.read += len(data)
	if v := o.book.Known(string(path), string(e.ID)); v != nil {
		return v
	}
	owners := make([]ledger.Owner, bytes.Count(data, []byte("\n"))+1)
	for i := range owners {
		owners[i] = ledger.FirstTurn + ledger.Owner(len(o.places))
		o.places = append(o.places, place{commit, path, i + 1})
	}
	return o.book.Add(string(path), string(e.ID), data, owners...)
}

// addParent adds what a parent has: the file itself, and for the first parent, the other files that
// the commit changes.
func (o *origins) addParent(parent, tree gitexec.OID, first bool) error {
	changes, err := o.c.changesSince(tree)
	if err != nil {
		return err
	}
	// A file that this parent has as the commit does is in no change: nothing of it is new there.
	if i, found := slices.BinarySearchFunc(changes, o.path, func(t gitexec.Change, path gitexec.Path) int { return cmp.Compare(t.Path, path) }); found {
		if !first && !changes[i].Old.Exists() {
			return o.addFormer(parent, tree)
		}
		o.addFile(parent, changes[i].Old)
	}
	// In a commit with thousands of files each one would be compared with all others.
	if !first || len(changes) > mostKeptFiles {
		return nil
	}
	if err := o.addRemovedBefore(parent); err != nil {
		return err
	}
	for _, change := range changes {
		if change.Path != o.path && change.Old.Exists() {
			o.addChanged(parent, change)
		}
	}
	return nil
}

// changesSince are the changes from a parent's tree to the commit's, by path; read once.
func (c *Commit) changesSince(tree gitexec.OID) ([]gitexec.Change, error) {
	if known, ok := c.since[tree]; ok {
		return known, nil
	}
	changes, err := c.db.DiffTrees(tree, c.tree)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(changes, func(a, b gitexec.Change) int { return cmp.Compare(a.Path, b.Path) })
	if c.since == nil {
		c.since = map[gitexec.OID][]gitexec.Change{}
	}
	c.since[tree] = changes
	return changes, nil
}

// addFormer adds what another parent of a merge has under a name that the file had before a rename
// in the history of the first one.
func (o *origins) addFormer(parent, tree gitexec.OID) error {
	names, err := checkpoints.FormerNames(o.c.db, o.c.of.Parents[0], o.path)
	if err != nil || len(names) == 0 {
		return err
	}
	found, err := o.c.db.Lookup(tree, names...)
	if at := slices.IndexFunc(found, gitexec.Entry.Exists); at >= 0 {
		if v := o.add(parent, names[at], found[at]); v != nil {
			o.step.Others = append(o.step.Others, v)
		}
	}
	return err
}

func (o *origins) addFile(parent gitexec.OID, old gitexec.Entry) {
	if v := o.add(parent, o.path, old); o.step.Nearest == nil {
		o.step.Nearest = v
	} else {
		o.step.Others = append(o.step.Others, v)
	}
}

// addRemovedBefore adds what was committed as removed before: files, of which a new file may be
// one, and of the commit before what other files had.
func (o *origins) addRemovedBefore(parent gitexec.OID) error {
	// A file that was there is seldom made of one that went away long before; a new one may be the
	// second half of a move that took several commits.
	most := 1
	if o.step.Nearest == nil {
		most = mostBefore
	}
	all, err := o.c.reader.removedBefore(parent, most)
	if err != nil {
		return err
	}
	paths := make([]gitexec.Path, len(all))
	for i, old := range all {
		paths[i] = old.path
	}
	back, err := o.c.db.Files(o.c.tree, paths...)
	if err != nil {
		return err
	}
	o.c.db.Bring(blobsOf(all, back)...)
	for i, old := range all {
		// A file that went away and is back has its own lines again, and one that was only changed
		// and is gone now is among the commit's own changes.
		if o.was[string(old.path)] == nil && old.path != o.path && old.gone != back[i].Exists() {
			o.addChanged(old.commit, gitexec.Change{Path: old.path, Old: old.entry, New: back[i]})
		}
	}
	return nil
}

// addReverted adds the version that a revert goes back to: it brings back what the commit that it
// names took out. It may be one of others, whose work no hook here knows.
func (o *origins) addReverted() error {
	reverted, to := message.Reverted(o.c.of.Message)
	if to == "" && reverted != "" {
		commits, err := o.c.db.Readable(gitexec.OID(reverted))
		if err != nil {
			return err
		}
		for _, commit := range commits {
			if len(commit.Parents) > 0 {
				to = string(commit.Parents[0])
			}
		}
	}
	if to == "" {
		return nil
	}
	commits, err := o.c.db.Readable(gitexec.OID(to))
	if err != nil || len(commits) == 0 {
		return err
	}
	found, err := o.c.db.Files(commits[0].Tree, o.path)
	if gitexec.IsMissing(err) { // of a partial clone
		return nil
	}
	if err == nil {
		o.addFile(commits[0].ID, found[0])
	}
	return err
}

// blobsOf are the versions of files before they were removed, and now.
func blobsOf(old []removed, now []gitexec.Entry) (ids []gitexec.OID) {
	for i := range old {
		for _, e := range []gitexec.Entry{old[i].entry, now[i]} {
			if e.IsFile() {
				ids = append(ids, e.ID)
			}
		}
	}
	return ids
}

// addChanged adds another file that was changed or removed since a commit.
func (o *origins) addChanged(commit gitexec.OID, change gitexec.Change) {
	old := o.add(commit, change.Path, change.Old)
	if old == nil {
		return
	}
	// now is nil until its text is known: then nothing stands there still.
	o.was[string(change.Path)], o.now[string(change.Path)] = old, nil
	if data, ok := o.c.text(change.New); ok {
		o.read += len(data)
		o.now[string(change.Path)] = o.book.Text(data)
	} else if !change.New.Exists() {
		o.step.Gone = append(o.step.Gone, old)
	}
}

// find finds the lines of the file's version in those that were added, by line from 1; nil: none
// was.
func (o *origins) find(version string, data []byte) map[int]place {
	if len(o.places) == 0 {
		return nil
	}
	o.step.Charge = func(int, bool) ledger.Owner { return ledger.Base }
	o.step.Beside = func(path string) (*ledger.Version, ledger.Text, bool) {
		return o.was[path], o.now[path], o.was[path] != nil
	}
	found := map[int]place{}
	for line, owner := range o.book.Assign(string(o.path), version, data, o.step).Owners {
		if owner.IsTurn() {
			found[line+1] = o.places[owner-ledger.FirstTurn]
		}
	}
	return found
}

// removed is a file that a commit took away, or took lines from, with its parent.
type removed struct {
	commit gitexec.OID
	path   gitexec.Path
	entry  gitexec.Entry
	gone   bool
}

// removedBefore are the files that a commit and those before it, so many in all, took away, and
// those that the commit changed, the latest first: a rename or a move may be committed in two
// parts. Where trees are missing it ends.
func (r *Reader) removedBefore(id gitexec.OID, most int) (all []removed, err error) {
	line, err := r.DB.Ancestors(id, most+1)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(line) && len(all) < mostRemoved; i++ {
		of, err := r.removedBy(line[i-1], line[i])
		if gitexec.IsMissing(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, old := range of {
			if old.gone || i == 1 {
				all = append(all, old)
			}
		}
	}
	return all[:min(len(all), mostRemoved)], nil
}

// removedBy are the files that a commit took away from its parent, then those that it changed.
func (r *Reader) removedBy(commit, parent gitexec.Commit) ([]removed, error) {
	if known, ok := r.removed[commit.ID]; ok {
		return known, nil
	}
	changes, err := r.DB.DiffTrees(parent.Tree, commit.Tree)
	if err != nil {
		return nil, err
	}
	var of, changed []removed
	for _, c := range changes {
		if !c.New.Exists() {
			of = append(of, removed{parent.ID, c.Path, c.Old, true})
		} else if c.Old.Exists() {
			changed = append(changed, removed{parent.ID, c.Path, c.Old, false})
		}
	}
	// What was removed comes first, so that the limit cuts off what is the weaker evidence.
	of = append(of, changed...)
	of = of[:min(len(of), mostRemoved)]
	if r.removed == nil {
		r.removed = map[gitexec.OID][]removed{}
	}
	r.removed[commit.ID] = of
	return of, nil
}

// text reads a version that has lines.
func (c *Commit) text(e gitexec.Entry) ([]byte, bool) {
	if !e.IsFile() {
		return nil, false
	}
	data, err := c.db.Blob(e.ID, largestKept)
	return data, err == nil && !gitexec.IsBinary(data)
}

// version is a file in a commit.
type version struct {
	commit gitexec.OID
	path   gitexec.Path
}

// follow finds the authors of lines that a commit keeps, as far as they are not the human's who
// made the commit that wrote them.
func (c *Commit) follow(path gitexec.Path, here gitexec.Entry, lines []int) (map[int]Author, error) {
	if len(lines) == 0 || !c.reader.follows() {
		return nil, nil
	}
	kept, err := c.keptLines(path, here)
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	found := map[int]Author{}
	order, now := byVersion(kept, lines)
	for _, v := range order {
		authors, err := c.reader.blamed(v, slices.Collect(maps.Keys(now[v])))
		if err != nil {
			return nil, err
		}
		for old, a := range authors {
			for _, line := range now[v][old] {
				found[line] = a
			}
		}
	}
	return found, nil
}

// follows reports whether lines can be followed further.
func (r *Reader) follows() bool {
	return r != nil && r.Branch.Tree != "" && r.depth < mostFollowed
}

// byVersion are the versions that have some of the lines, in the lines' order, and by each one's
// line the lines that are this one.
func byVersion(kept map[int]place, lines []int) (order []version, now map[version]map[int][]int) {
	now = map[version]map[int][]int{}
	for _, line := range lines {
		from, ok := kept[line]
		if !ok {
			continue
		}
		v := version{from.commit, from.path}
		if now[v] == nil {
			now[v] = map[int][]int{}
			order = append(order, v)
		}
		now[v][from.line] = append(now[v][from.line], line)
	}
	return order, now
}

// blamed finds the authors of lines of a version, by line. One process.
func (r *Reader) blamed(v version, lines []int) (map[int]Author, error) {
	// Each is a process: lines that are beyond the limit stay whose they seem to be.
	if r.blames++; r.blames > cmp.Or(r.Most, mostBlames) || !r.Until.IsZero() && time.Now().After(r.Until) {
		r.unsure = true
		return nil, nil
	}
	slices.Sort(lines)
	blame := r.DB.Blame
	if r.Blame != nil {
		blame = r.Blame
	}
	found, err := blame(v.commit, v.path, slices.Compact(lines))
	if fault := new(gitexec.Error); errors.As(err, &fault) {
		r.unsure = true // as of a path that git's options cannot name
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.AheadOf(commitsOf(found), false)
	// The commit that blame names may itself only move the line: File asks for it in turn.
	r.depth++
	defer func() { r.depth-- }()
	wanted := map[version][]int{}
	for _, l := range found {
		v := version{l.Commit, l.Path}
		wanted[v] = append(wanted[v], l.Line)
	}
	files, authors := map[version]File{}, map[int]Author{}
	for _, l := range found {
		v := version{l.Commit, l.Path}
		if _, ok := files[v]; !ok {
			if files[v], err = r.file(v, wanted[v]); err != nil {
				return nil, err
			}
		}
		authors[l.Final] = files[v].Author(l.Line)
	}
	return authors, nil
}

func commitsOf(lines []gitexec.BlameLine) (ids []gitexec.OID) {
	for _, l := range lines {
		ids = append(ids, l.Commit)
	}
	return sets.Once(ids)
}

// file finds the authors of lines of a version.
func (r *Reader) file(v version, lines []int) (File, error) {
	commit, err := r.DB.Commit(v.commit)
	if err != nil {
		return File{}, err
	}
	here, err := r.DB.Lookup(commit.Tree, v.path)
	if err != nil {
		return File{}, err
	}
	return r.Commit(commit).File(v.path, here[0], lines)
}

// Wrote is checkpoints.Request's: who wrote lines of a file in a commit, by line from 1. Where git
// was not asked for all that was needed, or failed, no line is surely the human's: it is unknown.
func (r *Reader) Wrote(commit gitexec.OID, path gitexec.Path, lines []int) (map[int]checkpoints.Wrote, error) {
	r.unsure = false
	authors, err := r.blamed(version{commit, path}, slices.Clone(lines))
	wrote := map[int]checkpoints.Wrote{}
	for line, a := range authors {
		wrote[line] = checkpoints.Wrote{Line: a.Line, Checkpoint: a.Checkpoint, Unknown: a.Kind == Unknown || a.Kind == Human && r.unsure}
	}
	return wrote, err
}
