package checkpoints

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
)

// CommittedInfo is a checkpoint, as ListCommitted lists it.
type CommittedInfo struct {
	ID       string            `json:"checkpoint_id"`
	Branch   string            `json:"branch,omitempty"`
	When     time.Time         `json:"created_at,omitzero"` // of its earliest session's part; zero where that cannot be read
	Files    []gitexec.Path    `json:"files_touched"`
	Sessions []SessionMetadata `json:"sessions"`                  // those that this clone wrote come first
	Added    []string          `json:"added_by_others,omitempty"` // the last ones of the sessions: others added them to what this clone wrote
	Source   *Source           `json:"source,omitempty"`          // whose word it is, where others added all sessions: no commit here links it
	Prompts  []string          `json:"prompts"`                   // of its sessions, one text each
	Error    string            `json:"error,omitempty"`
	Lacking  bool              `json:"incomplete,omitempty"` // a partial clone lacks objects of it: that is the error

	Sealed     string `json:"-"` // for whom prompts are encrypted that no identity here opens; empty: none
	Unreadable bool   `json:"-"` // a session's part cannot be read, and its session is unknown
	Elsewhere  bool   `json:"-"` // this clone doesn't know that it wrote it

	// Beside is damage that keeps none of this from being read: of lists of lines, and of what
	// others added to what this clone wrote.
	Beside error `json:"-"`

	Directory gitexec.Entry `json:"-"`
	Encrypted []bool        `json:"-"` // of the prompts: they are encrypted, and were not opened; see EachStored
	Turns     []string      `json:"-"` // that have work in it; see EachStored
}

// ListCommitted lists the checkpoints that keep chooses, latest first. A damaged checkpoint is
// listed with its error.
func ListCommitted(db *gitexec.ODB, b Branch, keep func(CommittedInfo) bool) (all []CommittedInfo, err error) {
	err = EachCommitted(db, b, func(info CommittedInfo) error {
		if keep(info) {
			all = append(all, info)
		}
		return nil
	})
	slices.SortStableFunc(all, laterFirst)
	return all, err
}

// Describe reads some checkpoints, latest first, without those that do not exist. Those of the same
// time keep their order.
func Describe(db *gitexec.ODB, b Branch, ids []string) ([]CommittedInfo, error) {
	Bring(db, b, ids, false)
	var all []CommittedInfo
	for _, id := range sets.Once(ids) {
		dir, err := find(db, b.root(db, id), id)
		switch {
		case errors.Is(err, ErrDamaged):
			all = append(all, unreadable(id, err))
		case err != nil:
			return nil, err
		case dir.Exists():
			all = append(all, describe(db, form{branch: b}, id, dir))
		}
	}
	slices.SortStableFunc(all, func(x, y CommittedInfo) int { return y.When.Compare(x.When) })
	return all, db.Canceled()
}

// laterFirst orders checkpoints. Those that another version of the program made in the same second
// are compared session by session, by the session's progress.
func laterFirst(x, y CommittedInfo) int {
	if c := y.When.Compare(x.When); c != 0 || len(x.Sessions) == 0 || len(y.Sessions) == 0 {
		return cmp.Or(c, cmp.Compare(len(y.Sessions), len(x.Sessions)))
	}
	a, b := x.Sessions[0], y.Sessions[0]
	return cmp.Or(cmp.Compare(a.SessionID, b.SessionID), b.After(a))
}

// After is positive if the session's part was made after another part of the session, and 0 where
// that is not known.
func (m SessionMetadata) After(other SessionMetadata) int {
	// A session only goes on: what it counts does not get less.
	return cmp.Or(m.CreatedAt.Compare(other.CreatedAt),
		cmp.Compare(m.CheckpointTranscriptStart, other.CheckpointTranscriptStart),
		cmp.Compare(m.CheckpointPromptStart, other.CheckpointPromptStart),
		cmp.Compare(calls(m.TokenUsage), calls(other.TokenUsage)))
}

func calls(u *transcript.Usage) int {
	if u == nil {
		return 0
	}
	return u.APICallCount
}

// readAtOnce is how many checkpoints are read at once: one question to cat-file for all their
// objects, which are in memory until they are passed on. One by one, each takes a round trip.
const readAtOnce = 512

