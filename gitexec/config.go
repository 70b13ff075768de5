package gitexec

import (
	"context"
	"strings"
)

// LocalConfig gives all values of a key in the repository's own configuration, in their order. One
// process.
func (r *Repo) LocalConfig(ctx context.Context, key string) ([]string, error) {
	out, err := r.output(ctx, command{accept: 1, args: []string{"config", "--local", "-z", "--get-all", key}})
	if err != nil {
		return nil, err
	}
	values := strings.Split(string(out), "\x00")
	return values[:len(values)-1], nil
}

// AddLocalConfig adds a value to a key in the repository's own configuration, behind those that are
// there.
func (r *Repo) AddLocalConfig(ctx context.Context, key, value string) error {
	_, err := r.output(ctx, command{args: []string{"config", "--local", "--add", key, value}})
	return err
}

// UnsetLocalConfig takes a value of a key out of the repository's own configuration, if it is
// there.
func (r *Repo) UnsetLocalConfig(ctx context.Context, key, value string) error {
	const notThere = 5
	_, err := r.output(ctx, command{accept: notThere, args: []string{"config", "--local", "--fixed-value", "--unset-all", key, value}})
	return err
}
