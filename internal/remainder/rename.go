package remainder

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// Limits of the new files that are compared with those that the worktree lacks: their number, and
// the bytes of each.
const mostNew, largestNew = 200, 1 << 20

// followRenames gives the works the names that files have in the worktree which the commit doesn't
// have under either name: a rename that is not committed yet. found are the candidates; it adds the
// versions of the new files to those of the worktree, and returns the works' candidates under the
// names of now. Three processes, only where the worktree lacks one of the files.
func (r Request) followRenames(
	ctx context.Context, repo *gitexec.Repo, texts *shadow.Texts, v versions, found []condense.Remainder,
) ([]condense.Remainder, error) {
	lacks := func(path gitexec.Path) bool {
		_, refused := v.refused[path]
		return !v.worktree[path].Exists() && !refused
	}
	if !slices.ContainsFunc(found, func(c condense.Remainder) bool {
		return c.Changes[len(c.Changes)-1].After.Exists() && lacks(c.Path()) && !v.stashed(c.Path())
	}) {
		return found, nil
	}
	paths, err := newFiles(ctx, repo)
	if err != nil || len(paths) == 0 {
		return found, err
	}
	added, _, err := repo.HashInto(ctx, nil, "", paths)
	if err != nil {
		return nil, err
	}
	var changes []gitexec.Change
	for _, path := range paths {
		if e := added[path]; e.Exists() {
			changes = append(changes, gitexec.Change{Path: path, New: e})
		}
	}
	asked := map[gitexec.Path]bool{}
	for _, c := range found {
		if path := c.Path(); lacks(path) && !asked[path] {
			asked[path] = true
			changes = append(changes, gitexec.Change{Path: path, Old: v.committed[path]})
		}
	}
	works, _, err := condense.FollowRenames(r.Works, changes, lacks, texts)
	if err != nil {
		return nil, err
	}
	was := map[gitexec.Path]gitexec.Path{}
	for i, w := range works {
		for k, c := range w.Changes {
			if before := r.Works[i].Changes[k].Path; before != c.Path {
				was[c.Path], v.worktree[c.Path] = before, added[c.Path]
			}
		}
	}
	if len(was) == 0 {
		return found, nil
	}
	found = condense.RemainderCandidates(works, v.committed, v.index, v.stash)
	for i, c := range found {
		found[i].Was = was[c.Path()]
	}
	return found, nil
}

// newFiles lists the files of the worktree that HEAD does not have; none where they are many.
func newFiles(ctx context.Context, repo *gitexec.Repo) ([]gitexec.Path, error) {
	entries, _, err := repo.Status(ctx, repo.IndexFile, false)
	if err != nil {
		return nil, err
	}
	var paths []gitexec.Path
	for _, e := range entries {
		if !e.Untracked() && (e.Index != 'A' || e.Worktree == 'D') || strings.HasSuffix(string(e.Path), "/") {
			continue
		}
		info, err := os.Lstat(filepath.Join(repo.Top, filepath.FromSlash(string(e.Path))))
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestNew {
			continue
		}
		if paths = append(paths, e.Path); len(paths) > mostNew {
			return nil, nil
		}
	}
	return paths, nil
}
