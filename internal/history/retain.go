package history

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/workspace"
)

// Retain is which transcripts stay on the branch of checkpoints: those of a time, or the latest
// ones of a size together.
type Retain struct {
	For     time.Duration // 0: any time
	Size    int64         // in bytes, as git stores them before it compresses them; 0: any size
	Preview bool          // only say what would be dropped
	// Ask asks for the user's consent, when it is known what would be dropped; nil: it is given.
	Ask func(Retained) (bool, error)

	work *retaining // what was rewritten already: the lock is held for what has come since alone
}

// retaining is the state of a run.
type retaining struct {
	*rewriting
	drop map[string]bool
}

// Retained is what was dropped, or would be.
type Retained struct {
	Dropped []string   `json:"dropped"` // the checkpoints
	Files   int        `json:"files"`   // that no checkpoint has any more
	Frees   int64      `json:"frees"`   // bytes of them, before git compresses them
	Kept    int        `json:"kept"`    // checkpoints with transcripts that stay
	Refs    []MovedRef `json:"refs"`
	Copies  []Copy     `json:"copies"` // remote-tracking branches, which the remote's copy is on
	Done    bool       `json:"done"`
}

// ErrDeclined says that the user did not agree.
var ErrDeclined = errors.New("nothing was dropped")

// Run drops transcripts from the branch's whole history. Metadata, prompts, lines and links stay.
func (q Retain) Run(ctx context.Context, e workspace.Env) (done Retained, err error) {
	w, err := open(ctx, e)
	if err != nil {
		return done, err
	}
	begun := time.Now()
	q.work = &retaining{}
	plan, err := q.plan(ctx, w)
	if err != nil || q.Preview || len(plan.Dropped) == 0 {
		return plan, errors.Join(err, w.DB.Close())
	}
	// The question is about what is there now. Under the lock the plan is made again, with what has
	// come since.
	if q.Ask != nil { // without the lock: nobody waits for an answer
		if yes, err := q.Ask(plan); err != nil || !yes {
			return plan, errors.Join(err, ErrDeclined, w.DB.Close())
		}
	}
	err = w.Locked(ctx, func() error {
		err := notBlocked(w.Repo)
		if err == nil {
			plan, err = q.plan(ctx, w)
		}
		if err == nil {
			err = move(ctx, w, plan.Refs, nil)
			plan.Done = true
		}
		return err
	})
	return plan, w.Finish(journal.Entry{Hook: "retain", Outcome: fmt.Sprintf("transcripts of %s dropped", amount.Of(len(plan.Dropped), "checkpoint"))},
		begun, err)
}

// kept is a checkpoint's transcripts.
type kept struct {
	id    string
	when  time.Time // of its latest session's part
	files map[gitexec.OID]int64
}

func (q Retain) plan(ctx context.Context, w *workspace.Workspace) (done Retained, err error) {
	done = Retained{Dropped: []string{}, Refs: []MovedRef{}, Copies: []Copy{}}
	ours, copies, others, err := newRewriting(ctx, w.Repo, w.DB).refsOf()
	branches := branchesIn(ours)
	at := checkpointsRef(branches)
	if err != nil || at < 0 {
		return done, err
	}
	branch, err := checkpoints.ReadBranch(w.DB, branches[at].ID)
	if err != nil {
		return done, err
	}
	all, err := transcripts(w.DB, branch)
	if err != nil {
		return done, err
	}
	drop := q.choose(all, w.Now(), &done)
	if len(drop) == 0 {
		return done, nil
	}
	tips, err := q.rewrite(ctx, w, branches, others, drop)
	if err != nil {
		return done, err
	}
	if done.Refs = append(done.Refs, movedRefs(branches, tips)...); len(done.Refs) == 0 {
		return done, errors.New("nothing can be dropped: another branch or tag of yours has the history of the checkpoints\n" +
			"hint: git branch -a --contains entire/checkpoints/v1 names it")
	}
	done.Copies, err = q.work.copiesOf(w, branches, copies)
	return done, err
}

// rewrite rewrites the histories of the branches without the transcripts of some checkpoints, and
// lists these as dropped.
func (q Retain) rewrite(ctx context.Context, w *workspace.Workspace, branches []gitexec.Ref, others []gitexec.OID, drop map[string]bool) (
	map[string]gitexec.OID, error) {
	// The second plan, under the lock, uses what the first has written, unless a checkpoint has
	// come meanwhile that changes what is dropped: then trees that were done are done otherwise.
	if q.work.rewriting == nil || !maps.Equal(drop, q.work.drop) {
		q.work.rewriting, q.work.drop = newRewriting(ctx, w.Repo, w.DB), drop
		q.work.onBranch = true
		q.work.branch = dropping{w.DB, drop, map[gitexec.Entry]map[string]gitexec.OID{}}.from
	}
	tips, err := q.work.rewriting.rewrite(branches, others)
	if err != nil {
		return nil, err
	}
	entries := map[string]checkpoints.PurgedEntry{}
	for id := range drop {
		entries[id] = checkpoints.PurgedEntry{What: checkpoints.PurgedTranscript}
	}
	return tips, addPurged(ctx, w, tips, "retain", entries, fmt.Sprintf("Drop the transcripts of %s\n", amount.Of(len(entries), "checkpoint")))
}

