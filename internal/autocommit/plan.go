// Package autocommit decides what of an agent's turn is committed at its end, where the user wants
// that: the auto-commit strategy.
package autocommit

import (
	"context"
	"errors"
	"slices"

	"entire-plumb/gitexec"
)

// Commit is a commit that holds what an agent's turn changed, and nothing that the user has not
// committed (seed 003, auto-commit).
type Commit struct {
	Tree  gitexec.OID    // HEAD's, with the turn's changes; HEAD's own if there are none to commit
	Paths []gitexec.Path // that it changes
	Index gitexec.Edits  // what the user's index has to hold at them, so that what was staged and unstaged is so still
	Left  []gitexec.Path // changed by the turn in places that the user has changed, too, and not committed
}

// file is one file of a turn, in the versions that matter.
type turnFile struct {
	path                     gitexec.Path
	head, began, ended, held gitexec.Entry // held by the index
}

// Turn is what an agent's turn changed, and what was there beside it.
type Turn struct {
	Head         gitexec.OID // HEAD's tree
	Began, Ended gitexec.OID // the worktree as a tree, when the turn began, and when it ended
	Touched      []gitexec.Path
	Staged       []gitexec.Change // what the index has otherwise than HEAD
	StagedBefore []gitexec.Path   // and had when the turn began
}

// Plan takes the turn's changes over to HEAD's tree, and to the index: what came into that since the
// turn began, in a file that was HEAD's, is the turn's own. A file that the user hadn't touched is taken as it is; of one that they had, git's merge takes
// what the turn did to it. Where it cannot, the file is left. One process, and only for such files.
func Plan(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, t Turn) (Commit, error) {
	files, err := t.files(db)
	if err != nil {
		return Commit{}, err
	}
	commit, index := gitexec.Edits{}, gitexec.Edits{}
	var mixed []turnFile
	for _, f := range files {
		toCommit, ok := takeOver(f.began, f.head, f.ended)
		toIndex, ok2 := takeOver(f.began, f.held, f.ended)
		if f.began == f.head && !slices.Contains(t.StagedBefore, f.path) {
			ok2 = true // the agent has staged what it was at
		}
		if ok && ok2 {
			commit[f.path], index[f.path] = toCommit, toIndex
		} else {
			mixed = append(mixed, f)
		}
	}
	moved, err := moves(db, mixed, added(files, commit))
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
		if m.own && commit[m.path] == m.ended { // git found no move, and took nothing out
			delete(commit, m.path)
		}
	}
	plan := Commit{Index: gitexec.Edits{}}
	edits := gitexec.Edits{}
	for _, f := range files {
		entry, ok := commit[f.path]
		switch {
		case !ok:
			plan.Left = append(plan.Left, f.path)
		case entry != f.head:
			plan.Paths = append(plan.Paths, f.path)
			edits[f.path] = entry
			if index[f.path] != f.held {
				plan.Index[f.path] = index[f.path]
			}
		case f.ended != f.head: // it did nothing there that HEAD hasn't
			plan.Left = append(plan.Left, f.path)
		}
	}
	plan.Tree, err = db.EditTree(t.Head, edits)
	return plan, err
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
			if e.IsTree() { // a directory has taken the file's place, or a file the directory's: the paths in it stand for themselves
				continue
			}
			*[]*gitexec.Entry{&files[k].head, &files[k].began, &files[k].ended}[i] = e
		}
	}
	for i := range files {
		files[i].held = files[i].head
		if at := slices.IndexFunc(t.Staged, func(c gitexec.Change) bool { return c.Path == files[i].path }); at >= 0 {
			files[i].held = t.Staged[at].New
		}
	}
	return files, nil
}

// added gives the files that the turn added and that are to be committed.
func added(files []turnFile, commit gitexec.Edits) []turnFile {
	var news []turnFile
	for _, f := range files {
		if _, decided := commit[f.path]; decided && !f.began.Exists() && !f.head.Exists() && f.ended.Exists() {
			news = append(news, f)
		}
	}
	return news
}

// takeOver brings a change to a version of the file, where that takes no merge.
func takeOver(began, version, ended gitexec.Entry) (gitexec.Entry, bool) {
	return ended, version == began || version == ended
}

// mergeFiles has git bring the turn's changes to the committed versions of files, and to those of
// the index where they are others. What conflicts in either comes into neither.
func mergeFiles(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, files []turnFile, commit, index gitexec.Edits) error {
	if len(files) == 0 {
		return nil
	}
	committed, err := mergeInto(ctx, repo, db, files, func(f turnFile) gitexec.Entry { return f.head })
	if err != nil {
		return err
	}
	staged := committed
	if slices.ContainsFunc(files, func(f turnFile) bool { return f.held != f.head }) {
		if staged, err = mergeInto(ctx, repo, db, files, func(f turnFile) gitexec.Entry { return f.held }); err != nil {
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

// mergeInto brings the turn's changes to one version of the files, and gives those that don't
// conflict.
func mergeInto(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, files []turnFile, version func(turnFile) gitexec.Entry) (gitexec.Edits, error) {
	var trees [3]gitexec.OID
	for i, of := range []func(turnFile) gitexec.Entry{func(f turnFile) gitexec.Entry { return f.began }, version, func(f turnFile) gitexec.Entry { return f.ended }} {
		edits := gitexec.Edits{}
		for _, f := range files {
			if e := of(f); e.Exists() {
				edits[f.path] = e
			}
		}
		var err error
		if trees[i], err = db.EditTree(repo.Format.EmptyTree(), edits); err != nil {
			return nil, err
		}
	}
	merged := gitexec.Edits{}
	tree, conflicts, err := repo.MergeTrees(ctx, db, trees[0], trees[1], trees[2])
	if errors.Is(err, gitexec.ErrNoMergeTree) {
		return merged, nil // all of it is left
	}
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		found, err := db.Lookup(tree, f.path)
		if err != nil {
			return nil, err
		}
		moved := !f.ended.Exists() || !f.began.Exists() // perhaps: half of a move that conflicts is worse than none of it
		if !slices.Contains(conflicts, f.path) && (len(conflicts) == 0 || !moved) {
			merged[f.path] = found[0]
		}
	}
	return merged, nil
}
