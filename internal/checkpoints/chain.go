package checkpoints

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
	"entire-plumb/shadow"
)

// Turn is one turn of a session.
type Turn struct {
	Session string
	Turn    string
	Link    string // its checkpoint, where a commit has several
}

// look is a worktree as it was seen at one time.
type look struct {
	before, tree gitexec.OID   // before is empty where the parent of a commit that is replaced is missing
	by           ledger.Owner  // who answers for what is new since before
	session      string        // whose turn the look is of
	began        time.Time     // when that turn began
	doubtful     bool          // it is the human's part, and other turns were in progress
	others       []gitexec.OID // trees that it may have lines of: those of the streams that it carries forward
	when         time.Time
	commit       gitexec.OID   // that is replaced
	parents      []gitexec.OID // its parents
	base         gitexec.OID   // where what stood before it is from, if that isn't the new commit's parent
	known        Owners        // of a commit that is replaced: what checkpoints record of it
	taken        []look        // sides from which its turn brought lines
	side         bool          // it is that of a commit that others may have taken lines from: see Request.Sides
	changes      []gitexec.Change
	names        map[gitexec.Path]gitexec.Path // that files have in the others, where these are other ones
}

// gathering enters what is known of a commit's files into a book, in the order in which it came to
// be.
type gathering struct {
	db      *gitexec.ODB
	book    *ledger.Book
	link    string                      // the checkpoint of the streams' turns; empty: none yet
	turns   []Turn                      // by number
	owners  map[Turn]ledger.Owner       // their numbers
	prompts map[Turn]string             // one line each
	began   map[Turn]time.Time          // when they began
	streams map[gitexec.OID]bool        // the tips of those that were read
	read    map[gitexec.OID]bool        // commits whose records were read
	baseOf  map[gitexec.OID]gitexec.OID // by the trees of streams: see look
	looks   []look
	sides   []look                             // those of other commits that are entered
	only    map[gitexec.Path]bool              // the files that matter; nil: all
	taken   map[gitexec.Path]map[ledger.ID]int // lines that agents took out
	dropped map[gitexec.Path]map[ledger.ID]int // lines that the human took out beside fewer new ones
	ahead   map[gitexec.OID][]byte             // versions that a look needs
	large   map[gitexec.OID]bool               // those that are too large to be compared
	seen    map[*ledger.Version]time.Time      // when the versions were first seen
	older   []olderVersion                     // in the order of their places

	nextPlace ledger.Owner

	estimated  bool  // by another program, which records no human's part, or from a transcript alone
	unknown    bool  // whose the commit's lines are: no snapshot tells
	limitError error // why the streams are not followed; nil: they are
}

// owner returns a turn's owner number.
func (g *gathering) owner(t Turn) ledger.Owner {
	if known, ok := g.owners[t]; ok {
		return known
	}
	g.owners[t] = ledger.FirstTurn + ledger.Owner(len(g.turns))
	g.turns = append(g.turns, t)
	return g.owners[t]
}

// turnBegan records when a turn began: several checkpoints may be of one.
func (g *gathering) turnBegan(t Turn, when time.Time) {
	if known, ok := g.began[t]; !ok || when.Before(known) {
		g.began[t] = when
	}
}

// stream adds the looks of a stream up to a checkpoint, and of those that it carries forward.
func (g *gathering) stream(b Branch, r Request, tip shadow.Checkpoint) error {
	if g.streams[tip.ID] {
		return nil
	}
	g.streams[tip.ID] = true
	base, err := g.olderBase(b, r, tip.Base)
	if err != nil {
		return err
	}
	history, err := shadow.Stream{Tip: tip}.History(g.db)
	if err != nil {
		return err
	}
	for _, k := range history {
		taken, err := g.sidesOf(b, r, k.Sources)
		if err != nil {
			return err
		}
		l := look{taken: taken, before: k.Before, tree: k.Tree, by: ledger.Human, when: k.When, session: k.Session, began: k.Began, base: base}
		if k.Part == shadow.Agent {
			t := Turn{Session: k.Session, Turn: k.Turn, Link: g.link}
			l.by, g.prompts[t] = g.owner(t), k.Subject
			if len(k.From) == 0 { // else it is carried forward: the stream that it is from has the time
				g.turnBegan(t, k.Began)
			}
		}
		g.estimated = g.estimated || k.Foreign() || k.Estimated
		carried := false
		for _, id := range k.From {
			from, ours, err := shadow.ReadCheckpoint(g.db, id)
			if err != nil {
				return err
			}
			if ours {
				if err := g.stream(b, r, from); err != nil {
					return err
				}
				l.others, carried = append(l.others, from.Tree), true
			}
		}
		if carried {
			l.by = ledger.Human
		}
		g.baseOf[l.tree] = base
		g.looks = append(g.looks, l)
	}
	return nil
}

