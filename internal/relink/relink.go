// Package relink finds the commits that hold the work of linked commits which a server or a program
// without hooks squashed, rebased or picked, and prepares the links beside them.
package relink

import (
	"context"
	"errors"
	"slices"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/index"
	"entire-plumb/internal/lineage"
	"entire-plumb/shadow"
)

// Search is a search in the history of a commit.
type Search struct {
	Repo   *gitexec.Repo
	DB     *gitexec.ODB
	Branch checkpoints.Branch
	Dir    string // with what is kept from one search to the next
	Head   gitexec.OID
	// Decided tells of which commits our hooks have decided whether they are linked.
	Decided func() (func(gitexec.OID) bool, error)
	Most    int // commits that a hook compares; 0: no hook calls, and all is done
	// Progress is called with how many of the commits were compared, Reading with how many
	// checkpoints were read.
	Progress func(done, all int)
	Reading  func(done int)
	// Over is called with the checkpoints that are not compared, since they are over a limit.
	Over func(checkpoints []string)

	state   state
	fetched gitexec.OID
	index   *checkpoints.Index
	commits []gitexec.Commit // to compare, oldest first
	count   int              // of them
	late    []gitexec.Commit // compared before, when other checkpoints were known

	line    map[gitexec.OID]bool // those of the commits that are on HEAD's first-parent line
	reached gitexec.OID          // the last one of these that was compared
}

// atOnce is how many commits are compared together, whose lines are in memory at once: a checkpoint
// goes to the one that it matches best among these. After each portion it is noted how far the
// search is, so that one that is interrupted goes on there. With 2,000, as it was, 100,000 commits
// took more rounds over all checkpoints.
const atOnce = 5000

// Needed reports whether there is anything to compare. No process.
func (s *Search) Needed() bool {
	s.state, s.fetched = readState(s.Dir), checkpoints.FetchedTree(s.DB)
	return !slices.Contains(s.state.Tips, s.Head) || s.fetched != s.state.Fetched
}

// Begin finds out which commits are to be compared. Needed must have been called. Mostly it starts
// no process; one where HEAD has moved far. Its error is ErrTooMuch where a hook may not do all of
// it: then nothing is noted, and a command begins again.
func (s *Search) Begin(ctx context.Context) error {
	// Checkpoints were fetched since: commits that found none may hold their work.
	later := s.fetched != s.state.Fetched
	// There was no checkpoint at all when the history was compared, so that no commit was kept as
	// open.
	if later && s.state.None {
		s.state = state{}
	}
	if len(s.state.Tips) == 0 || later {
		if err := s.readIndex(ctx); err != nil {
			return err
		}
	}
	var err error
	if s.commits, err = s.unlinked(ctx); err != nil {
		return err
	}
	if later {
		if s.late, err = s.open(); err != nil {
			return err
		}
	}
	// A hook doesn't compare a part: the next command does all of it.
	if s.Most > 0 && len(s.commits) > s.Most {
		return ErrTooMuch
	}
	s.count = len(s.commits)
	return nil
}

// readIndex reads the checkpoints' fingerprints, once.
func (s *Search) readIndex(ctx context.Context) error {
	if s.index != nil {
		return nil
	}
	read, err := checkpoints.ReadIndex(ctx, s.DB, s.Branch,
		checkpoints.IndexReading{Dir: index.Fingerprints(s.Dir), Some: s.Most > 0, Progress: s.Reading, Over: s.Over})
	if errors.Is(err, checkpoints.ErrUnfinished) {
		return ErrTooMuch
	}
	if err == nil {
		s.index = &read
	}
	return err
}

// Next compares the next commits, oldest first, and returns the links beside those that hold work;
// nil: none does. done records that they were compared; it is called when the links are stored.
// more: there are others. It may be called where there is nothing to compare: then done notes that
// HEAD was reached.
func (s *Search) Next(ctx context.Context) (links []checkpoints.SideLink, done func() error, more bool, err error) {
	some := s.commits[:min(atOnce, len(s.commits))]
	s.commits = s.commits[len(some):]
	for _, c := range some {
		// Only a commit on HEAD's line can be a tip, up to which all is compared: those that merges
		// bring are beside it.
		if s.line[c.ID] {
			s.reached = c.ID
		}
	}
	// At the end it is HEAD, also where its last commits had links and were not compared.
	if more = len(s.commits) > 0; !more {
		s.reached = s.Head
	}
	tip := s.reached
	all := append(slices.Clone(s.late), some...)
	// They are compared with the first portion only.
	s.late = nil
	if len(all) > 0 {
		if err := s.readIndex(ctx); err != nil {
			return nil, nil, false, err
		}
		if links, err = s.compare(ctx, all); err != nil {
			return nil, nil, false, err
		}
	}
	s.Progress(s.count-len(s.commits), s.count)
	return links, func() error {
		var open []gitexec.OID
		for _, c := range some {
			if !slices.ContainsFunc(links, func(l checkpoints.SideLink) bool { return l.Commit == c.ID }) {
				open = append(open, c.ID)
			}
		}
		s.state.compared(tip, open)
		s.state.Fetched = s.fetched
		if s.index != nil {
			s.state.None = s.index.None
		}
		return s.state.write(s.Dir)
	}, more, nil
}

