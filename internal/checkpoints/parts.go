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
	for i, id := range ids {
		if i%readAtOnce == 0 {
			readDirs(db, dirs[i:min(len(dirs), i+readAtOnce)], "metadata.json")
		}
		parts := partsOf(db, id, dirs[i])
		if err := db.Canceled(); err != nil {
			return err
		}
		for _, p := range parts {
			if err := each(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// partsOf reads the parts of one checkpoint, those that may be read.
func partsOf(db *gitexec.ODB, id string, dir gitexec.Entry) (all []StoredPart) {
	files, err := conversation.Dir(db, dir, place(id))
	if err != nil {
		return nil
	}
	indexes, _ := sessionsIn(files, place(id))
	for _, index := range indexes {
		name := strconv.Itoa(index)
		s, err := readSession(db, files[name], place(id)+"/"+name)
		// Damage beside the metadata does not hide whose it is.
		if err != nil && s.meta.SessionID == "" {
			continue
		}
		all = append(all, StoredPart{Checkpoint: id, Metadata: s.meta, Tree: s.tree, Stored: conversation.Of(db, s.files, place(id))})
	}
	return all
}
