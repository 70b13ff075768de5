// Package autocommit decides what of an agent's turn the auto-commit strategy commits at the turn's
// end.
package autocommit

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
)

// Commit is a commit of an agent's turn without the user's uncommitted changes (seed 003,
// auto-commit).
type Commit struct {
	Tree      gitexec.OID    // HEAD's, with the turn's changes; HEAD's own if there are none to commit
	Paths     []gitexec.Path // that it changes
	Index     gitexec.Edits  // for the index at these paths, so that staged and unstaged changes stay so
	Remainder []gitexec.Path // uncommitted: the turn's changes are on top of the user's
}

// turnFile is one file of a turn, in the versions that matter.
type turnFile struct {
	path                      gitexec.Path
	head, began, ended, index gitexec.Entry
}

// Turn is what an agent's turn changed, and the user's changes beside it.
type Turn struct {
	Head         gitexec.OID // HEAD's tree
	Began, Ended gitexec.OID // the worktree's trees at the turn's start and end
	Touched      []gitexec.Path
	Staged       []gitexec.Change // the index against HEAD
	StagedBefore []gitexec.Path   // the paths that were staged when the turn began
}

// replace takes the files that the user had not changed as they are, and returns the others.
func (t Turn) replace(files []turnFile, commit, index gitexec.Edits) (mixed []turnFile) {
	for _, f := range files {
		toCommit, ok := replaceVersion(f.began, f.head, f.ended)
		toIndex, ok2 := replaceVersion(f.began, f.index, f.ended)
		if f.began == f.head && !slices.Contains(t.StagedBefore, f.path) {
			ok2 = true // the agent has staged its own work
		}
		if ok && ok2 {
			commit[f.path], index[f.path] = toCommit, toIndex
		} else {
			mixed = append(mixed, f)
		}
	}
	return mixed
}

// Plan applies the turn's changes to HEAD's tree, and to the index. A file that the user had not
// changed is taken as it is; of one that the user had changed, git's merge takes the turn's part,
// and where that conflicts the file stays uncommitted. What the turn staged in a file that was not
// staged before is the turn's own. One process, only where a merge is needed.
func Plan(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, t Turn) (Commit, error) {
	files, err := t.files(db)
	if err != nil {
		return Commit{}, err
	}
	commit, index := gitexec.Edits{}, gitexec.Edits{}
	mixed := t.replace(files, commit, index)
	moved, err := findMoves(db, mixed, addedFiles(files, commit))
	if err != nil {
		return Commit{}, err
	}
	for _, m := range moved {
		delete(commit, m.path)
		delete(index, m.path)
		mixed = append(mixed, m.turnFile)
	}
	if err := mergeFiles(ctx, repo, db, mixed, commit, index); err != nil {
		return Commit{}, err
	}
	for _, m := range moved {
		if m.hasUserLines && commit[m.path] == m.ended { // git found no move, and removed nothing
			delete(commit, m.path)
		}
	}
	plan, edits := planned(files, commit, index)
	plan.Tree, err = db.EditTree(t.Head, edits)
	return plan, err
}

// planned is the commit of what the files are to be in it and in the index, and its changes to
// HEAD.
func planned(files []turnFile, commit, index gitexec.Edits) (plan Commit, edits gitexec.Edits) {
	plan, edits = Commit{Index: gitexec.Edits{}}, gitexec.Edits{}
	for _, f := range files {
		entry, ok := commit[f.path]
		switch {
		case !ok:
			plan.Remainder = append(plan.Remainder, f.path)
		case entry != f.head:
			plan.Paths = append(plan.Paths, f.path)
			edits[f.path] = entry
			if index[f.path] != f.index {
				plan.Index[f.path] = index[f.path]
			}
		case f.ended != f.head: // HEAD has all that the turn did there
			plan.Remainder = append(plan.Remainder, f.path)
		}
	}
	return plan, edits
}

