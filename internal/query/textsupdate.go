package query

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/fulltext"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
)

// textsUpdate brings the index of texts up to date.
type textsUpdate struct {
	texts
	catalogue *catalogue
	judged    judged
	save      bool // it may be spilled
	progress  func(bytes int)
	now       time.Time

	talks map[string]*talk           // of the sessions that change
	had   map[string][]unit          // the units of these before
	known map[string]map[uint64]bool // texts of sessions, while these are read
	gone  map[string]map[uint64]bool // texts that were removed, of sessions
	jobs  []textJob
	lacks gitexec.OID // see textsState
	err   error
}

// textJob is a unit that is to be read.
type textJob struct {
	session string
	unit    unit
	part    textPart // the first one that has it
	last    bool     // of the session's
}

func (u *textsUpdate) run(ctx context.Context, now textsState, streams map[string]onStream) error {
	before := stateIn[textsState](u.Index)
	// All is read again where something was purged, or where a file has come that a partial clone
	// lacked.
	if u.lacks = before.Lacks; before.Purged != now.Purged || before.Shards == nil || before.came(u.db) { // what was purged is in no file afterwards
		u.lacks = ""
		u.Clear()
		before = textsState{}
	}
	u.all = fulltext.Of(u.Index)
	u.talks, u.had, u.known, u.gone = map[string]*talk{}, map[string][]unit{}, map[string]map[uint64]bool{}, map[string]map[uint64]bool{}
	if err := u.checkpoints(before, now); err != nil {
		return err
	}
	if err := u.streams(before, now, streams); err != nil {
		return err
	}
	// After all parts: a checkpoint that was written anew takes its part off, and puts it back.
	for _, session := range slices.Sorted(maps.Keys(u.talks)) {
		u.session(session)
	}
	defer u.db.Apart()()
	if err := u.read(ctx); err != nil {
		return err
	}
	if u.err != nil {
		return u.err
	}
	// Words of a text that was purged must not stay in any file. Mostly nothing is lost: the text
	// is in another unit.
	return u.all.Finish(u.lost())
}

// lost reports whether a text that was removed is nowhere else in its session.
func (u *textsUpdate) lost() bool {
	for _, ids := range u.gone {
		if len(ids) > 0 {
			return true
		}
	}
	return false
}

// talkOf is a session that changes.
func (u *textsUpdate) talkOf(session string) *talk {
	k := u.talks[session]
	if k == nil {
		old, err := u.talk(session)
		if err != nil {
			u.err = err
		}
		k = &old
		u.talks[session], u.had[session] = k, old.units()
	}
	return k
}

// checkpoints takes over the parts of checkpoints that are new or others, and removes those that
// are gone.
func (u *textsUpdate) checkpoints(before, now textsState) error {
	var ids []string
	var dirs []gitexec.Entry
	shards := maps.Clone(before.Shards)
	if shards == nil {
		shards = map[string][]gitexec.OID{}
	}
	// Shards of before and of now: one that is gone has checkpoints to remove.
	maps.Copy(shards, now.Shards)
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		if slices.Equal(before.Shards[shard], now.Shards[shard]) {
			continue
		}
		has, err := u.inCatalogue(shard)
		if err != nil {
			return err
		}
		for id, dir := range u.inTexts(shard, before) {
			// What is left in has is new, or another version: that one is removed first, and added
			// again.
			// The same directory has the same texts: nothing of it is read.
			if has[id].ID == dir {
				delete(has, id)
			} else {
				u.removeCheckpoint(id)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(has)) {
			ids, dirs = append(ids, id), append(dirs, has[id])
		}
	}
	defer u.db.Apart()()
	for n := 0; n < len(ids); n += partsAtOnce {
		u.db.Apart()
		end := min(len(ids), n+partsAtOnce)
		if err := u.addCheckpoints(ids[n:end], dirs[n:end]); err != nil {
			return err
		}
	}
	return u.err
}

// partsAtOnce is how many checkpoints have gitexec's limit for what is read together.
const partsAtOnce = 4096

func (u *textsUpdate) inCatalogue(shard string) (map[string]gitexec.Entry, error) {
	has := map[string]gitexec.Entry{}
	for key, value := range u.catalogue.Scan(keyRow + shard) {
		r, err := rowIn(strings.TrimPrefix(key, keyRow), value)
		if err != nil {
			return nil, err
		}
		if r.dir.IsTree() {
			has[r.id] = r.dir
		}
	}
	return has, u.catalogue.Err()
}

func (u *textsUpdate) inTexts(shard string, before textsState) map[string]gitexec.OID {
	has := map[string]gitexec.OID{}
	// Nothing of it can be there, and a scan among many new values takes long.
	if before.Shards[shard] == nil {
		return has
	}
	for key, value := range u.Scan(keyCheckpoint + shard) {
		c, _ := unpack(value, indexedFields)
		has[strings.TrimPrefix(key, keyCheckpoint)] = c.dir.ID
	}
	return has
}

// indexed is what the index of texts has of a checkpoint.
type indexed struct {
	dir      gitexec.Entry
	sessions []string
}

