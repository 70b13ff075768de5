package query

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
)

// catalogue is the index of all committed checkpoints, as the branch and the remotes' have them
// now.
type catalogue struct {
	*index.Index
	db     *gitexec.ODB
	branch checkpoints.Branch
	shards map[string][]gitexec.OID // that it is of
	now    time.Time
	later  time.Time // the earliest time in a checkpoint that is later than now; zero: there is none
}

// indexState is what the index was made from.
type indexState struct {
	Shards map[string][]gitexec.OID `json:"shards"`
	Purged gitexec.OID              `json:"purged,omitempty"`
	Faults bool                     `json:"faults,omitempty"` // something could not be read: it is read again
	Later  time.Time                `json:"later,omitzero"`   // the earliest time in a checkpoint that was later than its reading
}

// ask answers a question by the index of the checkpoints, which it first brings up to date.
func (r *Reader) ask(ctx context.Context, answer func(*catalogue) error) error {
	return twice(func(anew bool) (*index.Index, error) {
		c, err := openCatalogue(ctx, r, anew)
		if err != nil {
			return nil, err
		}
		return c.Index, answer(c)
	})
}

// openCatalogue opens the index, and brings it up to date, once. anew: nothing of it is used.
func openCatalogue(ctx context.Context, r *Reader, anew bool) (*catalogue, error) {
	if r.known != nil && !anew {
		return r.known, nil
	}
	changed, err := checkpoints.BranchShards(r.DB, r.Branch)
	if err != nil {
		return nil, err
	}
	// With anew there is one that turned out to be damaged; its files are closed first.
	r.known.close()
	c := &catalogue{db: r.DB, branch: r.Branch, shards: changed.Now, now: r.Env.Now()}
	c.Index, err = caches{r.Repo, r.DB, r.Env}.open(ctx, cache{name: "checkpoints", form: indexedForm, anew: anew, still: r.still,
		current: func(x *index.Index) bool { return stateIn[indexState](x).is(changed, c.now) },
		update: func(x *index.Index, save bool) (any, error) {
			c.Index = x
			err := c.update(changed, save, progress(r.Env, "indexing the checkpoints"))
			return indexState{changed.Now, changed.Purged, c.Any(keyDamaged), c.later}, err
		}})
	if r.known = c; err != nil {
		r.known = nil
	}
	return c, err
}

// close ends its use, where it was opened.
func (c *catalogue) close() {
	if c != nil {
		c.Close()
	}
}

// is reports whether an index is of what is there now; at is the time.
func (s indexState) is(now checkpoints.Changed, at time.Time) bool {
	// An index with faults is never up to date: what was missing or unreadable may have been
	// fetched or repaired, which changes no directory's object.
	return !s.came(at) && s.Shards != nil && !s.Faults && s.Purged == now.Purged && maps.EqualFunc(s.Shards, now.Now, slices.Equal)
}

// came reports whether a time has come that was later than the reading.
func (s indexState) came(at time.Time) bool { return !checkpoints.Bounded(s.Later, at).IsZero() }

// mostSessions is how many sessions are put together one by one; if there are more, all parts are
// read, in their order.
// Each session that is put together by itself costs a look-up in all files of the index.
const mostSessions = 200

// update brings the index up to date; save: it may be spilled.
func (c *catalogue) update(changed checkpoints.Changed, save bool, progress func(done, of int)) error {
	before := stateIn[indexState](c.Index)
	if before.Purged != changed.Purged || before.came(c.now) { // what was purged is in no file afterwards
		c.Clear()
		before = indexState{}
	}
	c.later = before.Later
	var names []string
	for name, ids := range changed.Now {
		// Of directories with the same objects only those with faults are read again.
		if !slices.Equal(ids, before.Shards[name]) || before.Faults && c.Any(keyDamaged+name) {
			names = append(names, name)
		}
	}
	u := updating{catalogue: c, before: before.Shards, touched: map[string]bool{}}
	// A directory that no branch has any more is passed on by nobody: its rows are dropped here.
	for name := range before.Shards {
		if changed.Now[name] == nil {
			u.drop(name, nil)
			u.dropFaults(name)
		}
	}
	for _, name := range names {
		u.dropFaults(name)
	}
	err := checkpoints.EachStored(c.db, c.branch, changed, names, u.drop, func(info checkpoints.CommittedInfo) error {
		u.add(info)
		progress(u.done, 0)
		if save {
			return c.Spill()
		}
		return nil
	})
	if err != nil {
		return err
	}
	u.putSessions()
	c.Put(keyCount, strconv.AppendInt(nil, int64(c.count()+u.more), 10))
	return u.err
}

// updating is an update of the index.
type updating struct {
	*catalogue
	before  map[string][]gitexec.OID
	touched map[string]bool // sessions of whose parts some changed
	more    int             // checkpoints, beyond those that were in it
	done    int
	err     error
}

