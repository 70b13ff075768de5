package gitexec

import (
	"context"
	"strings"
	"time"
)

// MergeTrees merges two trees with a common base, including renames, and names the conflicting
// paths, which are useless in the merged tree. One process, and three unreachable commits. The
// oldest git that will do merges commits with a common one, and no trees with a base.
func (r *Repo) MergeTrees(ctx context.Context, db *ODB, base, ours, theirs OID) (tree OID, conflicts []Path, err error) {
	// With the same author and time the same trees make the same commits: a merge that is tried
	// again leaves no more of them.
	nobody := Ident{Name: "entire-plumb", Email: "entire-plumb@localhost", When: time.Unix(0, 0).UTC()}
	commit := func(tree, parent OID) NewCommit {
		return NewCommit{Tree: tree, Parents: []OID{parent}, Author: nobody, Committer: nobody, Message: "For a merge\n"}
	}
	root, err := db.WriteCommits(commit(base, ""))
	if err != nil {
		return "", nil, err
	}
	sides, err := db.CommitTree(commit(ours, root), commit(theirs, root))
	if err != nil {
		return "", nil, err
	}
	// It exits with 1 for conflicts.
	out, err := r.output(ctx, command{online: true, accept: 1, args: []string{"-c", "merge.renames=true", "-c", "merge.directoryRenames=false",
		"merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", string(sides[0]), string(sides[1])}})
	if err != nil {
		return "", nil, err
	}
	first, names, _ := strings.Cut(string(out), "\x00")
	for p := range strings.SplitSeq(names, "\x00") {
		if p != "" {
			conflicts = append(conflicts, Path(p))
		}
	}
	return OID(strings.TrimSpace(first)), conflicts, nil
}
