package works

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/divide"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/suffix"
)

// mostLinked is how many linked commits may have what a commit brings back, the latest first: more
// than the 50 that a session's state keeps (session.mostLinks), less than two sessions'.
// mostSources is how many of them count, each of which is read as work. mostCompared is how many
// versions are compared, up to so many bytes: a file of a megabyte that twenty linked commits
// changed took half a second in each commit, so that 8 MiB bound it to a fifth of one. What is
// beyond the limits is the human's.
const mostLinked, mostSources, mostCompared, mostComparedBytes = 60, 20, 300, 8 << 20

// Brought lists the sessions' linked commits from which changes bring lines back, whatever command
// did it: git checkout or restore of a file, a cherry-pick or a squash without a commit, an old
// version of a file. Where a stream has the same version, the one before its sessions' work is
// compared instead. parent is the commit's, empty or zeros for none: what its history had is a
// known version. The latest commits come first, at most mostSources. No process.
func Brought(
	db *gitexec.ODB, parent gitexec.OID, states []*session.State, changes []gitexec.Change, streams []condense.Work,
) ([]gitexec.OID, error) {
	changes = slices.Clone(changes)
	// `git mv` of a file with linked lines brings nothing: the file that is gone has them.
	var gone []gitexec.Change // a new file may be one of these under another name
	works := byPath(streams)
	for i, c := range changes {
		if changes[i].New = beforeWork(works, c); !c.New.Exists() && len(gone) < mostGone {
			gone = append(gone, c)
		}
	}
	// A removal brings no lines. A change that is all a stream's work has become none.
	changes = slices.DeleteFunc(changes, func(c gitexec.Change) bool { return !c.New.Exists() || c.New == c.Old })
	paths := gitexec.PathsOf(changes)
	commits, err := linkedCommits(db, states, slices.Concat(paths, gitexec.PathsOf(gone)))
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	var sources []gitexec.OID
	p, files := newPool(db, gone), make([]*broughtFile, len(changes))
	p.before = sync.OnceValues(func() ([]map[gitexec.Entry]bool, error) { return versionsBefore(db, parent, paths) })
	for _, commit := range commits {
		found, names, err := p.versionsIn(commit.Tree, changes)
		if err != nil {
			return nil, err
		}
		// Having the lines is not enough: a later commit has them as well. The one that counts
		// changed the file.
		var made []int // the files that this commit may have changed to what is brought
		for i, e := range found {
			// The version that the parent has brings nothing. When the limit is reached, only
			// versions that were read count.
			if !e.Exists() || e == changes[i].Old || p.full() && p.known[e] == nil {
				continue
			}
			if files[i] == nil {
				if files[i], err = p.file(i, changes[i]); err != nil {
					return nil, err
				}
			}
			if brings, err := files[i].brings(e); err != nil {
				return nil, err
			} else if brings {
				made = append(made, i)
			}
		}
		if len(made) == 0 {
			continue
		}
		before, err := before(db, commit, names)
		if err != nil {
			return nil, err
		}
		for _, i := range made {
			// Of a commit whose parent is missing, as in a shallow clone, it isn't known what it
			// changed: it counts.
			brought := before == nil
			if !brought && before[i] != found[i] {
				if brought, err = files[i].mayDo(before[i]); err != nil {
					return nil, err
				}
			}
			if brought {
				sources = append(sources, commit.ID)
				break
			}
		}
		if len(sources) == mostSources {
			break
		}
	}
	return sources, nil
}

// BroughtSince are the changes that may bring lines of older commits: of an amend they go from the
// amended commit's versions. amended is its tree; empty: it is no amend.
func BroughtSince(db *gitexec.ODB, amended gitexec.OID, changes []gitexec.Change) ([]gitexec.Change, error) {
	if amended == "" || len(changes) == 0 {
		return changes, nil
	}
	paths := gitexec.PathsOf(changes)
	found, err := db.Files(amended, paths...)
	if err != nil {
		return nil, err
	}
	since := slices.Clone(changes)
	for i := range since {
		since[i].Old = found[i]
	}
	return since, nil
}