// mostChains is how many streams a commit's lines are always followed through; beyond, at most
// mostSteps files may be compared, which takes seconds. Lines that are not followed have no known
// author.
const mostChains, mostSteps = 100, 250_000

// collect collects the looks that lead to a commit: the streams that it matches, and the commits
// that it replaces.
func (g *gathering) collect(b Branch, r Request) error {
	for _, p := range r.Lineage.From {
		commits, err := g.db.Commits(p.Commit)
		if err != nil {
			return err
		}
		if err := g.record(b, r, commits[0], p.Links); err != nil {
			return err
		}
	}
	tried := 0
	for _, m := range r.Matches {
		tips, err := g.tips(m)
		if err != nil {
			return err
		}
		for _, tip := range tips {
			if g.streams[tip.ID] {
				continue
			}
			if tried++; tried > mostChains && tried*len(r.Changes) > mostSteps {
				g.looks = nil
				g.limitError = fmt.Errorf("the authors of the commit's lines: its %d files are not followed through more than %d streams",
					len(r.Changes), tried-1)
				return nil
			}
			var pruned *gitexec.MissingError
			err := g.stream(b, r, tip)
			if errors.As(err, &pruned) && slices.Contains(m.Origins, tip.ID) {
				continue
			}
			if err != nil {
				return err
			}
		}
	}
	sides, err := g.sidesOf(b, r, r.Sides)
	if err != nil {
		return err
	}
	g.looks = append(g.looks, sides...)
	above, err := g.above()
	if err != nil {
		return err
	}
	slices.SortStableFunc(g.looks, func(a, b look) int { // what is recorded outranks what is inferred
		switch {
		case a.known != nil && b.known == nil:
			return -1
		case a.known == nil && b.known != nil:
			return 1
		}
		return cmp.Or(a.when.Compare(b.when), cmp.Compare(above[a.commit], above[b.commit]), compareBool(a.side, b.side))
	})
	g.looks = withTaken(g.looks)
	for i := range g.looks {
		l := &g.looks[i]
		l.doubtful = l.by == ledger.Human && (slices.ContainsFunc(g.looks[i+1:], func(next look) bool {
			return next.by.IsTurn() && (next.began.Before(l.when) || next.session != l.session && next.began.Equal(l.when))
		}) || slices.ContainsFunc(r.Matches, func(m condense.Matched) bool { return m.InProgressAt(l.when) && m.Session.SessionID != l.session }))
	}
	return g.readLooks(r)
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// sidesOf are commits from which lines come, without missing ones. It adds what is recorded of
// them.
func (g *gathering) sidesOf(b Branch, r Request, ids []gitexec.OID) (sides []look, err error) {
	found, err := g.db.Any(ids...)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		if o.Type != "commit" {
			continue
		}
		commit, err := gitexec.ParseCommit(o.ID, o.Data)
		if err != nil {
			return nil, err
		}
		sides = append(sides, look{before: commit.Tree, tree: commit.Tree, base: commit.ID, side: true, when: commit.When})
		if err := g.record(b, r, commit, b.Links(g.db, commit)); err != nil && !errors.Is(err, ErrDamaged) {
			return nil, err
		}
	}
	return sides, nil
}

// withTaken puts before each look the sides from which its turn brought lines: what streams had
// before that is older, and the side may be a stash entry of it. Each side is entered once.
func withTaken(looks []look) (all []look) {
	entered := map[gitexec.OID]bool{}
	enter := func(l look) {
		if !l.side || !entered[l.base] {
			all = append(all, l)
		}
		entered[l.base] = entered[l.base] || l.side
	}
	taken := map[gitexec.OID]bool{}
	for _, l := range looks {
		for _, s := range l.taken {
			taken[s.base] = true
		}
	}
	for _, l := range looks {
		for _, s := range l.taken {
			enter(s)
		}
		if !l.side || !taken[l.base] {
			enter(l)
		}
	}
	return all
}

