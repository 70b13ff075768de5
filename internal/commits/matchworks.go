package commits

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// matchWorks compares what a commit changes with the sessions' work. One process, if a stash entry
// may have what the evidence is about.
func matchWorks(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, of sessionWork) ([]condense.Matched, []condense.Overlap, error) {
	texts := &shadow.Texts{DB: db}
	var stashed condense.Stashed
	if shadow.MayHaveStashes(repo) {
		var stashes []shadow.Stash
		read := false
		stashed = func(own []suffix.Change, committed gitexec.Entry) (held bool, err error) {
			if !read {
				stashes, err = shadow.Stashes(ctx, repo, db)
				read = true
			}
			for _, s := range stashes {
				if held || err != nil {
					break
				}
				held, err = inStash(db, s, own, committed, texts)
			}
			return held, err
		}
	}
	return condense.Match(of.changes, of.all(), texts, stashed, func(path gitexec.Path) ([]string, bool) { return linesInWorktree(repo, path) })
}

// linesInWorktree is condense.Worktree.
func linesInWorktree(repo *gitexec.Repo, path gitexec.Path) ([]string, bool) {
	data, err := safefile.ReadInside(repo.Top, string(path), largestBack)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true
	}
	return strings.Split(string(data), "\n"), err == nil
}

// inStash is condense.Stashed for one entry.
func inStash(db *gitexec.ODB, s shadow.Stash, own []suffix.Change, committed gitexec.Entry, texts suffix.Texts) (bool, error) {
	found, err := s.Lookup(db, own[0].Path)
	if err != nil || found[0].Old == found[0].New || found[0].New == own[0].Before || found[0].New == committed {
		return false, err
	}
	change := gitexec.Change{Path: own[0].Path, Old: own[0].Before, New: found[0].New}
	return suffix.InEffect(own, change, texts)
}
