package relink

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/sets"
)

// ErrTooMuch says that there are more commits to compare than a hook may, or more checkpoints to
// read: a command does it.
var ErrTooMuch = errors.New("too much to compare in a hook")

// near is how many commits are read one by one, before git is asked for all: one read is some tens
// of microseconds, a process some milliseconds. docs/links.md names it.
const near = 64

// Reason is the reason of a link that is found by content.
const Reason = "it holds the work of linked commits that are not in its history"

// unlinked lists the commits since the last search that have no link and are no merges, oldest
// first: what merges bring, and then HEAD's first-parent line.
func (s *Search) unlinked(ctx context.Context) ([]gitexec.Commit, error) {
	line, since, err := s.newCommits(ctx)
	if err != nil || len(line) == 0 {
		return nil, err
	}
	brought, err := s.brought(ctx, line, since)
	if err != nil {
		return nil, err
	}
	s.line = map[gitexec.OID]bool{}
	for _, c := range line {
		s.line[c.ID] = true
	}
	all := s.withoutLink(append(slices.Clone(line), brought...))
	// The record of decisions is read only where commits are left.
	if len(all) == 0 {
		return nil, nil
	}
	decided, err := s.Decided()
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c gitexec.Commit) bool { return decided(c.ID) })
	// From newest first to oldest first, so that what a merge brought comes before the line that it
	// came to.
	slices.Reverse(all)
	return all, nil
}

func (s *Search) withoutLink(all []gitexec.Commit) []gitexec.Commit {
	return slices.DeleteFunc(all, func(c gitexec.Commit) bool {
		// A link that was removed stays removed: the content would find it again.
		return len(c.Parents) > 1 || len(s.Branch.Links(s.DB, c)) > 0 || s.Branch.WasUnlinked(s.DB, c.ID)
	})
}

// newCommits lists the commits on HEAD's first-parent line that were not compared, newest first;
// since a time, where none was yet.
func (s *Search) newCommits(ctx context.Context) (line []gitexec.Commit, since time.Time, err error) {
	// A branch whose tip was compared, as after a checkout of it.
	if slices.Contains(s.state.Tips, s.Head) {
		return nil, since, nil
	}
	// Nothing was compared yet. What is older than all work need not be: a history may be long.
	if len(s.state.Tips) == 0 {
		first := s.earliest()
		if first == math.MaxInt64 {
			return nil, since, nil // there is no checkpoint yet
		}
		since = time.Unix(first, 0)
	}
	stops := func(c gitexec.Commit) bool { return slices.Contains(s.state.Tips, c.ID) || c.When.Before(since) }
	// Read object by object while it is short, without a process of its own.
	line, whole, err := s.near(s.Head, stops)
	if whole || err != nil {
		return line, since, err
	}
	line, err = s.firstParents(ctx, []gitexec.OID{s.Head}, s.state.Tips, since)
	return line, since, err
}

// near reads a first-parent line, newest commit first, up to the one where it stops. whole is false
// where that is too far away.
func (s *Search) near(of gitexec.OID, stops func(gitexec.Commit) bool) (line []gitexec.Commit, whole bool, err error) {
	line, err = s.DB.Ancestors(of, near)
	if at := slices.IndexFunc(line, stops); at >= 0 {
		return line[:at], true, err
	}
	return line, err == nil && len(line) < near, err
}

// firstParents reads the first-parent lines of some commits, without what is in the history of
// others, or older than a time. One process.
func (s *Search) firstParents(ctx context.Context, of, but []gitexec.OID, since time.Time) ([]gitexec.Commit, error) {
	ids, err := s.Repo.FirstParents(ctx, of, but, since)
	if err != nil {
		return nil, err
	}
	return s.DB.Commits(ids...)
}