func indexedFields(c *coder, x *indexed) {
	c.entry(&x.dir)
	list(c, &x.sessions, str)
}

func (u *textsUpdate) removeCheckpoint(id string) {
	x, err := unpack(u.Get(keyCheckpoint+id), indexedFields)
	for _, session := range x.sessions {
		u.talkOf(session).remove(textPart{checkpoint: id})
	}
	u.err = errors.Join(u.err, err)
	u.Delete(keyCheckpoint + id)
}

func (u *textsUpdate) addCheckpoints(ids []string, dirs []gitexec.Entry) error {
	sessions := map[string][]string{}
	err := checkpoints.EachPart(u.db, ids, dirs, func(p checkpoints.StoredPart) error {
		m := p.Metadata
		sessions[p.Checkpoint] = append(sessions[p.Checkpoint], m.SessionID)
		u.talkOf(m.SessionID).put(textPart{order: ordered(m) + p.Checkpoint, checkpoint: p.Checkpoint, tree: p.Tree, agent: m.Agent,
			turn: m.TurnID, when: checkpoints.Bounded(m.CreatedAt, u.now), units: unitsOf(p.Stored)})
		return nil
	})
	for i, id := range ids {
		// Also of one whose parts can't be read: it is known, and not read with each update.
		u.Put(keyCheckpoint+id, pack(indexed{dirs[i], sessions[id]}, indexedFields))
	}
	return err
}

