package checkpoints

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// purgedDir holds the list: purged/<first two digits>/<the others>.
const purgedDir = "purged"

// touched are the IDs, of checkpoints and of purged blobs, that edits of the branch's tree are
// about.
func touched(edits gitexec.Edits) map[string]bool {
	ids := map[string]bool{}
	for path := range edits {
		// `ab/cdef012345` and what is below it, or `purged/ab/cdef…`: the ID is in the first two
		// parts.
		parts := strings.SplitN(strings.TrimPrefix(string(path), purgedDir+"/"), "/", 3)
		if len(parts) > 1 {
			ids[parts[0]+parts[1]] = true
		}
	}
	return ids
}

// readAhead reads the files of a part of the list at once.
func readAhead(db *gitexec.ODB, shard gitexec.Entry) {
	if !shard.Exists() {
		return
	}
	level, err := conversation.Dir(db, shard, purgedDir)
	if err != nil {
		return // who reads them one by one finds out
	}
	ids := make([]gitexec.OID, 0, len(level))
	for _, e := range level {
		ids = append(ids, e.ID)
	}
	_ = db.ReadAhead(ids...)
}

// withoutPurged removes from a tree of the branch what its own list names, after edits: neither
// side had what is on its own list.
func withoutPurged(db *gitexec.ODB, root gitexec.OID, after gitexec.Edits) (gitexec.OID, error) {
	list, err := ReadPurged(db, root)
	if err != nil || len(list.top) == 0 {
		return root, err
	}
	changed := touched(after)
	edits, blobs, all := gitexec.Edits{}, map[gitexec.OID]gitexec.Entry{}, false
	for shard := range list.top {
		level, err := list.shard(shard)
		if err != nil {
			return "", err
		}
		readAhead(db, list.top[shard])
		for rest := range level {
			id := shard + rest
			// Neither side had a checkpoint that its own list names: only what the union touched
			// can have come back.
			if ValidID(id) && !changed[id] {
				continue
			}
			p, err := list.Get(id)
			if err != nil || p == nil {
				continue // it cannot be read
			}
			if p.What == PurgedBlob && gitexec.ValidOID(id) {
				// A blob that is new on the list may be in any checkpoint. Others can only be in
				// those that were touched.
				all = all || changed[id]
				blobs[gitexec.OID(id)] = p.replacement()
			}
			if err := p.dropFrom(db, root, id, edits); err != nil {
				return "", err
			}
		}
	}
	if err := db.Canceled(); err != nil {
		return "", err
	}
	if root, err = db.EditTree(root, edits); err != nil || len(blobs) == 0 {
		return root, err
	}
	return withBlobs(db, root, blobs, func(id string) bool { return all || changed[id] })
}

// dropFrom adds the edits that remove a purged checkpoint, or its transcripts, from a tree.
func (p PurgedEntry) dropFrom(db *gitexec.ODB, root gitexec.OID, id string, edits gitexec.Edits) error {
	if !ValidID(id) || p.What != PurgedCheckpoint && p.What != PurgedTranscript {
		return nil
	}
	path := gitexec.Path(Dir(id))
	if p.What == PurgedCheckpoint {
		edits[path] = gitexec.Entry{}
		return nil
	}
	found, err := db.Lookup(root, path)
	if err != nil || !found[0].IsTree() {
		return err
	}
	found[0].ID, err = WithoutTranscripts(db, found[0].ID, id)
	edits[path] = found[0]
	return err
}

// replacement is what is in the place of a purged blob; the zero value: nothing.
func (p PurgedEntry) replacement() gitexec.Entry {
	if gitexec.ValidOID(string(p.Now)) {
		return gitexec.Entry{Mode: gitexec.ModeFile, ID: p.Now}
	}
	return gitexec.Entry{}
}

// withBlobs puts blobs in the place of others in some checkpoints, or removes them; the hash of a
// transcript that this changes is computed anew. It reads all their directories.
func withBlobs(db *gitexec.ODB, root gitexec.OID, blobs map[gitexec.OID]gitexec.Entry, in func(id string) bool) (gitexec.OID, error) {
	edits, changed := gitexec.Edits{}, map[string]bool{}
	err := eachFile(db, root, in, func(file string, e gitexec.Entry) {
		if now, purged := blobs[e.ID]; purged {
			edits[gitexec.Path(file)] = now
			// Only a transcript has a hash beside it.
			changed[path.Dir(file)] = changed[path.Dir(file)] || isChunk(path.Base(file))
		}
	})
	if err != nil {
		return "", err
	}
	if root, err = db.EditTree(root, edits); err != nil {
		return "", err
	}
	// A hash is that of the transcript as it is after the first edit.
	hashes := gitexec.Edits{}
	for dir, transcript := range changed {
		if transcript {
			if err := rehash(db, root, dir, hashes); err != nil {
				return "", err
			}
		}
	}
	return db.EditTree(root, hashes)
}