// brought lists the commits on the first-parent lines of what the merges on a line bring, newest
// first. One process at most: where such a line began long ago.
func (s *Search) brought(ctx context.Context, line []gitexec.Commit, since time.Time) (all []gitexec.Commit, err error) {
	known := map[gitexec.OID]bool{} // in the history without what is brought, as far as it is read
	read := func(more []gitexec.Commit) {
		for _, c := range more {
			known[c.ID] = true
		}
	}
	read(line)
	var starts []gitexec.OID
	// The oldest merge first: what it brought is known when later ones are followed.
	for _, c := range slices.Backward(line) {
		for i, parent := range c.Parents {
			if i > 0 && !slices.Contains(starts, parent) {
				starts = append(starts, parent)
			}
		}
	}
	if len(starts) == 0 {
		return nil, nil
	}
	before := line[len(line)-1].Parents
	// What was there before the line, as far as 64 commits go: a branch that began there ends where
	// it meets them.
	if len(before) > 0 {
		before = before[:1]
		earlier, _, _ := s.near(before[0], func(gitexec.Commit) bool { return false }) // a shallow clone ends somewhere
		read(earlier)
		for _, c := range earlier {
			for _, parent := range c.Parents {
				known[parent] = true
			}
		}
	}
	stops := func(c gitexec.Commit) bool {
		return known[c.ID] || slices.Contains(s.state.Tips, c.ID) || c.When.Before(since)
	}
	for _, start := range starts {
		some, whole, err := s.near(start, stops)
		if gitexec.IsMissing(err) {
			whole, err = true, nil // a shallow clone ends here
		}
		if err != nil {
			return nil, err
		}
		// One of the branches began long ago, or there are many: git is asked for all of them at
		// once, which also replaces what was read.
		if !whole || len(starts) > near {
			all, err = s.firstParents(ctx, starts, append(before, s.state.Tips...), since)
			return slices.DeleteFunc(all, func(c gitexec.Commit) bool { return known[c.ID] }), err
		}
		read(some)
		all = append(some, all...)
	}
	return all, nil
}

// earliest is the time before which no commit holds the work of a checkpoint in the index.
func (s *Search) earliest() int64 {
	first := int64(math.MaxInt64)
	for _, k := range s.index.Checkpoints {
		first = min(first, k.Since())
	}
	return first
}

// open lists the commits that had no link when they were compared, oldest first.
func (s *Search) open() ([]gitexec.Commit, error) {
	commits, err := s.DB.Readable(s.state.Open...)
	return s.withoutLink(commits), err
}

// linked reports which of the checkpoints a commit in the history links, made since a time, in
// seconds. One process, two where there are side links to them.
func (s *Search) linked(ctx context.Context, ids []string, since int64) (map[string]bool, error) {
	wanted, in := sets.Of(ids), map[string]bool{}
	// git looks for messages with a trailer, and their trailers are read here: to read each commit
	// of the history would take longer.
	commits, err := gitexec.Outgoing{Tips: []gitexec.OID{s.Head}}.Containing(ctx, s.Repo, message.LinkKey+": ", time.Unix(since, 0))
	if err != nil {
		return nil, err
	}
	all, err := s.DB.Commits(commits...)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		for _, id := range message.Links(c.Message) {
			if wanted[id] {
				in[id] = true
			}
		}
	}
	beside, err := s.Branch.SideLinked(s.DB, ids...)
	if err != nil || len(beside) == 0 {
		return in, err
	}
	linking := slices.Sorted(maps.Keys(beside))
	outside, err := s.Repo.NotInHistory(ctx, linking, s.Head)
	if err != nil {
		return nil, err
	}
	found, err := s.DB.Info(linking...)
	if err != nil {
		return nil, err
	}
	for i, commit := range linking {
		// The side link of a commit that was pruned, or is on another branch.
		if found[i].Type != "commit" || slices.Contains(outside, commit) {
			continue
		}
		for _, id := range beside[commit] {
			if wanted[id] {
				in[id] = true
			}
		}
	}
	return in, nil
}

// links makes the links of what was found. Their time is the commit's, so that two clones make the
// same.
func (s *Search) links(commits []lineage.Unlinked, all [][]lineage.Found) (links []checkpoints.SideLink) {
	for i, found := range all {
		if len(found) == 0 {
			continue
		}
		l := checkpoints.SideLink{Commit: commits[i].Commit, How: checkpoints.Content, Reason: Reason, CreatedAt: time.Unix(commits[i].When, 0)}
		sum, weight := 0.0, 0.0
		for _, f := range found {
			l.Checkpoints = append(l.Checkpoints, f.ID)
			part := checkpoints.Part{Checkpoint: f.ID, Score: rounded(f.Score)}
			lines := 0
			for _, e := range f.Evidence {
				if e.Whole {
					part.Files = append(part.Files, e.Path)
					continue
				}
				lines += e.Sought
				l.Evidence.Add(e.Path, e.Found, e.Sought)
				part.Evidence.Add(e.Path, e.Found, e.Sought)
			}
			l.Parts = append(l.Parts, part)
			// The link's score weighs each checkpoint by its lines; one of files without lines
			// counts as one line.
			w := float64(max(1, lines))
			sum, weight = sum+w*f.Score, weight+w
		}
		l.Score = rounded(sum / weight)
		links = append(links, l)
	}
	return links
}

func rounded(score float64) float64 { return math.Round(1000*score) / 1000 }