// byPath are the changes of each stream by their files. Those of a session without a transcript are
// omitted: nothing says what its turns wrote and what git brought in them.
func byPath(streams []condense.Work) (works []map[gitexec.Path][]suffix.Change) {
	for _, w := range streams {
		if w.Session.TranscriptPath == "" {
			continue
		}
		of := make(map[gitexec.Path][]suffix.Change, len(w.Changes))
		for _, c := range w.Changes {
			of[c.Path] = append(of[c.Path], c)
		}
		works = append(works, of)
	}
	return works
}

// beforeWork is the version that a change makes, before the work of a stream which has that very
// one.
func beforeWork(works []map[gitexec.Path][]suffix.Change, c gitexec.Change) gitexec.Entry {
	for _, of := range works {
		if before, ok := madeFrom(of[c.Path], c.Path, c.New); ok {
			return before
		}
	}
	return c.New
}

// madeFrom is the version that one of some changes makes another one from. The base to which work
// is carried forward may lack what the work was done on: the stream that it is from has that.
func madeFrom(changes []suffix.Change, path gitexec.Path, version gitexec.Entry) (before gitexec.Entry, ok bool) {
	for _, c := range changes {
		if c.Path != path || c.After != version {
			continue
		}
		// A change that carries work forward goes from the commit's version: the work itself from
		// an older one.
		if before, ok = madeFrom(c.Of, path, version); !ok {
			before = c.Before
		}
		return before, true
	}
	return before, false
}

// mostOwn is of how many files of a linked commit the own lines are looked for, up to
// mostComparedBytes of them: each is read and written again without the lines. Beyond it a file
// counts with all that the commit did there.
const mostOwn = 100

// OwnLines leaves of what a linked commit did, in the files that matter, the lines that the link
// records as the session's, in the version that it records: other new ones are of other sessions,
// or the human's.
func OwnLines(db *gitexec.ODB, w condense.Work, matters func(gitexec.Path) bool) (condense.Work, error) {
	recorded, err := checkpoints.LinesOf(db, w.Link.Tree)
	if err != nil {
		return w, err
	}
	files, read := 0, 0
	var own []suffix.Change
	for _, c := range w.Changes {
		f, known := recorded[c.Path] // else the commit brings no lines there
		// What isn't looked at counts as it is: beyond the limits, all that the commit did there.
		if !known || !matters(c.Path) || files >= mostOwn || read >= mostComparedBytes {
			own = append(own, c)
			continue
		}
		version := gitexec.Entry{Mode: c.After.Mode, ID: f.Blob}
		data, ok, err := textOf(db, version)
		if err != nil {
			return w, err
		}
		if !ok {
			own = append(own, c)
			continue
		}
		files, read = files+1, read+len(data)
		// The change goes from the version without the session's lines to the one with them, so
		// that exactly these lines are the work. Where the session has no line in the file, there
		// is no work in it.
		rest := without(f, data, w.Session.SessionID)
		if len(rest) == len(data) {
			continue
		}
		if c.After = version; len(rest) > 0 || c.Before.Exists() {
			c.Before = version
			if c.Before.ID, err = db.WriteBlob(rest); err != nil {
				return w, err
			}
		}
		own = append(own, c)
	}
	w.Changes = own
	return w, nil
}

// without is a version without a session's lines.
func without(f checkpoints.FileOwners, data []byte, session string) (rest []byte) {
	owners, _ := f.Spread(bytes.Count(data, []byte("\n")) + 1)
	n := 0
	for line := range bytes.Lines(data) {
		// Lines are counted from 1, as in the record.
		if n++; owners[n] == nil || owners[n].Session != session {
			rest = append(rest, line...)
		}
	}
	return rest
}

// linkedCommits are the latest ones of the sessions' that may concern some files, latest first.
// Those that git has pruned are omitted.
func linkedCommits(db *gitexec.ODB, states []*session.State, paths []gitexec.Path) ([]gitexec.Commit, error) {
	var links []session.Link
	for _, s := range states {
		for _, l := range s.Linked {
			// A state keeps no more than twenty files of a link: without any, the link may concern
			// each file.
			if len(l.Files) == 0 || slices.ContainsFunc(paths, func(path gitexec.Path) bool { return slices.Contains(l.Files, path) }) {
				links = append(links, l)
			}
		}
	}
	slices.SortStableFunc(links, func(a, b session.Link) int { return b.When.Compare(a.When) })
	var ids []gitexec.OID
	for _, l := range links {
		if !slices.Contains(ids, l.Commit) && len(ids) < mostLinked {
			ids = append(ids, l.Commit)
		}
	}
	return db.Readable(ids...)
}