// mostAbove is how many commits are looked at to order those that were made in the same second.
const mostAbove = 200

// above counts the replaced commits above each of them in history, which were made in the same
// second.
func (g *gathering) above() (map[gitexec.OID]int, error) {
	when := map[gitexec.OID]time.Time{}
	for _, l := range g.looks {
		if l.known != nil {
			when[l.commit] = l.when
		}
	}
	n := map[gitexec.OID]int{}
	if len(when) < 2 {
		return n, nil
	}
	for _, l := range g.looks {
		parents := l.parents
		for tried := 0; l.known != nil && len(parents) > 0 && tried < mostAbove; tried++ {
			found, err := g.db.Any(parents[0])
			if err != nil {
				return nil, err
			}
			if found[0].Type != "commit" {
				break
			}
			commit, err := gitexec.ParseCommit(found[0].ID, found[0].Data)
			if err != nil {
				return nil, err
			}
			if commit.When.Before(l.when) {
				break
			}
			if _, known := when[commit.ID]; known {
				n[l.commit]++
			}
			parents = commit.Parents
		}
	}
	return n, nil
}

// tips are the last checkpoints of the streams with a session's work. Of streams that do not exist
// any more git may have pruned them.
func (g *gathering) tips(m condense.Matched) (tips []shadow.Checkpoint, err error) {
	for _, s := range m.Streams {
		tips = append(tips, s.Tip)
	}
	if len(m.Origins) == 0 {
		return tips, nil
	}
	info, err := g.db.Info(m.Origins...)
	if err != nil {
		return nil, err
	}
	for i, id := range m.Origins {
		if info[i].Type != "commit" {
			continue
		}
		tip, ours, err := shadow.ReadCheckpoint(g.db, id)
		if err != nil {
			return nil, err
		}
		if ours {
			tips = append(tips, tip)
		}
	}
	return tips, nil
}

// record adds what checkpoints record of a commit's lines. Lines of a checkpoint that the new
// commit links, too, stay with that checkpoint.
func (g *gathering) record(b Branch, r Request, commit gitexec.Commit, links []string) error {
	if g.read[commit.ID] {
		return nil
	}
	g.read[commit.ID] = true
	all := Owners{}
	for _, link := range links {
		known, err := ownersBefore(g.db, b, link, commit)
		if err != nil {
			return err
		}
		known.tag(r.holder(link))
		for path, f := range known {
			if had, ok := all[path]; ok && had.Blob == f.Blob {
				f.ranges, f.unknown = append(slices.Clip(had.ranges), f.ranges...), append(slices.Clip(had.unknown), f.unknown...)
			}
			all[path] = f
		}
	}
	if len(all) > 0 {
		all.split()
		l := look{tree: commit.Tree, by: ledger.Human, when: commit.When, known: all, commit: commit.ID, parents: commit.Parents}
		before, err := g.db.ParentTree(commit)
		if missing := new(gitexec.MissingError); err != nil && !errors.As(err, &missing) {
			return err
		}
		if l.before = before; before != r.ParentTree && before != "" && len(commit.Parents) > 0 {
			l.base = commit.Parents[0]
		}
		g.looks = append(g.looks, l)
	}
	return nil
}

// olderBase is a stream's base that is not the commit's parent: it may have been reset, or what it
// has was committed in another file since. Empty: it is the parent, or is not known. It adds what
// is recorded of the base.
func (g *gathering) olderBase(b Branch, r Request, base gitexec.OID) (gitexec.OID, error) {
	if base == "" {
		return "", nil // another program's
	}
	found, err := g.db.Any(base)
	if err != nil || found[0].Type != "commit" {
		return "", err
	}
	commit, err := gitexec.ParseCommit(found[0].ID, found[0].Data)
	if err != nil || commit.Tree == r.ParentTree {
		return "", nil
	}
	if err := g.record(b, r, commit, b.Links(g.db, commit)); !errors.Is(err, ErrDamaged) {
		return base, err
	}
	return base, nil
}

// mostElsewhere is how many changes of files that the commit doesn't change are looked at.
const mostElsewhere = 2_000

