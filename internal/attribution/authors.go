// Package attribution finds the author of each line of a commit, from the checkpoints that it
// links, and counts lines by author: the agents', the human's and unknown lines add up to the lines
// of the commit, in all views.
package attribution

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// Kind is the kind of a line's author.
type Kind string

const (
	Agent   Kind = "agent"
	Human   Kind = "human"
	Unknown Kind = "unknown"
)

// Author is the author of a line.
type Author struct {
	Kind             Kind   `json:"kind"`
	checkpoints.Line        // of an agent's
	Checkpoint       string `json:"checkpoint_id,omitempty"` // that records it
	Reason           string `json:"reason,omitempty"`        // why the author is unknown
	Missing          bool   `json:"missing,omitempty"`       // because a checkpoint is not here
}

// Reader reads the checkpoints of commits, each once.
type Reader struct {
	DB      *gitexec.ODB
	Branch  checkpoints.Branch
	commits map[gitexec.OID]*Commit
	// Agent names the agent of a session whose lines another session's part records, where that
	// doesn't; nil: it stays unnamed.
	Agent func(session string) string
	// Most is how many git processes follow lines that commits keep, and Until when the last one
	// may start. Zero: as many as a command may, at any time.
	Most  int
	Until time.Time
	// Blame is asked instead of git blame for lines of a version, if it is set.
	Blame func(commit gitexec.OID, path gitexec.Path, lines []int) ([]gitexec.BlameLine, error)

	removed map[gitexec.OID][]removed // by commit: the files that it takes away
	blames  int                       // git processes so far
	unsure  bool                      // one that was needed did not start, or failed
	depth   int                       // commits through which a line is being followed
}

// Commit is the recorded authors of a commit's lines.
type Commit struct {
	Links []checkpoints.Recorded // in the order of the commit's links
	// Doubts are the reasons why a line without a known agent has an unknown author; nil: it is the
	// human's.
	Doubts []string

	db       *gitexec.ODB
	tree     gitexec.OID
	of       gitexec.Commit // zero: uncommitted work
	imported []string       // the checkpoints that import has made
	reader   *Reader        // nil: of uncommitted work
	kept     map[gitexec.Path]map[int]place
	since    map[gitexec.OID][]gitexec.Change // by a parent's tree
	others   map[gitexec.Path]map[int]int     // of a merge: its new lines, and for how many other parents they are
	sides    int                              // how many of these are there
	dropped  map[gitexec.Path]map[int]bool    // of a merge: the lines of its first parent that another one's side removed
	out      []movedOut                       // nil: not read yet
}

// Commit reads the checkpoints that a commit links. A commit without a link is the human's.
func (r *Reader) Commit(of gitexec.Commit) *Commit {
	if known := r.commits[of.ID]; known != nil {
		return known
	}
	c := r.read(of)
	if missing := r.missingParent(of); missing != "" {
		c.Doubts = append(c.Doubts, missing) // git blame gives it older lines, too
	}
	if r.commits == nil {
		r.commits = map[gitexec.OID]*Commit{}
	}
	r.commits[of.ID] = c
	return c
}

// missingParent says that a commit's first parent is missing; empty: it is there, or there is none.
func (r *Reader) missingParent(of gitexec.Commit) string {
	if tree, err := parentTree(r.DB, of); len(of.Parents) == 0 || err != nil || tree != "" {
		return ""
	}
	return notHere(of.Parents[0])
}

// parentTree is the tree of a commit's first parent; empty where there is none, or it is missing.
func parentTree(db *gitexec.ODB, of gitexec.Commit) (gitexec.OID, error) {
	if len(of.Parents) == 0 {
		return "", nil
	}
	trees, err := commitTrees(db, of.Parents[:1])
	return trees[0], err
}

// commitTrees are the trees of commits; empty for one that is missing.
func commitTrees(db *gitexec.ODB, ids []gitexec.OID) ([]gitexec.OID, error) {
	trees := make([]gitexec.OID, len(ids))
	found, err := db.Readable(ids...)
	tree := map[gitexec.OID]gitexec.OID{}
	for _, c := range found {
		tree[c.ID] = c.Tree
	}
	for i, id := range ids {
		trees[i] = tree[id]
	}
	return trees, err
}

func notHere(parent gitexec.OID) string {
	return fmt.Sprintf("its parent %s is not in this repository, which may be a shallow clone", parent.Short())
}

