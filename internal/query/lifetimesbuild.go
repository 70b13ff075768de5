package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/survival"
)

// commitsAtOnce is how many commits are compared with their parents by one process of git's, and
// how many have their checkpoints read ahead.
const commitsAtOnce = 200

// building is what adds commits to the index of lines.
type building struct {
	*lifetimes
	ctx     context.Context
	x       *index.Index
	more    map[gitexec.OID][]gitexec.OID // parents of the new commits
	replay  *survival.Replay
	changed map[gitexec.OID]bool // commits whose lines have other owners than before
}

// compared is a commit that is compared with its parents.
type compared struct {
	number   int
	commit   gitexec.Commit
	trees    []gitexec.OID                        // of its parents; one, empty, of a commit without
	differ   [][]gitexec.Change                   // of a merge: from each parent
	patches  [][]gitexec.FilePatch                // from each parent
	gone     [][]gitexec.Path                     // files that a parent has and the commit has not
	followed []map[gitexec.Path]gitexec.FilePatch // instead of patches, where git blame compares with another file
	torn     map[gitexec.Path]bool                // of a merge: files that differ from all parents
	lines    map[gitexec.Path]int                 // of files without a version to compare with
	entries  map[gitexec.Path]gitexec.Entry
}

// build adds the commits that are in the order, and finds the owners of lines where they are
// missing or not those any more.
func (l *lifetimes) build(ctx context.Context, x *index.Index, more map[gitexec.OID][]gitexec.OID, save bool) error {
	for id, parents := range more {
		if _, known := l.pasts[id]; !known {
			l.pasts[id] = past{parents: parents}
		}
	}
	b := building{lifetimes: l, ctx: ctx, x: x, more: more, replay: survival.New(l.children()), changed: map[gitexec.OID]bool{}}
	count, saved := progress(l.reader.Env, "indexing the lines of the history"), time.Now()
	// In order, parents first: the owners of a commit's lines may be asked of its parents' replay.
	for at := 0; at < len(l.order); at += commitsAtOnce {
		if err := b.some(at, min(at+commitsAtOnce, len(l.order))); err != nil {
			return err
		}
		count(at, len(l.order))
		if save && time.Since(saved) > saveEach {
			saved = time.Now()
			l.saveSoFar(x)
		}
	}
	l.births = b.replay.End()
	return nil
}

// saveEach is how often the index is saved while it is made: one that is interrupted goes on from
// there.
const saveEach = 15 * time.Second

func (l *lifetimes) saveSoFar(x *index.Index) {
	if state, err := json.Marshal(l.state(stateIn[linesState](x).Tips)); err == nil {
		_ = x.Save(state) // a cache: what cannot be written is read again next time
	}
}

// some adds the commits of a part of the order.
func (b *building) some(from, to int) error {
	defer b.reader.DB.Apart()()
	todo, err := b.choose(from, to)
	if err != nil {
		return err
	}
	if err := b.compare(todo); err != nil {
		return err
	}
	// One by one a checkpoint would take a round to git for each commit.
	b.readAhead(todo)
	authors := b.authors()
	for i := from; i < to; i++ {
		if c := todo[i]; c != nil {
			if err := b.add(c, authors); err != nil {
				return err
			}
		}
		// Each commit is added, also one of which the index has all: later ones are followed
		// through it.
		b.replay.Add(b.commit(b.order[i]))
	}
	return b.reader.DB.Canceled()
}

// readAhead reads what checkpoints record of the commits' lines ahead, to save time.
func (b *building) readAhead(todo map[int]*compared) {
	var links []string
	var trees []gitexec.OID
	for i, c := range todo {
		if b.touch[i] {
			trees = append(trees, c.commit.Tree)
		}
		for _, n := range b.links[i] {
			links = append(links, n.checkpoint)
		}
	}
	if len(links) > 0 {
		checkpoints.ReadAhead(b.reader.DB, b.reader.Branch, links)
	}
	if len(trees) > 0 {
		_, _ = b.reader.DB.Trees(trees...)
	}
}

// choose reads the commits of which something is missing.
func (b *building) choose(from, to int) (map[int]*compared, error) {
	var ids []gitexec.OID
	for i := from; i < to; i++ {
		if _, new := b.more[b.order[i]]; new {
			ids = append(ids, b.order[i])
		}
	}
	if err := b.read(ids); err != nil {
		return nil, err
	}
	todo, stale := map[int]*compared{}, []gitexec.OID(nil)
	for i := from; i < to; i++ {
		_, new := b.more[b.order[i]]
		// A commit that is stale makes those stale that follow lines to it: they come later in the
		// order.
		if old := b.stale(i, b.changed); old {
			b.changed[b.order[i]] = true
		} else if !new {
			continue
		}
		todo[i] = &compared{number: i}
		stale = append(stale, b.order[i])
	}
	commits, err := b.reader.DB.Commits(stale...)
	if err != nil {
		return nil, err
	}
	for _, c := range commits {
		todo[b.number[c.ID]].commit = c
	}
	return todo, b.parents(todo)
}

