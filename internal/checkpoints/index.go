package checkpoints

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/index"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/lock"
)

// Index is the fingerprints of all checkpoints.
type Index struct {
	Checkpoints []lineage.Checkpoint // those that have one, by their IDs
	None        bool                 // there is no checkpoint at all
}

// Of is the fingerprint of a checkpoint; nil: none.
func (x Index) Of(id string) *lineage.Checkpoint {
	at, there := slices.BinarySearchFunc(x.Checkpoints, id, func(k lineage.Checkpoint, id string) int { return cmp.Compare(k.ID, id) })
	if !there {
		return nil
	}
	return &x.Checkpoints[at]
}

// IndexReading says how an index is read.
type IndexReading struct {
	Dir  string // with a cache of what was read
	Some bool   // what a hook may do, at most: the error is ErrUnfinished where more is to be done
	// Progress is called with how many checkpoints were read; Over with those whose fingerprints
	// are over a limit, and were not before: they are not recognised in other commits.
	Progress func(read int)
	Over     func(ids []string)
}

// ErrUnfinished says that fingerprints were read, and that others are not read yet. What was read
// is kept.
var ErrUnfinished = errors.New("the fingerprints of some checkpoints are not read yet")

// Limits of a step, which is what a hook does: checkpoints, and bytes of what others may have
// written. Half a second reads so many. Without steps the first pull of 100,000 checkpoints took
// post-merge 12 seconds.
const stepCheckpoints, stepBytes = 8 * readAtOnce, 16 << 20

// mostIndexed is how many bytes the fingerprints of a branch have in all, since all of them are in
// memory while commits are compared. 250,000 checkpoints of a kilobyte fit. Of more the largest are
// left out first, and named.
const mostIndexed = 256 << 20

// indexForm changes with the form of the cache, which is then read again.
const indexForm = "fingerprints 3"

// ReadIndex reads the fingerprints, of which only those are read from the branch that have changed
// since they were put into the cache. One that is damaged is made again.
func ReadIndex(ctx context.Context, db *gitexec.ODB, b Branch, r IndexReading) (all Index, err error) {
	now, err := BranchShards(db, b)
	if err != nil {
		return all, err
	}
	c := indexCache{Index: index.Open(r.Dir, indexForm), dir: r.Dir}
	defer func() { c.Close() }()
	// A cache without a state is one that is new, or damaged: what it was made from is not known.
	if json.Unmarshal(c.State, &c.made) != nil {
		c.Clear()
	}
	all, err = c.read(ctx, db, now, r)
	if c.Err() != nil || errors.Is(err, index.ErrDamaged) {
		c.Clear()
		c.made = indexState{}
		all, err = c.read(ctx, db, now, r)
	}
	return all, cmp.Or(err, c.Err())
}

// indexCache is the cache, by the checkpoints' IDs.
type indexCache struct {
	*index.Index
	dir  string
	made indexState
}

// indexState is what a cache was made from.
type indexState struct {
	Shards map[string][]gitexec.OID `json:"shards"` // the directories of the branches that are in it, by name
	Size   int                      `json:"size"`   // of all entries, in bytes
}

// read brings the cache up to date in steps, and reads it.
func (c *indexCache) read(ctx context.Context, db *gitexec.ODB, now Changed, r IndexReading) (all Index, err error) {
	allowed, read := &allowance{large: mostLarge}, 0
	// A step ends at its limits, and each is written: what was done before a kill is not done
	// again.
	for !maps.EqualFunc(c.made.Shards, now.Now, slices.Equal) {
		s := indexStep{indexCache: c, db: db, now: now, allowed: allowed, over: map[string]bool{}}
		if err := s.do(); err != nil {
			return all, err
		}
		c.save(ctx)
		if over := s.newlyOver(); len(over) > 0 && r.Over != nil {
			r.Over(over)
		}
		if read += len(s.ids); r.Progress != nil {
			r.Progress(read)
		}
		// A hook does one step: the user waits for it.
		if r.Some && !maps.EqualFunc(c.made.Shards, now.Now, slices.Equal) {
			return all, ErrUnfinished
		}
	}
	all.None = true
	size := 0
	for id, value := range c.Scan("") {
		all.None = false
		size += len(value)
		e, err := entryIn(id, value)
		if err != nil {
			return all, err
		}
		if e.fingerprint != nil {
			all.Checkpoints = append(all.Checkpoints, *e.fingerprint)
		}
	}
	if size != c.made.Size { // a file is missing, with what names it
		return all, index.ErrDamaged
	}
	return all, nil
}

// save writes what is new. What cannot be written is read again next time.
func (c *indexCache) save(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second) // who has the lock writes a file; a hook doesn't wait for one that is stopped
	defer cancel()
	unlock, err := lock.Take(ctx, index.LockFile(c.dir))
	if err != nil {
		return
	}
	defer unlock()
	os.Remove(c.dir) // earlier versions have a file there
	if state, err := json.Marshal(c.made); err == nil {
		_ = c.Save(state)
	}
}