// compare compares commits with the checkpoints.
func (s *Search) compare(ctx context.Context, all []gitexec.Commit) ([]checkpoints.SideLink, error) {
	known := s.fingerprints(all)
	if len(known) == 0 {
		return nil, nil
	}
	commits, err := s.read(ctx, all, known)
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	known = related(known, commits)
	for i := range known {
		known[i].After = s.after(known[i])
	}
	if err := s.addFormed(commits, known); err != nil {
		return nil, err
	}
	in := map[string]bool{} // those asked for; true: a commit in the history links it
	// Which checkpoints the history links already is asked for those alone that are found: git
	// looks through messages for that. With the answer the decision is made again, and may find
	// others. Each round asks for new ones or marks an older commit, so that it ends.
	for {
		found := lineage.Relink(known, commits)
		ask, since := s.ask(found, in)
		var linked map[string]bool
		if len(ask) > 0 {
			if linked, err = s.linked(ctx, ask, since); err != nil {
				return nil, err
			}
		}
		for i := range known {
			if linked[known[i].ID] {
				known[i].Linked, in[known[i].ID] = true, true
			}
		}
		if older := s.markOlder(known, commits, found); len(linked) == 0 && !older {
			return s.links(commits, found), nil
		}
	}
}

// ask lists the checkpoints that are found for the first time, and the time before which no commit
// holds work of theirs. It adds them to those that were asked for.
func (s *Search) ask(found [][]lineage.Found, asked map[string]bool) (ids []string, since int64) {
	for _, f := range slices.Concat(found...) {
		if _, known := asked[f.ID]; known {
			continue
		}
		ids, asked[f.ID] = append(ids, f.ID), false
		if began := s.index.Of(f.ID).Since(); since == 0 || began < since {
			since = began
		}
	}
	return ids, since
}

// fingerprints lists the checkpoints that may be older than one of the commits.
func (s *Search) fingerprints(all []gitexec.Commit) (known []lineage.Checkpoint) {
	var latest int64
	for _, c := range all {
		latest = max(latest, c.When.Unix())
	}
	for _, f := range s.index.Checkpoints {
		if f.Since() <= latest {
			known = append(known, f)
		}
	}
	return known
}

// after adds to the commits that a checkpoint's own follow those that the earlier checkpoints of
// its branch follow: each names them as far as the one before it.
func (s *Search) after(k lineage.Checkpoint) []gitexec.OID {
	after, seen := slices.Clone(k.After), map[string]bool{k.ID: true}
	for queue := k.Before; len(queue) > 0 && len(seen) <= lineage.MostBefore; queue = queue[1:] {
		f := s.index.Of(queue[0])
		if f == nil || seen[f.ID] {
			continue
		}
		seen[f.ID] = true
		after = append(after, f.After...)
		queue = append(slices.Clone(queue), f.Before...)
	}
	return after
}

// read reads what the commits change, of those that change a file of a checkpoint, or add one.
// Where a file of a checkpoint is gone, another may be that under another name: all are read.
func (s *Search) read(ctx context.Context, all []gitexec.Commit, known []lineage.Checkpoint) (commits []lineage.Unlinked, err error) {
	paths := map[gitexec.Path]bool{}
	earliest := known[0].Since()
	for _, k := range known {
		earliest = min(earliest, k.Since())
		for _, f := range k.Files {
			paths[f.Path] = true
		}
	}
	// Older than all work.
	all = slices.DeleteFunc(slices.Clone(all), func(c gitexec.Commit) bool { return c.When.Unix() < earliest })
	gone := sync.OnceValue(func() bool { return s.lacksOne(all, paths) })
	texts := &shadow.Texts{DB: s.DB}
	err = s.eachChanged(ctx, all, func(c gitexec.Commit, changes []gitexec.Change) error {
		// A commit of thousands of files imports or generates them. One that only changes other
		// files can't have the work, unless one of them may be a renamed one.
		may := func(c gitexec.Change) bool { return paths[c.Path] || !c.Old.Exists() }
		if len(changes) > mostFiles || !slices.ContainsFunc(changes, may) && !gone() {
			return nil
		}
		one := lineage.Unlinked{Commit: c.ID, When: c.When.Unix(), Keeps: func(path gitexec.Path) bool {
			found, err := s.DB.Lookup(c.Tree, path)
			return err == nil && found[0].Exists()
		}}
		if one.Files, one.Had, err = lineage.FilesOf(changes, texts); err != nil {
			return err
		}
		commits = append(commits, one)
		return nil
	})
	return commits, err
}

