package share

import (
	"context"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
	"entire-plumb/shadow"
)

// findWanted finds the checkpoints with refs of their own that commits link, and that are not here,
// or that were fetched: the other program completes them later. Newer versions of the `entire` CLI
// push such refs, and a clone does not fetch them by itself.
func (s *Sharing) findWanted(ctx context.Context) error {
	refs, err := s.View.w.Repo.Refs(ctx, "refs/heads/", "refs/remotes/")
	if err != nil {
		return err
	}
	var tips []gitexec.OID
	for _, r := range refs {
		// Only users' commits link checkpoints.
		if _, ours := shadow.Tracked(r.Name); r.Type == "commit" && !ours && !strings.HasPrefix(r.Name, shadow.Prefix) {
			tips = append(tips, r.ID)
		}
	}
	found, err := s.View.w.Repo.FindCommits(ctx, []string{message.LinkKey + ": "}, tips...)
	if err != nil {
		return err
	}
	var links []string
	err = checkpoints.EachTrailer(s.View.w.DB, found, func(_ gitexec.OID, link string) {
		if message.HasOwnRef(link) {
			links = append(links, link)
		}
	})
	if err != nil || len(links) == 0 {
		return err
	}
	branch, err := checkpoints.ReadBranches(ctx, s.View.w.Repo, s.View.w.DB)
	if err != nil {
		return err
	}
	slices.Sort(links)
	links = slices.Compact(links)
	missing := branch.Missing(s.View.w.DB, links)
	s.wanted = slices.DeleteFunc(links, func(id string) bool {
		_, isMissing := slices.BinarySearch(missing, id)
		return !isMissing && s.View.refs[s.ownRef(id)] == ""
	})
	return nil
}

// ownRef is where such a checkpoint is put.
func (s *Sharing) ownRef(id string) string {
	return checkpoints.FetchedRef(id, s.View.below())
}

// arrived counts those that were brought here, given the refs before.
func (s *Sharing) arrived(before map[string]gitexec.OID) (n int) {
	for _, id := range s.wanted {
		if now := s.View.refs[s.ownRef(id)]; now != before[s.ownRef(id)] {
			n++
		}
	}
	return n
}