// streams takes over the conversations on streams.
func (u *textsUpdate) streams(before, now textsState, streams map[string]onStream) error {
	for name := range before.Streams {
		// A stream that moved on is removed first: its part is put back with what it has now.
		if now.Streams[name] != before.Streams[name] {
			_, session, _ := strings.Cut(name, end)
			u.talkOf(session).remove(textPart{stream: name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		s := streams[name]
		// A stream's conversation is known by its directory: the same one has nothing new.
		if before.Streams[name] == s.dir.ID {
			continue
		}
		stored, err := conversation.Open(u.db, s.dir, metadataOn(s.tip, s.session))
		if err != nil {
			continue // what is damaged is reported by the commands that list streams
		}
		// \xff sorts after the times of checkpoints: a stream's part comes last.
		p := textPart{order: "\xff" + timeKey(s.tip.When) + name, stream: name, tree: s.dir.ID, when: s.tip.When, units: unitsOf(stored)}
		page, _ := conversation.Shown(stored.Context())
		if p.agent, _ = conversation.AgentNamed(page); s.tip.Session == s.session {
			p.turn = s.tip.Turn
		}
		u.talkOf(s.session).put(p)
	}
	return u.db.Canceled()
}

// session removes the units that a session no longer has, and lists those that are to be read. A
// text that several have is in the first one alone: what others added comes last.
func (u *textsUpdate) session(session string) {
	k := u.talks[session]
	// What others added may repeat this clone's texts word by word: these are found as this
	// clone's.
	parts := addedLast(k.parts, u.judged.addedTo(u.catalogue, session))
	units := talk{parts}.units()
	live := sets.Of(units)
	removed := false
	for _, one := range u.had[session] {
		if !live[one] {
			removed = true
			u.removeUnit(session, one)
		}
	}
	u.putTalk(session, *k)
	first := map[unit]textPart{}
	for _, p := range parts {
		for _, one := range p.units {
			if _, seen := first[one]; !seen {
				first[one] = p
			}
		}
	}
	added := 0
	for _, one := range units {
		about, known := u.about(session, one)
		// without: some of its texts are left out, since another unit has them. If one was removed,
		// it may have been that.
		if known && (about.unread || about.without && removed) { // it may have what was removed
			u.removeUnit(session, one)
			known = false
		}
		if !known {
			u.jobs = append(u.jobs, textJob{session: session, unit: one, part: first[one]})
			added++
		}
	}
	if added > 0 {
		u.jobs[len(u.jobs)-1].last = true
	}
	delete(u.had, session)
}

func (u *textsUpdate) putTalk(session string, k talk) {
	if len(k.parts) == 0 {
		u.Delete(keyConversation + escaped(session))
		return
	}
	u.Put(keyConversation+escaped(session), pack(k, talkFields))
}

func (u *textsUpdate) about(session string, one unit) (a aboutUnit, known bool) {
	value, known := u.all.Has(one.in(session))
	if !known {
		return a, false
	}
	a, err := unpack(value, aboutFields)
	u.err = errors.Join(u.err, err)
	return a, true
}

func (u *textsUpdate) removeUnit(session string, one unit) {
	about, _ := u.about(session, one)
	if u.gone[session] == nil {
		u.gone[session] = map[uint64]bool{}
	}
	for _, id := range about.ids {
		u.gone[session][id] = true
	}
	name := one.in(session)
	u.all.Remove(name)
	if about.unread {
		u.Delete(keySealed + name)
		u.Delete(keyUnread + name)
	}
}

// read reads the units of all jobs.
func (u *textsUpdate) read(ctx context.Context) error {
	if u.db.Repo().Partial() {
		all := make([]gitexec.OID, len(u.jobs))
		for i, j := range u.jobs {
			all[i] = j.unit.blob()
		}
		// One fetch instead of one for each file.
		u.db.Bring(all...)
	}
	for len(u.jobs) > 0 {
		some := u.jobs[:min(len(u.jobs), jobsAtOnce)]
		u.db.Apart()
		names := make([]gitexec.OID, len(some))
		for i, j := range some {
			names[i] = j.unit.blob()
		}
		err := u.db.EachBlob(mostUnit, names, func(at []int, data []byte, err error) error {
			for _, i := range at {
				u.one(some[i], data, err)
			}
			u.progress(len(data))
			// What was read goes to a file beside the index: a first run may have gigabytes.
			if u.save && u.err == nil {
				u.err = u.Spill()
			}
			return errors.Join(ctx.Err(), u.err)
		})
		if err != nil {
			return err
		}
		for _, j := range some {
			if j.last {
				u.endOf(j.session)
			}
		}
		u.jobs = u.jobs[len(some):]
	}
	for session := range u.talks {
		u.endOf(session) // those of which nothing was read
	}
	return u.db.Canceled()
}

// As many of that size have gitexec's limit for what is read together.
const (
	jobsAtOnce = 60
	mostUnit   = 16 << 20 // bytes of one that is read at once
)

// endOf takes what a session still has off the list of what was removed.
func (u *textsUpdate) endOf(session string) {
	if len(u.gone[session]) > 0 {
		// The session's other units have these texts: no file has to be written anew for them.
		maps.DeleteFunc(u.gone[session], func(id uint64, _ bool) bool { return u.knownTo(session)[id] })
	}
	// The texts of all sessions would be too many to keep.
	delete(u.known, session)
}

// knownTo are the texts of a session that are in the index.
func (u *textsUpdate) knownTo(session string) map[uint64]bool {
	ids := u.known[session]
	if ids == nil {
		ids = map[uint64]bool{}
		u.known[session] = ids
		for _, one := range u.talks[session].units() {
			about, _ := u.about(session, one)
			for _, id := range about.ids {
				ids[id] = true
			}
		}
	}
	return ids
}

// one puts a unit into the index, as it was read.
func (u *textsUpdate) one(j textJob, data []byte, err error) {
	r := reading{unit: j.unit, first: len(j.part.units) > 0 && j.part.units[0] == j.unit, when: j.part.when, now: u.now,
		known: u.knownTo(j.session)}
	name := j.unit.in(j.session)
	// Only transcripts are lines, and can be read piece by piece.
	if errors.As(err, new(*gitexec.TooLargeError)) && (j.unit.letter() == unitChunk || j.unit.letter() == unitSubagent) {
		err = r.large(u.db)
	} else if err == nil && seal.Is(data) {
		err = errSealed
	} else if err == nil {
		err = r.content(data)
	}
	switch {
	case errors.Is(err, errSealed):
		u.Put(keySealed+name, nil)
	// What is interrupted, or a fault of the machine's, ends the update. A file that is damaged, or
	// not here, is noted, and passed over.
	case err != nil && !gitexec.IsUnreadable(err) && !errors.Is(err, errLong):
		u.err = errors.Join(u.err, err)
		return
	case err != nil:
		u.Put(keyUnread+name, []byte(err.Error()))
		// One of these is enough to find out whether the remote can be reached again: see came.
		if gitexec.IsUnfetched(err) {
			u.lacks = j.unit.blob()
		}
	}
	if err != nil {
		// Its texts are not in the index after all: another unit with the same ones must not leave
		// them out.
		for _, id := range r.ids {
			delete(r.known, id)
		}
		r.aboutUnit, r.docs = aboutUnit{unread: true}, nil
	}
	u.all.Put(name, pack(r.aboutUnit, aboutFields), r.docs)
}

// errSealed is what is encrypted, errLong what is too long to be searched.
var (
	errSealed = errors.New("it is encrypted")
	errLong   = errors.New("it is too long")
)

// mostLarge is how many bytes of a blob are read: some single line may be long, and is passed over.
const mostLarge = 2 << 30

// large reads a transcript that is too large to be in memory as a whole. Its errors are errSealed,
// errLong, and those of reading.
func (r *reading) large(db *gitexec.ODB) error {
	id := r.unit.blob()
	info, err := db.Info(id)
	if err == nil && info[0].Size > mostLarge {
		err = errLong
	}
	if err != nil {
		return err
	}
	stored := storedBlob(func(w io.Writer) error { return db.Copy(&clearWriter{to: w}, id, "blob") })
	return transcript.ReadStored(stored, r.transcript)
}

// clearWriter passes on what is not encrypted.
type clearWriter struct {
	to    io.Writer
	begun bool
}

func (c *clearWriter) Write(part []byte) (int, error) {
	if !c.begun {
		c.begun = true
		if seal.Is(part) {
			return 0, errSealed
		}
	}
	return c.to.Write(part)
}
