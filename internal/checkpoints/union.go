package checkpoints

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// Union is what two sides of the branch hold together.
type Union struct {
	Tree    gitexec.OID
	Skipped []string // what of the other side is damaged or not as checkpoints are, with the reason
}

// Sides are the trees of the branch that are united.
type Sides struct {
	Ours, Theirs gitexec.OID
	Base         gitexec.OID // of their common ancestor; empty: there is none
	// First is the tree of the commit of their common history that first had a checkpoint; empty:
	// none had. nil: there is no such history.
	First func(id string) (gitexec.OID, error)
	// Inbox is whether theirs comes from an inbox: nothing but checkpoints, links and the list of
	// what is purged is taken from it.
	Inbox bool
}

// Unite unites the branch's tree with another one. A checkpoint is only added to: what one side
// lacks is taken from the other one, and what both have differently is united by session, see
// unitedSession, so that all clones come to the same. A side link is united by checkpoint. Only the
// list of what is purged removes anything. What is no checkpoint's on the other side is omitted,
// and said.
func Unite(db *gitexec.ODB, of Sides) (Union, error) {
	u := &uniting{Sides: of, db: db, edits: gitexec.Edits{}}
	if of.Ours == of.Theirs || of.Theirs == "" {
		return Union{Tree: of.Ours}, nil
	}
	if err := u.top(); err != nil {
		return Union{}, err
	}
	// What is taken as it is on the other side must not hold names or modes that harm a checkout.
	if err := u.validate(); err != nil {
		return Union{}, err
	}
	tree, err := db.EditTree(of.Ours, u.edits)
	if err != nil {
		return Union{}, err
	}
	// At last, since the union may have brought back what either side's list names.
	tree, err = withoutPurged(db, tree, u.edits)
	slices.Sort(u.skipped)
	return Union{tree, u.skipped}, err
}

// uniting is a union on its way.
type uniting struct {
	Sides
	db      *gitexec.ODB
	edits   gitexec.Edits
	purged  map[string]bool // the IDs on either side's list; nil: not read yet
	adopted []gitexec.Path  // directories taken as they are on the other side
	skipped []string
	asked   int // how often First was called
}

// sides are the entries of one path on both sides, and in the base.
type sides struct{ ours, theirs, base gitexec.Entry }

// adds reports whether the other side has an entry that ours lacks, and differs whether both have
// it, not the same.
func (s sides) adds() bool    { return s.theirs.Exists() && !s.ours.Exists() }
func (s sides) differs() bool { return s.theirs.Exists() && s.ours.Exists() && s.ours != s.theirs }

func (u *uniting) skip(path string, why any) {
	u.skipped = append(u.skipped, fmt.Sprintf("%s: %v", path, why))
}

