package gitexec

import (
	"context"
	"fmt"
	"strings"
)

// Stash is one entry of the stash.
type Stash struct {
	ID        OID // the entry's commit
	Tree      OID // the worktree's tracked files
	Base      OID // the commit that was HEAD
	Untracked OID // the commit with the untracked files; empty if none were stashed
}

// Stashes lists the stash, newest first. One process; an empty stash is an empty list.
func (r *Repo) Stashes(ctx context.Context) ([]Stash, error) {
	// git exits with 128 where there is no stash.
	out, err := r.output(ctx, command{accept: 128, args: []string{"log", "-g", "--no-show-signature", "--format=%H %T %P",
		"--end-of-options", "refs/stash", "--"}})
	if err != nil {
		return nil, err
	}
	var stashes []Stash
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line) // itself, tree, base, index, and perhaps untracked files
		if len(f) < 4 {
			return nil, fmt.Errorf("git log -g refs/stash answered %q", line)
		}
		s := Stash{ID: OID(f[0]), Tree: OID(f[1]), Base: OID(f[2])}
		if len(f) > 4 {
			s.Untracked = OID(f[4])
		}
		stashes = append(stashes, s)
	}
	return stashes, nil
}
