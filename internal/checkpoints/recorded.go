package checkpoints

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// Recorded is what a checkpoint records of the lines of a commit that links it.
type Recorded struct {
	ID       string
	Found    bool              // it is on the local branch or a fetched one
	Purged   string            // the day on which it was purged; empty: it was not
	Sessions []RecordedSession // that have a part in the commit
	Spent    []SpentTokens     // by its sessions, whatever their part
	Owners   Owners            // of the recorded lines
	Doubts   []string          // why it does not have the authors of all lines; nil: it has
	Damage   error             // ErrDamaged: what cannot be read
	Here     bool              // this clone recorded the lines
	Noted    bool              // a note of another program says whose they are
}

// Missing reports whether the checkpoint is not here, though it may be elsewhere.
func (r Recorded) Missing() bool { return !r.Found && r.Purged == "" }

// RecordedSession is a session that has a part in a commit.
type RecordedSession struct {
	SessionID string
	Agent     string
	Model     string
	Claimed   *InitialAttribution // the recorded numbers of lines; nil: none
}

// SpentTokens is what a session spent for a checkpoint.
type SpentTokens struct {
	SessionID, Model string
	Created          time.Time
	Usage            transcript.Usage // no number of it is below 0
}

// NoText reports whether the checkpoint calls a file one without lines.
func (r Recorded) NoText(path gitexec.Path) bool {
	return slices.ContainsFunc(r.Sessions, func(s RecordedSession) bool {
		return s.Claimed != nil && slices.Contains(s.Claimed.NoText, path)
	})
}

// ReadRecorded reads what a checkpoint records of a commit's lines; without a commit, of the last
// commit that it moved to.
func ReadRecorded(db *gitexec.ODB, b Branch, id string, commit *gitexec.Commit) Recorded {
	r := Recorded{ID: id, Owners: Owners{}}
	Bring(db, b, []string{id}, false)
	c, damaged := openReadable(db, b.root(db, id), id)
	whole := c
	if r.Found = len(c.sessions) > 0 || len(damaged) > 0; !r.Found {
		if r.Purged = b.PurgedOn(db, id); r.Purged != "" {
			r.doubt("checkpoint %s was purged on %s", id, r.Purged)
		} else {
			r.doubt("checkpoint %s is not here", id)
		}
		return r
	}
	var v Version
	if commit != nil {
		counts, here := b.linesFor(db, c, *commit)
		if counts != c { // nor does what others added to it, whose damage doctor names
			own, added := ownFirst(db, b, id, c.sessions)
			whole = &checkpoint{id: id, sessions: own[:len(own)-added]}
			damaged = append(damaged, whole.damagedLines(db, c.version(db, *commit))...)
		}
		c, r.Here = counts, here
		v = c.version(db, *commit)
	}
	damaged = append(damaged, missingLists(db, b.root(db, id), id, whole.sessions)...)
	// What this clone recorded it reads from its own objects, whatever the branch has now.
	if len(damaged) > 0 && !r.Here {
		r.doubt("checkpoint %s is %s", id, brokenHow(damaged...))
	}
	var others []RecordedSession
	for _, s := range c.sessions {
		if used := s.meta.CheckpointTokenUsage; used != nil { // others may have written less than nothing
			r.Spent = append(r.Spent, SpentTokens{s.meta.SessionID, s.meta.Model, s.meta.CreatedAt, used.Less(transcript.Usage{})})
		}
		claimed, ok := s.meta.attribution(v)
		// The session came to the checkpoint by another commit.
		if !ok {
			continue
		}
		r.Sessions = append(r.Sessions, RecordedSession{SessionID: s.meta.SessionID, Agent: s.meta.Agent, Model: s.meta.Model, Claimed: claimed})
		owned, form, err := s.readLines(db, v)
		err = cmp.Or(err, form)
		for i, prompt := range owned.Prompts {
			owned.Prompts[i] = conversation.Line(db, prompt)
		}
		if err != nil && !errors.Is(err, errNewerLines) {
			damaged = append(damaged, err)
		}
		r.doubtLines(s, s.files[s.lines(v)].Exists(), claimed, owned, err)
		r.Owners.add(owned, s.meta.SessionID, s.meta.Agent)
		for _, id := range owned.others() {
			others = append(others, RecordedSession{SessionID: id, Claimed: claimed})
		}
	}
	// They have lines in another session's list, and no part of their own.
	for _, o := range others {
		if !slices.ContainsFunc(r.Sessions, func(s RecordedSession) bool { return s.SessionID == o.SessionID }) {
			r.Sessions = append(r.Sessions, o)
		}
	}
	r.Owners.split()
	r.Noted = c.noted()
	r.Damage = errors.Join(damaged...)
	return r
}

