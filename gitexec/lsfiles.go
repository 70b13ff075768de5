package gitexec

import (
	"context"
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
