package checkpoints

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// Union is what two sides of the branch hold together.
type Union struct {
	Tree    gitexec.OID
	Skipped []string // what of the other side is damaged or not as checkpoints are, with the reason
}

// Unite unites the branch's tree with another one. base is that of their common ancestor, and empty
// where there is none: what one side has not changed since is as the other side has it. Where both
// have changed a checkpoint, it is united by session; of a session the longer conversation counts,
// and then the later one, so that all clones come to the same. A side link is united by checkpoint.
// What is no checkpoint's on the other side is omitted, and said.
func Unite(db *gitexec.ODB, ours, theirs, base gitexec.OID) (Union, error) {
	u := &uniting{db: db, ours: ours, theirs: theirs, base: base, edits: gitexec.Edits{}}
	if ours == theirs || theirs == "" {
		return Union{Tree: ours}, nil
	}
	if err := u.top(); err != nil {
		return Union{}, err
	}
	if err := u.validate(); err != nil {
		return Union{}, err
	}
	tree, err := db.EditTree(ours, u.edits)
	if err != nil {
		return Union{}, err
	}
	tree, err = withoutPurged(db, tree, u.edits)
	slices.Sort(u.skipped)
	return Union{tree, u.skipped}, err
}

// uniting is a union on its way.
type uniting struct {
	db           *gitexec.ODB
	ours, theirs gitexec.OID
	base         gitexec.OID // empty: none
	edits        gitexec.Edits
	purged       map[string]bool // the IDs on either side's list; nil: not read yet
	adopted      []gitexec.Path  // directories taken as they are on the other side
	skipped      []string
}

// sides are the entries of one path on both sides, and in the base.
type sides struct{ ours, theirs, base gitexec.Entry }

// take decides where one side has not changed an entry. both reports that both have.
func (s sides) take() (entry gitexec.Entry, change, both bool) {
	switch {
	case s.ours == s.theirs || s.theirs == s.base:
		return s.ours, false, false
	case s.ours == s.base:
		return s.theirs, true, false
	case !s.theirs.Exists():
		return s.ours, false, false
	case !s.ours.Exists():
		return s.theirs, true, false
	}
	return s.ours, false, true
}

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
		if s.ours == s.theirs || s.theirs == s.base { // nothing comes from there
			continue
		}
		if s.theirs.Exists() && !harmlessName(name) {
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
	return u.level("", sides{rootEntry(u.ours), rootEntry(u.theirs), rootEntry(u.base)}, func(name string, s sides) error {
		switch {
		case ValidShard(name):
			return u.level(name, s.trees(), func(rest string, s sides) error { return u.checkpoint(name, rest, s) })
		case name == linksDir || name == purgedDir:
			return u.level(name, s.trees(), func(shard string, s sides) error {
				path := name + "/" + shard
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
	entry, change, both := s.take()
	path := gitexec.Path(Dir(id))
	switch {
	case both && s.theirs.IsTree():
		return u.join(id)
	case !change:
		return nil
	case entry.Exists() && !entry.IsTree():
		u.skip(string(path), "a file, not a directory")
		return nil
	}
	if u.edits[path] = entry; entry.Exists() {
		u.adopted = append(u.adopted, path)
	}
	return nil
}

// join unites a checkpoint that both sides have changed.
func (u *uniting) join(id string) error {
	ours, broken := openReadable(u.db, u.ours, id)
	theirs, damaged := openReadable(u.db, u.theirs, id)
	if err := u.db.Canceled(); err != nil {
		return err
	}
	if len(damaged) > 0 {
		u.skip(Dir(id), damaged[0])
		return nil
	}
	if len(broken) > 0 { // theirs is whole
		found, err := u.db.Lookup(u.theirs, gitexec.Path(Dir(id)))
		if err != nil {
			return err
		}
		u.edits[gitexec.Path(Dir(id))] = found[0]
		u.adopted = append(u.adopted, gitexec.Path(Dir(id)))
		return nil
	}
	united := &checkpoint{id: id, sessions: slices.Clone(ours.sessions)}
	for _, one := range theirs.sessions {
		at, both := ours.index(one.meta.SessionID)
		if !both {
			united.sessions = append(united.sessions, one)
			continue
		}
		later, err := u.later(ours.sessions[at], one)
		if err != nil {
			return err
		}
		united.sessions[at] = later
	}
	before := &checkpoint{}
	if u.base != "" {
		before, _ = openReadable(u.db, u.base, id)
	}
	// A session keeps its index. New ones have one that doesn't depend on who unites.
	slices.SortFunc(united.sessions, func(a, b sessionDir) int {
		first, _ := before.index(a.meta.SessionID)
		second, _ := before.index(b.meta.SessionID)
		return cmp.Or(cmp.Compare(first, second), cmp.Compare(a.meta.SessionID, b.meta.SessionID))
	})
	return united.edits(u.db, u.edits)
}

// later is the one of two versions of a session's part that has more of the conversation, of equal
// ones that which was written later; but not one with what is purged.
func (u *uniting) later(a, b sessionDir) (sessionDir, error) {
	ids, err := u.db.WriteTrees(a.files, b.files)
	if err != nil || ids[0] == ids[1] {
		return a, err
	}
	for i, s := range []sessionDir{a, b} {
		if holds, err := u.holdsPurged(s.files, mostLevels); err != nil {
			return a, err
		} else if holds {
			return []sessionDir{b, a}[i], nil
		}
	}
	said := func(s sessionDir) int {
		if s.meta.TokenUsage == nil {
			return 0
		}
		return s.meta.TokenUsage.OutputTokens + s.meta.TokenUsage.APICallCount
	}
	order := cmp.Or(cmp.Compare(len(chunks(a.files)), len(chunks(b.files))), cmp.Compare(said(a), said(b)),
		a.meta.CreatedAt.Compare(b.meta.CreatedAt), cmp.Compare(ids[0], ids[1]))
	if order >= 0 {
		return a, nil
	}
	return b, nil
}

// chunks are the names of a transcript's files.
func chunks(files gitexec.Tree) (names []string) {
	for name := range files {
		if name == "full.jsonl" || strings.HasPrefix(name, "full.jsonl.") {
			names = append(names, name)
		}
	}
	return names
}

// file takes one side's file. Of two that both sides changed it is the same on both.
func (u *uniting) file(path string, s sides) error {
	entry, change, both := s.take()
	if s.theirs.Exists() && s.theirs.Mode != gitexec.ModeFile {
		u.skip(path, "not a file")
		return nil
	}
	if both && s.theirs.ID > s.ours.ID {
		entry, change = s.theirs, true
	}
	if change {
		u.edits[gitexec.Path(path)] = entry
	}
	return nil
}

// other takes what is no checkpoint, link or list, as another program may have written it.
func (u *uniting) other(path string, s sides) error {
	entry, change, both := s.take()
	if both && s.theirs.ID > s.ours.ID {
		entry, change = s.theirs, true
	}
	switch {
	case !change:
		return nil
	case entry.Exists() && !entry.IsTree() && entry.Mode != gitexec.ModeFile:
		u.skip(path, "not a file")
		return nil
	}
	if u.edits[gitexec.Path(path)] = entry; entry.IsTree() {
		u.adopted = append(u.adopted, gitexec.Path(path))
	}
	return nil
}
