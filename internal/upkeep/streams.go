package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Whereabouts says where the work of a stream is.
type Whereabouts string

// The whereabouts, in the order of the search.
const (
	InWorktree Whereabouts = "worktree"
	InStash    Whereabouts = "stash"
	Committed  Whereabouts = "committed"
	Dismissed  Whereabouts = "dismissed"
	Elsewhere  Whereabouts = "another worktree's"
	Removed    Whereabouts = "a removed worktree's"
	Deleted    Whereabouts = "deleted"
	NotKnown   Whereabouts = "unreadable"
)

// StreamInfo is one stream, as `streams` lists it.
type StreamInfo struct {
	Branch      string         `json:"branch"`
	Suffix      int            `json:"suffix"`
	Base        gitexec.OID    `json:"base"`
	Worktree    string         `json:"worktree,omitempty"` // hash of a linked worktree
	Sessions    []string       `json:"sessions"`
	Checkpoints int            `json:"checkpoints"` // the agents'
	Files       []gitexec.Path `json:"files"`       // that the agents touched
	Updated     time.Time      `json:"updated,omitzero"`
	Work        Whereabouts    `json:"work"`
	Steps       []StreamStep   `json:"steps"` // oldest first
	Orphans     []string       `json:"sessions_without_state,omitempty"`
	Kept        string         `json:"kept,omitempty"` // the ref that keeps a deleted one
	Deleted     *time.Time     `json:"deleted,omitempty"`
	Error       string         `json:"error,omitempty"`
}

// StreamStep is one checkpoint on a stream.
type StreamStep struct {
	Commit  gitexec.OID `json:"commit"`
	Part    shadow.Part `json:"part"`
	Session string      `json:"session_id"`
	Subject string      `json:"subject"`
	When    time.Time   `json:"when"`
	Turn    string      `json:"-"`
	// Work is where this checkpoint's work is: where the first of its files is that is anywhere. Of
	// a deleted stream's it says whether a commit has it. Empty: as the stream's.
	Work  Whereabouts                  `json:"-"`
	Files map[gitexec.Path]Whereabouts `json:"-"` // of an existing stream's
}

// Streams lists the streams of the repository, or of one base; if all is set, also those that were
// deleted and are kept for a time. It writes nothing into the repository.
func Streams(ctx context.Context, e workspace.Env, base string, all bool) ([]StreamInfo, error) {
	run, off, done, err := turns.OpenReadOnly(ctx, e)
	if err != nil {
		return nil, err
	}
	defer done()
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if run, err = turns.AtRevision(ctx, run.On(snap.Head), base); err != nil {
		return nil, err
	}
	listed := func(s shadow.Stream) bool { return base == "" || s.Base == run.Head.ID.Short() }
	infos, err := existing(ctx, run, snap, listed)
	if err == nil && all {
		var deleted []StreamInfo
		deleted, err = deletedLately(ctx, run, snap, listed)
		infos = append(infos, deleted...)
	}
	if err != nil {
		return nil, err
	}
	if len(infos) == 0 {
		return infos, off
	}
	return infos, nil
}

// Works says where the work of each checkpoint on a stream is. What cannot be read is left out.
func Works(ctx context.Context, e workspace.Env) map[gitexec.OID]query.OnAStream {
	works := map[gitexec.OID]query.OnAStream{}
	streams, _ := Streams(ctx, e, "", true)
	for _, s := range streams {
		for _, step := range s.Steps {
			work := cmp.Or(step.Work, s.Work)
			one := query.OnAStream{Session: step.Session, Turn: step.Turn, Subject: step.Subject, Part: step.Part, When: step.When,
				Work: string(work), Files: map[gitexec.Path]bool{}}
			if step.Part == shadow.Agent {
				one.Dismissed = s.lost(work)
			}
			for path, where := range step.Files {
				one.Files[path] = where != Dismissed
			}
			works[step.Commit] = one
		}
	}
	return works
}

// lost says why work on the stream is dismissed; empty: it is not.
func (info StreamInfo) lost(work Whereabouts) string {
	switch {
	case work == Dismissed:
		return "neither the worktree nor a stash nor HEAD has its work, which is on " + info.Branch
	case work == Deleted && info.Deleted != nil:
		return fmt.Sprintf("no commit has its work; its stream is kept until %s", info.Deleted.Add(shadow.KeptDeleted).UTC().Format("2006-01-02"))
	}
	return ""
}

