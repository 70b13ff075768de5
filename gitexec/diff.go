package gitexec

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// DiffStaged lists the differences from a commit or tree to the index file, renames as deletion and
// addition, in one process. The zero ID is the empty tree. Paths, if any, limit it. Inside a hook
// the index is [Repo.IndexFile].
func (r *Repo) DiffStaged(ctx context.Context, index string, tree OID, paths ...Path) ([]Change, error) {
	if tree.IsZero() {
		tree = r.Format.EmptyTree()
	}
	return r.rawDiff(ctx, index, []string{"diff-index", "--cached"}, []string{string(tree)}, paths)
}

// DiffTreeRaw lists the differences between two trees or commits, in one process.
// [Objects.DiffTrees] does the same through the running cat-file.
func (r *Repo) DiffTreeRaw(ctx context.Context, a, b OID, paths ...Path) ([]Change, error) {
	return r.rawDiff(ctx, "", []string{"diff-tree", "-r"}, []string{string(a), string(b)}, paths)
}

func (r *Repo) rawDiff(ctx context.Context, index string, verb, trees []string, paths []Path) ([]Change, error) {
	args := append(verb, "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty", "--end-of-options")
	args = append(append(args, trees...), "--")
	env := []string{"GIT_LITERAL_PATHSPECS=1"}
	for _, p := range paths {
		args = append(args, string(p))
	}
	if index != "" {
		env = append(env, "GIT_INDEX_FILE="+index)
	}
	out, err := r.output(ctx, command{args: args, env: env})
	if err != nil {
		return nil, err
	}
	return parseRawDiff(out)
}

// parseRawDiff parses --raw -z without renames: pairs of ":mode mode id id status" and path.
func parseRawDiff(out []byte) ([]Change, error) {
	var changes []Change
	for len(out) > 0 {
		head, rest, ok := bytes.Cut(out, []byte{0})
		path, rest, ok2 := bytes.Cut(rest, []byte{0})
		f := strings.Fields(strings.TrimPrefix(string(head), ":"))
		if !ok || !ok2 || len(f) != 5 {
			return nil, fmt.Errorf("git diff --raw answered %q", head)
		}
		changes = append(changes, Change{Path: Path(path), Old: rawEntry(f[0], f[2]), New: rawEntry(f[1], f[3])})
		out = rest
	}
	return changes, nil
}

func rawEntry(mode, id string) Entry {
	if mode = noMode(mode); mode == "" {
		return Entry{}
	}
	return Entry{Mode: mode, ID: OID(id)}
}
