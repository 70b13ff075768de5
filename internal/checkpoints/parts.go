package checkpoints

import (
	"slices"
	"strconv"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// StoredPart is a session's part of a checkpoint, with the files of its conversation as they are
// stored.
type StoredPart struct {
	Checkpoint string
	Metadata   SessionMetadata
	Tree       gitexec.OID
	Stored     *conversation.Conversation
}

// EachPart passes on the parts of checkpoints, given their directories, without those that are
// damaged. ErrReadLimit ends it.
func EachPart(db *gitexec.ODB, ids []string, dirs []gitexec.Entry, each func(StoredPart) error) error {
	for len(ids) > 0 {
		n := min(len(ids), readAtOnce)
		parts, ok := partsTogether(db, ids[:n], dirs[:n])
		if !ok {
			parts = partsApart(db, ids[:n], dirs[:n])
		}
		if err := db.Canceled(); err != nil {
			return err
		}
		for _, p := range parts {
			if err := each(p); err != nil {
				return err
			}
		}
		ids, dirs = ids[n:], dirs[n:]
	}
	return nil
}

// partsTogether reads the parts of some checkpoints at once; false if one is damaged.
func partsTogether(db *gitexec.ODB, ids []string, dirs []gitexec.Entry) (all []StoredPart, ok bool) {
	read, ok := readTogether(db, dirs)
	if !ok {
		return nil, false
	}
	at := 0
	for i, id := range ids {
		for range read.has[i] {
			all = append(all, StoredPart{Checkpoint: id, Metadata: *read.metas[at], Tree: read.sessions[at],
				Stored: conversation.Of(db, read.parts[at], place(id))})
			at++
		}
	}
	return all, true
}

// together are some checkpoints that were read at once, without the content of their sessions.
type together struct {
	trees    []gitexec.Tree // the checkpoints' directories
	has      []int          // how many sessions each has
	sessions []gitexec.OID  // the directories of all sessions
	parts    []gitexec.Tree // what is in these
	metas    []*SessionMetadata
}

// readTogether reads checkpoints, given their directories, in three requests; false if one is
// damaged.
func readTogether(db *gitexec.ODB, dirs []gitexec.Entry) (t together, ok bool) {
	tops := make([]gitexec.OID, len(dirs))
	for i, dir := range dirs {
		if tops[i] = dir.ID; !dir.IsTree() {
			return t, false
		}
	}
	var err error
	if t.trees, err = db.TreesUpTo(conversation.MostDirectory, tops...); err != nil {
		return t, false
	}
	if t.sessions, t.has = sessionsOf(t.trees); t.has == nil {
		return t, false
	}
	if t.parts, err = db.TreesUpTo(conversation.MostDirectory, t.sessions...); err != nil {
		return t, false
	}
	var about []gitexec.OID
	for _, files := range t.parts {
		about = append(about, files["metadata.json"].ID)
	}
	if slices.Contains(about, "") {
		return t, false
	}
	t.metas, ok = readEach[SessionMetadata](db, mostMetadata, about)
	return t, ok && !slices.ContainsFunc(t.metas, func(m *SessionMetadata) bool { return m.SessionID == "" })
}

// partsApart reads the parts of checkpoints one by one.
func partsApart(db *gitexec.ODB, ids []string, dirs []gitexec.Entry) (all []StoredPart) {
	for i, id := range ids {
		files, err := conversation.Dir(db, dirs[i], place(id))
		if err != nil {
			continue
		}
		indexes, _ := sessionsIn(files, place(id)) // those that may be read
		for _, index := range indexes {
			name := strconv.Itoa(index)
			s, err := readSession(db, files[name], place(id)+"/"+name)
			if err != nil && s.meta.SessionID == "" {
				continue
			}
			all = append(all, StoredPart{Checkpoint: id, Metadata: s.meta, Tree: s.tree, Stored: conversation.Of(db, s.files, place(id))})
		}
	}
	return all
}
