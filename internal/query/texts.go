package query

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/fulltext"
	"entire-plumb/internal/index"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// texts is the index of what is said in all conversations: of committed checkpoints, and on
// streams. Beside the texts it has these keys:
//
//	k/ID        a checkpoint: its directory, and the sessions that have a part in it
//	s/SESSION   a session: its parts, and which units of texts each has
//	e/UNIT      a unit that is encrypted
//	d/UNIT      a unit that could not be read
type texts struct {
	*index.Index
	all *fulltext.Texts
	db  *gitexec.ODB
}

const (
	keyCheckpoint   = "k/"
	keyConversation = "s/"
	keySealed       = "e/"
	keyUnread       = "d/"
	textsForm       = fulltext.Form + ".3"
)

// textsState is what the index was made from.
type textsState struct {
	indexState
	Streams map[string]gitexec.OID `json:"streams"`
	Lacks   gitexec.OID            `json:"lacks,omitempty"` // a file that could not be read, since a partial clone lacks it
}

// came reports whether that file can be read now.
func (s textsState) came(db *gitexec.ODB) bool {
	if s.Lacks == "" {
		return false
	}
	// Any other error says that the file has come, whatever is wrong with it.
	_, err := db.Blob(s.Lacks, mostUnit)
	return !gitexec.IsUnfetched(err)
}

// withTexts asks the index of conversations, which it first brings up to date.
func withTexts(ctx context.Context, r *Reader, answer func(*texts, *catalogue) error) error {
	streams, err := conversationsOnStreams(ctx, r)
	if err != nil {
		return err
	}
	changed, err := checkpoints.BranchShards(r.DB, r.Branch)
	if err != nil {
		return err
	}
	now := textsState{indexState: indexState{Shards: changed.Now, Purged: changed.Purged}, Streams: map[string]gitexec.OID{}}
	for name, s := range streams {
		now.Streams[name] = s.dir.ID
	}
	return r.ask(ctx, func(c *catalogue) error {
		parts, err := judge(ctx, r) // which takes the lock of the indexes, too
		if err != nil {
			return err
		}
		return twice(func(anew bool) (*index.Index, error) {
			x, err := caches{r.Repo, r.DB, r.Env}.open(ctx, cache{name: "texts", form: textsForm, anew: anew, locked: true,
				current: func(x *index.Index) bool {
					before := stateIn[textsState](x)
					return before.is(changed, r.Env.Now()) && maps.Equal(before.Streams, now.Streams) && !before.came(r.DB)
				},
				update: func(x *index.Index, save bool) (any, error) {
					u := textsUpdate{texts: texts{Index: x, db: r.DB}, catalogue: c, judged: parts, now: r.Env.Now(), save: save, progress: bytesProgress(r.Env)}
					err := u.run(ctx, now, streams)
					now.Lacks = u.lacks
					return now, err
				}})
			if err != nil {
				return nil, err
			}
			defer x.Close()
			t := &texts{x, fulltext.Of(x), r.DB}
			if err := answer(t, c); err != nil {
				return x, err
			}
			return x, t.all.Err()
		})
	})
}

// bytesProgress reports each second how many bytes of conversations were read.
func bytesProgress(env workspace.Env) func(bytes int) {
	var p pace
	p.due()
	sum := 0
	return func(bytes int) {
		sum += bytes
		if seconds, due := p.due(); due {
			mb := float64(sum) / (1 << 20)
			env.Warn(fmt.Sprintf("indexing the conversations, once: %.0f MB so far, %.0f MB in a second", mb, mb/seconds))
		}
	}
}

// onStream is a session's conversation on a stream.
type onStream struct {
	session string
	tip     shadow.Checkpoint
	dir     gitexec.Entry
}

// conversationsOnStreams are those on the tips of all streams, and of those that were deleted and
// are kept, by the ref and the session.
func conversationsOnStreams(ctx context.Context, r *Reader) (map[string]onStream, error) {
	streams, err := shadow.ListTemporary(ctx, r.Repo, r.DB)
	if err != nil {
		return nil, err
	}
	deleted, err := shadow.Deleted(ctx, r.Repo, r.DB)
	if err != nil {
		return nil, err
	}
	tips := map[string]shadow.Checkpoint{}
	for _, s := range streams {
		tips[s.Ref()] = s.Tip
	}
	for _, d := range deleted {
		tips[d.Ref] = d.Tip
	}
	all := map[string]onStream{}
	for ref, tip := range tips {
		found, err := r.DB.Lookup(tip.Tree, shadow.MetadataDir)
		if err != nil || !found[0].IsTree() {
			continue // what is damaged is reported by the commands that list streams
		}
		dirs, err := r.DB.TreesUpTo(1<<20, found[0].ID)
		if err != nil {
			continue
		}
		for _, session := range slices.Sorted(maps.Keys(dirs[0])) {
			if dir := dirs[0][session]; dir.IsTree() {
				all[ref+end+session] = onStream{session, tip, dir}
			}
		}
	}
	return all, r.DB.Canceled()
}
