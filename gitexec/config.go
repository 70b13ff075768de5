package gitexec

import (
	"context"
	"strings"
)

// LocalConfig lists all values of a key in the repository's own configuration, in order. One
// process.
func (r *Repo) LocalConfig(ctx context.Context, key string) ([]string, error) {
	out, err := r.output(ctx, command{accept: 1, args: []string{"config", "--local", "-z", "--get-all", key}})
	if err != nil {
		return nil, err
	}
	values := strings.Split(string(out), "\x00")
	return values[:len(values)-1], nil
}

// AddLocalConfig appends a value to a key in the repository's own configuration.
func (r *Repo) AddLocalConfig(ctx context.Context, key, value string) error {
	r.own = nil // it may be ours
	_, err := r.output(ctx, command{args: []string{"config", "--local", "--add", key, value}})
	return err
}

// UnsetLocalConfig removes a value of a key from the repository's own configuration, if it exists.
func (r *Repo) UnsetLocalConfig(ctx context.Context, key, value string) error {
	r.own = nil
	const notFound = 5
	args := []string{"config", "--local", "--fixed-value", "--unset-all", key, value}
	_, err := r.output(ctx, command{accept: notFound, args: args})
	return err
}
