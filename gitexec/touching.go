package gitexec

import (
	"context"
	"strings"
)

// Touching lists the files that commits change and that pathspecs select, of a merge those that
// differ from any parent. One process.
func (r *Repo) Touching(ctx context.Context, commits []OID, paths Pathspecs) (map[Path]bool, error) {
	var in strings.Builder
	for _, id := range commits {
		in.WriteString(string(id) + "\n")
	}
	// Git compares the trees of the commits with those of their parents.
	r.bringTrees(ctx, command{args: []string{"rev-list", "--no-walk", "--stdin"}, stdin: strings.NewReader(in.String())})
	args := append([]string{"diff-tree", "--stdin", "-r", "-m", "-z", "--root", "--no-commit-id", "--name-only", "--no-renames",
		"--no-relative", "--ignore-submodules=dirty", "--"}, paths.All...)
	out, err := r.output(ctx, command{args: args, stdin: strings.NewReader(in.String()), dir: paths.Dir})
	if err != nil {
		return nil, err
	}
	found := map[Path]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			found[Path(name)] = true
		}
	}
	return found, nil
}