// indexStep is a step in which a cache is brought up to date.
type indexStep struct {
	*indexCache
	db      *gitexec.ODB
	now     Changed
	allowed *allowance
	over    map[string]bool // checkpoints over a limit; true: they were before

	ids   []string // to read
	dirs  []gitexec.Entry
	whole []wholeShard
}

// wholeShard is a directory of which all is in the cache once so many of a step's checkpoints are.
type wholeShard struct {
	name string
	read int
}

func (s *indexStep) do() error {
	defer s.db.Apart()()
	if s.made.Shards == nil {
		s.made.Shards = map[string][]gitexec.OID{}
	}
	// A directory that is gone from all branches goes first: its checkpoints are deleted from the
	// cache.
	for name := range s.made.Shards {
		if s.now.Now[name] == nil {
			s.changedIn(name, nil)
			delete(s.made.Shards, name)
		}
	}
	s.choose()
	bring(s.db, s.dirs, false)
	before := s.db.Foreign()
	for i, id := range s.ids {
		if i%readAtOnce == 0 {
			readDirs(s.db, s.dirs[i:min(len(s.dirs), i+readAtOnce)], "metadata.json", linesFile)
		}
		if err := s.db.Canceled(); err != nil {
			return err
		}
		s.add(id, s.dirs[i])
		// The rest is left to the next step, as if it had not been chosen.
		if s.db.Foreign()-before > stepBytes {
			s.ids = s.ids[:i+1]
			break
		}
	}
	for _, w := range s.whole {
		// Only where all of it was read: else the next step chooses from it again.
		if w.read <= len(s.ids) {
			s.made.Shards[w.name] = s.now.Now[w.name]
		}
	}
	s.shed(mostIndexed)
	return cmp.Or(s.db.Canceled(), s.Err())
}

// choose chooses the checkpoints that are read, from the directories that differ from those in the
// cache.
func (s *indexStep) choose() {
	for _, name := range slices.Sorted(maps.Keys(s.now.Now)) {
		if slices.Equal(s.now.Now[name], s.made.Shards[name]) {
			continue
		}
		has := checkpointsIn(s.db, name, s.now.shards[name])
		unread := s.changedIn(name, has)
		some := unread[:min(len(unread), stepCheckpoints-len(s.ids))]
		for _, id := range some {
			s.ids, s.dirs = append(s.ids, id), append(s.dirs, has[id])
		}
		// The step is full.
		if len(some) < len(unread) {
			return
		}
		// Listing directories costs as well: a branch may have many that are large.
		if s.whole = append(s.whole, wholeShard{name, len(s.ids)}); s.db.Foreign() > stepBytes {
			return
		}
	}
}

// changedIn lists the checkpoints of a directory that are not in the cache as the directory has
// them, sorted. It removes from the cache what it has of these, and of those that are gone.
func (s *indexStep) changedIn(name string, has map[string]gitexec.Entry) (unread []string) {
	ids := slices.Sorted(maps.Keys(has))
	for id, value := range s.Scan(name) {
		for len(ids) > 0 && ids[0] < id {
			unread, ids = append(unread, ids[0]), ids[1:]
		}
		e, err := headOf(value)
		there := len(ids) > 0 && ids[0] == id
		if there {
			ids = ids[1:]
			if err == nil && e.dir == has[id].ID {
				continue
			}
			unread = append(unread, id)
		} else {
			s.Rewrite() // what it said is in no file afterwards
		}
		// It is not named again as one that is new over a limit.
		if e.over {
			s.over[id] = true
		}
		s.made.Size -= len(value)
		s.Delete(id)
	}
	return append(unread, ids...)
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

// add reads the fingerprint of a checkpoint.
func (s *indexStep) add(id string, dir gitexec.Entry) {
	e := indexEntry{dir: dir.ID}
	f, ok, err := s.allowed.fingerprint(s.db, id, dir)
	if ok {
		e.fingerprint = &f
	}
	e.over = err != nil
	s.put(id, e)
}

func (s *indexStep) put(id string, e indexEntry) {
	if value := e.pack(); len(value) > 0 {
		s.made.Size += len(value)
		s.Put(id, value)
	}
	if e.over && !s.over[id] {
		s.over[id] = false
	}
}

// newlyOver lists the checkpoints whose fingerprints are over a limit, and were not before.
func (s *indexStep) newlyOver() (ids []string) {
	for id, before := range s.over {
		if !before {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// shed drops the largest fingerprints until all entries have at most so many bytes: a branch with a
// few huge ones does not crowd out all others.
func (s *indexStep) shed(most int) {
	if s.made.Size <= most {
		return
	}
	sizes, dirs := map[string]int{}, map[string]gitexec.OID{}
	for id, value := range s.Scan("") {
		if e, err := headOf(value); err == nil {
			sizes[id], dirs[id] = len(value), e.dir
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(sizes[b]-sizes[a], cmp.Compare(a, b)) }) {
		if s.made.Size <= most {
			return
		}
		s.made.Size -= sizes[id]
		s.put(id, indexEntry{dir: dirs[id], over: true})
	}
}