// doubtLines notes why a session's list, if there is one, does not have the authors of all lines;
// err is that of reading it.
func (r *Recorded) doubtLines(s sessionDir, there bool, claimed *InitialAttribution, owned OwnedLines, err error) {
	switch {
	case errors.Is(err, errNewerLines):
		r.doubt("checkpoint %s: %v", r.ID, err)
	case err != nil:
		r.doubt("checkpoint %s is %s", r.ID, brokenHow(err))
	case !there:
		r.doubt("checkpoint %s does not record whose the lines of session %s are", r.ID, s.meta.SessionID)
	// Earlier versions counted such lines and did not say which.
	case claimed != nil && claimed.Unknown > 0 && !owned.hasUnknown():
		r.doubt("checkpoint %s: %d lines had no known author when it was made", r.ID, claimed.Unknown)
	}
}

// brokenHow says what is wrong with a checkpoint that cannot be read.
func brokenHow(why ...error) string {
	if slices.ContainsFunc(why, func(err error) bool { return !gitexec.IsUnfetched(err) }) {
		return "damaged"
	}
	return "not here as a whole: this partial clone lacks objects of it"
}

func (r *Recorded) doubt(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.Doubts = sets.With(r.Doubts, text)
}

// ReadAhead reads the objects that ReadRecorded needs for some checkpoints, in a few requests for
// all of them. ReadRecorded reports what cannot be read.
func ReadAhead(db *gitexec.ODB, b Branch, ids []string) {
	if b.Tree == "" {
		return
	}
	root, err := conversation.Dir(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: b.Tree}, shadow.Checkpoints)
	if err != nil {
		return
	}
	of := map[string][]string{}
	for _, id := range ids {
		of[id[:2]] = append(of[id[:2]], id[2:])
	}
	shards := slices.Sorted(maps.Keys(of))
	entries := make([]gitexec.Entry, len(shards))
	for i, shard := range shards {
		entries[i] = root[shard]
	}
	checkpoints := readTrees(db, entries, func(i int, level gitexec.Tree) (below []gitexec.Entry) {
		for _, name := range of[shards[i]] {
			below = append(below, level[name])
		}
		return below
	})
	readDirs(db, checkpoints, "metadata.json", linesFile)
}

// readDirs reads the objects of checkpoints, given their directories, at once: the directories,
// those of their sessions, and the files of some names in all of them. Who reads one of them
// reports what is wrong with it.
func readDirs(db *gitexec.ODB, checkpoints []gitexec.Entry, names ...string) {
	var blobs []gitexec.OID
	add := func(dir gitexec.Tree) {
		for _, name := range names {
			if dir[name].Exists() {
				blobs = append(blobs, dir[name].ID)
			}
		}
	}
	// A round trip for each level, and not for each checkpoint.
	sessions := readTrees(db, checkpoints, func(_ int, dir gitexec.Tree) (below []gitexec.Entry) {
		add(dir)
		indexes, _ := sessionsIn(dir, "")
		for _, index := range indexes {
			below = append(below, dir[strconv.Itoa(index)])
		}
		return below
	})
	readTrees(db, sessions, func(_ int, dir gitexec.Tree) []gitexec.Entry {
		add(dir)
		return nil
	})
	_ = db.ReadAhead(blobs...)
}

// readTrees reads those of the entries that are trees, at once, and returns the chosen entries in
// them.
func readTrees(db *gitexec.ODB, entries []gitexec.Entry, choose func(i int, dir gitexec.Tree) []gitexec.Entry) (chosen []gitexec.Entry) {
	var ids []gitexec.OID
	var at []int
	for i, e := range entries {
		if e.IsTree() {
			ids, at = append(ids, e.ID), append(at, i)
		}
	}
	trees, err := db.TreesUpTo(conversation.MostDirectory, ids...)
	if err != nil {
		return nil
	}
	for i, tree := range trees {
		chosen = append(chosen, choose(at[i], tree)...)
	}
	return chosen
}

// NameAgents fills in the agents of sessions that have no part of their own, by their IDs; nil:
// none is known.
func (r *Recorded) NameAgents(agent func(session string) string) {
	if agent == nil {
		return
	}
	for i := range r.Sessions {
		if s := &r.Sessions[i]; s.Agent == "" {
			s.Agent = agent(s.SessionID)
		}
	}
	for _, f := range r.Owners {
		for i := range f.ranges {
			if owner := &f.ranges[i].owner; owner.Agent == "" && owner.Session != "" {
				owner.Agent = agent(owner.Session)
			}
		}
	}
}