// filesIn looks files up in a tree; nil where a partial clone lacks a part of it.
func filesIn(db *gitexec.ODB, tree gitexec.OID, paths []gitexec.Path) ([]gitexec.Entry, error) {
	found, err := db.Files(tree, paths...)
	if gitexec.IsMissing(err) {
		return nil, nil
	}
	return found, err
}

// before looks files up in a commit's parent; nil where that is missing.
func before(db *gitexec.ODB, commit gitexec.Commit, paths []gitexec.Path) ([]gitexec.Entry, error) {
	tree, err := db.ParentTree(commit)
	if gitexec.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return filesIn(db, tree, paths)
}

// pool is the lines of versions, each of which is read once.
type pool struct {
	db     *gitexec.ODB
	book   *ledger.Book
	known  map[gitexec.Entry]map[ledger.ID]bool     // nil: a version without lines
	size   int                                      // bytes
	away   []gitexec.Change                         // the files that are gone
	gone   func() (map[ledger.ID]bool, error)       // their lines
	before func() ([]map[gitexec.Entry]bool, error) // the versions that each file had
}

func newPool(db *gitexec.ODB, gone []gitexec.Change) *pool {
	p := &pool{db: db, book: ledger.New(), away: gone, known: map[gitexec.Entry]map[ledger.ID]bool{}}
	p.gone = sync.OnceValues(func() (map[ledger.ID]bool, error) {
		all := map[ledger.ID]bool{}
		for _, c := range gone {
			if p.size >= mostComparedBytes {
				break
			}
			lines, err := p.lines(c.Old)
			if err != nil {
				return nil, err
			}
			maps.Copy(all, lines)
		}
		return all, nil
	})
	return p
}

// full reports whether no more is to be read.
func (p *pool) full() bool { return len(p.known) >= mostCompared || p.size >= mostComparedBytes }

// versionsIn are the versions that a tree has of changed files, and by which names: of a new file
// that it lacks, that of the file that is gone and like it.
func (p *pool) versionsIn(tree gitexec.OID, changes []gitexec.Change) (found []gitexec.Entry, names []gitexec.Path, err error) {
	names = gitexec.PathsOf(changes)
	if found, err = filesIn(p.db, tree, names); err != nil || len(p.away) == 0 {
		return found, names, err
	}
	away, err := filesIn(p.db, tree, gitexec.PathsOf(p.away))
	for i, e := range found {
		if e.Exists() || changes[i].Old.Exists() || p.full() || err != nil {
			continue
		}
		var at int
		if at, err = p.likest(changes[i].New, away); at >= 0 {
			found[i], names[i] = away[at], p.away[at].Path
		}
	}
	return found, names, err
}

// likest is the place of the version that another one was made of, by half of its lines; -1: of
// none.
func (p *pool) likest(now gitexec.Entry, versions []gitexec.Entry) (at int, err error) {
	var all []*ledger.Version
	for i, e := range versions {
		data, ok, err := textOf(p.db, e)
		if err != nil {
			return -1, err
		}
		if p.size += len(data); ok {
			all = append(all, p.book.Add(strconv.Itoa(i), string(e.ID), data))
		}
	}
	if len(all) == 0 {
		return -1, nil
	}
	data, ok, err := textOf(p.db, now)
	p.size += len(data)
	if v := p.book.Likest(data, nil, all); ok && v != nil {
		at, err = strconv.Atoi(v.Path)
		return at, err
	}
	return -1, err
}

// lines are those of a version.
func (p *pool) lines(e gitexec.Entry) (map[ledger.ID]bool, error) {
	if lines, known := p.known[e]; known {
		return lines, nil
	}
	data, ok, err := textOf(p.db, e)
	if p.known[e] = nil; ok {
		p.known[e], p.size = sets.Of(p.book.Text(data)), p.size+len(data)
	}
	return p.known[e], err
}