// readLooks compares the looks' trees.
func (g *gathering) readLooks(r Request) error {
	pairs := make([]gitexec.Trees, len(g.looks))
	for i, l := range g.looks {
		if pairs[i] = (gitexec.Trees{Old: l.before, New: l.tree}); l.known != nil {
			pairs[i].Old = l.tree
		}
	}
	diffs, err := g.db.DiffEach(shadow.MetadataDir, pairs...)
	if err != nil {
		return err
	}
	own, elsewhere := map[gitexec.Path]bool{}, 0
	for _, c := range r.Changes {
		own[c.Path] = true
	}
	for i := range g.looks {
		g.looks[i].changes = diffs[i]
		for _, c := range diffs[i] {
			if !own[c.Path] {
				elsewhere++
			}
		}
	}
	if elsewhere > mostElsewhere {
		g.only = own
	}
	return nil
}

// enter enters the looks into the book.
func (g *gathering) enter(r Request) error {
	for _, l := range g.looks {
		enter := g.enterLook
		if l.side {
			enter = func(l look) error { return g.enterSide(r, l) }
		}
		if err := enter(l); err != nil {
			return err
		}
		if l.side || slices.ContainsFunc(r.Lineage.From, func(p lineage.Predecessor) bool { return p.Commit == l.commit }) {
			g.sides = append(g.sides, l)
		}
	}
	return nil
}

// enterSide enters the versions that another commit has of the files. Nobody is charged for them.
func (g *gathering) enterSide(r Request, l look) error {
	paths := make([]gitexec.Path, len(r.Changes))
	for i, c := range r.Changes {
		paths[i] = c.Path
	}
	found, err := g.db.Files(l.tree, paths...)
	if err != nil {
		return err
	}
	gone, err := g.lacks(l.tree) // there a file may have another name than in what is recorded
	if err != nil {
		return err
	}
	for i, path := range paths {
		if _, err := g.version(path, found[i], l.base, gone...); err != nil {
			return err
		}
	}
	return nil
}

func (g *gathering) enterLook(l look) error {
	if l.known != nil {
		return g.enterRecord(l)
	}
	if err := g.readAhead(l); err != nil {
		return err
	}
	for _, c := range l.changes { // lines may have moved from any of them
		if !g.matters(c.Path) {
			continue
		}
		if _, err := g.version(c.Path, c.Old, l.base); err != nil {
			return err
		}
	}
	gone, err := g.gone(l)
	if err != nil {
		return err
	}
	paths, inSides := make([]gitexec.Path, len(l.changes)), make([][]gitexec.Entry, len(g.sides))
	for i, c := range l.changes {
		paths[i] = c.Path
	}
	for k, side := range g.sides {
		if inSides[k], err = g.db.Files(side.tree, paths...); err != nil {
			return err
		}
	}
	for i, c := range l.changes {
		if !c.New.Exists() || !g.matters(c.Path) {
			continue
		}
		nearest, err := g.version(c.Path, c.Old, l.base)
		if err != nil {
			return err
		}
		step := ledger.Step{Gone: gone, Beside: g.beside(l)}
		for k, side := range g.sides {
			v, err := g.version(c.Path, inSides[k][i], side.base)
			if err != nil {
				return err
			}
			step.Sides = append(step.Sides, v)
		}
		for _, other := range l.others {
			name := cmp.Or(l.names[c.Path], c.Path)
			found, err := g.db.Files(other, name)
			if err != nil {
				return err
			}
			if name == c.Path && found[0].ID == c.New.ID {
				continue
			}
			v, err := g.version(name, found[0], g.baseOf[other])
			if err != nil {
				return err
			}
			step.Others = append(step.Others, v)
		}
		if err := g.assign(c.Path, c.New, nearest, step, l); err != nil {
			return err
		}
	}
	return nil
}

