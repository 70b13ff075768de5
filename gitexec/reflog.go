package gitexec

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// HeadMove is one entry of HEAD's reflog.
type HeadMove struct {
	From OID // empty: unknown
	To   OID
	Why  string // git's reason: "commit: …", "reset: moving to HEAD~1"
}

// HeadMoves reads HEAD's reflog, newest entry first, at most `most`. Without a reflog it is empty.
// One process.
func (r *Repo) HeadMoves(ctx context.Context, most int) ([]HeadMove, error) {
	// git exits with 128 where HEAD names no commit yet.
	out, err := r.output(ctx, command{accept: 128, args: []string{"log", "-g", "--no-show-signature", "--max-count=" + strconv.Itoa(most),
		"--format=%H %gs", "--end-of-options", "HEAD", "--"}})
	if err != nil {
		return nil, err
	}
	var moves []HeadMove
	for line := range strings.Lines(string(out)) {
		id, why, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ValidOID(id) {
			return nil, fmt.Errorf("git log -g HEAD answered %q", line)
		}
		// git log -g does not print an entry's old value. It is the new one of the entry before,
		// unless the reflog has gaps.
		if len(moves) > 0 {
			moves[len(moves)-1].From = OID(id)
		}
		moves = append(moves, HeadMove{To: OID(id), Why: why})
	}
	return moves, nil
}
