package checkpoints

import (
	"bytes"
	"cmp"
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
	Over        bool // its fingerprint is not read, or not kept, since it is over a limit
}

// lines is how many lines a fingerprint has.
func (e IndexEntry) lines() (n int) {
	if e.Fingerprint != nil {
		for _, f := range e.Fingerprint.Files {
			n += len(f.Lines)
		}
	}
	return n
}

// indexVersion changes with the form of the index, which is then read anew.
const indexVersion = 2

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

// Update brings the index up to date, and reports whether it is to be written. over are new
// checkpoints whose fingerprints are over a limit: they are not recognised in other commits.
func (x Index) Update(db *gitexec.ODB, b Branch) (changed bool, over []string, err error) {
	now, err := BranchShards(db, b)
	if err != nil {
		return false, nil, err
	}
	if maps.EqualFunc(x.Shards, now.Now, slices.Equal) {
		return false, nil, nil
	}
	allowed := &allowance{large: mostLarge}
	lines, known, in := 0, map[string]bool{}, map[string][]string{} // in: what is in each directory
	for id, e := range x.Entries {
		lines += e.lines()
		known[id] = e.Over
		shard := id[:min(2, len(id))]
		in[shard] = append(in[shard], id)
	}
	changed = x.dropShards(now, in)
	dirs := x.changedIn(db, now)
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		added, err := x.add(db, b, dirs[name], allowed)
		if err != nil {
			return false, nil, err
		}
		if lines += added; lines > 2*mostIndexed {
			lines = x.shed(mostIndexed)
		}
		x.drop(in[name], dirs[name])
		x.Shards[name] = now.Now[name]
	}
	if changed = changed || len(dirs) > 0; changed {
		x.shed(mostIndexed)
	}
	return changed, x.overSince(known), nil
}

// changedIn are the checkpoints of the directories that differ from those in the index. It brings
// to a partial clone what that lacks of all new ones, in one request.
func (x Index) changedIn(db *gitexec.ODB, now Changed) map[string]map[string]gitexec.Entry {
	changed := map[string]map[string]gitexec.Entry{}
	var unread []gitexec.Entry
	for name, parts := range now.shards {
		if slices.Equal(now.Now[name], x.Shards[name]) {
			continue
		}
		changed[name] = checkpointsIn(db, name, parts)
		for id, dir := range changed[name] {
			if x.Entries[id].Dir != dir.ID {
				unread = append(unread, dir)
			}
		}
	}
	bring(db, unread, false)
	return changed
}

// dropShards removes the directories that the branch hasn't, and reports whether there were any.
func (x Index) dropShards(now Changed, in map[string][]string) (changed bool) {
	for name := range x.Shards {
		if now.Now[name] == nil {
			changed = true
			x.drop(in[name], nil)
			delete(x.Shards, name)
		}
	}
	return changed
}

// checkpointsIn are the directories of the checkpoints in a shard: of two with one ID the first.
func checkpointsIn(db *gitexec.ODB, shard string, parts []branchShard) map[string]gitexec.Entry {
	dirs := map[string]gitexec.Entry{}
	for _, s := range parts {
		level, err := conversation.Dir(db, s.Entry, shard)
		if err != nil {
			continue // other commands name the damage
		}
		for rest, e := range level {
			if id := shard + rest; ValidID(id) && !dirs[id].Exists() {
				dirs[id] = e
			}
		}
	}
	return dirs
}

// overSince lists the checkpoints whose fingerprints are over a limit, and were not before.
func (x Index) overSince(known map[string]bool) (over []string) {
	for id, e := range x.Entries {
		if e.Over && !known[id] {
			over = append(over, id)
		}
	}
	slices.Sort(over)
	return over
}

// shed drops the largest fingerprints until the others have at most so many lines, and returns how
// many these have: a branch with a few huge ones does not crowd out all others.
func (x Index) shed(most int) (lines int) {
	sizes := map[string]int{}
	for id, e := range x.Entries {
		sizes[id] = e.lines()
		lines += sizes[id]
	}
	if lines <= most {
		return lines
	}
	for _, id := range slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(sizes[b]-sizes[a], cmp.Compare(a, b)) }) {
		if lines <= most {
			break
		}
		lines -= sizes[id]
		x.Entries[id] = IndexEntry{Dir: x.Entries[id].Dir, Over: true}
	}
	return lines
}

// drop removes those of a directory's checkpoints that it no longer has.
func (x Index) drop(ids []string, has map[string]gitexec.Entry) {
	for _, id := range ids {
		if !has[id].Exists() {
			delete(x.Entries, id)
		}
	}
}

// add reads the fingerprints of checkpoints whose directories are not in the index, and returns how
// many lines they have.
func (x Index) add(db *gitexec.ODB, b Branch, dirs map[string]gitexec.Entry, allowed *allowance) (lines int, err error) {
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
				return 0, err
			}
			entry := IndexEntry{Dir: dirs[id].ID}
			f, ok, err := allowed.fingerprint(db, id, dirs[id])
			if ok {
				entry.Fingerprint = &f
			}
			entry.Over = err != nil
			x.Entries[id], lines = entry, lines+entry.lines()
		}
	}
	return lines, db.Canceled()
}
