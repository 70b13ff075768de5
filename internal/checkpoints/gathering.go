package checkpoints

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// Turn is one turn of a session.
type Turn struct {
	Session string
	Turn    string
	Link    string // its checkpoint, where a commit has several
}

// gathering enters what is known of a commit's files into a book, in the order in which it came to
// be.
type gathering struct {
	db      *gitexec.ODB
	book    *ledger.Book
	tree    gitexec.OID                 // the commit's
	parent  gitexec.OID                 // and its parent's
	before  gitexec.OID                 // that parent; empty: there is none
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
	large   map[gitexec.OID]bool               // those that are too large to be compared
	seen    map[*ledger.Version]time.Time      // when the versions were first seen
	older   []olderVersion                     // in the order of their places
	former  map[gitexec.Path][]gitexec.Path    // the former names of files that a side lacks

	nextPlace ledger.Owner

	estimated bool // by another program, which records no human's part, or from a transcript alone
	unknown   bool // whose the commit's lines are: no snapshot tells
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
	// Several checkpoints may carry the same stream forward: it is read once.
	g.streams[tip.ID] = true
	history, err := shadow.Stream{Tip: tip}.History(g.db)
	if err != nil {
		return err
	}
	var base gitexec.OID
	for i, k := range history {
		// After an amend or a rebase a stream goes on, on the new commit.
		if i == 0 || k.Base != history[i-1].Base { // it may have gone on on another one
			if base, err = g.olderBase(b, r, k.Base); err != nil {
				return err
			}
		}
		taken, err := g.sidesOf(b, r, k.Sources)
		if err != nil {
			return err
		}
		l := look{taken: taken, before: k.Before, tree: k.Tree, by: ledger.Human, when: k.When, session: k.Session, began: k.Began, base: base}
		if k.Part == shadow.Agent {
			l.by = g.turnOf(k)
		}
		// Once estimated, the whole checkpoint is: its numbers can't be told apart.
		g.estimated = g.estimated || k.Foreign() || k.Estimated
		if l.others, err = g.carried(b, r, k); err != nil {
			return err
		}
		// A checkpoint that carries work forward was made by a commit, and not by a turn: what is
		// new in it beside the streams' lines is the human's.
		if len(l.others) > 0 {
			l.by = ledger.Human
		}
		g.baseOf[l.tree] = base
		g.looks = append(g.looks, l)
	}
	return nil
}

// turnOf enters the turn of an agent's checkpoint.
func (g *gathering) turnOf(k shadow.Checkpoint) ledger.Owner {
	t := Turn{Session: k.Session, Turn: k.Turn, Link: g.link}
	g.prompts[t] = k.Prompt
	if len(k.From) == 0 { // else it is carried forward: the stream that it is from has the time
		g.turnBegan(t, k.Began)
	}
	return g.owner(t)
}

// carried adds the looks of the streams that a checkpoint carries forward, and returns their trees.
func (g *gathering) carried(b Branch, r Request, k shadow.Checkpoint) (trees []gitexec.OID, err error) {
	for _, id := range k.From {
		from, ours, err := shadow.ReadCheckpoint(g.db, id)
		if err != nil {
			return nil, err
		}
		if !ours {
			continue
		}
		if err := g.stream(b, r, from); err != nil {
			return nil, err
		}
		trees = append(trees, from.Tree)
	}
	return trees, nil
}

// mostChains is how many streams a commit's lines are always followed through; beyond, at most
// mostSteps files may be compared, which takes seconds: 2,500 files through 100 streams, 50 through
// 5,000. Lines that are not followed have no known author.
const mostChains, mostSteps = 100, 250_000

// collect collects the looks that lead to a commit: the streams that it matches, and the commits
// that it replaces.
func (g *gathering) collect(b Branch, r Request) error {
	// First what is recorded of the commits that are replaced, then the streams, then the sides.
	// The order in which they count is made below.
	for _, p := range r.Lineage.From {
		commit, err := g.db.Commit(p.Commit)
		if err != nil {
			return err
		}
		if err := g.record(b, r, commit, p.Links); err != nil {
			return err
		}
	}
	if err := g.matchedStreams(b, r); err != nil {
		return err
	}
	sides, err := g.sidesOf(b, r, r.Sides)
	if err != nil {
		return err
	}
	g.looks = append(g.looks, sides...)
	ordered, err := above(g.db, g.looks)
	if err != nil {
		return err
	}
	orderLooks(g.looks, ordered)
	// After the sort: a side that a turn took lines from belongs right before that turn, whatever
	// its time.
	g.looks = withTaken(g.looks)
	markDoubtful(g.looks, func(l look) bool {
		return slices.ContainsFunc(r.Matches, func(m condense.Matched) bool { return m.InProgressAt(l.when) && m.Session.SessionID != l.session })
	})
	return g.readLooks(r)
}

