package remainder

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/works"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Limits of the new and the modified files that are compared with those that the worktree lacks:
// their number, and the bytes of each, which are read and hashed. Hundreds of new files are a
// build's or an import's. suffix.mostRenames lets five that are gone be compared with 200.
const mostNew, largestNew = 200, 1 << 20

// followRenames gives the works the names that files have in the worktree: those of renames that
// are not committed yet, and of those that the commit, or one since the work was done, made without
// the work. found are the candidates; it adds the versions of the other files to those of the
// worktree and of the commit, and returns the works' candidates under the names of now. Three
// processes, only where the worktree lacks one of the files.
func (r Request) followRenames(
	ctx context.Context, repo *gitexec.Repo, texts *shadow.Texts, v versions, found []condense.Remainder,
) ([]condense.Remainder, error) {
	lacks := func(path gitexec.Path) bool {
		_, refused := v.refused[path]
		return !v.worktree[path].Exists() && !refused
	}
	// Only where a file of the work is gone from the worktree, the agent didn't delete it, and no
	// stash entry has it.
	if !slices.ContainsFunc(found, func(c condense.Remainder) bool {
		return c.Changes[len(c.Changes)-1].After.Exists() && lacks(c.Path()) && !v.stashed(c.Path())
	}) {
		return found, nil
	}
	paths, modified, err := otherFiles(ctx, repo)
	if err != nil {
		return nil, err
	}
	committed, since, err := r.addedSince(texts.DB, modified, lacks)
	if err != nil {
		return nil, err
	}
	if paths = append(paths, slices.Sorted(maps.Keys(since))...); len(paths) == 0 {
		return found, nil
	}
	added, _, err := texts.DB.HashInto(committed, "", paths)
	if err != nil {
		return nil, err
	}
	var changes []gitexec.Change
	for _, path := range paths {
		if e := added[path]; e.Exists() {
			changes = append(changes, gitexec.Change{Path: path, Old: committed[path], New: e})
		}
	}
	asked := map[gitexec.Path]bool{}
	for _, c := range found {
		// The removal of each file is a change as well: a rename takes its old version from there.
		if path := c.Path(); lacks(path) && !asked[path] {
			asked[path] = true
			changes = append(changes, gitexec.Change{Path: path, Old: v.committed[path]})
		}
	}
	works, _, err := condense.FollowRenames(r.Works, suffix.Renaming{Version: changes, Since: since, Gone: lacks, Texts: texts})
	if err != nil {
		return nil, err
	}
	was := map[gitexec.Path]gitexec.Path{}
	for i, w := range works {
		for k, c := range w.Changes {
			if before := r.Works[i].Changes[k].Path; before != c.Path {
				was[c.Path], v.worktree[c.Path], v.committed[c.Path] = before, added[c.Path], committed[c.Path]
			}
		}
	}
	if len(was) == 0 {
		return found, nil
	}
	found = condense.RemainderCandidates(works, v.committed, v.index, v.stash)
	for i, c := range found {
		// The commit has the old name still: the human's part of the new stream takes it away.
		if before := was[c.Path()]; v.committed[before].Exists() {
			found[i].Was = before
		}
	}
	return found, nil
}

// addedSince lists those of the commit's files that commits have added since the works were done,
// with their versions.
func (r Request) addedSince(
	db *gitexec.ODB, modified []gitexec.Path, lacks func(gitexec.Path) bool,
) (committed map[gitexec.Path]gitexec.Entry, since map[gitexec.Path]bool, err error) {
	entries, err := db.Files(r.Head.Tree, modified...)
	if err != nil {
		return nil, nil, err
	}
	changes := make([]gitexec.Change, len(modified))
	for i, path := range modified {
		changes[i] = gitexec.Change{Path: path, Old: entries[i], New: entries[i]}
	}
	if since, err = works.Added(db, r.Works, changes, lacks); err != nil {
		return nil, nil, err
	}
	committed = map[gitexec.Path]gitexec.Entry{}
	for _, c := range changes {
		if since[c.Path] {
			committed[c.Path] = c.Old
		}
	}
	return committed, since, nil
}

// otherFiles lists the files of the worktree that HEAD does not have, and those that it has
// otherwise; none where they are many.
func otherFiles(ctx context.Context, repo *gitexec.Repo) (added, modified []gitexec.Path, err error) {
	entries, _, err := repo.Status(ctx, repo.IndexFile, false)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		info, err := os.Lstat(filepath.Join(repo.Top, filepath.FromSlash(string(e.Path))))
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestNew {
			continue
		}
		// New to HEAD, staged or not.
		if e.Untracked() || e.Index == 'A' {
			added = append(added, e.Path)
		} else {
			modified = append(modified, e.Path)
		}
	}
	// Hundreds of new files are a build's or an import's, and to compare each with what is gone
	// takes long.
	if len(added) > mostNew {
		added = nil
	}
	if len(modified) > mostNew {
		modified = nil
	}
	return added, modified, nil
}
