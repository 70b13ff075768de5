package gitexec

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Tracked lists those of the names, relative to the top level, that are a file or a symbolic link
// in the index or HEAD, ignoring case, as some file systems do. One process.
func (r *Repo) Tracked(ctx context.Context, names ...string) ([]string, error) {
	args := []string{"ls-files", "-z"}
	if !r.Head.ID.IsZero() {
		args = append(args, "--with-tree="+string(r.Head.ID))
	}
	args = append(args, "--")
	for _, name := range names {
		args = append(args, ":(top,literal,icase)"+name)
	}
	out, err := r.output(ctx, command{args: args})
	if err != nil {
		return nil, err
	}
	found := strings.Split(string(out), "\x00") // includes all files below a directory
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(found, func(file string) bool { return strings.EqualFold(file, name) })
	}), nil
}

// LeftOut reads a file that a sparse checkout leaves out of the worktree, from the index; nil if
// the index has no such regular file, or it is to be in the worktree. Its errors are those of Blob.
// Two processes, and none without a sparse checkout.
func (r *Repo) LeftOut(ctx context.Context, name string, most int64) ([]byte, error) {
	if !r.SparseCheckout() {
		return nil, nil
	}
	out, err := r.output(ctx, command{args: []string{"ls-files", "-z", "-t", "-s", "--", ":(top,literal)" + name}})
	if err != nil {
		return nil, err
	}
	entry, path, _ := strings.Cut(strings.TrimSuffix(string(out), "\x00"), "\t") // tag, mode, ID, stage
	fields := strings.Fields(entry)
	// "S" is a file that a sparse checkout has skipped; 100644 and 100755 are regular files.
	if path != name || len(fields) != 4 || fields[0] != "S" || !strings.HasPrefix(fields[1], "100") {
		return nil, nil
	}
	objects := r.Objects(ctx)
	defer objects.Close()
	text, err := objects.Blob(OID(fields[2]), most)
	if fault, ok := errors.AsType[*Error](err); ok && strings.Contains(fault.Stderr, "promisor") { // it would have been fetched
		err = &MissingError{Name: fields[2]}
	}
	return text, err
}
