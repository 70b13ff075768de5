package checkpoints

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"path"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// purgedDir holds the list: purged/<first two digits>/<the others>.
const purgedDir = "purged"

// entries lists what is on the list, by ID. It skips what cannot be read.
func (l *PurgedList) entries() (map[string]PurgedEntry, error) {
	found := map[string]PurgedEntry{}
	for shard := range l.top {
		level, err := conversation.Dir(l.db, l.top[shard], purgedDir+"/"+shard)
		if err != nil {
			if err := l.db.Canceled(); err != nil {
				return nil, err
			}
			continue
		}
		for rest := range level {
			id := shard + rest
			if !ValidID(id) && !gitexec.ValidOID(id) {
				continue
			}
			if p, err := l.Get(id); err == nil && p != nil {
				found[id] = *p
			}
		}
	}
	return found, l.db.Canceled()
}

// withoutPurged removes from a tree of the branch what its own list names.
func withoutPurged(db *gitexec.ODB, root gitexec.OID) (gitexec.OID, error) {
	list, err := ReadPurged(db, root)
	if err != nil || len(list.top) == 0 {
		return root, err
	}
	purged, err := list.entries()
	if err != nil {
		return "", err
	}
	edits, blobs := gitexec.Edits{}, map[gitexec.OID]gitexec.Entry{}
	for id, p := range purged {
		switch {
		case p.What == PurgedCheckpoint && ValidID(id):
			edits[gitexec.Path(Dir(id))] = gitexec.Entry{}
		case p.What == PurgedTranscript && ValidID(id):
			if err := dropTranscripts(db, root, id, edits); err != nil {
				return "", err
			}
		case p.What == PurgedBlob && gitexec.ValidOID(id):
			blobs[gitexec.OID(id)] = gitexec.Entry{}
			if gitexec.ValidOID(string(p.Now)) {
				blobs[gitexec.OID(id)] = gitexec.Entry{Mode: gitexec.ModeFile, ID: p.Now}
			}
		}
	}
	if root, err = db.EditTree(root, edits); err != nil || len(blobs) == 0 {
		return root, err
	}
	return withBlobs(db, root, blobs)
}

// dropTranscripts adds the edits that remove the transcripts of a checkpoint.
func dropTranscripts(db *gitexec.ODB, root gitexec.OID, id string, edits gitexec.Edits) error {
	found, err := db.Lookup(root, gitexec.Path(Dir(id)))
	if err != nil || !found[0].IsTree() {
		return err
	}
	paths, _, err := TranscriptFiles(db, found[0], Dir(id))
	for _, p := range paths {
		edits[gitexec.Path(Dir(id))+"/"+p] = gitexec.Entry{}
	}
	if errors.Is(err, ErrDamaged) {
		return nil // other commands name the damage
	}
	if err != nil || len(paths) == 0 {
		return err
	}
	return UnnameTranscripts(db, found[0].ID, Dir(id), edits)
}

// withBlobs puts blobs in the place of others in all checkpoints, or removes them; the hash of a
// transcript that this changes is computed anew. It reads all directories.
func withBlobs(db *gitexec.ODB, root gitexec.OID, blobs map[gitexec.OID]gitexec.Entry) (gitexec.OID, error) {
	edits, changed := gitexec.Edits{}, map[string]bool{}
	err := eachFile(db, root, func(file string, e gitexec.Entry) {
		if now, purged := blobs[e.ID]; purged {
			edits[gitexec.Path(file)] = now
			changed[path.Dir(file)] = changed[path.Dir(file)] || isChunk(path.Base(file))
		}
	})
	if err != nil {
		return "", err
	}
	if root, err = db.EditTree(root, edits); err != nil {
		return "", err
	}
	hashes := gitexec.Edits{}
	for dir, transcript := range changed {
		found, err := db.Lookup(root, gitexec.Path(dir))
		if err != nil {
			return "", err
		}
		if !transcript || !found[0].IsTree() {
			continue
		}
		files, err := conversation.Dir(db, found[0], dir)
		if err != nil || !files[conversation.HashFile].Exists() {
			continue
		}
		sum := sha256.New()
		if conversation.Of(db, files, dir).WriteTranscript(sum) != nil {
			continue // other commands name the damage
		}
		id, err := db.WriteBlob([]byte("sha256:" + hex.EncodeToString(sum.Sum(nil))))
		if err != nil {
			return "", err
		}
		hashes[gitexec.Path(path.Join(dir, conversation.HashFile))] = gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	}
	return db.EditTree(root, hashes)
}

// holdsPurged reports whether a directory holds a blob that either side has purged.
func (u *uniting) holdsPurged(files gitexec.Tree, levels int) (bool, error) {
	if u.purged == nil {
		u.purged = map[string]PurgedEntry{}
		for _, root := range []gitexec.OID{u.ours, u.theirs} {
			list, err := ReadPurged(u.db, root)
			if err != nil {
				return false, err
			}
			entries, err := list.entries()
			if err != nil {
				return false, err
			}
			maps.Copy(u.purged, entries)
		}
	}
	if len(u.purged) == 0 {
		return false, nil
	}
	for name, e := range files {
		if _, purged := u.purged[string(e.ID)]; purged {
			return true, nil
		}
		if !e.IsTree() || levels == 0 {
			continue
		}
		below, err := conversation.Dir(u.db, e, name)
		if err != nil {
			continue // other commands name the damage
		}
		if found, err := u.holdsPurged(below, levels-1); found || err != nil {
			return found, err
		}
	}
	return false, u.db.Canceled()
}

// eachFile passes the files of all checkpoints to a function. It skips what cannot be read.
func eachFile(db *gitexec.ODB, root gitexec.OID, each func(path string, e gitexec.Entry)) error {
	var walk func(path string, e gitexec.Entry, levels int) error
	walk = func(path string, e gitexec.Entry, levels int) error {
		tree, err := conversation.Dir(db, e, path)
		if err != nil || levels == 0 {
			return db.Canceled()
		}
		for name, below := range tree {
			if below.IsTree() {
				if err := walk(path+"/"+name, below, levels-1); err != nil {
					return err
				}
			} else {
				each(path+"/"+name, below)
			}
		}
		return nil
	}
	top, err := conversation.Dir(db, rootEntry(root), "")
	if err != nil {
		return err
	}
	for name, e := range top {
		if ValidID(name+"0000000000") && e.IsTree() {
			if err := walk(name, e, mostLevels+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// PurgedApart reports whether one tree of the branch lacks entries of the other one's list of what
// is purged, and whether it has more.
func PurgedApart(db *gitexec.ODB, one, other gitexec.OID) (lacks, extra bool, err error) {
	var names [2][]string
	for i, root := range []gitexec.OID{one, other} {
		list, err := ReadPurged(db, root)
		if err != nil {
			return false, false, err
		}
		entries, err := list.entries()
		if err != nil {
			return false, false, err
		}
		for id := range entries {
			names[i] = append(names[i], id)
		}
	}
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(id string) bool { return !slices.Contains(b, id) })
	}
	return !within(names[1], names[0]), !within(names[0], names[1]), nil
}
