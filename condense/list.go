package condense

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/transcript"
)

// CommittedInfo is a checkpoint, as ListCommitted lists it.
type CommittedInfo struct {
	ID       string            `json:"checkpoint_id"`
	Branch   string            `json:"branch,omitempty"`
	When     time.Time         `json:"created_at,omitzero"` // of its first session's part; zero where that cannot be read
	Files    []gitexec.Path    `json:"files_touched"`
	Sessions []SessionMetadata `json:"sessions"`
	Prompts  []string          `json:"prompts"` // of its sessions, one text each
	Error    string            `json:"error,omitempty"`

	Lost bool `json:"-"` // a session's part cannot be read, and nobody can tell whose it is
}

// ListCommitted lists the checkpoints that are asked for, latest first: those that keep chooses, at most so many of them, 0: all; and counts all
// that it chooses. It has no more of them in memory than that. What is damaged is listed with its error.
func ListCommitted(db *gitexec.ODB, b Branch, most int, keep func(CommittedInfo) bool) (latest []CommittedInfo, count int, err error) {
	err = EachCommitted(db, b, func(info CommittedInfo) error {
		if !keep(info) {
			return nil
		}
		count++
		if latest = append(latest, info); most > 0 && len(latest) >= 2*most+1000 {
			slices.SortStableFunc(latest, laterFirst)
			clear(latest[most:])
			latest = latest[:most]
		}
		return nil
	})
	slices.SortStableFunc(latest, laterFirst)
	if most > 0 && len(latest) > most {
		latest = latest[:most]
	}
	return latest, count, err
}

// Count counts the checkpoints by their names alone.
func Count(db *gitexec.ODB, b Branch) (int, error) {
	count := 0
	err := eachShard(db, b, func(_ string, _ gitexec.Tree, names []string, _ error) error {
		count += len(names)
		return nil
	})
	return count, err
}

// Describe reads some checkpoints, latest first; those that are not there are left out. Of those of one time the one that is named first comes first.
func Describe(db *gitexec.ODB, b Branch, ids []string) ([]CommittedInfo, error) {
	var all []CommittedInfo
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		found, err := db.Lookup(b.root(db, id), gitexec.Path(Dir(id)))
		if err == nil && !found[0].Exists() {
			continue
		}
		if err = damage(Dir(id), err); err != nil && !errors.Is(err, ErrDamaged) {
			return nil, err
		}
		all = append(all, describe(db, id, found[0]))
	}
	slices.SortStableFunc(all, func(x, y CommittedInfo) int { return y.When.Compare(x.When) })
	return all, db.Canceled()
}

// laterFirst orders checkpoints. Those that another version of the program made in the same second are told apart, session by session, by what the
// session had come to.
func laterFirst(x, y CommittedInfo) int {
	if c := y.When.Compare(x.When); c != 0 || len(x.Sessions) == 0 || len(y.Sessions) == 0 {
		return cmp.Or(c, cmp.Compare(len(y.Sessions), len(x.Sessions)))
	}
	a, b := x.Sessions[0], y.Sessions[0]
	return cmp.Or(cmp.Compare(a.SessionID, b.SessionID), b.After(a))
}

// After is positive if the session's part was made after another one of the session, and 0 where nothing tells.
func (m SessionMetadata) After(other SessionMetadata) int {
	return cmp.Or(m.CreatedAt.Compare(other.CreatedAt), cmp.Compare(m.CheckpointTranscriptStart, other.CheckpointTranscriptStart),
		cmp.Compare(m.CheckpointPromptStart, other.CheckpointPromptStart), cmp.Compare(calls(m.TokenUsage), calls(other.TokenUsage)))
}

func calls(u *transcript.Usage) int {
	if u == nil {
		return 0
	}
	return u.APICallCount
}

// together is how many checkpoints are read at once.
const together = 512