// drop removes the rows of a directory that it no longer has, and lists the checkpoints that are
// not in the index as the directory has them.
func (u *updating) drop(shard string, has map[string]gitexec.Entry) (unread []string) {
	// The keys are `d/ID` and `d/DIRECTORY ERROR`: those of the directory itself are in faulty,
	// too, and match no ID.
	known, faulty, old := make(map[string]bool, len(has)), map[string]bool{}, map[string][]byte{}
	if u.before[shard] != nil { // else there are none, and looking for them takes long among many new values
		for key := range u.Scan(keyDamaged + shard) {
			faulty[strings.TrimPrefix(key, keyDamaged)] = true
		}
		for key, value := range u.Scan(keyRow + shard) {
			id := strings.TrimPrefix(key, keyRow)
			dir, err := unpack(value, (*coder).entry) // with which rowFields begins
			if err != nil {
				u.err = err
				return nil
			}
			// The mode, too: whoever pushes a tree may name one object as a file here, and as a
			// directory there.
			same := has[id].ID == dir.ID && has[id].IsTree() == dir.IsTree()
			if known[id] = same && !faulty[id]; !known[id] {
				// The value is valid until the next one.
				old[id] = slices.Clone(value)
			}
		}
	}
	for id, value := range old {
		r, err := rowIn(id, value)
		if err != nil {
			u.err = err
			return nil
		}
		u.remove(r)
		if !has[id].Exists() {
			u.Rewrite() // what it said is in no file afterwards
		}
	}
	for id := range has {
		if !known[id] {
			unread = append(unread, id)
		}
	}
	slices.Sort(unread)
	return unread
}

// dropFaults removes the damage of a directory itself.
func (u *updating) dropFaults(shard string) {
	for key := range u.Scan(keyDamaged + shard + end) {
		u.Delete(key)
	}
}

func (u *updating) remove(r row) {
	for key := range r.values() {
		u.Delete(key)
	}
	u.touch(r)
	u.more--
}

func (u *updating) touch(r row) {
	for _, p := range r.parts {
		u.touched[p.session] = true
	}
}

func (u *updating) add(info checkpoints.CommittedInfo) {
	if info.Directory == (gitexec.Entry{}) {
		// Several faults of one directory have the same ID, which is the directory's name: the
		// error tells their keys apart.
		u.Put(keyDamaged+info.ID+end+info.Error, faultOf(info))
		return
	}
	info, later := bounded(info, u.now)
	if !later.IsZero() && (u.later.IsZero() || later.Before(u.later)) {
		u.later = later
	}
	r := rowOf(info)
	for key, value := range r.values() {
		u.Put(key, value)
	}
	u.touch(r)
	u.more++
	u.done++
}

// bounded is a checkpoint whose times are those that count. later is the earliest of its sessions'
// that is later than now; zero: none is.
func bounded(info checkpoints.CommittedInfo, now time.Time) (_ checkpoints.CommittedInfo, later time.Time) {
	info.Sessions, info.When = slices.Clone(info.Sessions), checkpoints.Bounded(info.When, now)
	for i := range info.Sessions {
		// A time too far ahead counts as unknown now. It may be right later, as of a clone whose
		// clock is ahead: the index is read again when it has come.
		when := info.Sessions[i].CreatedAt
		info.Sessions[i].CreatedAt = checkpoints.Bounded(when, now)
		if when.After(now) && (later.IsZero() || when.Before(later)) {
			later = when
		}
	}
	return info, later
}

// putSessions puts the parts of the touched sessions together.
func (u *updating) putSessions() {
	// fold takes off the list what it puts together: what remains has no part any more.
	if len(u.touched) > mostSessions {
		u.fold(keyPart)
	} else {
		for session := range u.touched {
			u.fold(keyPart + escaped(session) + end)
		}
	}
	for session := range u.touched { // none of its parts is left
		u.Delete(keySession + escaped(session))
	}
}

// fold puts the parts with a prefix together, each touched session's, and takes these off the list.
func (u *updating) fold(prefix string) {
	var s summary
	put := func() {
		if u.touched[s.ID] && len(s.Checkpoints) > 0 {
			u.Put(keySession+escaped(s.ID), pack(s, summaryFields))
			delete(u.touched, s.ID)
		}
	}
	for key, value := range u.Scan(prefix) {
		session, _, _ := strings.Cut(strings.TrimPrefix(key, keyPart), end)
		if id := unescaped(session); id != s.ID || len(s.Checkpoints) == 0 {
			put()
			s = summary{SessionInfo: *newSession(id)}
		}
		if !u.touched[s.ID] {
			continue
		}
		p, err := unpack(value, partFields)
		if err != nil {
			u.err = err
		}
		s.add(p)
	}
	put()
}

// sessions lists the sessions of the checkpoints whose IDs begin so. These parts of them count as
// added by others, beside those of which the index knows it.
func (c *catalogue) sessions(prefix string, added judged) (map[string]*SessionInfo, error) {
	by, from, err := sessionsAsIndexed(c, prefix)
	if err != nil {
		return nil, err
	}
	for _, id := range added.sessions() {
		if by[id] == nil {
			continue
		}
		s := summary{SessionInfo: *newSession(id)}
		for _, value := range c.Scan(keyPart + escaped(id) + end) {
			p, err := unpack(value, partFields)
			if err != nil {
				return nil, err
			}
			// Whether this clone knows a link changes with each fetch, so the index has what was
			// recorded, and this is judged with each question.
			p.added = p.added || added.has(p.checkpoint, id)
			s.add(p)
		}
		by[id], from[id] = &s.SessionInfo, s.from
		if s.from == "" {
			delete(from, id)
		}
	}
	return by, c.openPrompts(by, from)
}