// existing describes the streams that are listed, by name, and those that cannot be read.
func existing(ctx context.Context, run *workspace.Run, snap shadow.Snapshot, listed func(shadow.Stream) bool) ([]StreamInfo, error) {
	stashes, err := shadow.Stashes(ctx, run.Repo, run.DB)
	if err != nil {
		return nil, err
	}
	listing, err := shadow.List(ctx, run.Repo)
	if err == nil {
		listing, err = listing.WithLegacy(run.DB)
	}
	if err != nil {
		return nil, err
	}
	streams, err := listing.All(run.DB)
	if err != nil {
		return nil, err
	}
	broken, err := listing.Broken(run.DB)
	if err != nil {
		return nil, err
	}
	infos := []StreamInfo{}
	for _, s := range streams {
		if listed(s) {
			infos = append(infos, streamInfo(run, s, snap.Tree, snap.Head.Tree, stashes))
		}
	}
	for _, s := range broken {
		if listed(s) {
			info := emptyInfo(run.DB, s)
			info.Updated, info.Error = time.Time{}, missingTip(s)
			infos = append(infos, info)
		}
	}
	slices.SortStableFunc(infos, func(a, b StreamInfo) int { return strings.Compare(a.Branch, b.Branch) })
	return infos, nil
}

// deletedLately describes those that were deleted and are kept for a time.
func deletedLately(ctx context.Context, run *workspace.Run, snap shadow.Snapshot, listed func(shadow.Stream) bool) (infos []StreamInfo, err error) {
	deleted, err := shadow.Deleted(ctx, run.Repo, run.DB)
	for _, d := range deleted {
		if listed(d.Stream) && run.Now().Sub(d.When) <= shadow.KeptDeleted {
			info := streamInfo(run, d.Stream, snap.Tree, snap.Head.Tree, nil)
			info.Work, info.Kept, info.Deleted = info.committed(run.DB, d.Stream, snap.Head.Tree), d.Ref, &d.When
			infos = append(infos, info)
		}
	}
	return infos, err
}

// committed notes of each checkpoint on a deleted stream whether HEAD has its work, in each of its
// files. The stream is Committed where that is so of all, otherwise Deleted.
func (info *StreamInfo) committed(db *gitexec.ODB, s shadow.Stream, head gitexec.OID) Whereabouts {
	changes, err := s.AgentChanges(db)
	if err != nil {
		return Deleted
	}
	by := map[gitexec.OID][]suffix.Change{}
	for _, c := range changes {
		by[c.At] = append(by[c.At], condense.Value(c))
	}
	base, texts, all := baseTree(db, info.Base, head), &shadow.Texts{DB: db}, len(by) > 0
	for i := range info.Steps {
		step := &info.Steps[i]
		files := suffix.ByFile(by[step.Commit])
		if len(files) == 0 {
			continue
		}
		found, err := versionsIn(db, base, head, files, texts)
		var began []gitexec.Entry
		if err == nil {
			began, err = beforeCommits(db, base, files, found, texts)
		}
		here := err == nil
		for i := 0; here && i < len(files); i++ {
			here, err = turns.AnyInEffect(files[i:i+1], found[i:i+1], began[i:i+1], texts)
		}
		if step.Work = Committed; !here || err != nil {
			step.Work, all = Deleted, false
		}
	}
	if !all {
		return Deleted
	}
	return Committed
}

// missingTip says what is wrong with one of the broken streams.
func missingTip(s shadow.Stream) string {
	return fmt.Sprintf("its commit, %s, is missing or cannot be read", s.Tip.ID.Short())
}

// emptyInfo is what a stream's name says.
func emptyInfo(db *gitexec.ODB, s shadow.Stream) StreamInfo {
	return StreamInfo{Branch: s.String(), Suffix: s.Suffix, Base: s.BaseCommit(db), Worktree: s.Worktree, Updated: s.Tip.When,
		Sessions: []string{}, Files: []gitexec.Path{}, Steps: []StreamStep{}, Work: NotKnown}
}

// streamInfo describes a stream. What cannot be read becomes its Error.
func streamInfo(run *workspace.Run, s shadow.Stream, worktree, head gitexec.OID, stashes []shadow.Stash) StreamInfo {
	info := emptyInfo(run.DB, s)
	history, err := s.History(run.DB)
	if err != nil {
		info.Error = err.Error()
		return info
	}
	info.addSteps(history)
	for _, id := range info.Sessions {
		if _, err := run.Store.Load(id); errors.Is(err, session.ErrNotFound) {
			info.Orphans = append(info.Orphans, id)
		}
	}
	value := turns.StreamValues(run.Repo, run.DB, []shadow.Stream{s}, nil)[0]
	if value.Err != nil {
		info.Error = value.Err.Error()
		return info
	}
	files := suffix.ByFile(value.Changes)
	for _, changes := range files {
		info.Files = append(info.Files, changes[0].Path)
	}
	slices.Sort(info.Files)
	if s.In(run.Repo.WorktreeID()) {
		var found located
		found, err = locate(run.DB, files, baseTree(run.DB, info.Base, head), worktree, head, stashes)
		info.place(files, found)
	} else if info.Work = Elsewhere; !shadow.ReadWorktrees(run.Repo).HasHash(s.Worktree) {
		info.Work = Removed
	}
	if err != nil {
		info.Work, info.Error = NotKnown, err.Error()
	}
	return info
}

