package gitexec

import (
	"context"
	"errors"
	"strings"
)

// Attributes are the values of some attributes for files, by name, as git prints them: "set",
// "unset", "unspecified", or a value. The files need not exist. What counts are the worktree's
// .gitattributes, for those that it lacks the index's, and the user's own. One process, and none
// for no files.
func (r *Repo) Attributes(ctx context.Context, files []Path, names ...string) (map[Path]map[string]string, error) {
	all := map[Path]map[string]string{}
	if len(files) == 0 {
		return all, nil
	}
	var in strings.Builder
	for _, file := range files {
		in.WriteString(string(file) + "\x00")
	}
	args := append([]string{"check-attr", "-z", "--stdin"}, names...)
	out, err := r.output(ctx, command{args: args, stdin: strings.NewReader(in.String())})
	if err != nil {
		return nil, err
	}
	// A file, an attribute and its value in turn.
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields)%3 != 0 {
		return nil, errors.New("git check-attr answered in a way that is not understood")
	}
	for ; len(fields) > 0; fields = fields[3:] {
		file := Path(fields[0])
		if all[file] == nil {
			all[file] = map[string]string{}
		}
		all[file][fields[1]] = fields[2]
	}
	return all, nil
}