func (r *Reader) read(of gitexec.Commit) *Commit {
	c := &Commit{db: r.DB, tree: of.Tree, of: of, reader: r}
	for _, id := range r.Branch.Links(r.DB, of) {
		one := checkpoints.ReadRecorded(r.DB, r.Branch, id, &of)
		c.Links = append(c.Links, one)
	}
	settle(c.Links)
	for i := range c.Links {
		c.Links[i].NameAgents(r.Agent)
	}
	for _, one := range c.Links {
		c.Doubts = append(c.Doubts, one.Doubts...)
	}
	if link, err := r.Branch.SideLink(r.DB, of.ID); err == nil && link != nil && link.How == checkpoints.Imported {
		c.imported = link.Checkpoints
	}
	return c
}

// settle has the notes of other programs say whose lines are, where nothing else is recorded: what
// is recorded outranks them, and they stand in for checkpoints that are not here.
func settle(links []checkpoints.Recorded) {
	recorded := func(r checkpoints.Recorded) bool { return r.Found && !r.Noted }
	noted := func(r checkpoints.Recorded) bool { return r.Found && r.Noted }
	outranked := slices.ContainsFunc(links, recorded)
	if !slices.ContainsFunc(links, noted) {
		return
	}
	for i := range links {
		switch r := &links[i]; {
		case outranked && r.Noted:
			r.Owners, r.Doubts = checkpoints.Owners{}, nil
		case !outranked && r.Missing():
			r.Doubts = nil
		}
	}
}

// Damage is the errors of reading the checkpoints, joined; nil: there are none.
func (c *Commit) Damage() error {
	var all []error
	for _, l := range c.Links {
		all = append(all, l.Damage)
	}
	return errors.Join(all...)
}

// Of is a Commit for uncommitted work, with its authors: tree is the work's, owners are by its
// paths.
func Of(db *gitexec.ODB, tree gitexec.OID, owners checkpoints.Owners) *Commit {
	return &Commit{db: db, tree: tree, Links: []checkpoints.Recorded{{Found: true, Owners: owners}}}
}

// File is the authors of a file's lines.
type File struct {
	layers  []layer
	doubts  []string
	missing bool           // a checkpoint of the commit is not here
	Moved   bool           // lines were matched with another version of the file
	kept    map[int]Author // of lines that the commit only moves, or whose form it changes
}

// Doubtful is the authors of a file where, for one reason, none is known.
func Doubtful(reason string) File { return File{doubts: []string{reason}} }

// layer is one checkpoint's record of the lines of one version of a file.
type layer struct {
	checkpoint string
	lost       string              // why the author of an unknown line is unknown
	owners     []*checkpoints.Line // by line, from 1; nil: no agent
	unknown    []bool
	at         map[int]int // from lines of the commit's version to lines of this one; nil: the same version
}

// record is what a checkpoint records for a version of a file.
type record int

const (
	recordsNothing record = iota
	recordsVersion        // the authors of its lines
	recordsOther          // those of another version's lines
	recordsBinary         // no lines, for a file that git took for a binary one
	recordsUnnamed        // nothing under the file's name
)

func recordOf(recorded checkpoints.FileOwners, named, noText bool, version gitexec.OID) record {
	switch {
	case !named && noText:
		return recordsBinary
	case !named:
		return recordsUnnamed
	case recorded.Blob == version || recorded.Blob == "":
		return recordsVersion
	case recorded.Empty():
		return recordsNothing
	}
	return recordsOther
}

// File finds the authors of lines of a file in the commit, which are new in it: lines are counted
// from 1, ascending. here is the file's version in the commit. What can't be read of checkpoints is
// a reason for unknown authors, and no error.
func (c *Commit) File(path gitexec.Path, here gitexec.Entry, lines []int) (File, error) {
	f := File{doubts: c.Doubts, missing: slices.ContainsFunc(c.Links, checkpoints.Recorded.Missing)}
	if err := c.db.Canceled(); err != nil {
		return f, err
	}
	texts := &shadow.Texts{DB: c.db}
	for _, link := range c.Links {
		if err := c.addRecord(&f, texts, link, path, here, lines); err != nil {
			return f, err
		}
	}
	slices.SortStableFunc(f.layers, sameVersionFirst)
	// git blame, and then other files, are asked only for what no checkpoint of the commit accounts
	// for: each takes longer than what is before it, and is weaker evidence.
	open := slices.DeleteFunc(slices.Clone(lines), func(line int) bool { return f.recorded(line).Kind != Human })
	kept, err := c.follow(path, here, open)
	if f.kept = kept; err != nil {
		return f, err
	}
	open = slices.DeleteFunc(open, func(line int) bool { return f.kept[line] != Author{} })
	return f, c.addMovedIn(&f, texts, here, open)
}