// read reads what is known of new commits themselves.
func (b *building) read(ids []gitexec.OID) error {
	commits, err := b.reader.DB.Commits(ids...)
	for _, c := range commits {
		h := b.pasts[c.ID]
		// A shallow history ends here: the commit has parents, and they are not here.
		// git walks a shallow history by its list of cut-off commits, while the commit itself names
		// its parents.
		h.cut = len(h.parents) == 0 && len(c.Parents) > 0
		h.when, h.author, h.trailers = c.When.Unix(), c.Author, trailersIn(c.Message)
		b.pasts[c.ID] = h
	}
	return err
}

// parents reads the trees of the commits' parents.
func (b *building) parents(todo map[int]*compared) error {
	var ask []gitexec.OID
	for _, c := range todo {
		ask = append(ask, b.pasts[c.commit.ID].parents...)
	}
	slices.Sort(ask)
	found, err := b.reader.DB.Commits(slices.Compact(ask)...)
	if err != nil {
		return err
	}
	trees := map[gitexec.OID]gitexec.OID{}
	for _, c := range found {
		trees[c.ID] = c.Tree
	}
	for _, c := range todo {
		for _, p := range b.pasts[c.commit.ID].parents {
			c.trees = append(c.trees, trees[p])
		}
		if len(c.trees) == 0 {
			// A root commit is compared with the empty tree.
			c.trees = []gitexec.OID{""}
		}
		c.patches, c.gone = make([][]gitexec.FilePatch, len(c.trees)), make([][]gitexec.Path, len(c.trees))
		c.followed = make([]map[gitexec.Path]gitexec.FilePatch, len(c.trees))
	}
	return nil
}

