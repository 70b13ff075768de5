package gitexec

import (
	"context"
	"slices"
	"strings"
)

// LocalConfig lists all values of a key in the repository's own configuration, in order. One
// process.
func (r *Repo) LocalConfig(ctx context.Context, key string) ([]string, error) {
	// git config exits with 1 where the key has no value.
	out, err := r.output(ctx, command{accept: 1, args: []string{"config", "--local", "-z", "--get-all", key}})
	if err != nil {
		return nil, err
	}
	values := strings.Split(string(out), "\x00")
	return values[:len(values)-1], nil
}

// AddLocalConfig appends values to a key in the repository's own configuration. A process each.
func (r *Repo) AddLocalConfig(ctx context.Context, key string, values ...string) (err error) {
	r.own = nil // it may be ours
	for i := 0; i < len(values) && err == nil; i++ {
		_, err = r.output(ctx, command{args: []string{"config", "--local", "--add", key, values[i]}})
	}
	return err
}

// UnsetLocalConfig removes values of a key from the repository's own configuration, those that
// exist. A process each.
func (r *Repo) UnsetLocalConfig(ctx context.Context, key string, values ...string) (err error) {
	r.own = nil
	// git config's exit code for a value that is not there.
	const notFound = 5
	for i := 0; i < len(values) && err == nil; i++ {
		args := []string{"config", "--local", "--fixed-value", "--unset-all", key, values[i]}
		_, err = r.output(ctx, command{accept: notFound, args: args})
	}
	return err
}

// Config reads configuration values by their names in lower case. An unset name is missing from the
// result; the last of several values counts. No process where they are read with this program's own
// section, else one.
func (r *Repo) Config(ctx context.Context, names ...string) (map[string]string, error) {
	found, err := r.values(ctx, names)
	values := map[string]string{}
	for _, name := range names {
		if all := found[name]; len(all) > 0 {
			values[name] = all[len(all)-1]
		}
	}
	return values, err
}

func (r *Repo) values(ctx context.Context, names []string) (map[string][]string, error) {
	if !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(keys, name) }) {
		return r.OwnConfig(ctx)
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strings.ReplaceAll(n, ".", `\.`)
	}
	out, err := r.output(ctx, command{accept: 1, args: []string{"config", "-z", "--get-regexp", "^(" + strings.Join(quoted, "|") + ")$"}})
	return parseConfig(out, "true"), err
}

// ConfigOf lists the values of the keys that match a regular expression, by full name as git prints
// it. One process.
func (r *Repo) ConfigOf(ctx context.Context, pattern string) (map[string][]string, error) {
	out, err := r.output(ctx, command{accept: 1, args: []string{"config", "-z", "--get-regexp", pattern}})
	if err != nil {
		return nil, err
	}
	return parseConfig(out, ""), nil
}

// parseConfig parses what git config -z prints: names and values. A name alone has the value alone.
func parseConfig(out []byte, alone string) map[string][]string {
	found := map[string][]string{}
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		name, value, ok := strings.Cut(record, "\n")
		if !ok {
			value = alone
		}
		if name != "" {
			found[name] = append(found[name], value)
		}
	}
	return found
}
