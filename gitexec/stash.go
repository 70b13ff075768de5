package gitexec

import (
	"context"
	"fmt"
	"strings"
)

// Stash is one entry of the stash.
type Stash struct {
	Tree      OID // the worktree's tracked files
	Base      OID // the commit that was HEAD
	Untracked OID // the commit with the untracked files; empty if none were stashed
}

// Stashes lists the stash, newest first. One process; an empty stash is an empty list.
func (r *Repo) Stashes(ctx context.Context) ([]Stash, error) {
	out, err := r.output(ctx, command{accept: 128, args: []string{"log", "-g", "--no-show-signature", "--format=%T %P",
		"--end-of-options", "refs/stash", "--"}})
	if err != nil {
		return nil, err
	}
	var stashes []Stash
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line) // tree, base, index, and perhaps untracked files
		if len(f) < 3 {
			return nil, fmt.Errorf("git log -g refs/stash answered %q", line)
		}
		s := Stash{Tree: OID(f[0]), Base: OID(f[1])}
		if len(f) > 3 {
			s.Untracked = OID(f[3])
		}
		stashes = append(stashes, s)
	}
	return stashes, nil
}