// lacksOne reports whether the newest of some commits has no file of one of the names.
func (s *Search) lacksOne(all []gitexec.Commit, paths map[gitexec.Path]bool) bool {
	newest := slices.MaxFunc(all, func(a, b gitexec.Commit) int { return a.When.Compare(b.When) })
	for path := range paths {
		if found, err := s.DB.Lookup(newest.Tree, path); err == nil && !found[0].Exists() {
			return true
		}
	}
	return false
}

// manyCommits is from how many commits on a process of git's compares their trees. It takes some
// milliseconds to start; fewer commits are read as fast by the open cat-file, and a hook has no
// process for them.
const manyCommits = 100

// eachChanged passes on what commits change. It skips those whose parents are missing.
func (s *Search) eachChanged(ctx context.Context, all []gitexec.Commit, each func(gitexec.Commit, []gitexec.Change) error) error {
	var pairs [][2]gitexec.OID
	var of []gitexec.Commit
	for _, c := range all {
		parent, err := s.DB.ParentTree(c)
		if err != nil {
			if err := s.DB.Canceled(); err != nil {
				return err
			}
			continue // a shallow clone ends here
		}
		pairs, of = append(pairs, [2]gitexec.OID{parent, c.Tree}), append(of, c)
	}
	if len(pairs) >= manyCommits {
		return s.Repo.DiffPairs(ctx, pairs, gitexec.Pathspecs{}, func(i int, changes []gitexec.Change) error { return each(of[i], changes) })
	}
	for i, p := range pairs {
		changes, err := s.DB.DiffTrees(p[0], p[1])
		if err != nil {
			return err
		}
		if err := each(of[i], changes); err != nil {
			return err
		}
	}
	return nil
}

// mostFiles is how many files a commit may change to be compared. One of more imports, generates or
// formats a tree, and all its lines would be read. A squash of so much has no link.
const mostFiles = 5000

// related keeps the checkpoints that have a file or a line with one of the commits in common, and
// those of the same branches.
func related(known []lineage.Checkpoint, commits []lineage.Unlinked) []lineage.Checkpoint {
	paths, lines := changedIn(commits)
	changed := func(line lineage.Line) bool { return lines[line] }
	at, next := map[string]int{}, make([][]int, len(known))
	for i, k := range known {
		at[k.ID] = i
	}
	var queue []int
	keep := map[int]bool{}
	for i, k := range known {
		for _, id := range k.Before {
			if j, ok := at[id]; ok {
				next[i], next[j] = append(next[i], j), append(next[j], i)
			}
		}
		if keep[i] = slices.ContainsFunc(k.Files, func(f lineage.File) bool { return paths[f.Path] || slices.ContainsFunc(f.Lines, changed) }); keep[i] {
			queue = append(queue, i)
		}
	}
	// A draft of which the squash has nothing may join those that it has: the branch is kept as a
	// whole.
	for ; len(queue) > 0; queue = queue[1:] {
		for _, j := range next[queue[0]] {
			if !keep[j] {
				keep[j], queue = true, append(queue, j)
			}
		}
	}
	var some []lineage.Checkpoint
	for i, k := range known {
		if keep[i] {
			some = append(some, k)
		}
	}
	return some
}

// changedIn are the files that commits change, and the lines, without those that weigh nothing, of
// the files that they add.
func changedIn(commits []lineage.Unlinked) (paths map[gitexec.Path]bool, lines map[lineage.Line]bool) {
	paths, lines = map[gitexec.Path]bool{}, map[lineage.Line]bool{}
	for _, c := range commits {
		for _, f := range c.Files {
			paths[f.Path] = true
			for _, line := range f.Lines {
				if f.New && !line.Light() {
					lines[line] = true
				}
			}
		}
	}
	return paths, lines
}