// addSteps adds the checkpoints on a stream.
func (info *StreamInfo) addSteps(history []shadow.Checkpoint) {
	for _, k := range history {
		info.Steps = append(info.Steps, StreamStep{Commit: k.ID, Part: k.Part, Session: k.Session, Subject: k.Subject, When: k.When, Turn: k.Turn})
		if k.Part == shadow.Agent {
			info.Checkpoints++
		}
		info.Sessions = sets.With(info.Sessions, k.Session)
	}
}

// baseTree is the tree of a stream's base; where that cannot be read, HEAD's.
func baseTree(db *gitexec.ODB, base, head gitexec.OID) gitexec.OID {
	if found, err := db.Readable(base); err == nil && len(found) > 0 {
		return found[0].Tree
	}
	return head
}

// place notes where the work of each file is, and with it that of each checkpoint and the stream's.
// A checkpoint that left a file as it is now, as one that deletes an earlier one's, is where the
// stream is.
func (info *StreamInfo) place(files [][]suffix.Change, found located) {
	by := map[gitexec.OID][]Whereabouts{}
	info.Work = firstOf(found.places)
	for i, changes := range files {
		where := found.places[i]
		for n, c := range changes {
			by[c.At] = append(by[c.At], where)
			if where == Dismissed && n == len(changes)-1 && c.After == found.here[i] {
				by[c.At] = append(by[c.At], info.Work)
			}
		}
	}
	for i := range info.Steps {
		step := &info.Steps[i]
		if step.Work, step.Files = "", map[gitexec.Path]Whereabouts{}; len(by[step.Commit]) > 0 {
			step.Work = firstOf(by[step.Commit])
		}
		for i, changes := range files {
			if slices.ContainsFunc(changes, func(c suffix.Change) bool { return c.At == step.Commit }) {
				step.Files[changes[0].Path] = found.places[i]
			}
		}
	}
}

// firstOf is the first of some whereabouts, in the order of the search.
func firstOf(places []Whereabouts) Whereabouts {
	for _, where := range []Whereabouts{InWorktree, InStash, Committed} {
		if slices.Contains(places, where) {
			return where
		}
	}
	return Dismissed
}

// located is where the work of a stream's files is.
type located struct {
	places []Whereabouts   // of each file
	here   []gitexec.Entry // each file's version in the worktree
}

// locate looks for the work of each file of a stream in the worktree, in the stash, and in HEAD.
func locate(db *gitexec.ODB, files [][]suffix.Change, base, worktree, head gitexec.OID, stashes []shadow.Stash) (found located, err error) {
	texts := &shadow.Texts{DB: db}
	places := slices.Repeat([]Whereabouts{Dismissed}, len(files))
	found = located{places, make([]gitexec.Entry, len(files))}
	committed, err := versionsIn(db, base, head, files, texts)
	if err != nil {
		return found, err
	}
	look := func(as Whereabouts, there, under []gitexec.Entry) error {
		for i := range files {
			if places[i] != Dismissed {
				continue
			}
			is, err := turns.AnyInEffect(files[i:i+1], there[i:i+1], under[i:i+1], texts)
			if err != nil {
				return err
			}
			if is {
				places[i] = as
			}
		}
		return nil
	}
	if found.here, err = versionsIn(db, base, worktree, files, texts); err != nil {
		return found, err
	}
	if err = look(InWorktree, found.here, committed); err != nil {
		return found, err
	}
	for _, stash := range stashes {
		if !slices.Contains(places, Dismissed) {
			return found, nil
		}
		there, err := turns.WithStash(db, stash, files, committed, texts)
		if err == nil {
			err = look(InStash, there, committed)
		}
		if err != nil {
			return found, err
		}
	}
	began, err := beforeCommits(db, base, files, committed, texts)
	if err != nil {
		return found, err
	}
	return found, look(Committed, committed, began)
}

// beforeCommits are the versions of files to which HEAD's are compared: those before the work. Of a
// file that HEAD has as the base has it, it is HEAD's own, which is no evidence. The work may have
// removed what the user had added and no commit has.
func beforeCommits(db *gitexec.ODB, base gitexec.OID, files [][]suffix.Change, committed []gitexec.Entry, texts suffix.Texts) ([]gitexec.Entry, error) {
	began := turns.Began(files)
	based, err := versionsIn(db, base, base, files, texts)
	if err != nil {
		return nil, err
	}
	for i := range began {
		if committed[i] == based[i] {
			began[i] = committed[i]
		}
	}
	return began, nil
}

// versionsIn are the versions of files of work in a tree, which came from another one.
func versionsIn(db *gitexec.ODB, from, tree gitexec.OID, files [][]suffix.Change, texts suffix.Texts) ([]gitexec.Entry, error) {
	found, err := works.InTree(db, from, tree, files, texts)
	versions := make([]gitexec.Entry, len(found))
	for i, f := range found {
		versions[i] = f.New
	}
	return versions, err
}