// broughtFile is a file's new version, and its lines that the old one hasn't, by how much they say.
type broughtFile struct {
	pool  *pool
	now   gitexec.Entry
	was   func() (bool, error) // a commit before has the very version
	new   map[ledger.ID]int
	came  map[ledger.ID]bool // of these: what commits have from which it brings lines
	lost  map[ledger.ID]bool // the old one's lines that the new one hasn't
	isNew bool               // there was no file
}

// file reads a change, which is one of those that the versions before are known of.
func (p *pool) file(i int, c gitexec.Change) (*broughtFile, error) {
	f := &broughtFile{pool: p, now: c.New, new: map[ledger.ID]int{}, came: map[ledger.ID]bool{}, isNew: !c.Old.Exists()}
	f.was = func() (bool, error) {
		had, err := p.before()
		return err == nil && had[i][c.New], err
	}
	now, err := p.lines(c.New)
	if err != nil || now == nil {
		return f, err
	}
	// Of a new file, the lines of files that are gone count as its old ones: it may be one of them,
	// renamed.
	was, err := p.lines(c.Old)
	if f.isNew {
		was, err = p.gone()
	}
	f.lost = maps.Clone(was)
	for id := range now {
		if delete(f.lost, id); !was[id] {
			f.new[id] = p.book.Letters(id)
		}
	}
	return f, err
}

// mostBefore is how many commits of the history before may have the very version. It matters only
// where a single line comes back: of an older version such a line is the human's.
const mostBefore = 50

// versionsBefore are the versions that each of some files has in the last commits up to one: who
// brings one of them back has typed none of it. None where that commit is missing, as in a shallow
// clone.
func versionsBefore(db *gitexec.ODB, last gitexec.OID, paths []gitexec.Path) ([]map[gitexec.Entry]bool, error) {
	had := make([]map[gitexec.Entry]bool, len(paths))
	for i := range had {
		had[i] = map[gitexec.Entry]bool{}
	}
	if last == "" || last.IsZero() {
		return had, nil
	}
	line, err := db.Ancestors(last, mostBefore)
	if gitexec.IsMissing(err) {
		return had, nil
	}
	for _, c := range line {
		found, missing := filesIn(db, c.Tree, paths)
		if err = cmp.Or(err, missing); err != nil {
			break
		}
		for i, e := range found {
			had[i][e] = true
		}
	}
	return had, err
}

// mayDo reports whether a commit that changes the file from a version may do what the change does.
// One that only takes lines out, as a revert of what was added since, brings nothing of a commit
// that took out none of them.
func (f *broughtFile) mayDo(before gitexec.Entry) (bool, error) {
	// With new lines it is brings that decides.
	if f.isNew || len(f.new) > 0 || len(f.lost) == 0 {
		return true, nil
	}
	had, err := f.pool.lines(before)
	for id := range f.lost {
		if had[id] {
			return true, err
		}
	}
	return false, err
}

// brings reports whether the new version may have lines of another one, which has some of its new
// ones: two that say much, all of them, everything, or some that came with a later version, which
// may have them from this one. One will do of a version that the history had. That it is the new
// version says nothing of a new text, which may be anybody's, such as an empty one.
func (f *broughtFile) brings(e gitexec.Entry) (bool, error) {
	has, err := f.pool.lines(e)
	// The very version of a binary file, or of a file that was there, is evidence. A new text file
	// may have the bytes of another one by chance: an empty `__init__.py`.
	same := e == f.now && !(f.isNew && has != nil)
	weight, came, lines := 0, 0, []ledger.ID(nil)
	for id, n := range f.new {
		if !has[id] {
			continue
		}
		if lines, weight = append(lines, id), weight+n; f.came[id] {
			came += n
		}
	}
	// came: a later commit that counts has these lines, too. Of a feature in two commits, the first
	// may have only one of the lines, and belongs to the second.
	if !same && weight < divide.EnoughBrought && came < ledger.Evidence && (weight < ledger.Evidence || len(lines) < len(f.new)) {
		if weight < ledger.Evidence || err != nil {
			return false, err
		}
		if known, err := f.was(); !known {
			return false, err
		}
	}
	for _, id := range lines {
		f.came[id] = true
	}
	return true, err
}
