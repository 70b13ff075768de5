package gitexec

import (
	"context"
	"strings"
)

// Switch switches to a branch as the user's own `git switch` would: it keeps uncommitted changes or
// refuses, with git's message, and runs the user's post-checkout hook. With guess it makes a branch
// of the only remote that has one of that name. One process.
func (r *Repo) Switch(ctx context.Context, branch string, guess bool) error {
	how := "--no-guess"
	if guess {
		how = "--guess"
	}
	_, err := r.output(ctx, command{args: []string{"switch", how, branch}})
	return err
}

// BranchesWith lists the branches, here and of remotes, whose histories have a commit: refs. One
// process.
func (r *Repo) BranchesWith(ctx context.Context, commit OID) ([]string, error) {
	out, err := r.output(ctx, command{args: []string{"for-each-ref", "--format=%(refname)", "--contains", string(commit),
		"refs/heads/", "refs/remotes/"}})
	return strings.Fields(string(out)), err
}
