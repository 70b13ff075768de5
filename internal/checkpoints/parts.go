package checkpoints

import (
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

// partsTogether reads the parts of some checkpoints in three requests; false if one is damaged.
func partsTogether(db *gitexec.ODB, ids []string, dirs []gitexec.Entry) (all []StoredPart, ok bool) {
	tops := make([]gitexec.OID, len(dirs))
	for i, dir := range dirs {
		if tops[i] = dir.ID; !dir.IsTree() {
			return nil, false
		}
	}
	trees, err := db.TreesUpTo(conversation.MostDirectory, tops...)
	if err != nil {
		return nil, false
	}
	sessions, has := sessionsOf(trees)
	if has == nil {
		return nil, false
	}
	parts, err := db.TreesUpTo(conversation.MostDirectory, sessions...)
	if err != nil {
		return nil, false
	}
	var about []gitexec.OID
	for _, files := range parts {
		if !files["metadata.json"].Exists() {
			return nil, false
		}
		about = append(about, files["metadata.json"].ID)
	}
	metas, ok := readEach[SessionMetadata](db, mostMetadata, about)
	if !ok {
		return nil, false
	}
	at := 0
	for i, id := range ids {
		for range has[i] {
			if metas[at].SessionID == "" {
				return nil, false
			}
			all = append(all, StoredPart{Checkpoint: id, Metadata: *metas[at], Tree: sessions[at],
				Stored: conversation.Of(db, parts[at], place(id))})
			at++
		}
	}
	return all, true
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