// compare compares the commits with their parents. One process.
func (b *building) compare(todo map[int]*compared) error {
	var pairs [][2]gitexec.OID
	type side struct {
		of     *compared
		parent int
	}
	var of []side
	for _, c := range todo {
		if len(c.trees) > 1 {
			// git compares whole trees with a patch for each parent. Most merges have no line of
			// their own, and need none of that.
			if err := b.tear(c); err != nil {
				return err
			}
			// A merge without a file of its own making: its lines are those of its parents.
			if len(c.torn) == 0 {
				continue
			}
		}
		for i, tree := range c.trees {
			pairs, of = append(pairs, [2]gitexec.OID{tree, c.commit.Tree}), append(of, side{c, i})
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	err := b.reader.Repo.PatchTrees(b.ctx, pairs, nil, func(p gitexec.FilePatch) error {
		// The pair is what git printed: it must not be trusted as an index.
		if p.Pair < 0 || p.Pair >= len(of) {
			return errors.New("git printed more than expected")
		}
		at := of[p.Pair]
		// A file that was deleted or renamed: others may have come from it, see follow.
		if p.Old != "" && p.Old != p.New {
			at.of.gone[at.parent] = append(at.of.gone[at.parent], p.Old)
		}
		if at.of.torn == nil || at.of.torn[p.New] {
			at.of.patches[at.parent] = append(at.of.patches[at.parent], p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range todo {
		if err := b.follow(c); err != nil {
			return err
		}
	}
	return b.fresh(todo)
}

// mostAlone is how many files of a commit are compared each by itself.
const mostAlone = 100

// follow finds the files that git blame would follow to another name, although git takes that one
// for renamed to a third: git blame looks for the earlier name of one file at a time. One process
// for each that may be such a file.
func (b *building) follow(c *compared) error {
	alone := 0
	for i, patches := range c.patches {
		gone := c.gone[i]
		c.followed[i] = map[gitexec.Path]gitexec.FilePatch{}
		for _, p := range patches {
			// An added file that git pairs with no file that is gone, or a renamed one where more
			// than one is gone.
			added := p.Old == "" && len(gone) > 0
			renamed := p.Old != p.New && p.New != "" && len(p.Hunks) > 0 && len(gone) > 1
			if !added && !renamed || len(p.Hunks) == 0 {
				continue
			}
			// Each takes a process: a commit that moves a whole tree would take thousands. What is
			// not found has git's own pairs.
			if alone++; alone > mostAlone {
				return nil
			}
			pair, paths := [2]gitexec.OID{c.trees[i], c.commit.Tree}, append([]gitexec.Path{p.New}, gone...)
			err := b.reader.Repo.PatchTrees(b.ctx, [][2]gitexec.OID{pair}, paths, func(one gitexec.FilePatch) error {
				if one.New == p.New {
					c.followed[i][p.New] = one
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// tear finds the files of a merge that differ from all parents: the others have the lines of one.
func (b *building) tear(c *compared) error {
	c.torn = map[gitexec.Path]bool{}
	differs := map[gitexec.Path]int{}
	for _, tree := range c.trees {
		changes, err := b.reader.DB.DiffTrees(tree, c.commit.Tree)
		if err != nil {
			return err
		}
		c.differ = append(c.differ, changes)
		for _, change := range changes {
			if change.New.Exists() {
				differs[change.Path]++
			}
		}
	}
	for path, n := range differs {
		// It differs from each parent: the merge has made something of it.
		if n == len(c.trees) {
			c.torn[path] = true
		}
	}
	return nil
}

// mostFresh is how many bytes a version may have that is counted without a version to compare with.
const mostFresh = 8 << 20

// fresh counts the lines of versions that git doesn't compare with the ones before, which were
// binary, and which are not binary themselves.
func (b *building) fresh(todo map[int]*compared) error {
	var paths []gitexec.Path
	var of []*compared
	for _, c := range todo {
		c.lines, c.entries = map[gitexec.Path]int{}, map[gitexec.Path]gitexec.Entry{}
		for _, p := range slices.Concat(c.patches...) {
			// The old version may be the binary one, as UTF-16 that was converted: then the new one
			// is text, and all of it new.
			if p.Binary && p.Old != "" && p.New != "" {
				paths, of = append(paths, p.New), append(of, c)
			}
		}
	}
	attributes, err := b.reader.Repo.Attributes(b.ctx, paths, "diff")
	if err != nil {
		return err
	}
	for i, path := range paths {
		// `-diff` in .gitattributes: the file counts as binary, whatever it holds.
		if attributes[path]["diff"] != "unset" {
			if err := b.countFresh(of[i], path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *building) countFresh(c *compared, path gitexec.Path) error {
	found, err := b.reader.DB.Lookup(c.commit.Tree, path)
	if err != nil || !found[0].IsFile() {
		return err
	}
	text, err := b.reader.DB.Blob(found[0].ID, mostFresh)
	if err != nil {
		// Too large, or not here: it counts as a file without lines, as binary ones do.
		if gitexec.IsUnreadable(err) {
			return nil
		}
		return err
	}
	if gitexec.IsBinary(text) || len(text) == 0 {
		return nil
	}
	// A last line counts without a line break, too.
	c.lines[path] = bytes.Count(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) + 1
	c.entries[path] = found[0]
	return nil
}

// add adds one commit.
func (b *building) add(c *compared, authors *attribution.Reader) error {
	id := c.commit.ID
	// What a commit changes never changes: it is stored once.
	if _, new := b.more[id]; new {
		h := b.pasts[id]
		h.changes, h.others = c.changes()
		b.pasts[id] = h
		b.x.Put(keyPast+string(id), pack(h, pastFields))
	}
	// All lines before the first link are their authors'. A commit that lost its link, as by a
	// purge, loses its owners.
	if !b.touch[c.number] {
		if _, known := b.owners[id]; known {
			delete(b.owners, id)
			b.x.Delete(keyOwners + string(id))
		}
		return nil
	}
	if !b.changed[id] {
		return nil
	}
	o, err := b.findOwners(c, authors)
	if err != nil {
		return err
	}
	b.owners[id] = o
	b.x.Put(keyOwners+string(id), pack(o, ownerFields))
	return nil
}

// changes are the commit's, for its parents.
func (c *compared) changes() (first []survival.Change, others [][]survival.Change) {
	for i, patches := range c.patches {
		var all []survival.Change
		for _, p := range patches {
			// As git blame would have it, which asks for this file alone.
			if alone, ok := c.followed[i][p.New]; ok {
				p = alone
			}
			all = append(all, c.changeOf(p))
		}
		if i == 0 {
			first = all
		} else {
			others = append(others, all)
		}
	}
	if len(c.trees) < 2 {
		return first, nil
	}
	differs := make([]map[gitexec.Path]bool, len(c.differ))
	for i, changes := range c.differ {
		differs[i] = sets.Of(gitexec.PathsOf(changes))
	}
	renamed := map[gitexec.Path]bool{}
	for _, change := range first {
		renamed[change.Old] = true
	}
	for _, change := range c.differ[0] {
		// Those are in the patches.
		if c.torn[change.Path] || renamed[change.Path] {
			continue
		}
		one := survival.Change{Old: change.Path, New: change.Path}
		if !change.Old.Exists() {
			one.Old = ""
		}
		switch {
		case !change.New.Exists():
			one.New = ""
		case !change.New.IsFile():
			one.NoText = true
		default:
			// The first parent that has the file as the merge has it: without one the file would be
			// torn.
			one.From = slices.IndexFunc(differs, func(d map[gitexec.Path]bool) bool { return !d[change.Path] })
		}
		first = append(first, one)
	}
	return first, others
}

func (c *compared) changeOf(p gitexec.FilePatch) survival.Change {
	one := survival.Change{Old: p.Old, New: p.New, Hunks: p.Hunks}
	if p.New == "" {
		return one
	}
	one.Fresh = c.lines[p.New]
	one.NoText = one.Fresh == 0 && (p.Binary || p.Mode == gitexec.ModeSymlink || p.Mode == gitexec.ModeGitlink)
	return one
}

// authors finds the authors of some commits' lines. It asks the history here where git blame would
// be asked.
func (b *building) authors() *attribution.Reader {
	// Without the agents of other sessions: who asks for these takes the lock that is held here.
	authors := &attribution.Reader{DB: b.reader.DB, Branch: b.reader.Branch}
	// No limit: an answer from the history here mostly starts no process.
	authors.Most = 1 << 30
	return authors
}

// blame is git blame's answer, from the history.
func (b *building) blame(commit gitexec.OID, path gitexec.Path, lines []int) ([]gitexec.BlameLine, error) {
	n, known := b.number[commit]
	if !known {
		return b.reader.DB.Blame(commit, path, lines)
	}
	var found []gitexec.BlameLine
	for _, line := range lines {
		// The replay has the lines of HEAD's history, and of that only of commits to which a child
		// is yet to be added: else git is asked.
		from, in, at, ok := b.replay.Origin(n, path, line)
		if !ok {
			return b.reader.DB.Blame(commit, path, lines)
		}
		found = append(found, gitexec.BlameLine{Commit: b.order[from], Path: in, Line: at, Final: line})
	}
	return found, nil
}

// findOwners finds the owners of a commit's lines.
func (b *building) findOwners(c *compared, authors *attribution.Reader) (lineOwners, error) {
	o := lineOwners{links: b.links[c.number]}
	o.notCounted = b.pasts[c.commit.ID].cut
	authors.Blame = func(commit gitexec.OID, path gitexec.Path, lines []int) ([]gitexec.BlameLine, error) {
		found, err := b.blame(commit, path, lines)
		for _, l := range found {
			// These commits' owners count here: when they change, this one's are found again.
			o.follows = sets.With(o.follows, l.Commit)
		}
		return found, err
	}
	commit := authors.Commit(c.commit)
	for _, p := range c.patches[0] {
		f := ownedFile{path: p.New, fresh: c.lines[p.New] > 0}
		each := func(line int, a attribution.Author) { f.runs = o.owned(f.runs, line, a) }
		if n := c.lines[p.New]; n > 0 {
			lines := make([]int, n)
			for i := range lines {
				lines[i] = i + 1
			}
			file, err := commit.File(p.New, c.entries[p.New], lines)
			if err != nil {
				return o, err
			}
			for _, line := range lines {
				each(line, file.Author(line))
			}
		} else if _, err := commit.Lines(p, each); err != nil {
			return o, err
		}
		if len(f.runs) > 0 {
			o.files = append(o.files, f)
		}
	}
	for _, owner := range o.owners {
		// Lines that this commit moves or formats stay those of a checkpoint that it doesn't link:
		// when that changes, so may they.
		if owner.checkpoint != "" && !slices.ContainsFunc(o.links, func(n named) bool { return n.checkpoint == owner.checkpoint }) {
			o.kept = sets.With(o.kept, named{owner.checkpoint, b.facts[owner.checkpoint].dir})
		}
	}
	return o, nil
}

// owned adds a line to runs.
func (o *lineOwners) owned(runs []owned, line int, a attribution.Author) []owned {
	o.missing = o.missing || a.Missing
	one := lineOwner{kind: a.Kind, checkpoint: a.Checkpoint}
	if a.Kind == attribution.Agent {
		one.session, one.turn = a.Session, a.Turn
	}
	return extended(runs, line, o.place(one))
}

func extended(runs []owned, line, owner int) []owned {
	if i := len(runs) - 1; i >= 0 && runs[i].owner == owner && runs[i].End() == line {
		runs[i].N++
		return runs
	}
	return append(runs, owned{survival.Span{Start: line, N: 1}, owner})
}
