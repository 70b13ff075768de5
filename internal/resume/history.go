package resume

import (
	"context"
	"os"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/relink"
)

// history is the work of a branch: what its own commits link; or, if it is in the default branch
// already, what was done on it; or what the last commit with a link links.
func (f *finder) history(ctx context.Context, tip gitexec.OID, branch string) (target, error) {
	usual, err := f.reader.Repo.DefaultBranch(ctx)
	if err != nil {
		return target{}, err
	}
	// First what no default branch has: of a branch that goes on after a merge, only the new work.
	if others := defaults(f.refs, branch, usual); len(others) > 0 {
		links, err := f.links(ctx, tip, others)
		if err != nil || len(links) > 0 {
			return target{checkpoints: slices.Concat(links...)}, err
		}
	}
	links, err := f.links(ctx, tip, nil)
	if err != nil || len(links) == 0 {
		return target{}, err
	}
	if branch != "" && branch != usual {
		found, err := checkpoints.Describe(f.reader.DB, f.reader.Branch, slices.Concat(links...))
		if err != nil {
			return target{}, err
		}
		if done := madeOn(found, branch); len(done) > 0 {
			return target{checkpoints: done}, nil
		}
	}
	return target{checkpoints: links[0]}, nil
}

// defaults are the tips of the default branch, here and of origin, with which another branch is
// compared.
func defaults(refs []gitexec.Ref, branch, usual string) (tips []gitexec.OID) {
	if usual == "" || branch == usual {
		return nil
	}
	for _, ref := range refs {
		if ref.Name == heads+usual || ref.Name == remotes+"origin/"+usual {
			tips = append(tips, ref.ID)
		}
	}
	return tips
}

// madeOn are the checkpoints that were made on a branch.
func madeOn(all []checkpoints.CommittedInfo, branch string) (ids []string) {
	for _, k := range all {
		if k.Branch == branch {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// links lists what the commits of a history link that are not in the others, of the newest first,
// by commit.
func (f *finder) links(ctx context.Context, tip gitexec.OID, others []gitexec.OID) (all [][]string, err error) {
	ids, err := f.reader.Repo.Own(ctx, tip, others, mostCommits)
	if err != nil {
		return nil, err
	}
	commits, err := f.reader.DB.Commits(ids...)
	if err != nil {
		return nil, err
	}
	for _, c := range commits {
		if links := f.linksOf(c); len(links) > 0 {
			all = append(all, links)
		}
	}
	return all, nil
}

// compare compares the commits in the history of a tip with the checkpoints. Of HEAD's it does so
// only where nothing is recorded: elsewhere Open has done it, and has stored the links. Nothing is
// stored here. It reports whether it found any.
func (f *finder) compare(ctx context.Context, tip gitexec.OID) bool {
	if tip == f.reader.Repo.Head.ID {
		if w := f.reader.Env.OpenStates(ctx, f.reader.Repo); w != nil {
			defer w.DB.Close()
			if w.Installed() {
				return false
			}
		}
	}
	dir, err := os.MkdirTemp("", "entire-plumb-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	s := relink.Search{Repo: f.reader.Repo, DB: f.reader.DB, Branch: f.reader.Branch, Dir: dir, Head: tip, Progress: func(int, int) {},
		Decided: func() (func(gitexec.OID) bool, error) { return func(gitexec.OID) bool { return false }, nil }}
	f.compared = map[gitexec.OID][]string{}
	if !s.Needed() || s.Begin(ctx) != nil {
		return false
	}
	for more := true; more; {
		var links []checkpoints.SideLink
		if links, _, more, err = s.Next(ctx); err != nil {
			break
		}
		for _, l := range links {
			f.compared[l.Commit] = l.Checkpoints
		}
	}
	return len(f.compared) > 0
}

// linksOf lists the checkpoints that a commit links.
func (f *finder) linksOf(c gitexec.Commit) []string {
	return append(f.reader.Branch.Links(f.reader.DB, c), f.compared[c.ID]...)
}
