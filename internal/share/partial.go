package share

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// mostAsked is how many objects one request names: 400 kB of IDs. One at a time, each takes a
// connection of its own; without a limit, a server of which much is missing is silent for minutes.
const mostAsked = 10_000

// fill brings the metadata, the lines and the links of all checkpoints to a partial clone, in few
// requests: git would fetch them one by one. Transcripts stay where they are.
func (s *Sharing) fill(ctx context.Context) error {
	if !s.View.Target.Partial {
		return nil
	}
	missing, err := s.missing(ctx)
	if err != nil {
		return err
	}
	for len(missing) > 0 {
		some := missing[:min(mostAsked, len(missing))]
		if err := s.online.FetchObjects(ctx, s.remote(gitexec.Remote{Name: s.View.Target.Remote}), some); err != nil {
			return err
		}
		s.report.Objects += len(some)
		missing = missing[len(some):]
	}
	return nil
}

// trees brings the trees of commits to a clone without trees, which a plain git fetch leaves out.
func (s *Sharing) trees(ctx context.Context, db *gitexec.ODB, tips []gitexec.OID) error {
	if !s.View.Target.Partial {
		return nil
	}
	commits, err := db.Commits(tips...)
	if err != nil {
		return err
	}
	var ids []gitexec.OID
	for _, c := range commits {
		ids = append(ids, c.Tree)
	}
	lacks := s.View.w.Repo.Lacks(ctx, ids)
	ids = slices.DeleteFunc(ids, func(id gitexec.OID) bool { return !lacks[id] })
	if len(ids) == 0 {
		return nil
	}
	return ofTarget(s.online.FetchObjects(ctx, s.remote(gitexec.Remote{Name: s.View.Target.Remote}), ids))
}

// missing are the small files of all checkpoints that are known and not here.
func (s *Sharing) missing(ctx context.Context) ([]gitexec.OID, error) {
	// Git would fetch each object that is asked for, in a request of its own.
	db := s.View.w.Repo.Offline().ODB(ctx)
	defer db.Close()
	branch, inboxes := s.View.sides()
	tips := slices.Concat(branch, inboxes)
	if local := s.View.refs[shadow.Checkpoints]; local != "" {
		tips = append(tips, local)
	}
	if len(tips) == 0 {
		return nil, nil
	}
	// With --filter=tree:0 the directories must be here before their files are known.
	if err := s.trees(ctx, db, tips); err != nil {
		return nil, err
	}
	commits, err := db.Commits(tips...)
	if err != nil {
		return nil, err
	}
	// The sides have most of their directories in common.
	seen := map[gitexec.OID]bool{}
	var wanted, trees []gitexec.OID
	for _, c := range commits {
		more, err := checkpoints.SmallFiles(db, c.Tree, seen)
		if err != nil {
			return nil, err
		}
		wanted, trees = append(wanted, more...), append(trees, c.Tree)
	}
	missing, err := s.View.w.Repo.MissingBeyond(ctx, nil, nil, trees...)
	lacks := sets.Of(missing)
	return slices.DeleteFunc(wanted, func(id gitexec.OID) bool { return !lacks[id] }), err
}