// choose says which transcripts are dropped, and counts. A file that a transcript which stays has,
// too, frees nothing.
func (q Retain) choose(all []kept, now time.Time, done *Retained) map[string]bool {
	slices.SortStableFunc(all, func(a, b kept) int { return b.when.Compare(a.when) })
	drop, stays := map[string]bool{}, map[gitexec.OID]bool{}
	size := int64(0)
	full := false
	for _, k := range all {
		_, more := k.beside(stays)
		// The first one that does not fit ends it, even if older ones would fit: those that stay
		// are the latest, without gaps.
		full = full || q.Size > 0 && size+more > q.Size
		if full || q.For > 0 && now.Sub(k.when) > q.For {
			drop[k.id] = true
			continue
		}
		size += more
		done.Kept++
		k.mark(stays)
	}
	for _, k := range all {
		if drop[k.id] {
			done.Dropped = append(done.Dropped, k.id)
			files, bytes := k.beside(stays)
			done.Files, done.Frees = done.Files+files, done.Frees+bytes
			k.mark(stays) // each file is freed once
		}
	}
	return drop
}

// beside counts the files that are not among others, and their bytes.
func (k kept) beside(others map[gitexec.OID]bool) (files int, bytes int64) {
	for id, n := range k.files {
		if !others[id] {
			files, bytes = files+1, bytes+n
		}
	}
	return files, bytes
}

// mark adds the files to a set.
func (k kept) mark(set map[gitexec.OID]bool) {
	for id := range k.files {
		set[id] = true
	}
}

// transcripts lists the checkpoints that have any.
func transcripts(db *gitexec.ODB, branch checkpoints.Branch) (all []kept, err error) {
	err = checkpoints.EachCommitted(db, branch, func(info checkpoints.CommittedInfo) error {
		k := kept{id: info.ID, files: map[gitexec.OID]int64{}}
		// A checkpoint is as old as its latest part: the whole conversation until then is in it.
		for _, s := range info.Sessions {
			if s.CreatedAt.After(k.when) {
				k.when = s.CreatedAt
			}
		}
		if k.when.IsZero() {
			return nil // damaged: nobody knows how old it is
		}
		dir, err := db.Lookup(branch.Tree, gitexec.Path(checkpoints.Dir(info.ID)))
		if err != nil || !dir[0].IsTree() {
			return err
		}
		paths, entries, err := checkpoints.TranscriptFiles(db, dir[0], checkpoints.Dir(info.ID))
		if err != nil || len(paths) == 0 {
			return err
		}
		ids := make([]gitexec.OID, len(entries))
		for i, e := range entries {
			ids[i] = e.ID
		}
		infos, err := db.Info(ids...)
		for i := range infos {
			k.files[ids[i]] = infos[i].Size
		}
		all = append(all, k)
		return err
	})
	return all, err
}

// dropping takes the transcripts of some checkpoints out of trees of the branch. Most of a tree is
// the same in the next commit, and is done once.
type dropping struct {
	db   *gitexec.ODB
	drop map[string]bool
	done map[gitexec.Entry]map[string]gitexec.OID // by the directory, and its name
}

// from is a root without them.
func (d dropping) from(root gitexec.OID) (gitexec.OID, error) {
	return d.each(root, checkpoints.ValidShard, d.shard)
}

func (d dropping) shard(shard string, id gitexec.OID) (gitexec.OID, error) {
	return d.each(id, func(name string) bool { return d.drop[shard+name] }, func(name string, id gitexec.OID) (gitexec.OID, error) {
		return checkpoints.WithoutTranscripts(d.db, id, shard+name)
	})
}

// each changes some directories of a directory.
func (d dropping) each(dir gitexec.OID, choose func(string) bool, change func(name string, id gitexec.OID) (gitexec.OID, error)) (gitexec.OID, error) {
	files, err := conversation.Dir(d.db, gitexec.Entry{Mode: gitexec.ModeTree, ID: dir}, string(dir))
	if err != nil {
		return "", err
	}
	edits := gitexec.Edits{}
	for name, e := range files {
		if !e.IsTree() || !choose(name) {
			continue
		}
		// The name counts, too: it says which checkpoint it is, and so whether anything is dropped
		// from a directory that two checkpoints have alike.
		now, known := d.done[e][name]
		if !known {
			if now, err = change(name, e.ID); err != nil {
				return "", err
			}
			if d.done[e] == nil {
				d.done[e] = map[string]gitexec.OID{}
			}
			d.done[e][name] = now
		}
		if now != e.ID {
			edits[gitexec.Path(name)] = gitexec.Entry{Mode: gitexec.ModeTree, ID: now}
		}
	}
	return d.db.EditTree(dir, edits)
}
