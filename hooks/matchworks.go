package hooks

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
func (p *condenser) matchWorks(ctx context.Context, of sessionWork) ([]condense.Matched, []condense.Overlap, error) {
	texts := &shadow.Texts{DB: p.DB}
	var stashed condense.Stashed
	if shadow.MayHaveStashes(p.Repo) {
		var stashes []shadow.Stash
		read := false
		stashed = func(own []suffix.Change, committed gitexec.Entry) (held bool, err error) {
			if !read {
				stashes, err = shadow.Stashes(ctx, p.Repo, p.DB)
				read = true
			}
			for _, s := range stashes {
				if held || err != nil {
					break
				}
				held, err = p.inStash(s, own, committed, texts)
			}
			return held, err
		}
	}
	return condense.Match(of.changes, of.all(), texts, stashed, p.linesInWorktree)
}

// linesInWorktree is condense.Worktree.
func (p *condenser) linesInWorktree(path gitexec.Path) ([]string, bool) {
	data, err := safefile.ReadInside(p.Repo.Top, string(path), largestBack)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true
	}
	return strings.Split(string(data), "\n"), err == nil
}

// inStash is condense.Stashed for one entry.
func (p *condenser) inStash(s shadow.Stash, own []suffix.Change, committed gitexec.Entry, texts suffix.Texts) (bool, error) {
	found, err := s.Lookup(p.DB, own[0].Path)
	if err != nil || found[0].Old == found[0].New || found[0].New == own[0].Before || found[0].New == committed {
		return false, err
	}
	change := gitexec.Change{Path: own[0].Path, Old: own[0].Before, New: found[0].New}
	return suffix.InEffect(own, change, texts)
}