// matchedStreams adds the looks of the streams that a commit matches. It is an error if they are
// too many.
func (g *gathering) matchedStreams(b Branch, r Request) error {
	tried := 0
	for _, m := range r.Matches {
		tips, err := tipsOf(g.db, m)
		if err != nil {
			return err
		}
		for _, tip := range tips {
			if g.streams[tip.ID] {
				continue
			}
			// Many streams are no harm in a commit of few files.
			if tried++; tried > mostChains && tried*len(r.Changes) > mostSteps {
				return fmt.Errorf("its %d files are not followed through more than %d streams", len(r.Changes), tried-1)
			}
			err := g.stream(b, r, tip)
			// Of a stream that was deleted, git may have pruned a part. One that still exists must
			// be whole: else its lines would be the human's.
			if gitexec.IsMissing(err) && slices.Contains(m.Origins, tip.ID) {
				continue
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sidesOf are commits from which lines come, without missing ones. It adds what is recorded of
// them.
func (g *gathering) sidesOf(b Branch, r Request, ids []gitexec.OID) (sides []look, err error) {
	found, err := g.db.Readable(ids...)
	if err != nil {
		return nil, err
	}
	for _, commit := range found {
		// before is its own tree: a side changes nothing, it only shows what was there.
		sides = append(sides, look{before: commit.Tree, tree: commit.Tree, base: commit.ID, side: true, when: commit.When})
		if err := g.record(b, r, commit, b.Links(g.db, commit)); err != nil && !errors.Is(err, ErrDamaged) {
			return nil, err
		}
	}
	return sides, nil
}

// tipsOf are the last checkpoints of the streams with a session's work. Of streams that do not
// exist any more git may have pruned them.
func tipsOf(db *gitexec.ODB, m condense.Matched) (tips []shadow.Checkpoint, err error) {
	for _, s := range m.Streams {
		tips = append(tips, s.Tip)
	}
	found, err := db.Readable(m.Origins...)
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		tip, ours, err := shadow.ReadCheckpoint(db, c.ID)
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
	all, err := recordedOwners(g.db, b, r, commit, links)
	if err != nil || len(all) == 0 {
		return err
	}
	// What the record doesn't name is the human's, as it was when it was made.
	l := look{tree: commit.Tree, by: ledger.Human, when: commit.When, known: all, commit: commit.ID, parents: commit.Parents}
	before, err := g.db.ParentTree(commit)
	if err != nil && !gitexec.IsMissing(err) {
		return err
	}
	// What stood before a commit with the new one's parent is in that parent: it needs no base of
	// its own.
	if l.before = before; before != r.ParentTree && before != "" && len(commit.Parents) > 0 {
		l.base = commit.Parents[0]
	}
	g.looks = append(g.looks, l)
	return nil
}

// recordedOwners are the owners that checkpoints record of a commit's lines.
func recordedOwners(db *gitexec.ODB, b Branch, r Request, commit gitexec.Commit, links []string) (Owners, error) {
	all, own := Owners{}, map[gitexec.Path]gitexec.OID{}
	for _, link := range links {
		known, err := ownersBefore(db, b, link, commit)
		if err != nil {
			return nil, err
		}
		paths := slices.Collect(maps.Keys(known))
		found, err := db.Files(commit.Tree, paths...)
		if err != nil {
			return nil, err
		}
		for i, path := range paths {
			own[path] = found[i].ID
		}
		known.tag(r.holder(link))
		all.join(known, own)
	}
	all.split()
	return all, nil
}

// join adds the owners of another checkpoint. Where the two have different versions of a file, one
// may be of another commit: the commit's own, if they have it, counts.
func (o Owners) join(others Owners, own map[gitexec.Path]gitexec.OID) {
	for path, f := range others {
		switch had, ok := o[path]; {
		// Two checkpoints of one version, as of two sessions: both have lines of it. split gives
		// each line to the first.
		case ok && had.Blob == f.Blob:
			f.ranges, f.unknown = append(slices.Clip(had.ranges), f.ranges...), append(slices.Clip(had.unknown), f.unknown...)
		// The one that is there describes this commit; the other one describes another commit.
		case ok && had.Blob == own[path]:
			continue
		}
		o[path] = f
	}
}

// olderBase is a stream's base that is not the commit's parent: it may have been reset, or what it
// has was committed in another file since. Empty: it is the parent, or is not known. It adds what
// is recorded of the base.
func (g *gathering) olderBase(b Branch, r Request, base gitexec.OID) (gitexec.OID, error) {
	if base == "" {
		return "", nil // another program's
	}
	found, err := g.db.Readable(base)
	if err != nil || len(found) == 0 || found[0].Tree == r.ParentTree {
		return "", err
	}
	if err := g.record(b, r, found[0], b.Links(g.db, found[0])); !errors.Is(err, ErrDamaged) {
		return base, err
	}
	return base, nil
}

// mostElsewhere is how many changes of files that the commit doesn't change are looked at, in all
// versions together: each is a blob that is read, for a line that may have moved. Beyond it lines
// that were moved within a commit are whose they seem to be.
const mostElsewhere = 2_000

// readLooks compares the looks' trees.
func (g *gathering) readLooks(r Request) error {
	pairs := make([]gitexec.Trees, len(g.looks))
	for i, l := range g.looks {
		// A record says itself which files it is about: of its trees no difference is needed.
		if pairs[i] = (gitexec.Trees{Old: l.before, New: l.tree}); l.known != nil {
			pairs[i].Old = l.tree
		}
	}
	diffs, err := g.db.DiffEach(shadow.MetadataDir, pairs...)
	if err != nil {
		return err
	}
	own, elsewhere := sets.Of(gitexec.PathsOf(r.Changes)), 0
	for i := range g.looks {
		g.looks[i].changes = diffs[i]
		for _, c := range diffs[i] {
			if !own[c.Path] {
				elsewhere++
			}
		}
	}
	// Other files are read since lines may have moved from them. In a large refactoring that would
	// take too long.
	if elsewhere > mostElsewhere {
		g.only = own
	}
	return nil
}
