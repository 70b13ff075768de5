package checkpoints

import (
	"errors"
	"maps"
	"path"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/message"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// SideLink links a commit to checkpoints without a trailer in its message: it is stored beside the
// commit, in links/ on the branch. Other programs ignore that directory: a directory of checkpoints
// has a name of two hexadecimal digits.
type SideLink struct {
	Commit      gitexec.OID `json:"commit"`
	Checkpoints []string    `json:"checkpoints"`
	How         How         `json:"how"`
	Score       float64     `json:"score,omitempty"`  // from 0 to 1: how sure a match by content is
	Reason      string      `json:"reason,omitempty"` // why the commit was matched, as in the journal
	// Evidence is, by file, how many lines of the agents' are in the commit, and how many there
	// are. It is empty where the agent made the commit.
	Evidence Evidence `json:"evidence,omitempty"`
	// Parts is, of content, what each of the checkpoints has in the commit.
	Parts     []Part    `json:"parts,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	// Removed are links that somebody removed; see Removal.
	Removed []Removal `json:"removed,omitempty"`

	Older []string `json:"-"` // checkpoints that it names, whose work the commit precedes: it does not link them
}

// Part is what one checkpoint has in a commit, and no other one.
type Part struct {
	Checkpoint string   `json:"checkpoint"`
	Score      float64  `json:"score"` // from 0 to 1: the share of its lines
	Evidence   Evidence `json:"evidence,omitempty"`
	// Files are those that are the same as a whole, without lines, or that both delete.
	Files []gitexec.Path `json:"files,omitempty"`
}

// Evidence has a key for each file: its path, as Path.MarshalText writes it, since encoding/json
// writes keys of a string type as they are.
type Evidence map[string][2]int

// Add counts lines of a file.
func (e *Evidence) Add(path gitexec.Path, found, sought int) {
	key, err := path.MarshalText()
	if err != nil {
		return
	}
	if *e == nil {
		*e = Evidence{}
	}
	before := (*e)[string(key)]
	(*e)[string(key)] = [2]int{before[0] + found, before[1] + sought}
}

// How is how a commit got its side link.
type How string

// The ways.
const (
	Hookless  How = "hookless"  // it was made here, and no hook ran
	Brought   How = "brought"   // it brings lines of linked commits back, and no session had other work
	Content   How = "content"   // it holds what linked commits did that are not in its history
	Chosen    How = "setting"   // the setting says that links are beside commits
	Imported  How = "imported"  // a conversation from before recording holds its lines
	FromNote  How = "note"      // a note of another program says that an agent has lines in it
	Rewritten How = "rewritten" // git made it of commits with side links, in a rebase or by an amend
)

// linksDir holds the side links: links/<first two digits of the commit's ID>/<the others>.json.
const linksDir = "links"

// Limits: bytes of a side link, and checkpoints in one. A squash of a branch of thousands of
// commits has the first thousand. With the evidence of each, of at most 40 files, they fit.
const mostSideLink, mostSideLinked = 1 << 20, 1000

func sideLinkName(commit gitexec.OID) (shard, file string) {
	return string(commit[:2]), string(commit[2:]) + ".json"
}

func sideLinkPath(commit gitexec.OID) gitexec.Path {
	shard, file := sideLinkName(commit)
	return gitexec.Path(path.Join(linksDir, shard, file))
}

// sideLinks keeps the directories of side links that a command has read: it may ask for many
// commits.
type sideLinks struct {
	decided *decided.Record
	roots   []gitexec.OID // the branch's, and that of "origin"
	tops    map[gitexec.OID]gitexec.Tree
	shards  map[gitexec.OID]gitexec.Tree
}

// Links lists the checkpoints that a commit links: by trailers in its message, and then beside it.
func (b Branch) Links(db *gitexec.ODB, c gitexec.Commit) []string {
	return b.linksWith(db, c, b.SideLink)
}

// storedLinks are Links without a look at the checkpoints, which are so many objects: a link by
// content may name older work.
func (b Branch) storedLinks(db *gitexec.ODB, c gitexec.Commit) []string {
	return b.linksWith(db, c, b.storedSideLink)
}

func (b Branch) linksWith(db *gitexec.ODB, c gitexec.Commit, sideLink func(*gitexec.ODB, gitexec.OID) (*SideLink, error)) []string {
	ids := message.Links(c.Message)
	// What this clone's hooks decided outranks what is stored on the branch, which anybody may
	// push.
	beside, known := b.record(db).Links(c.ID)
	if !known {
		l, err := sideLink(db, c.ID)
		if err != nil || l == nil { // a side link that cannot be read links nothing; SideLink has the reason
			return ids
		}
		beside = l.Checkpoints
	}
	// Trailers first: they are part of the commit.
	ids = sets.With(ids, beside...)
	return ids
}

// SideLink reads the link beside a commit, as far as it counts here; nil: it has none. One by
// content may link none of the checkpoints that it names: see Older. Its errors are ErrDamaged.
func (b Branch) SideLink(db *gitexec.ODB, commit gitexec.OID) (*SideLink, error) {
	l, err := b.storedSideLink(db, commit)
	if l != nil {
		b.dropOlder(db, l)
	}
	return l, err
}

func (b Branch) storedSideLink(db *gitexec.ODB, commit gitexec.OID) (*SideLink, error) {
	// Our own branch comes first. Its file counts also where it says that the link was removed.
	for _, root := range b.sideLinkRoots(db) {
		l, err := b.sideLinkOn(db, root, commit)
		if err != nil {
			return nil, err
		}
		if l != nil {
			return b.counting(db, l), nil
		}
	}
	return nil, nil
}

// dropOlder removes what a commit cannot hold from a link by content.
func (b Branch) dropOlder(db *gitexec.ODB, l *SideLink) {
	if l.How == Content {
		l.Older = b.olderThan(db, l.Commit, l.Checkpoints)
		l.Checkpoints = slices.DeleteFunc(l.Checkpoints, func(id string) bool { return slices.Contains(l.Older, id) })
		l.keepParts()
	}
}

// sideLinkOn reads what one tree has beside a commit, whether it counts or not; nil: nothing.
func (b Branch) sideLinkOn(db *gitexec.ODB, root, commit gitexec.OID) (*SideLink, error) {
	if root == "" {
		return nil, nil
	}
	shard, file := sideLinkName(commit)
	top, err := b.sideLinkTop(db, root)
	if err != nil || !top[shard].Exists() {
		return nil, err
	}
	level, err := b.sideLinkShard(db, top[shard], shard)
	if err != nil || !level[file].Exists() {
		return nil, err
	}
	data, err := conversation.File(db, level[file], string(sideLinkPath(commit)), mostSideLink)
	if err != nil {
		return nil, err
	}
	return parseSideLink(data, commit, level[file].ID)
}

// EachTrailer passes on the links in the messages of some commits.
func EachTrailer(db *gitexec.ODB, ids []gitexec.OID, each func(commit gitexec.OID, link string)) error {
	for few := range slices.Chunk(ids, readAtOnce) {
		commits, err := db.Commits(few...)
		if err != nil {
			return err
		}
		for _, c := range commits {
			for _, link := range message.Links(c.Message) {
				each(c.ID, link)
			}
		}
	}
	return nil
}

// parseSideLink omits what is no checkpoint's ID.
func parseSideLink(data []byte, commit, blob gitexec.OID) (*SideLink, error) {
	l := &SideLink{}
	if err := conversation.Decode(data, string(sideLinkPath(commit)), blob, l); err != nil {
		return nil, err
	}
	// The file's name says which commit it is for: whoever writes the file may claim another one in
	// it.
	l.Commit = commit
	l.Checkpoints = slices.DeleteFunc(sets.Once(l.Checkpoints[:min(mostSideLinked, len(l.Checkpoints))]), func(id string) bool { return !ValidID(id) })
	l.Removed = validRemovals(l.Removed)
	// A file that says nothing is as none.
	if len(l.Checkpoints) == 0 && len(l.Removed) == 0 {
		return nil, nil
	}
	l.keepParts()
	return l, nil
}

// keepParts omits the parts of checkpoints that are not linked, and second ones.
func (l *SideLink) keepParts() {
	seen := map[string]bool{}
	l.Parts = slices.DeleteFunc(l.Parts, func(p Part) bool {
		unwanted := !slices.Contains(l.Checkpoints, p.Checkpoint) || seen[p.Checkpoint]
		seen[p.Checkpoint] = true
		return unwanted
	})
}

// sideLinkRoots are the trees with side links. Those that were fetched count for a command that
// reads: the local branch may be behind.
func (b Branch) sideLinkRoots(db *gitexec.ODB) []gitexec.OID {
	if b.side != nil && b.side.roots != nil {
		return b.side.roots
	}
	roots := []gitexec.OID{}
	if b.Tree != "" {
		roots = append(roots, b.Tree)
	}
	// Without it nothing is kept from one question to the next, and only our own branch counts.
	if b.side == nil {
		return roots
	}
	if b.fetched != nil && b.fetched.more {
		for _, other := range b.fetchedBranches() {
			roots = append(roots, other.Tree)
		}
	} else if origin, err := ReadBranch(db, ""); err == nil && origin.Tree != "" && origin.Tree != b.Tree {
		roots = append(roots, origin.Tree)
	}
	b.side.roots = roots
	return roots
}

func (b Branch) sideLinkTop(db *gitexec.ODB, root gitexec.OID) (gitexec.Tree, error) {
	if b.side != nil {
		if top, known := b.side.tops[root]; known {
			return top, nil
		}
	}
	files, err := conversation.Dir(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: root}, shadow.Checkpoints)
	if err != nil {
		return nil, err
	}
	var top gitexec.Tree
	if files[linksDir].Exists() {
		if top, err = conversation.Dir(db, files[linksDir], linksDir); err != nil {
			return nil, err
		}
	}
	if b.side != nil {
		b.side.tops[root] = top
	}
	return top, nil
}

func (b Branch) sideLinkShard(db *gitexec.ODB, e gitexec.Entry, shard string) (gitexec.Tree, error) {
	if b.side != nil {
		if level, known := b.side.shards[e.ID]; known {
			return level, nil
		}
	}
	level, err := conversation.Dir(db, e, path.Join(linksDir, shard))
	if err == nil && b.side != nil {
		b.side.shards[e.ID] = level
	}
	return level, err
}

// SideLinked lists the commits that have a side link to any of some checkpoints, with those that
// each links. It skips side links that cannot be read.
func (b Branch) SideLinked(db *gitexec.ODB, ids ...string) (map[gitexec.OID][]string, error) {
	found, among := map[gitexec.OID][]string{}, sets.Of(ids)
	wanted := func(l *SideLink) bool {
		return slices.ContainsFunc(l.Checkpoints, func(id string) bool { return among[id] })
	}
	var linking []*SideLink
	for _, root := range b.sideLinkRoots(db) {
		commits, blobs := sideLinksOn(db, b, root)
		err := eachSideLink(db, commits, blobs, func(l *SideLink) {
			if l = b.counting(db, l); l != nil && wanted(l) {
				linking = append(linking, l)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for _, l := range linking {
		// The first root with a link to any of them counts. Checkpoints of older work are dropped
		// after the selection: to look for them takes many objects.
		if found[l.Commit] != nil {
			continue
		}
		if b.dropOlder(db, l); wanted(l) {
			found[l.Commit] = l.Checkpoints
		}
	}
	return found, nil
}

// eachSideLink passes on the links beside some commits, given their files. It skips what cannot be
// read.
func eachSideLink(db *gitexec.ODB, commits, blobs []gitexec.OID, each func(*SideLink)) error {
	err := db.EachBlob(mostSideLink, blobs, func(at []int, data []byte, err error) error {
		for _, i := range at {
			if err != nil {
				continue
			}
			if l, err := parseSideLink(data, commits[i], blobs[i]); err == nil && l != nil {
				each(l)
			}
		}
		return nil
	})
	// A file that cannot be read is skipped. Only an interrupted command ends with an error.
	if db.Canceled() == nil {
		return nil
	}
	return err
}

// sideLinksOn lists the commits with side links on one tree, and their files. It skips what cannot
// be read.
func sideLinksOn(db *gitexec.ODB, b Branch, root gitexec.OID) (commits, blobs []gitexec.OID) {
	top, err := b.sideLinkTop(db, root)
	if err != nil {
		return nil, nil
	}
	for _, shard := range slices.Sorted(maps.Keys(top)) {
		level, err := b.sideLinkShard(db, top[shard], shard)
		if err != nil {
			continue
		}
		for name, e := range level {
			if id, ok := commitOfSideLink(shard, name); ok && !e.IsTree() {
				commits, blobs = append(commits, id), append(blobs, e.ID)
			}
		}
	}
	return commits, blobs
}

func commitOfSideLink(shard, name string) (gitexec.OID, bool) {
	// `links/b9/1e9e….json` is beside the commit b91e9e….
	const suffix = ".json"
	if len(name) <= len(suffix) || name[len(name)-len(suffix):] != suffix || len(shard) != 2 {
		return "", false
	}
	id := shard + name[:len(name)-len(suffix)]
	return gitexec.OID(id), gitexec.ValidOID(id)
}

// WriteSideLink adds the edit that stores a link beside a commit; none, where the same file is
// there: another command may have written it meanwhile. It keeps the checkpoints of one that is
// there and counts, unless that is damaged, and what was removed. A removed link is not found by
// content again.
func WriteSideLink(db *gitexec.ODB, b Branch, l SideLink, edits gitexec.Edits) error {
	before, err := b.sideLinkOn(db, b.Tree, l.Commit)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	// Two commands may find the same link. What the branch has stays, and so do removals: they
	// outlive the link.
	if before != nil {
		l.Removed = unitedRemovals(before.Removed, l.Removed)
		if counts := b.counting(db, before); counts != nil {
			l.Checkpoints = sets.With(l.Checkpoints, counts.Checkpoints...)
		}
		l.Parts = append(l.Parts, before.Parts...)
		l.keepParts()
	}
	// After that a link by content may have nothing left.
	if l = l.withoutRemoved(); len(l.Checkpoints) == 0 && len(l.Removed) == 0 {
		return nil
	}
	return writeSideLinkFile(db, b, l, edits)
}

// writeSideLinkFile adds the edit that stores it as it is.
func writeSideLinkFile(db *gitexec.ODB, b Branch, l SideLink, edits gitexec.Edits) error {
	if l.Checkpoints == nil {
		l.Checkpoints = []string{}
	}
	// Two clones that find the same link write the same bytes.
	l.CreatedAt = l.CreatedAt.UTC().Truncate(time.Second)
	file, err := writeJSON(db, l)
	if err != nil {
		return err
	}
	path := sideLinkPath(l.Commit)
	// Without an edit no commit is made on the branch, and nothing is to be pushed.
	if there, err := db.Lookup(b.Tree, path); err != nil || there[0] != file {
		edits[path] = file
	}
	return nil
}