// enterRecord enters what is recorded of a commit. It may have been amended without our hooks
// since, or cherry-picked to where a file has another name.
func (g *gathering) enterRecord(l look) error {
	paths := slices.Sorted(maps.Keys(l.known))
	lacks, err := g.lacks(l.tree)
	if err != nil {
		return err
	}
	found, err := g.db.Files(l.tree, paths...)
	if err != nil {
		return err
	}
	if l.before != "" {
		before, err := g.db.Files(l.before, paths...)
		if err != nil {
			return err
		}
		for i, path := range paths {
			if _, err := g.version(path, before[i], l.base); err != nil {
				return err
			}
		}
	}
	for _, path := range paths {
		f := l.known[path]
		if data, text, err := g.text(f.Blob); err == nil && text {
			g.book.Record(string(path), string(f.Blob), data, f.spread(g), ledger.Step{Gone: lacks, Beside: g.beside(l)})
		}
	}
	var gone []*ledger.Version
	for i, path := range paths {
		recorded := g.book.Known(string(path), string(l.known[path].Blob))
		switch {
		case !found[i].Exists() && recorded != nil:
			gone = append(gone, recorded)
		case found[i].Exists() && found[i].ID != l.known[path].Blob:
			if err := g.assign(path, found[i], recorded, ledger.Step{}, l); err != nil {
				return err
			}
		}
	}
	if len(gone) == 0 || l.before == "" {
		return nil
	}
	changes, err := g.db.DiffTrees(l.before, l.tree)
	for _, c := range changes {
		if _, ok := l.known[c.Path]; !ok && c.New.Exists() && err == nil {
			err = g.assign(c.Path, c.New, nil, ledger.Step{Gone: gone}, l)
		}
	}
	return err
}

// gone are the files that a look takes away: what it adds may be one of them under a new name. Of
// the human's part these are all that are known and aren't there, since commits may have come in
// between.
func (g *gathering) gone(l look) (gone []*ledger.Version, err error) {
	if len(l.others) == 0 && !slices.ContainsFunc(l.changes, func(c gitexec.Change) bool { return !c.Old.Exists() }) {
		return nil, nil
	}
	taken := map[gitexec.Path]bool{}
	for _, c := range l.changes {
		if !c.Old.Exists() || c.New.Exists() || !g.matters(c.Path) {
			continue
		}
		v, err := g.version(c.Path, c.Old, l.base)
		if err != nil {
			return nil, err
		}
		if v != nil {
			gone, taken[c.Path] = append(gone, v), true
		}
	}
	if l.by.IsTurn() {
		return gone, nil
	}
	lacks, err := g.lacks(l.tree)
	for _, v := range lacks {
		if !taken[gitexec.Path(v.Path)] {
			gone = append(gone, v)
		}
	}
	return gone, err
}

// lacks are the files that are known and that a tree hasn't.
func (g *gathering) lacks(tree gitexec.OID) (all []*ledger.Version, err error) {
	known := g.book.Paths()
	paths := make([]gitexec.Path, len(known))
	for i, path := range known {
		paths[i] = gitexec.Path(path)
	}
	found, err := g.db.Files(tree, paths...)
	if err != nil {
		return nil, err
	}
	for i, path := range known {
		if v := g.book.Last(path); !found[i].Exists() && len(v.Text) > 0 {
			all = append(all, v)
		}
	}
	return all, nil
}

func (g *gathering) matters(path gitexec.Path) bool { return g.only == nil || g.only[path] }

// beside are another file's version before a look, and its lines in it, which are nobody's yet.
func (g *gathering) beside(l look) func(path string) (was *ledger.Version, now ledger.Text, known bool) {
	in := func(tree gitexec.OID, path string) (gitexec.Entry, bool) {
		found, err := g.db.Files(tree, gitexec.Path(path))
		if err != nil {
			return gitexec.Entry{}, false
		}
		return found[0], true
	}
	return func(path string) (was *ledger.Version, now ledger.Text, known bool) {
		before, ok := in(l.before, path)
		after, ok2 := in(l.tree, path)
		if !ok || !ok2 {
			return nil, nil, false
		}
		was, err := g.version(gitexec.Path(path), before, l.base)
		switch v := g.book.Known(path, string(after.ID)); {
		case err != nil || was == nil && before.Exists():
			return nil, nil, false
		case !after.Exists():
			return was, nil, true
		case v != nil:
			return was, v.Text, true
		}
		data, text, err := g.text(after.ID)
		if err != nil || !text || !isText(after) {
			return nil, nil, false
		}
		return was, g.book.Text(data), true
	}
}

// version is a version of a file: of one that is not known, what known ones don't have stood before
// all that is known, in base, if that isn't the commit's parent. It may be a file that is gone,
// under a new name. nil: there is none, or it has no lines.
func (g *gathering) version(path gitexec.Path, e gitexec.Entry, base gitexec.OID, gone ...*ledger.Version) (*ledger.Version, error) {
	if !isText(e) {
		return nil, nil
	}
	if v := g.book.Known(string(path), string(e.ID)); v != nil {
		return v, nil
	}
	data, text, err := g.text(e.ID)
	if err != nil || !text {
		return nil, err
	}
	step := ledger.Step{Gone: gone}
	if base != "" {
		step.Charge = g.places(olderVersion{commit: base, path: path, blob: e.ID}, data)
	}
	return g.book.Record(string(path), string(e.ID), data, nil, step), nil
}