// EachCommitted gives all checkpoints, by their IDs, a few at a time. What is damaged is given with its error.
func EachCommitted(db *gitexec.ODB, b Branch, each func(CommittedInfo) error) error {
	return eachShard(db, b, func(shard string, level gitexec.Tree, names []string, broken error) error {
		if broken != nil {
			return each(CommittedInfo{ID: shard, Files: []gitexec.Path{}, Sessions: []SessionMetadata{}, Prompts: []string{}, Error: broken.Error(), Lost: true})
		}
		for few := range slices.Chunk(names, together) {
			if err := readFew(db, shard, level, few, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachShard gives the branch's directories, with what is in them; names are those of checkpoints, sorted. broken is ErrDamaged for one that
// cannot be read.
func eachShard(db *gitexec.ODB, b Branch, each func(shard string, level gitexec.Tree, names []string, broken error) error) error {
	shards, err := b.shards(db)
	if err != nil {
		return err
	}
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		level := gitexec.Tree{}
		for i, e := range shards[shard] {
			one, broken := readShard(db, shard, e)
			if broken != nil && !errors.Is(broken, ErrDamaged) {
				return broken
			}
			if broken != nil && i == 0 {
				if err := each(shard, nil, nil, broken); err != nil {
					return err
				}
			}
			for name, e := range one { // of two with the same name the first one's counts
				if _, there := level[name]; !there {
					level[name] = e
				}
			}
		}
		var names []string
		for _, name := range slices.Sorted(maps.Keys(level)) {
			if ValidID(shard + name) {
				names = append(names, name)
			}
		}
		if err := each(shard, level, names, nil); err != nil {
			return err
		}
	}
	return nil
}

// readShard reads one of the branch's directories.
func readShard(db *gitexec.ODB, shard string, e gitexec.Entry) (gitexec.Tree, error) {
	if !e.IsTree() {
		return nil, fmt.Errorf("%w: %s: %s is a file, not a directory", ErrDamaged, shard, e.ID)
	}
	trees, err := db.Trees(e.ID)
	if err != nil {
		return nil, damage(shard, err)
	}
	return trees[0], nil
}

// readFew gives a few checkpoints of a shard: all at once, or, where one is damaged, one by one.
func readFew(db *gitexec.ODB, shard string, level gitexec.Tree, names []string, each func(CommittedInfo) error) error {
	ids, dirs := make([]string, len(names)), make([]gitexec.Entry, len(names))
	for i, name := range names {
		ids[i], dirs[i] = shard+name, level[name]
	}
	all := readAll(db, ids, dirs)
	for i := range ids {
		if all == nil {
			if err := db.Canceled(); err != nil {
				return err
			}
			if err := each(describe(db, ids[i], dirs[i])); err != nil {
				return err
			}
		} else if err := each(all[i]); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads checkpoints, given their directories, in three requests; nil if something is missing or cannot be read.
func readAll(db *gitexec.ODB, ids []string, entries []gitexec.Entry) []CommittedInfo {
	dirs := make([]gitexec.OID, len(entries))
	for i, e := range entries {
		if dirs[i] = e.ID; !e.IsTree() {
			return nil
		}
	}
	trees, err := db.Trees(dirs...)
	if err != nil {
		return nil
	}
	var sessions []gitexec.OID
	for _, tree := range trees {
		for _, i := range indexes(tree) {
			e := tree[strconv.Itoa(i)]
			if sessions = append(sessions, e.ID); !e.IsTree() {
				return nil
			}
		}
	}
	parts, err := db.Trees(sessions...)
	if err != nil {
		return nil
	}
	var blobs []gitexec.OID
	for _, tree := range trees {
		blobs = append(blobs, tree["metadata.json"].ID)
	}
	for _, part := range parts {
		blobs = append(blobs, part["metadata.json"].ID, part["prompt.txt"].ID)
	}
	if slices.Contains(blobs, "") {
		return nil
	}
	objects, err := db.Contents(blobs...)
	if err != nil || slices.ContainsFunc(objects, func(o gitexec.Object) bool { return o.Type != "blob" }) {
		return nil
	}
	all := make([]CommittedInfo, len(ids))
	next := len(trees)
	for i, tree := range trees {
		info := CommittedInfo{ID: ids[i], Files: []gitexec.Path{}, Sessions: []SessionMetadata{}, Prompts: []string{}}
		var summary Summary
		if json.Unmarshal(objects[i].Data, &summary) != nil || summary.foreign() {
			return nil
		}
		info.Branch, info.Files = summary.Branch, append(info.Files, summary.FilesTouched...)
		for range indexes(tree) {
			var meta SessionMetadata
			if json.Unmarshal(objects[next].Data, &meta) != nil || meta.SessionID == "" {
				return nil
			}
			info.add(meta, string(objects[next+1].Data))
			next += 2
		}
		all[i] = info
	}
	return all
}

// Has reports whether a session's part is in the checkpoint, as far as it can be read.
func (info CommittedInfo) Has(sessionID string) bool {
	return slices.ContainsFunc(info.Sessions, func(m SessionMetadata) bool { return m.SessionID == sessionID })
}

func (info *CommittedInfo) add(meta SessionMetadata, prompts string) {
	if info.When.IsZero() || meta.CreatedAt.Before(info.When) {
		info.When = meta.CreatedAt
	}
	info.Sessions, info.Prompts = append(info.Sessions, meta), append(info.Prompts, prompts)
}

// describe reads one checkpoint, and what of it can be read if it is damaged.
func describe(db *gitexec.ODB, id string, dir gitexec.Entry) CommittedInfo {
	info := CommittedInfo{ID: id, Files: []gitexec.Path{}, Sessions: []SessionMetadata{}, Prompts: []string{}}
	damaged := func(err error) {
		if err != nil && info.Error == "" {
			info.Error = err.Error()
		}
	}
	if !dir.IsTree() {
		damaged(fmt.Errorf("%w: %s: %s is a file, not a directory", ErrDamaged, Dir(id), dir.ID))
		info.Lost = true
		return info
	}
	trees, err := db.Trees(dir.ID)
	if err != nil {
		damaged(damage(Dir(id), err))
		info.Lost = true
		return info
	}
	summary, err := readSummary(db, trees[0], id)
	damaged(err)
	info.Branch, info.Files = summary.Branch, append(info.Files, summary.FilesTouched...)
	for _, index := range indexes(trees[0]) {
		name := strconv.Itoa(index)
		c, err := readContent(db, trees[0][name], Dir(id)+"/"+name)
		damaged(err)
		if c != nil {
			info.add(c.Metadata, c.Prompts)
			damaged(errors.Join(summary.missing(c.dir, c.files)...))
		}
		info.Lost = info.Lost || c == nil
	}
	return info
}