// addRecord adds what a checkpoint records of a file, or a doubt.
func (c *Commit) addRecord(f *File, texts *shadow.Texts, link checkpoints.Recorded, path gitexec.Path, here gitexec.Entry,
	lines []int) error {
	recorded, named := link.Owners[path]
	l := layer{checkpoint: link.ID, lost: c.whyLost(link)}
	switch recordOf(recorded, named, link.NoText(path), here.ID) {
	case recordsNothing:
		return nil
	case recordsVersion:
		f.add(l, recorded, slices.Max(append([]int{0}, lines...)))
		return nil
	case recordsBinary:
		f.doubt("git takes %s for a binary file, of which checkpoint %s records no lines", path.Display(), link.ID)
		return nil
	case recordsUnnamed:
		old, found, lost, err := c.renamed(texts, link.Owners, here)
		if lost != "" {
			f.doubt("checkpoint %s records a version of %s that is missing here, and may be an earlier name of %s", link.ID,
				lost.Display(), path.Display())
		}
		if err != nil || !found {
			return err
		}
		recorded = old
	}
	f.Moved = true
	at, _, sure, err := matched(texts, here, recorded)
	if err != nil {
		return err
	}
	if at == nil {
		f.doubt("%s differs from the version of checkpoint %s, and they cannot be compared", path.Display(), link.ID)
		return nil
	}
	if !sure {
		f.doubt("some lines of %s had no known author in checkpoint %s, and that version is missing here", path.Display(), link.ID)
	}
	l.at = at
	f.add(l, recorded, slices.Max(append([]int{0}, slices.Collect(maps.Values(at))...)))
	return nil
}

// whyLost says why a checkpoint does not know the author of a line of the commit.
func (c *Commit) whyLost(link checkpoints.Recorded) string {
	switch {
	case slices.Contains(c.imported, link.ID):
		return "the conversation was imported, and nothing was recorded while it wrote"
	case link.Noted:
		return "the note of Git AI does not say whose it is"
	}
	return "it was unknown when the checkpoint was made: objects of the stream were missing, the file was too large, or nothing says who wrote lines of an older commit"
}

// sameVersionFirst orders records: those of the commit's version of a file come first. They tell
// each line's author, where others had to be matched by what the lines say.
func sameVersionFirst(a, b layer) int {
	switch {
	case a.at == nil && b.at != nil:
		return -1
	case a.at != nil && b.at == nil:
		return 1
	}
	return 0
}

func (f *File) doubt(format string, args ...any) {
	f.doubts = append(slices.Clip(f.doubts), fmt.Sprintf(format, args...))
}

func (f *File) add(l layer, recorded checkpoints.FileOwners, last int) {
	l.owners, l.unknown = recorded.Spread(last)
	f.layers = append(f.layers, l)
}

// place is the line of the layer's version for a line of the commit's version; 0: none.
func (l layer) place(line int) int {
	if l.at != nil {
		line = l.at[line]
	}
	// Records end with the last line that was asked for.
	if line >= len(l.owners) {
		return 0
	}
	return line
}

// Author is the author of a line, counted from 1, of those that File was asked for.
func (f File) Author(line int) Author {
	if a, ok := f.kept[line]; ok {
		return a
	}
	return f.recorded(line)
}

// recorded is the author by what checkpoints record of the commit itself.
func (f File) recorded(line int) Author {
	lost := ""
	for _, l := range f.layers {
		at := l.place(line)
		if at == 0 {
			continue
		}
		if l.owners[at] != nil {
			return Author{Kind: Agent, Line: *l.owners[at], Checkpoint: l.checkpoint}
		}
		// Another checkpoint of the commit may know the line: only if none does is it unknown.
		if l.unknown[at] {
			lost = cmp.Or(lost, l.lost)
		}
	}
	switch {
	case lost != "":
		return Author{Kind: Unknown, Reason: lost}
	case len(f.doubts) > 0:
		return Author{Kind: Unknown, Reason: f.doubts[0], Missing: f.missing}
	}
	return Author{Kind: Human}
}

// Prompt is the prompt of a turn that has lines in the commit, in a line; empty: none is recorded.
func (c *Commit) Prompt(session, turn string) string {
	for _, link := range c.Links {
		for _, f := range link.Owners {
			if prompt, ok := f.Prompt(session, turn); ok {
				return prompt
			}
		}
	}
	return ""
}