// rehash adds the edit that gives a session's directory the hash of its transcript, if it has one.
func rehash(db *gitexec.ODB, root gitexec.OID, dir string, hashes gitexec.Edits) error {
	found, err := db.Lookup(root, gitexec.Path(dir))
	if err != nil || !found[0].IsTree() {
		return err
	}
	files, err := conversation.Dir(db, found[0], dir)
	if err != nil || !files[conversation.HashFile].Exists() {
		return nil // other commands name the damage
	}
	sum := sha256.New()
	if conversation.Of(db, files, dir).WriteTranscript(sum) != nil {
		return nil // likewise
	}
	hashes[gitexec.Path(path.Join(dir, conversation.HashFile))], err = db.WriteFile([]byte("sha256:" + hex.EncodeToString(sum.Sum(nil))))
	return err
}

// holdsPurged reports whether a directory holds a blob that either side has purged.
func (u *uniting) holdsPurged(files gitexec.Tree, levels int) (bool, error) {
	if err := u.readPurged(); err != nil {
		return false, err
	}
	if len(u.purged) == 0 {
		return false, nil
	}
	for name, e := range files {
		if u.purged[string(e.ID)] {
			return true, nil
		}
		// The levels bound what a hostile tree can make us read.
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

// readPurged reads what either side has purged, once.
func (u *uniting) readPurged() error {
	if u.purged != nil {
		return nil
	}
	u.purged = map[string]bool{}
	for _, root := range []gitexec.OID{u.Ours, u.Theirs} {
		list, err := ReadPurged(u.db, root)
		if err != nil {
			return err
		}
		for shard := range list.top {
			level, err := list.shard(shard)
			if err != nil {
				return err
			}
			for rest := range level {
				u.purged[shard+rest] = true
			}
		}
	}
	return nil
}

// eachFile passes the files of some checkpoints to a function. It skips what cannot be read.
func eachFile(db *gitexec.ODB, root gitexec.OID, in func(id string) bool, each func(path string, e gitexec.Entry)) error {
	top, err := conversation.Dir(db, rootEntry(root), "")
	if err != nil {
		return err
	}
	for name, e := range top {
		if !ValidShard(name) || !e.IsTree() {
			continue
		}
		shard, err := conversation.Dir(db, e, name)
		if err != nil && db.Canceled() != nil {
			return err
		}
		for rest, below := range shard {
			if below.IsTree() && in(name+rest) {
				if err := eachFileBelow(db, name+"/"+rest, below, mostLevels, each); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// eachFileBelow is likewise for a directory, so many levels deep.
func eachFileBelow(db *gitexec.ODB, path string, e gitexec.Entry, levels int, each func(path string, e gitexec.Entry)) error {
	tree, err := conversation.Dir(db, e, path)
	if err != nil || levels == 0 {
		return db.Canceled()
	}
	for name, below := range tree {
		if !below.IsTree() {
			each(path+"/"+name, below)
		} else if err := eachFileBelow(db, path+"/"+name, below, levels-1, each); err != nil {
			return err
		}
	}
	return nil
}

// PurgedApart reports whether one tree of the branch lacks entries of the other one's list of what
// is purged, and whether it has more. It reads no entry.
func PurgedApart(db *gitexec.ODB, one, other gitexec.OID) (lacks, extra bool, err error) {
	var lists [2]*PurgedList
	for i, root := range []gitexec.OID{one, other} {
		if lists[i], err = ReadPurged(db, root); err != nil {
			return false, false, err
		}
	}
	for shard := range merged(lists[0].top, lists[1].top) {
		if lists[0].top[shard] == lists[1].top[shard] {
			continue
		}
		var names [2]gitexec.Tree
		for i, l := range lists {
			if names[i], err = l.shard(shard); err != nil {
				return false, false, err
			}
		}
		for name := range merged(names[0], names[1]) {
			lacks = lacks || !names[0][name].Exists()
			extra = extra || !names[1][name].Exists()
		}
	}
	return lacks, extra, nil
}

func merged(a, b gitexec.Tree) gitexec.Tree {
	both := gitexec.Tree{}
	maps.Copy(both, a)
	maps.Copy(both, b)
	return both
}

// shard is one directory of the list, with what may be entries. What cannot be read is empty.
func (l *PurgedList) shard(name string) (gitexec.Tree, error) {
	level, err := conversation.Dir(l.db, l.top[name], purgedDir+"/"+name)
	if err != nil {
		return nil, l.db.Canceled()
	}
	level = maps.Clone(level)
	maps.DeleteFunc(level, func(rest string, e gitexec.Entry) bool {
		return e.Mode != gitexec.ModeFile || !ValidID(name+rest) && !gitexec.ValidOID(name+rest)
	})
	return level, nil
}
