package checkpoints

import (
	"bytes"
	"encoding/gob"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/safefile"
)

// Index is the fingerprints of all checkpoints, so that they need not be read from the branch each
// time. It is a cache in a file of ours: Update reads what has changed on the branch since.
type Index struct {
	Version int
	Shards  map[string][]gitexec.OID // the directories of the branches that are in it, by name
	Entries map[string]IndexEntry    // by the checkpoint's ID
}

// IndexEntry is a checkpoint in the index.
type IndexEntry struct {
	Dir         gitexec.OID // its directory
	Fingerprint *lineage.Checkpoint
}

// indexVersion changes with the form of the index, which is then read anew.
const indexVersion = 1

// largestIndex is how many bytes of an index are read.
const largestIndex = 256 << 20

// ReadIndex reads an index; an unreadable one is empty.
func ReadIndex(file string) Index {
	none := Index{Version: indexVersion, Shards: map[string][]gitexec.OID{}, Entries: map[string]IndexEntry{}}
	data, err := safefile.ReadOwn(file, largestIndex)
	if err != nil {
		return none
	}
	var x Index
	if gob.NewDecoder(bytes.NewReader(data)).Decode(&x) != nil || x.Version != indexVersion || x.Shards == nil || x.Entries == nil {
		return none
	}
	return x
}

// Write writes the index.
func (x Index) Write(file string) error {
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(x); err != nil {
		return err
	}
	return safefile.Write(file, data.Bytes(), 0o600)
}

// Update brings the index up to date, and reports whether it is to be written.
func (x Index) Update(db *gitexec.ODB, b Branch) (changed bool, err error) {
	shards, err := b.shards(db)
	if err != nil {
		return false, err
	}
	for name := range x.Shards {
		if shards[name] == nil {
			changed = true
			x.drop(name, nil)
			delete(x.Shards, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shards)) {
		var roots []gitexec.OID
		for _, s := range shards[name] {
			roots = append(roots, s.ID)
		}
		if slices.Equal(roots, x.Shards[name]) {
			continue
		}
		changed = true
		dirs := map[string]gitexec.Entry{}
		for _, s := range shards[name] {
			level, err := conversation.Dir(db, s.Entry, name)
			if err != nil {
				continue // other commands name the damage
			}
			for rest, e := range level {
				if id := name + rest; ValidID(id) && !dirs[id].Exists() {
					dirs[id] = e
				}
			}
		}
		if err := x.add(db, b, dirs); err != nil {
			return false, err
		}
		x.drop(name, dirs)
		x.Shards[name] = roots
	}
	return changed, nil
}

// drop removes the checkpoints of a directory that is not among those given.
func (x Index) drop(shard string, but map[string]gitexec.Entry) {
	for id := range x.Entries {
		if id[:2] == shard && !but[id].Exists() {
			delete(x.Entries, id)
		}
	}
}

// add reads the fingerprints of checkpoints whose directories are not in the index.
func (x Index) add(db *gitexec.ODB, b Branch, dirs map[string]gitexec.Entry) error {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(dirs)) {
		if x.Entries[id].Dir != dirs[id].ID {
			ids = append(ids, id)
		}
	}
	for some := range slices.Chunk(ids, readAtOnce) {
		ReadAhead(db, b, some)
		for _, id := range some {
			if err := db.Canceled(); err != nil {
				return err
			}
			entry := IndexEntry{Dir: dirs[id].ID}
			if f, ok := ReadFingerprint(db, id, dirs[id]); ok {
				entry.Fingerprint = &f
			}
			x.Entries[id] = entry
		}
	}
	return db.Canceled()
}
