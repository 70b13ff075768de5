package gitexec

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Date is the time of a date as git reads it, such as "2 weeks ago". One process.
func (r *Repo) Date(ctx context.Context, text string) (time.Time, error) {
	out, err := r.output(ctx, command{args: []string{"rev-parse", "--since=" + text}})
	if err != nil {
		return time.Time{}, err
	}
	seconds, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "--max-age=")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if !ok || err != nil {
		return time.Time{}, fmt.Errorf("git reads %q as no date", text)
	}
	return time.Unix(n, 0), nil
}