// EachCommitted passes on all checkpoints, by their IDs, some at a time. A damaged one has its
// error.
func EachCommitted(db *gitexec.ODB, b Branch, each func(CommittedInfo) error) error {
	return eachShard(db, b, func(shard string, level gitexec.Tree, names []string, broken error) error {
		if broken != nil {
			return each(unreadable(shard, broken))
		}
		for few := range slices.Chunk(names, readAtOnce) {
			// Whoever can push can write more than one command may read: what is left is named as
			// unread.
			if err := db.CheckLimit(); err != nil {
				return each(unreadable(shard, conversation.Damage(shard, err)))
			}
			if err := readSome(db, form{branch: b}, shard, level, few, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachShard passes on the branch's directories with their content; names are those of checkpoints,
// sorted. broken is ErrDamaged for an unreadable directory.
func eachShard(db *gitexec.ODB, b Branch, each func(shard string, level gitexec.Tree, names []string, broken error) error) error {
	shards, err := b.shards(db)
	if err != nil {
		return err
	}
	return eachOf(db, b, shards, func(string) bool { return true }, each)
}

// eachOf is eachShard for the directories that wanted chooses.
func eachOf(db *gitexec.ODB, b Branch, shards map[string][]branchShard, wanted func(shard string) bool,
	each func(shard string, level gitexec.Tree, names []string, broken error) error) error {
	seen := map[int]map[gitexec.OID]bool{}
	for name, parts := range shards {
		for _, part := range parts {
			if seen[part.branch] == nil {
				seen[part.branch] = map[gitexec.OID]bool{}
			}
			// A directory that is not read counts as seen: one that is read and equals it is the
			// duplicate.
			if !wanted(name) {
				seen[part.branch][part.ID] = true
			}
		}
	}
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		if !wanted(shard) {
			continue
		}
		parts := shards[shard]
		level, from := gitexec.Tree{}, map[string]int{} // by the name; none: the first branch
		for i, part := range parts {
			one, broken := part.readOnce(db, shard, seen)
			if broken != nil && !errors.Is(broken, ErrDamaged) {
				return broken
			}
			if broken != nil && i == 0 {
				if err := each(shard, nil, nil, broken); err != nil {
					return err
				}
			}
			if len(parts) == 1 && part.branch == 0 { // mostly, and there may be very many entries
				level = one
				break
			}
			for name, e := range one { // the first of two with the same name counts
				// Purged here: others may still have it.
				if part.branch > 0 && ValidID(shard+name) && b.purged(db).gone(shard+name) {
					continue
				}
				if _, there := level[name]; !there {
					level[name], from[name] = e, part.branch
				}
			}
		}
		names, duplicates := namesIn(shard, level, func(name string) map[gitexec.OID]bool { return seen[from[name]] })
		if err := each(shard, level, names, nil); err != nil {
			return err
		}
		if duplicates > 0 {
			broken := fmt.Errorf("%w: %s: %d directories are duplicates of other checkpoints", ErrDamaged, shard, duplicates)
			if err := each(shard, nil, nil, broken); err != nil {
				return err
			}
		}
	}
	return nil
}

// readOnce reads a directory of the first level. It is ErrDamaged where the branch has the same one
// twice; seen are the directories by the branches' numbers.
func (s branchShard) readOnce(db *gitexec.ODB, name string, seen map[int]map[gitexec.OID]bool) (gitexec.Tree, error) {
	if seen[s.branch][s.ID] && s.IsTree() {
		return nil, fmt.Errorf("%w: %s: the directory is a duplicate of another one", ErrDamaged, name)
	}
	seen[s.branch][s.ID] = true
	return conversation.Dir(db, s.Entry, name)
}

// namesIn lists the names of the checkpoints in a shard, sorted, each directory once, and counts
// those that were seen before on the same branch: a checkpoint names itself, so no two can be
// equal.
func namesIn(shard string, level gitexec.Tree, seen func(name string) map[gitexec.OID]bool) (names []string, duplicates int) {
	for name := range level {
		if ValidID(shard + name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	all := len(names)
	names = slices.DeleteFunc(names, func(name string) bool {
		duplicate := seen(name)[level[name].ID]
		seen(name)[level[name].ID] = true
		return duplicate && level[name].IsTree()
	})
	return names, all - len(names)
}

// unreadable is a checkpoint, or a directory of checkpoints, that cannot be read.
func unreadable(id string, err error) CommittedInfo {
	return CommittedInfo{ID: id, Files: []gitexec.Path{}, Sessions: []SessionMetadata{}, Prompts: []string{},
		Error: err.Error(), Lacking: gitexec.IsUnfetched(err), Unreadable: true}
}

// readSome passes on some checkpoints of a shard, of which it reads at once what they need.
func readSome(db *gitexec.ODB, f form, shard string, level gitexec.Tree, names []string, each func(CommittedInfo) error) error {
	dirs := make([]gitexec.Entry, len(names))
	for i, name := range names {
		dirs[i] = level[name]
	}
	readDirs(db, dirs, f.files()...)
	for i, name := range names {
		if err := db.Canceled(); err != nil {
			return err
		}
		if err := each(describe(db, f, shard+name, dirs[i])); err != nil {
			return err
		}
	}
	return nil
}

// Has reports whether a readable part of the session is in the checkpoint.
func (info CommittedInfo) Has(sessionID string) bool {
	return slices.ContainsFunc(info.Sessions, func(m SessionMetadata) bool { return m.SessionID == sessionID })
}

// IsAdded reports whether others added the session at an index to what this clone wrote.
func (info CommittedInfo) IsAdded(index int) bool { return index >= len(info.Sessions)-len(info.Added) }

func (info *CommittedInfo) add(meta SessionMetadata, prompts promptText, added bool) {
	counts := !added || len(info.Added) == len(info.Sessions) // as long as none other is there
	if added {
		info.Added = append(info.Added, meta.SessionID)
	}
	info.Sealed = cmp.Or(info.Sealed, prompts.sealed)
	// An addition by others must not make the checkpoint older or younger.
	if info.When.IsZero() || counts && !meta.CreatedAt.IsZero() && meta.CreatedAt.Before(info.When) {
		info.When = meta.CreatedAt
	}
	info.Sessions, info.Prompts = append(info.Sessions, meta), append(info.Prompts, prompts.text)
	info.Encrypted = append(info.Encrypted, prompts.encrypted)
	info.addTurns([]string{meta.TurnID})
}

// describe reads one checkpoint, or what can be read of a damaged one.
func describe(db *gitexec.ODB, f form, id string, dir gitexec.Entry) CommittedInfo {
	info := CommittedInfo{ID: id, Files: []gitexec.Path{}, Sessions: []SessionMetadata{}, Prompts: []string{}, Directory: dir,
		Elsewhere: !RecordedHere(db, f.branch, id)}
	damaged := func(err error) {
		if err != nil && info.Error == "" {
			info.Error, info.Lacking = strings.ReplaceAll(err.Error(), "\n", "; "), gitexec.IsUnfetched(err)
		}
	}
	files, err := conversation.Dir(db, dir, place(id))
	if err != nil {
		damaged(err)
		info.Unreadable = true
		return info
	}
	summary, err := readSummary(db, files, id)
	damaged(err)
	info.Branch, info.Files = summary.Branch, append(info.Files, summary.FilesTouched...)
	indexes, err := sessionsIn(files, place(id))
	damaged(err)
	var sessions []sessionDir
	var unread []error
	for _, index := range indexes {
		name := strconv.Itoa(index)
		if s, err := readSession(db, files[name], place(id)+"/"+name); err != nil {
			unread = append(unread, err)
		} else {
			sessions = append(sessions, s)
		}
	}
	// A listing shows the first session: that must be one which was recorded here.
	sessions, added := ownFirst(db, f.branch, id, sessions)
	own := len(sessions) - added
	if info.Unreadable = len(unread) > 0 && !hasAllWritten(db, f.branch, id, own); info.Unreadable {
		damaged(unread[0])
	}
	info.Beside = errors.Join(unread...)
	for i, s := range sessions {
		// From here on it is others': their damage is no damage of what this clone wrote.
		if i == own && !info.Elsewhere {
			damaged = func(err error) { info.Beside = errors.Join(info.Beside, err) }
		}
		prompts, err := f.prompts(db, s)
		damaged(err)
		meta := s.meta
		if !f.stored {
			meta = asOf(f.branch, meta)
		}
		info.add(meta, prompts, i >= own)
		turns, err := f.turns(db, s)
		info.addTurns(turns)
		info.Beside = errors.Join(info.Beside, err)
		damaged(errors.Join(summary.missing(s.dir, s.files)...))
	}
	return info
}