// level reads a directory on all sides, and lists its names in order with their entries.
func (u *uniting) level(path string, at sides, each func(name string, s sides) error) error {
	var trees [3]gitexec.Tree
	for i, e := range []gitexec.Entry{at.ours, at.theirs, at.base} {
		if !e.Exists() || e.ID.IsZero() {
			continue
		}
		tree, err := conversation.Dir(u.db, e, path)
		// Our own side must be readable. Of the other one what cannot be read is omitted; without
		// the base the two are compared as if they had none.
		if err != nil && i == 0 {
			return err
		}
		if err != nil {
			if err := u.db.Canceled(); err != nil {
				return err
			}
			if i == 1 {
				u.skip(path, err)
				return nil
			}
		}
		trees[i] = tree
	}
	names := map[string]bool{}
	for _, tree := range trees[:2] {
		for name := range tree {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s := sides{trees[0][name], trees[1][name], trees[2][name]}
		// Also where ours alone has it: nothing is deleted.
		if !s.adds() && !s.differs() { // nothing comes from there
			continue
		}
		// Such as `..` or `.GIT`, which no program of ours writes.
		if !harmlessName(name) {
			u.skip(path+"/"+strconv.Quote(name), "not a name of ours")
			continue
		}
		if err := each(name, s); err != nil {
			return err
		}
	}
	return nil
}

func rootEntry(tree gitexec.OID) gitexec.Entry {
	if tree == "" {
		return gitexec.Entry{}
	}
	return gitexec.Entry{Mode: gitexec.ModeTree, ID: tree}
}

func (u *uniting) top() error {
	return u.level("", sides{rootEntry(u.Ours), rootEntry(u.Theirs), rootEntry(u.Base)}, func(name string, s sides) error {
		switch {
		case ValidShard(name):
			return u.level(name, s.trees(), func(rest string, s sides) error { return u.checkpoint(name, rest, s) })
		case name == linksDir || name == purgedDir:
			return u.level(name, s.trees(), func(shard string, s sides) error {
				path := name + "/" + shard
				if name == purgedDir {
					readAhead(u.db, s.trees().theirs)
				}
				return u.level(path, s.trees(), func(file string, s sides) error {
					if name == linksDir {
						return u.link(shard, file, s)
					}
					return u.file(path+"/"+file, s)
				})
			})
		}
		return u.other(name, s)
	})
}

// trees are the sides without what is no directory.
func (s sides) trees() sides {
	for _, e := range []*gitexec.Entry{&s.ours, &s.theirs, &s.base} {
		if !e.IsTree() {
			*e = gitexec.Entry{}
		}
	}
	return s
}

// checkpoint unites what both sides have of one.
func (u *uniting) checkpoint(shard, rest string, s sides) error {
	id := shard + rest
	if !ValidID(id) {
		return u.other(shard+"/"+rest, s)
	}
	path := gitexec.Path(Dir(id))
	switch {
	// Before adds: a file in a checkpoint's place is not taken either.
	case !s.theirs.IsTree():
		u.skip(string(path), "a file, not a directory")
		return nil
	case s.adds():
		u.edits[path] = s.theirs
		u.adopted = append(u.adopted, path)
		return nil
	// Only ours has changed since.
	case s.theirs == s.base:
		return nil
	}
	return u.join(id, s)
}

// join unites a checkpoint that the sides have differently. One that has all of the other one is
// taken as it is: another program may have written it.
func (u *uniting) join(id string, s sides) error {
	ours, broken := openReadable(u.db, u.Ours, id)
	theirs, damaged := openReadable(u.db, u.Theirs, id)
	if err := u.db.Canceled(); err != nil {
		return err
	}
	if len(damaged) > 0 {
		u.skip(Dir(id), damaged[0])
		return nil
	}
	purged, err := u.anyPurged(s.ours, s.theirs)
	if err != nil {
		return err
	}
	grew, grown := hasAll(u.db, theirs, ours), hasAll(u.db, ours, theirs)
	switch {
	// Ours is damaged: the other one takes its place, as it is.
	case len(broken) > 0: // theirs is whole
	// Neither has all of the other one; or one holds a blob that is purged, and must not win by
	// having more.
	case purged || !grew && !grown:
		return u.joinSessions(id, ours, theirs)
	// Ours has all of theirs. Where both have all of each other, they differ in numbers or lists of
	// files: an order that is the same in all clones decides.
	case grown && (!grew || laterParts(ours, theirs, s) >= 0):
		return nil
	}
	u.edits[gitexec.Path(Dir(id))] = s.theirs
	u.adopted = append(u.adopted, gitexec.Path(Dir(id)))
	return nil
}

// anyPurged reports whether one of two checkpoints holds what is purged.
func (u *uniting) anyPurged(entries ...gitexec.Entry) (any bool, err error) {
	for i, e := range entries {
		holds, err := u.holdsPurged(gitexec.Tree{strconv.Itoa(i): e}, mostLevels)
		if any = any || holds; err != nil {
			return any, err
		}
	}
	return any, nil
}

// laterParts orders two checkpoints that have the same conversations and versions: the later one is
// that of a turn's end, or lists only the files that are left.
func laterParts(ours, theirs *checkpoint, s sides) int {
	var when [2]time.Time
	var said, files [2]int
	for i, c := range []*checkpoint{ours, theirs} {
		for _, one := range c.sessions {
			if one.meta.CreatedAt.After(when[i]) {
				when[i] = one.meta.CreatedAt
			}
			said[i] += saidIn(one.meta)
			files[i] += len(one.meta.FilesTouched)
		}
	}
	return cmp.Or(cmp.Compare(said[0], said[1]), when[0].Compare(when[1]), cmp.Compare(files[1], files[0]), cmp.Compare(s.ours.ID, s.theirs.ID))
}

// joinSessions unites a checkpoint of which each side has what the other one lacks.
func (u *uniting) joinSessions(id string, ours, theirs *checkpoint) error {
	united := &checkpoint{id: id, sessions: slices.Clone(ours.sessions)}
	var err error
	for _, one := range theirs.sessions {
		// A session is the same by its ID, whatever its directory's number is.
		at, both := ours.index(one.meta.SessionID)
		if !both {
			united.sessions = append(united.sessions, one)
			continue
		}
		if united.sessions[at], err = u.unitedSession(id, ours.sessions[at], one); err != nil {
			return err
		}
	}
	// index of a session that the base lacks is beyond all that it has: such a session comes after
	// them, by its ID.
	before := &checkpoint{}
	if u.Base != "" {
		before, _ = openReadable(u.db, u.Base, id)
	}
	// A session keeps its index. New ones have one that doesn't depend on who unites.
	slices.SortFunc(united.sessions, func(a, b sessionDir) int {
		first, _ := before.index(a.meta.SessionID)
		second, _ := before.index(b.meta.SessionID)
		return cmp.Or(cmp.Compare(first, second), cmp.Compare(a.meta.SessionID, b.meta.SessionID))
	})
	return united.edits(u.db, u.edits)
}

// file takes an entry of the list of what is purged. Of two it is the same on both sides.
func (u *uniting) file(path string, s sides) error {
	if s.theirs.Mode != gitexec.ModeFile {
		u.skip(path, "not a file")
		return nil
	}
	ours, theirs := u.removes(path, s.ours), u.removes(path, s.theirs)
	// A whole checkpoint outranks a blob, and a blob a transcript: what one clone purged stays
	// purged. Of equals the higher ID counts, in each clone.
	if s.adds() || theirs > ours || theirs == ours && s.theirs.ID > s.ours.ID {
		u.edits[gitexec.Path(path)] = s.theirs
	}
	return u.db.Canceled()
}

// removes is how much an entry of the list takes out; 0: it is none, or cannot be read.
func (u *uniting) removes(path string, e gitexec.Entry) int {
	p := PurgedEntry{}
	if !e.Exists() || conversation.JSON(u.db, e, path, mostPurged, &p) != nil {
		return 0
	}
	// An entry of a kind that isn't known has the index -1, and so 0.
	return 1 + slices.Index([]What{PurgedTranscript, PurgedBlob, PurgedCheckpoint}, p.What)
}

// other takes what is no checkpoint, link or list, as another program may have written it on the
// branch. Nothing of it is deleted.
func (u *uniting) other(path string, s sides) error {
	switch {
	case u.Inbox:
		u.skip(path, "not a checkpoint")
		return nil
	// Where both changed it, the higher ID counts, so that clones come to the same.
	case s.theirs == s.base || s.differs() && s.ours != s.base && s.theirs.ID < s.ours.ID:
		return nil
	case !s.theirs.IsTree() && s.theirs.Mode != gitexec.ModeFile:
		u.skip(path, "not a file")
		return nil
	}
	if u.edits[gitexec.Path(path)] = s.theirs; s.theirs.IsTree() {
		u.adopted = append(u.adopted, gitexec.Path(path))
	}
	return nil
}
