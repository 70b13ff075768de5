package query

import (
	"maps"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/transcript"
)

// checkpointFacts are what stats counts of a checkpoint beside its lines.
type checkpointFacts struct {
	dir      gitexec.OID
	branch   string
	modified int // lines of the human's that replace others
	damaged  string
	sessions []sessionFacts
}

// sessionFacts is a session's part in it.
type sessionFacts struct {
	session, agent, model string
	created               time.Time
	usage                 *transcript.Usage // of this checkpoint only; nil: not recorded
}

func factsOf(info checkpoints.CommittedInfo) checkpointFacts {
	f := checkpointFacts{dir: info.Directory.ID, branch: info.Branch, damaged: info.Error}
	for i, m := range info.Sessions {
		if info.IsAdded(i) {
			continue
		}
		part := sessionFacts{session: m.SessionID, agent: m.Agent, model: m.Model, created: m.CreatedAt}
		if m.CheckpointTokenUsage != nil {
			used := m.CheckpointTokenUsage.Less(transcript.Usage{}) // others may have written less than nothing
			part.usage = &used
		}
		f.sessions = append(f.sessions, part)
		if m.InitialAttribution != nil { // the same in each session's part
			f.modified = max(f.modified, m.InitialAttribution.HumanModified)
		}
	}
	return f
}

func factFields(c *coder, f *checkpointFacts) {
	dir := string(f.dir)
	c.texts(&dir, &f.branch, &f.damaged)
	f.dir = gitexec.OID(dir)
	num(c, &f.modified)
	list(c, &f.sessions, func(c *coder, s *sessionFacts) {
		c.texts(&s.session, &s.agent, &s.model)
		c.time(&s.created)
		c.usage(&s.usage)
	})
}

// linesState is what the index of lines was made from.
type linesState struct {
	linksState
	indexState
}

// updateFacts brings what is known of checkpoints up to date.
func (l *lifetimes) updateFacts(x *index.Index, save bool) error {
	before := stateIn[linesState](x).indexState
	if before.Purged != l.shards.Purged { // what was purged is in no file afterwards
		l.forget(x)
		before = indexState{}
	}
	var names []string
	for name, ids := range l.shards.Now {
		if !slices.Equal(ids, before.Shards[name]) {
			names = append(names, name)
		}
	}
	in := map[string][]string{} // the checkpoints that are known, by directory
	// What was loaded is of all directories: those that are gone are not passed on by EachStored.
	for id := range l.facts {
		if shard := id[:2]; l.shards.Now[shard] == nil {
			l.drop(x, id)
		} else {
			in[shard] = append(in[shard], id)
		}
	}
	slices.Sort(names)
	count, done := progress(l.reader.Env, "indexing the checkpoints"), 0
	return checkpoints.EachStored(l.reader.DB, l.reader.Branch, l.shards, names, func(shard string, has map[string]gitexec.Entry) (unread []string) {
		for _, id := range in[shard] {
			switch {
			case has[id].ID == l.facts[id].dir:
			case has[id].Exists(): // it was changed, and is read again
				delete(l.facts, id)
			default:
				l.drop(x, id)
			}
		}
		for id := range has {
			if _, known := l.facts[id]; !known {
				unread = append(unread, id)
			}
		}
		slices.Sort(unread)
		return unread
	}, func(info checkpoints.CommittedInfo) error {
		// The facts are of checkpoints: the catalogue notes such damage, and names it.
		if info.Directory == (gitexec.Entry{}) { // damage of a directory itself
			return nil
		}
		f := factsOf(info)
		l.facts[info.ID] = f
		x.Put(keyFacts+info.ID, pack(f, factFields))
		done++
		count(done, 0)
		if save {
			return x.Spill()
		}
		return nil
	})
}

// drop forgets a checkpoint that is gone.
func (l *lifetimes) drop(x *index.Index, id string) {
	delete(l.facts, id)
	x.Delete(keyFacts + id)
	x.Rewrite() // what it said is in no file afterwards
}

// forget forgets all that checkpoints say.
func (l *lifetimes) forget(x *index.Index) {
	for id := range maps.Clone(l.facts) {
		l.drop(x, id)
	}
	for id := range l.owners {
		x.Delete(keyOwners + string(id))
	}
	l.owners = map[gitexec.OID]lineOwners{}
}
