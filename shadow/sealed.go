package shadow

import (
	"io"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/session"
)

// sealStored encrypts what is stored of a session's conversation from before it had readers, once:
// the next checkpoint would store the same blobs.
func sealStored(db *gitexec.ODB, readers *seal.Recipients, state *session.State) error {
	if readers == nil {
		state.Sealed = nil
		return nil
	}
	// It was done, or all of it was recorded with readers.
	if state.Sealed != nil {
		return nil
	}
	for i, id := range state.Chunks {
		sealed, err := sealBlob(db, readers, id)
		if err != nil {
			return err
		}
		state.Chunks[i] = sealed
	}
	var err error
	if state.SummaryID != "" {
		if state.SummaryID, err = sealBlob(db, readers, state.SummaryID); err != nil {
			return err
		}
	}
	if state.TasksTree != "" {
		if state.TasksTree, err = sealTree(db, readers, state.TasksTree); err != nil {
			return err
		}
	}
	state.Sealed = map[string]session.SealedFile{}
	return nil
}

// sealBlob encrypts a blob. One that is encrypted, or missing, stays as it is.
func sealBlob(db *gitexec.ODB, readers *seal.Recipients, id gitexec.OID) (gitexec.OID, error) {
	info, err := db.Info(id)
	if err != nil || info[0].Type != "blob" {
		return id, err
	}
	head := &beginning{}
	if err := db.Copy(head, id, "blob"); err != nil {
		return id, err
	}
	if seal.Is(head.text) {
		return id, nil
	}
	return db.WriteBlobFrom(func(file io.Writer) error {
		return readers.To(file, func(file io.Writer) error { return conversation.Copy(db, file, id) })
	})
}

// sealTree encrypts all files of a directory. A missing one stays as it is.
func sealTree(db *gitexec.ODB, readers *seal.Recipients, id gitexec.OID) (gitexec.OID, error) {
	info, err := db.Info(id)
	if err != nil || info[0].Type != "tree" {
		return id, err
	}
	trees, err := db.TreesUpTo(conversation.MostDirectory, id)
	if err != nil {
		return id, err
	}
	sealed := gitexec.Tree{}
	for name, e := range trees[0] {
		if e.IsTree() {
			e.ID, err = sealTree(db, readers, e.ID)
		} else {
			e.ID, err = sealBlob(db, readers, e.ID)
		}
		if err != nil {
			return id, err
		}
		sealed[name] = e
	}
	ids, err := db.WriteTrees(sealed)
	if err != nil {
		return id, err
	}
	return ids[0], nil
}

// beginning is the beginning of what is written to it.
type beginning struct{ text []byte }

func (b *beginning) Write(part []byte) (int, error) {
	const enough = 64 // for the line by which an encrypted file is known
	if n := enough - len(b.text); n > 0 {
		b.text = append(b.text, part[:min(n, len(part))]...)
	}
	return len(part), nil
}
