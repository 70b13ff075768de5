package gitexec

import (
	"context"
	"time"
)

// StatusTime is how long git status takes with an index file, which it may write, and with settings
// (KEY=VALUE). One process.
func (r *Repo) StatusTime(ctx context.Context, index string, config ...string) (time.Duration, error) {
	var args []string
	for _, c := range config {
		args = append(args, "-c", c)
	}
	begun := time.Now()
	_, err := r.output(ctx, command{args: append(args, "status", "--porcelain=v2"), env: []string{"GIT_INDEX_FILE=" + index, "GIT_OPTIONAL_LOCKS=1"}})
	return time.Since(begun), err
}
