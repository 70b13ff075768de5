package share

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
)

// findWanted finds the checkpoints with refs of their own that commits link, and that are not here.
// Newer versions of the `entire` CLI push such refs, and a clone does not fetch them by itself.
func (s *Sharing) findWanted(ctx context.Context) error {
	refs, err := s.w.Repo.Refs(ctx, "refs/remotes/")
	if err != nil {
		return err
	}
	var tips []gitexec.OID
	for _, r := range refs {
		if r.Type == "commit" && !OfCheckpoints(r.Name) {
			tips = append(tips, r.ID)
		}
	}
	found, err := s.w.Repo.FindCommits(ctx, []string{message.LinkKey + ": "}, tips...)
	if err != nil {
		return err
	}
	var links []string
	err = checkpoints.EachTrailer(s.w.DB, found, func(_ gitexec.OID, link string) {
		if message.HasOwnRef(link) {
			links = append(links, link)
		}
	})
	if err != nil || len(links) == 0 {
		return err
	}
	branch, err := checkpoints.ReadBranches(ctx, s.w.Repo, s.w.DB)
	if err != nil {
		return err
	}
	slices.Sort(links)
	s.wanted = branch.Missing(s.w.DB, slices.Compact(links))
	return nil
}

// arrived counts those that were brought here.
func (s *Sharing) arrived() (n int) {
	for _, id := range s.wanted {
		if s.refs[checkpoints.FetchedRef(id, known+s.Target.key()+"/")] != "" {
			n++
		}
	}
	return n
}
