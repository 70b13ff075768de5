package relink

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
)

// ErrTooMany says that there are more commits to compare than a hook may: a command does it.
var ErrTooMany = errors.New("too many commits to compare in a hook")

// near is how many commits are read one by one, before git is asked for all.
const near = 64

// Reason is the reason of a link that is found by content.
const Reason = "it holds the work of linked commits that are not in its history"

// unlinked lists the commits on the first-parent line since the last search that have no link and
// are no merges, oldest first.
func (s *Search) unlinked(ctx context.Context) ([]gitexec.Commit, error) {
	line, err := s.newCommits(ctx)
	if err != nil {
		return nil, err
	}
	line = s.withoutLink(line)
	if len(line) == 0 {
		return nil, nil
	}
	decided, err := s.Decided()
	if err != nil {
		return nil, err
	}
	line = slices.DeleteFunc(line, func(c gitexec.Commit) bool { return decided(c.ID) })
	slices.Reverse(line)
	return line, nil
}

func (s *Search) withoutLink(all []gitexec.Commit) []gitexec.Commit {
	return slices.DeleteFunc(all, func(c gitexec.Commit) bool {
		return len(c.Parents) > 1 || len(s.Branch.Links(s.DB, c)) > 0 || s.Branch.WasUnlinked(s.DB, c.ID)
	})
}

// newCommits lists the commits on HEAD's first-parent line that were not compared, newest first.
func (s *Search) newCommits(ctx context.Context) ([]gitexec.Commit, error) {
	if slices.Contains(s.state.Tips, s.Head) {
		return nil, nil
	}
	var since time.Time
	if len(s.state.Tips) == 0 {
		first := s.earliest()
		if first == math.MaxInt64 {
			return nil, nil // there is no checkpoint yet
		}
		since = time.Unix(first-lineage.MostSkew, 0)
	}
	line, err := s.DB.Ancestors(s.Head, near)
	if err != nil && len(line) == 0 {
		return nil, err
	}
	for i, c := range line {
		if slices.Contains(s.state.Tips, c.ID) || c.When.Before(since) {
			return line[:i], nil
		}
	}
	if err == nil && len(line) > 0 && len(line[len(line)-1].Parents) == 0 {
		return line, nil
	}
	ids, err := s.Repo.FirstParents(ctx, s.Head, s.state.Tips, since)
	if err != nil {
		return nil, err
	}
	return s.DB.Commits(ids...)
}

// earliest is the time of the first checkpoint in the index.
func (s *Search) earliest() int64 {
	first := int64(math.MaxInt64)
	for _, e := range s.index.Entries {
		if e.Fingerprint != nil {
			first = min(first, e.Fingerprint.Made)
		}
	}
	return first
}

// open lists the commits that had no link when they were compared, oldest first.
func (s *Search) open() ([]gitexec.Commit, error) {
	found, err := s.DB.Info(s.state.Open...)
	if err != nil {
		return nil, err
	}
	var ids []gitexec.OID
	for i, o := range found {
		if o.Type == "commit" {
			ids = append(ids, s.state.Open[i])
		}
	}
	commits, err := s.DB.Commits(ids...)
	return s.withoutLink(commits), err
}

// linked reports which of the checkpoints a commit in the history links, made since a time, in
// seconds. One process, two where there are side links to them.
func (s *Search) linked(ctx context.Context, ids []string, since int64) (map[string]bool, error) {
	wanted, in := map[string]bool{}, map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	commits, err := s.Repo.Mentioning(ctx, s.Head, message.LinkKey+": ", time.Unix(since-lineage.MostSkew, 0))
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
	var linking []gitexec.OID
	for id := range beside {
		linking = append(linking, id)
	}
	slices.Sort(linking)
	outside, err := s.Repo.NotInHistory(ctx, linking, s.Head)
	if err != nil {
		return nil, err
	}
	found, err := s.DB.Info(linking...)
	if err != nil {
		return nil, err
	}
	for i, commit := range linking {
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
			lines := 0
			for _, e := range f.Evidence {
				lines += e.Sought
				l.Evidence.Add(e.Path, e.Found, e.Sought)
			}
			w := float64(max(1, lines))
			sum, weight = sum+w*f.Score, weight+w
		}
		l.Score = math.Round(1000*sum/weight) / 1000
		links = append(links, l)
	}
	return links
}