func (t Turn) files(db *gitexec.ODB) ([]turnFile, error) {
	files := make([]turnFile, len(t.Touched))
	for i, tree := range []gitexec.OID{t.Head, t.Began, t.Ended} {
		found, err := db.Lookup(tree, t.Touched...)
		if err != nil {
			return nil, err
		}
		for k, e := range found {
			files[k].path = t.Touched[k]
			if e.IsTree() { // a directory replaced a file, or the reverse: the paths in it are listed themselves
				continue
			}
			*[]*gitexec.Entry{&files[k].head, &files[k].began, &files[k].ended}[i] = e
		}
	}
	for i := range files {
		files[i].index = files[i].head
		if at := slices.IndexFunc(t.Staged, func(c gitexec.Change) bool { return c.Path == files[i].path }); at >= 0 {
			files[i].index = t.Staged[at].New
		}
	}
	return files, nil
}

// addedFiles lists the files that the turn added and that are to be committed.
func addedFiles(files []turnFile, commit gitexec.Edits) []turnFile {
	var news []turnFile
	for _, f := range files {
		if _, decided := commit[f.path]; decided && !f.began.Exists() && !f.head.Exists() && f.ended.Exists() {
			news = append(news, f)
		}
	}
	return news
}

// replaceVersion applies a change to a version of the file, where that needs no merge.
func replaceVersion(began, version, ended gitexec.Entry) (gitexec.Entry, bool) {
	return ended, version == began || version == ended
}

// mergeFiles has git apply the turn's changes to the committed versions of files, and to those of
// the index where they differ. A conflict in either leaves the file out of both.
func mergeFiles(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, files []turnFile, commit, index gitexec.Edits) error {
	if len(files) == 0 {
		return nil
	}
	committed, err := mergeInto(ctx, repo, db, files, func(f turnFile) gitexec.Entry { return f.head })
	if err != nil {
		return err
	}
	staged := committed
	if slices.ContainsFunc(files, func(f turnFile) bool { return f.index != f.head }) {
		if staged, err = mergeInto(ctx, repo, db, files, func(f turnFile) gitexec.Entry { return f.index }); err != nil {
			return err
		}
	}
	for _, f := range files {
		toCommit, ok := committed[f.path]
		if toIndex, ok2 := staged[f.path]; ok && ok2 {
			commit[f.path], index[f.path] = toCommit, toIndex
		}
	}
	return nil
}

// existing are the files that exist in a version.
func existing(files []turnFile, version func(turnFile) gitexec.Entry) gitexec.Edits {
	edits := gitexec.Edits{}
	for _, f := range files {
		if e := version(f); e.Exists() {
			edits[f.path] = e
		}
	}
	return edits
}

// mergeInto applies the turn's changes to one version of the files, and returns those without a
// conflict.
func mergeInto(
	ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, files []turnFile, version func(turnFile) gitexec.Entry,
) (gitexec.Edits, error) {
	var trees [3]gitexec.OID
	began := func(f turnFile) gitexec.Entry { return f.began }
	ended := func(f turnFile) gitexec.Entry { return f.ended }
	for i, of := range []func(turnFile) gitexec.Entry{began, version, ended} {
		var err error
		if trees[i], err = db.EditTree(repo.Format.EmptyTree(), existing(files, of)); err != nil {
			return nil, err
		}
	}
	merged := gitexec.Edits{}
	tree, conflicts, err := repo.MergeTrees(ctx, db, trees[0], trees[1], trees[2])
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		found, err := db.Lookup(tree, f.path)
		if err != nil {
			return nil, err
		}
		// It may be part of a move: half of one that conflicts is worse than none.
		moved := !f.ended.Exists() || !f.began.Exists()
		if !slices.Contains(conflicts, f.path) && (len(conflicts) == 0 || !moved) {
			merged[f.path] = found[0]
		}
	}
	return merged, nil
}
