package checkpoints

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
)

// writtenIn are the entries of the checkpoints that edits of the branch write.
func writtenIn(db *gitexec.ODB, b Branch, edits gitexec.Edits) (entries []decided.Entry) {
	of := map[string][]gitexec.OID{}
	for path, e := range edits {
		parts := strings.Split(string(path), "/")
		if len(parts) == 3 && ValidID(parts[0]+parts[1]) && e.IsTree() {
			of[parts[0]+parts[1]] = append(of[parts[0]+parts[1]], e.ID)
		}
	}
	for id, trees := range of {
		slices.Sort(trees)
		if dir, _, err := directory(db, b.Tree, id); err == nil {
			// Parts of others that this write goes on from: they are no change by others of what
			// was written here.
			had := slices.DeleteFunc(sessionTrees(dir), func(tree gitexec.OID) bool { return b.record(db).Wrote(id, tree) })
			if len(had) > 0 {
				entries = append(entries, decided.From(id, had))
			}
		}
		entries = append(entries, decided.Sessions(id, trees))
	}
	return entries
}

// writtenHere is a checkpoint as this clone wrote it last; nil: it wrote none, or what it wrote is
// gone.
func (b Branch) writtenHere(db *gitexec.ODB, id string) *checkpoint {
	mine := &checkpoint{id: id}
	for _, tree := range b.record(db).Sessions(id) {
		s, err := readSession(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: tree}, place(id))
		if err != nil {
			return nil
		}
		mine.sessions = append(mine.sessions, s)
	}
	if len(mine.sessions) == 0 {
		return nil
	}
	slices.SortFunc(mine.sessions, func(x, y sessionDir) int { return strings.Compare(x.meta.SessionID, y.meta.SessionID) })
	return mine
}

// isWrittenHere reports whether a checkpoint is as this clone wrote it, without reading more of it.
func (b Branch) isWrittenHere(db *gitexec.ODB, c *checkpoint) bool {
	var trees []gitexec.OID
	for _, s := range c.sessions {
		trees = append(trees, s.tree)
	}
	slices.Sort(trees)
	return slices.Equal(trees, b.record(db).Sessions(c.id))
}

// holdsWrittenHere is likewise for a checkpoint's directory, of which nothing else was read.
func (b Branch) holdsWrittenHere(db *gitexec.ODB, id string, dir gitexec.Tree) bool {
	return slices.Equal(sessionTrees(dir), b.record(db).Sessions(id))
}

// sessionTrees are the sessions' directories in a checkpoint's, sorted.
func sessionTrees(dir gitexec.Tree) (trees []gitexec.OID) {
	for _, e := range dir {
		if e.IsTree() {
			trees = append(trees, e.ID)
		}
	}
	slices.Sort(trees)
	return trees
}

// hasVersion reports whether the checkpoint names the lines of a commit.
func (c *checkpoint) hasVersion(commit gitexec.OID) bool {
	return slices.Contains(c.versions(), Version(commit)) ||
		slices.ContainsFunc(c.sessions, func(s sessionDir) bool { return s.meta.AttributedCommit == commit })
}

// linesFor is the checkpoint whose lines count for a commit: as this clone wrote it, unless the
// commit is another clone's; here says which of the two.
func (b Branch) linesFor(db *gitexec.ODB, c *checkpoint, commit gitexec.Commit) (counts *checkpoint, here bool) {
	if len(b.record(db).Sessions(c.id)) == 0 {
		return c, false
	}
	if b.isWrittenHere(db, c) {
		return c, true
	}
	mine := b.writtenHere(db, c.id)
	if mine == nil {
		return c, false
	}
	links, _ := b.record(db).Links(commit.ID)
	// The commit is another clone's if only the version of others names it, and nothing here links
	// it.
	if !mine.hasVersion(commit.ID) && !slices.Contains(links, c.id) && c.hasVersion(commit.ID) {
		return c, false
	}
	return mine, true
}

// changedIn are the sessions whose lines in a version another one of the checkpoint has otherwise.
// One that names no version has those of one commit, which an amend may have moved there.
func (c *checkpoint) changedIn(other *checkpoint, v Version) (changed []string) {
	for _, s := range c.sessions {
		at, there := other.index(s.meta.SessionID)
		same := there && slices.ContainsFunc(other.sessions[at].listsOf(v), func(e gitexec.Entry) bool { return e == s.files[s.lines(v)] })
		if !same && s.files[s.lines(v)].Exists() {
			changed = append(changed, s.meta.SessionID)
		}
	}
	return changed
}

// damagedLines are the errors of reading lists of lines in a version.
func (c *checkpoint) damagedLines(db *gitexec.ODB, v Version) (damaged []error) {
	for _, s := range c.sessions {
		if _, form, err := s.readLines(db, v); err != nil || form != nil && !errors.Is(form, errNewerLines) {
			damaged = append(damaged, cmp.Or(err, form))
		}
	}
	return damaged
}

// listsOf are the lists of lines that may be of a version: without one, all.
func (s sessionDir) listsOf(v Version) (all []gitexec.Entry) {
	if v != "" {
		return []gitexec.Entry{s.files[s.lines(v)]}
	}
	for name, e := range s.files {
		if strings.HasPrefix(name, "lines") {
			all = append(all, e)
		}
	}
	return all
}

// NoteRewriting has the record of what this clone wrote follow a rewritten history, to the branch
// as it is then: what the record named may hold what was taken out. Where others had changed a
// checkpoint, it names nothing of it any more.
func (b Branch) NoteRewriting(db *gitexec.ODB, after gitexec.OID) error {
	record := b.record(db)
	var entries []decided.Entry
	for _, id := range record.Checkpoints() {
		was, now := record.Sessions(id), []gitexec.OID(nil)
		if dir, _, err := directory(db, b.Tree, id); err == nil && b.holdsWrittenHere(db, id, dir) {
			if dir, _, err = directory(db, after, id); err == nil {
				now = sessionTrees(dir)
			}
		}
		if !slices.Equal(was, now) {
			entries = append(entries, decided.Sessions(id, now))
		}
	}
	return errors.Join(record.Err, decided.Append(db.SharedDir(), entries...))
}