// sessionsAsIndexed lists them without prompts that are encrypted: from are the checkpoints that
// have these.
func sessionsAsIndexed(c *catalogue, prefix string) (by map[string]*SessionInfo, from map[string]string, err error) {
	by, from = map[string]*SessionInfo{}, map[string]string{}
	for key, value := range c.Scan(keySession + escaped(prefix)) {
		id := unescaped(strings.TrimPrefix(key, keySession))
		s := summary{SessionInfo: *newSession(id)}
		if err := read(value, &s, summaryFields); err != nil {
			return nil, nil, err
		}
		if by[id] = &s.SessionInfo; s.from != "" {
			from[id] = s.from
		}
	}
	return by, from, nil
}

// openPrompts reads the prompts of sessions that are not in the index, since they are encrypted:
// from is the checkpoint that has them.
func (c *catalogue) openPrompts(by map[string]*SessionInfo, from map[string]string) error {
	of := map[string][]*SessionInfo{}
	for id, checkpoint := range from {
		of[checkpoint] = append(of[checkpoint], by[id])
	}
	rows, err := c.rows(maps.Keys(of))
	if err != nil {
		return err
	}
	return c.describe(rows, func(info checkpoints.CommittedInfo) error {
		for _, s := range of[info.ID] {
			for i, m := range info.Sessions {
				if m.SessionID == s.ID {
					// Nothing to show where no identity here opens them.
					if first, last := firstAndLast(info.Prompts[i]); last != "" {
						s.FirstPrompt, s.LastPrompt = first, last
					}
				}
			}
		}
		return nil
	})
}

// manyRows is the part of all rows from which on they are read in their order.
const manyRows = 100

// rows looks up the rows of checkpoints, in the order in which they are listed.
func (c *catalogue) rows(ids iter.Seq[string]) (rows []row, err error) {
	wanted := map[string]bool{}
	for id := range ids {
		wanted[id] = true
	}
	add := func(id string, value []byte) {
		r, err2 := rowIn(id, value)
		err = cmp.Or(err, err2)
		rows = append(rows, r)
	}
	// One by one they are found in any order, and sorted below.
	if len(wanted) < c.count()/manyRows {
		for id := range wanted {
			add(id, c.Get(keyRow+id))
		}
	} else {
		for key, value := range c.Scan(keyRow) {
			if id := strings.TrimPrefix(key, keyRow); wanted[id] {
				add(id, value)
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.order, b.order) })
	return rows, err
}

// describe reads checkpoints, as they are shown.
func (c *catalogue) describe(rows []row, each func(checkpoints.CommittedInfo) error) error {
	var ids []string
	var dirs []gitexec.Entry
	for _, r := range rows {
		ids, dirs = append(ids, r.id), append(dirs, r.dir)
	}
	return checkpoints.DescribeStored(c.db, c.branch, ids, dirs, each)
}

// damaged lists the checkpoints that cannot be fully read.
func (c *catalogue) damaged() (all []checkpoints.CommittedInfo, err error) {
	for _, value := range c.Scan(keyDamaged) {
		var f fault
		if json.Unmarshal(value, &f) != nil {
			return nil, errShort
		}
		f.CommittedInfo.Unreadable = f.Unreadable
		all = append(all, f.CommittedInfo)
	}
	return all, nil
}

// damagedDirectories lists those that have checkpoints and cannot be read.
func (c *catalogue) damagedDirectories() ([]checkpoints.CommittedInfo, error) {
	all, err := c.damaged()
	return slices.DeleteFunc(all, func(k checkpoints.CommittedInfo) bool { return !checkpoints.ValidShard(k.ID) }), err
}

// count is how many checkpoints there are.
func (c *catalogue) count() int {
	n, _ := strconv.Atoi(string(c.Get(keyCount)))
	return n
}

// latest lists the latest of some checkpoints, sorted by ID, or of all, with nil; at most so many,
// or all, with 0.
func (c *catalogue) latest(most int, among []string) ([]row, error) {
	// All of them are wanted: which are the latest makes no difference.
	if among != nil && (most == 0 || len(among) <= most) {
		return c.rows(slices.Values(among))
	}
	var ids []string
	for _, value := range c.Scan(keyTime) {
		id := string(value)
		if among != nil && !hasSorted(among, id) {
			continue
		}
		if ids = append(ids, id); len(ids) == most {
			break
		}
	}
	return c.rows(slices.Values(ids))
}

// turns passes on the checkpoints of the turns whose IDs begin so.
func (c *catalogue) turns(prefix string, each func(checkpoint, turn string)) error {
	for key := range c.Scan(keyTurn + escaped(prefix)) {
		turn, id, _ := strings.Cut(strings.TrimPrefix(key, keyTurn), end)
		each(id, unescaped(turn))
	}
	return nil
}
