// Package remainder carries the sessions' work that a commit does not hold to streams on that
// commit.
package remainder

import (
	"context"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/works"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Carried is the remainder of the sessions' work after a commit, on streams of that commit.
type Carried struct {
	Commits []gitexec.NewCommit // the streams' commits, one chain after the other
	Chains  []Chain
	Drop    []shadow.Stream // the streams that the work was on, of which nothing is lost
	Keep    []shadow.Stream // those to be kept for a time: some of their work was dismissed
}

// Chain is one new stream: the last of its commits is its tip.
type Chain struct {
	Name   shadow.Name
	Length int // commits
}

// Request is a commit whose remainder is to be carried forward.
type Request struct {
	Head    gitexec.Commit                     // required
	Listing shadow.Listing                     // the streams that exist; required
	Author  gitexec.Ident                      // of the new streams' commits; required
	States  []*session.State                   // the sessions that move to the commit; empty: none
	Works   []condense.Work                    // their work on streams; empty: there is no remainder
	KeptOn  func(*session.State) []gitexec.OID // the bases of a session's other work, which stays there; required
	Meta    map[string]shadow.Metadata         // the conversations of the condensed sessions, by session; empty: none
	Staged  []gitexec.Change                   // the index against the commit; counts like a stash entry; empty: none
}

// CarryForward carries the remainder of works after a commit to streams on it (seed 002,
// Content-Aware Carry-Forward), and updates the sessions' states. A file that the commit holds as
// the agent wrote it has no remainder. One with another version in the worktree, with some of the
// agent's work in it, is carried with the worktree's content. One whose work only a stash entry
// holds, or whose version cannot be read, is kept with the stream's content, on a stream of its
// own. Any other was dismissed, which the session's state records.
func CarryForward(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, r Request) (Carried, error) {
	out := Carried{Drop: streamsOf(r.Works)}
	remainders, committed, dismissed, err := r.remainders(ctx, repo, db)
	if err != nil {
		return out, err
	}
	// A stream with dismissed work is kept for a time: the work may come back.
	out.Drop = slices.DeleteFunc(out.Drop, func(s shadow.Stream) bool {
		lost := slices.Contains(dismissed, s.Ref())
		if lost {
			out.Keep = append(out.Keep, s)
		}
		return lost
	})
	// All sessions move, also those of which nothing is carried. planSteps then puts those with
	// work on their stream again: MoveTo resets what OnStream notes.
	for _, s := range r.States {
		s.MoveTo(r.Head.ID, r.KeptOn(s)...)
	}
	suffix := 1
	for _, group := range condense.Groups(remainders) {
		for r.Listing.Has(shadow.NewName(r.Head.ID, repo.WorktreeID(), suffix)) {
			suffix++
		}
		name := shadow.NewName(r.Head.ID, repo.WorktreeID(), suffix)
		steps, err := planSteps(db, r.Head, condense.Steps(group, committed), r.Meta, suffix)
		if err != nil {
			return out, err
		}
		commits, err := shadow.Commits(db, r.Head.Tree, r.Head.ID, shadow.Checkpoint{}, r.Author, steps)
		if err != nil {
			return out, err
		}
		// A plan may come to nothing, where the commit has all that it would add: then its number
		// is free.
		if len(commits) > 0 {
			out.Commits = append(out.Commits, commits...)
			out.Chains = append(out.Chains, Chain{Name: name, Length: len(commits)})
			suffix++
		}
	}
	return out, nil
}

func streamsOf(works []condense.Work) (streams []shadow.Stream) {
	for _, on := range sets.Groups(works, func(w condense.Work) string { return w.Stream.Ref() }) {
		streams = append(streams, *on[0].Stream)
	}
	return streams
}

// remainders compares each file of the works with the commit, and with the worktree where they
// differ. It also returns the files' committed versions, and the streams with dismissed work.
func (r Request) remainders(
	ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB,
) (found []condense.Remainder, committed map[gitexec.Path]gitexec.Entry, lost []string, err error) {
	paths := pathsOf(r.Works)
	entries, err := db.Files(r.Head.Tree, paths...)
	if err != nil {
		return nil, nil, nil, err
	}
	committed = map[gitexec.Path]gitexec.Entry{}
	for i, p := range paths {
		committed[p] = entries[i]
	}
	stashes, err := shadow.Stashes(ctx, repo, db)
	if err != nil {
		return nil, nil, nil, err
	}
	texts := &shadow.Texts{DB: db}
	if r.Works, err = r.underStashedNames(texts, stashes); err != nil {
		return nil, nil, nil, err
	}
	index := map[gitexec.Path]gitexec.Entry{}
	for _, c := range r.Staged {
		index[c.Path] = c.New
	}
	// Most commits hold all of the work as it is: then the worktree is not read.
	candidates := condense.RemainderCandidates(r.Works, committed, index, len(stashes) > 0)
	if len(candidates) == 0 {
		return nil, committed, nil, nil
	}
	var ask []gitexec.Path
	for _, c := range candidates {
		ask = append(ask, c.Path())
	}
	// As git would store the files: with filters, so that their IDs can be compared with the
	// stream's.
	worktree, refused, err := db.HashInto(committed, "", condense.Union(nil, ask))
	if err != nil {
		return nil, nil, nil, err
	}
	if worktree == nil {
		worktree = map[gitexec.Path]gitexec.Entry{}
	}
	stashed := func(path gitexec.Path) bool {
		return slices.ContainsFunc(stashes, func(s shadow.Stash) bool {
			found, err := s.Lookup(db, path)
			return err == nil && found[0].New.Exists() // an unreadable entry is met again below
		})
	}
	candidates, err = r.followRenames(ctx, repo, texts, versions{committed, worktree, index, refused, stashed, len(stashes) > 0}, candidates)
	if err != nil {
		return nil, nil, nil, err
	}
	others, err := stashedVersions(db, stashes, candidates, texts)
	if err != nil {
		return nil, nil, nil, err
	}
	starts, err := r.turnStarts(repo, db, candidates)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, c := range candidates {
		v := condense.Versions{Committed: committed[c.Path()], Worktree: worktree[c.Path()]}
		for _, began := range starts {
			// A turn that hasn't touched the file leaves the worktree's version as it is.
			if !began[i].Began.Exists() || began[i].Began == v.Worktree {
				continue
			}
			began[i].Ended, began[i].HeadAtEnd = v.Worktree, v.Committed
			start, err := works.Rebased(db, began[i])
			if err != nil {
				return nil, nil, nil, err
			}
			if start.Exists() {
				v.Starts = append(v.Starts, start)
			}
		}
		_, v.Unreadable = refused[c.Path()]
		// A file that is staged, and not in this commit, as after `git commit -- OTHER`.
		if version, ok := index[c.Path()]; ok {
			v.Others = append(v.Others, version)
		}
		v.Others = append(v.Others, others[i]...)
		parts, dismissed, err := c.Parts(v, texts)
		if err != nil {
			return nil, nil, nil, err
		}
		found = append(found, parts...)
		if dismissed.Exists() {
			c.Work.Session.Dismiss(session.Dismissed{Path: c.Path(), Entry: dismissed, When: r.Author.When,
				Tip: c.Work.Stream.Tip.ID})
			lost = append(lost, c.Work.Stream.Ref())
		}
	}
	return found, committed, lost, nil
}

// turnStarts are the files' versions that turns in progress in this worktree began from, and those
// of HEAD then, the turn that began first ahead.
func (r Request) turnStarts(repo *gitexec.Repo, db *gitexec.ODB, candidates []condense.Remainder) (all [][]condense.TurnFile, err error) {
	open := slices.DeleteFunc(slices.Clone(r.States), func(s *session.State) bool {
		return s.Phase != session.Active || !s.In(repo.WorktreeID()) || s.LastInteractionTime == nil || s.TurnStartTree == ""
	})
	slices.SortStableFunc(open, func(a, b *session.State) int { return a.LastInteractionTime.Compare(*b.LastInteractionTime) })
	paths := make([]gitexec.Path, len(candidates))
	for i, c := range candidates {
		paths[i] = c.Path()
	}
	for _, s := range open {
		began, err := filesAtStart(db, s, paths)
		if gitexec.IsMissing(err) { // git may have pruned it
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, began)
	}
	return all, nil
}

// filesAtStart are files as a turn began, in the worktree and in HEAD.
func filesAtStart(db *gitexec.ODB, s *session.State, paths []gitexec.Path) ([]condense.TurnFile, error) {
	began, err := db.Lookup(s.TurnStartTree, paths...)
	if err != nil {
		return nil, err
	}
	heads := make([]gitexec.Entry, len(paths))
	if commit := s.TurnStartCommit; commit != "" && !commit.IsZero() {
		c, err := db.Commit(commit)
		if err != nil {
			return nil, err
		}
		if heads, err = db.Lookup(c.Tree, paths...); err != nil {
			return nil, err
		}
	}
	files := make([]condense.TurnFile, len(paths))
	for i, path := range paths {
		files[i] = condense.TurnFile{Path: path, Began: began[i], HeadAtStart: heads[i]}
	}
	return files, nil
}

// pathsOf lists the files of works, also by the names that they had where the work was done.
func pathsOf(works []condense.Work) (paths []gitexec.Path) {
	for _, w := range works {
		for _, c := range w.Changes {
			if paths = append(paths, c.Path); c.Was != "" {
				paths = append(paths, c.Was)
			}
		}
	}
	return condense.Union(nil, paths)
}

// stashedVersions are the versions of each file that stash entries have, and the commits below them
// have not.
func stashedVersions(db *gitexec.ODB, stashes []shadow.Stash, candidates []condense.Remainder, texts *shadow.Texts) ([][]gitexec.Entry, error) {
	all, files := make([][]gitexec.Entry, len(candidates)), make([][]suffix.Change, len(candidates))
	for i, c := range candidates {
		files[i] = c.Changes
	}
	for _, s := range stashes {
		found, err := works.InStash(db, s, files, texts)
		if err != nil {
			return nil, err
		}
		for i, f := range found {
			if f.Old != f.New {
				all[i] = append(all[i], f.New)
			}
		}
	}
	return all, nil
}

// versions are the versions of the works' files.
type versions struct {
	committed, worktree, index map[gitexec.Path]gitexec.Entry
	refused                    map[gitexec.Path]string // files of the worktree that git cannot read
	stashed                    func(gitexec.Path) bool // a stash entry has the file
	stash                      bool                    // there are stash entries
}

// planSteps makes the checkpoints of a plan, and records them in the sessions' states.
func planSteps(
	db *gitexec.ODB, head gitexec.Commit, plan []condense.Step, meta map[string]shadow.Metadata, suffix int,
) (steps []shadow.Step, err error) {
	tree := head.Tree
	var of *session.State
	var files gitexec.Tree
	for _, k := range plan {
		// An edit that changes nothing, as where the commit has the same version, makes no
		// checkpoint.
		before := tree
		if tree, err = db.EditTree(tree, k.Edits); err != nil {
			return nil, err
		}
		if tree == before {
			continue
		}
		s := k.Work.Session
		step := shadow.Step{Session: s.SessionID, Turn: s.TurnID, Part: k.Part, Tree: tree}
		if k.At == "" {
			step.Subject = subject(db, k)
		} else if err := keepTurn(db, &step, k.At); err != nil {
			return nil, err
		}
		if k.Part == shadow.Agent {
			// Several turns of a session may follow each other: its metadata is read once for them.
			if s != of {
				if files, err = metadataFiles(db, k.Work, meta); err != nil {
					return nil, err
				}
				of = s
			}
			step.Overlay = files
			for _, from := range k.From {
				step.From = append(step.From, from.Tip.ID)
			}
			if step.Work, err = workTips(db, head, k.WorkOn); err != nil {
				return nil, err
			}
			s.OnStream(suffix, head.ID, k.Files)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// keepTurn has a step repeat a checkpoint: it is that turn's, and of that time.
func keepTurn(db *gitexec.ODB, step *shadow.Step, id gitexec.OID) error {
	at, ours, err := shadow.ReadCheckpoint(db, id)
	if err != nil || !ours {
		return err
	}
	step.Turn, step.Subject, step.Began, step.When = at.Turn, at.Prompt, at.Began, at.When
	if step.Part == shadow.Agent {
		step.Sources, step.Estimated = at.Sources, at.Estimated
	}
	return nil
}

// subject is the prompt of the last turn that changed a carried file, as its checkpoint has it: of
// the one in progress, the session's last.
func subject(db *gitexec.ODB, k condense.Step) string {
	s := k.Work.Session
	last := shadow.Describe(s.LastPrompt)
	if k.Part != shadow.Agent || k.Work.Stream == nil || s.TurnOpen {
		return last
	}
	changes, err := k.Work.Stream.AgentChanges(db)
	if err != nil {
		return last
	}
	for _, c := range slices.Backward(changes) {
		if c.Session != s.SessionID || !slices.Contains(k.Files, c.Path) {
			continue
		}
		if at, ours, err := shadow.ReadCheckpoint(db, c.At); err == nil && ours {
			return at.Prompt
		}
	}
	return last
}

// workTips returns the tips of the streams on which the work of streams was done. Where a stream's
// base is not the commit's parent, as after a reset, the stream itself is one of them: what its
// base had of the work was not carried there.
func workTips(db *gitexec.ODB, head gitexec.Commit, streams []*shadow.Stream) ([]gitexec.OID, error) {
	var tips []gitexec.OID
	for _, s := range streams {
		found, err := s.Work(db)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(head.Parents, func(id gitexec.OID) bool { return id.Short() == s.Base }) {
			found = append(found, s.Tip.ID)
		}
		tips = sets.With(tips, found...)
	}
	return tips, nil
}

// metadataFiles is a session's metadata for the new stream: the condensed one, or that of the old
// stream.
func metadataFiles(db *gitexec.ODB, w condense.Work, meta map[string]shadow.Metadata) (gitexec.Tree, error) {
	if m, ok := meta[w.Session.SessionID]; ok {
		return m.Files(), nil
	}
	found, err := db.Lookup(w.Stream.Tip.Tree, gitexec.Path(shadow.MetadataDir+"/"+w.Session.SessionID))
	if err != nil || !found[0].IsTree() {
		return nil, err
	}
	trees, err := db.Trees(found[0].ID)
	if err != nil {
		return nil, err
	}
	return trees[0], nil
}