func (g *gathering) assign(path gitexec.Path, e gitexec.Entry, before *ledger.Version, s ledger.Step, l look) error {
	if !isText(e) {
		return nil
	}
	v := g.book.Known(string(path), string(e.ID))
	s.Nearest = before
	if v == nil {
		data, text, err := g.text(e.ID)
		if err != nil || !text {
			return err
		}
		s.Nearest = g.nearest(path, data, before, s, l)
		s.Charge = func(_ int, replaces bool) ledger.Owner {
			by := l.by
			if by == ledger.Human && replaces {
				by = ledger.Modified
			}
			if l.doubtful {
				return g.book.Pending(by)
			}
			return by
		}
		if l.by == ledger.Human {
			s.Drop = func(id ledger.ID) {
				if g.dropped[path] == nil {
					g.dropped[path] = map[ledger.ID]int{}
				}
				g.dropped[path][id]++
			}
		}
		v = g.book.Assign(string(path), string(e.ID), data, s)
		g.seen[v] = l.when
	}
	if l.by.IsTurn() {
		s.Nearest = before
		g.book.Claim(v, s, l.by)
		if before != nil {
			g.take(path, before, v)
		}
	}
	return nil
}

// nearest is the version that a new one was made from. A turn's is made from what was there when it
// began, or what others have done since; the human's from whatever was there.
func (g *gathering) nearest(path gitexec.Path, data []byte, before *ledger.Version, s ledger.Step, l look) *ledger.Version {
	if !l.by.IsTurn() {
		like := append([]*ledger.Version{before}, s.Others...)
		return g.book.Likest(data, append(like, g.book.Versions(string(path))...), s.Gone)
	}
	like := []*ledger.Version{before}
	for _, v := range g.book.Versions(string(path)) {
		if when, ok := g.seen[v]; ok && !l.began.IsZero() && !when.Before(l.began) {
			like = append(like, v)
		}
	}
	return g.book.Likest(data, like, nil)
}

// take notes the lines that an agent takes out of a file.
func (g *gathering) take(path gitexec.Path, from, to *ledger.Version) {
	taken := g.taken[path]
	if taken == nil {
		taken = map[ledger.ID]int{}
		g.taken[path] = taken
	}
	was, now := from.Text, to.Text
	for len(was) > 0 && len(now) > 0 && was[0] == now[0] {
		was, now = was[1:], now[1:]
	}
	for len(was) > 0 && len(now) > 0 && was[len(was)-1] == now[len(now)-1] {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	for _, id := range was {
		taken[id]++
	}
	for _, id := range now {
		taken[id]--
	}
}

// largestCompared is the most bytes of a file whose lines are compared.
const largestCompared = 8 << 20

// text reads a version; ok is false for a binary one, and for one that is too large.
func (g *gathering) text(id gitexec.OID) (data []byte, ok bool, err error) {
	data, ahead := g.ahead[id]
	if !ahead {
		data, err = g.db.Blob(id, largestCompared)
	}
	if large := new(gitexec.TooLargeError); errors.As(err, &large) {
		g.large[id] = true
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return data, bytes.IndexByte(data[:min(len(data), 8000)], 0) < 0, nil // git's own test for binary
}

// readAhead reads the versions of a look at once.
func (g *gathering) readAhead(l look) error {
	var ids []gitexec.OID
	for _, c := range l.changes {
		for _, e := range []gitexec.Entry{c.Old, c.New} {
			if isText(e) && g.matters(c.Path) && g.book.Known(string(c.Path), string(e.ID)) == nil {
				ids = append(ids, e.ID)
			}
		}
	}
	g.ahead = make(map[gitexec.OID][]byte, len(ids))
	if len(ids) < 2 {
		return nil
	}
	return g.db.EachBlob(largestCompared, ids, func(at []int, data []byte, err error) error {
		if err == nil {
			g.ahead[ids[at[0]]] = bytes.Clone(data)
		}
		return nil // text says what is wrong with a version that is needed
	})
}
