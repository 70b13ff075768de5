package gitexec

import (
	"context"
	"slices"
	"strings"
)

// BranchesOf finds, of some commits, a branch here that has each in its history: its short name.
// Branches below a prefix don't count; of a commit on no other branch there is none. One process
// for a thousand commits.
func (r *Repo) BranchesOf(ctx context.Context, commits []OID, but string) (map[OID]string, error) {
	found := map[OID]string{}
	for few := range slices.Chunk(commits, 1000) {
		args := []string{"name-rev", "--refs=refs/heads/*", "--exclude=" + but + "*"}
		for _, id := range few {
			args = append(args, string(id))
		}
		out, err := r.output(ctx, command{args: args})
		if err != nil {
			return found, err
		}
		for line := range strings.Lines(string(out)) {
			id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			if end := strings.IndexAny(name, "~^"); end >= 0 { // no branch's name has them
				name = name[:end]
			}
			if name != "undefined" {
				found[OID(id)] = name
			}
		}
	}
	return found, nil
}
