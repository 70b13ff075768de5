package share

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// mostAsked is how many objects one request names.
const mostAsked = 10_000

// fill brings the metadata, the lines and the links of all checkpoints to a partial clone, in few
// requests: git would fetch them one by one. Transcripts stay where they are.
func (s *Sharing) fill(ctx context.Context) error {
	if !s.Target.Partial {
		return nil
	}
	db := s.w.Repo.Offline().ODB(ctx)
	defer db.Close()
	branch, inboxes := s.sides()
	tips := append(branch, inboxes...)
	if local := s.refs[shadow.Checkpoints]; local != "" {
		tips = append(tips, local)
	}
	if len(tips) == 0 {
		return nil
	}
	commits, err := db.Commits(tips...)
	if err != nil {
		return err
	}
	seen := map[gitexec.OID]bool{}
	var wanted []gitexec.OID
	for _, c := range commits {
		more, err := checkpoints.SmallFiles(db, c.Tree, seen)
		if err != nil {
			return err
		}
		wanted = append(wanted, more...)
	}
	var trees []gitexec.OID
	for _, c := range commits {
		trees = append(trees, c.Tree)
	}
	lacks, err := s.w.Repo.MissingObjects(ctx, trees...)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(wanted, func(id gitexec.OID) bool { return !lacks[id] })
	for len(missing) > 0 {
		some := missing[:min(mostAsked, len(missing))]
		if err := s.online.FetchObjects(ctx, s.remote(), some); err != nil {
			return err
		}
		s.report.Objects += len(some)
		missing = missing[len(some):]
	}
	return nil
}
