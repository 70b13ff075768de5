package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
)

// CommitLines is whose the lines of a commit are, as its checkpoints say.
type CommitLines struct {
	Commit      gitexec.OID       `json:"commit"`
	Subject     string            `json:"subject"`
	When        time.Time         `json:"when"`
	Checkpoints []CheckpointLines `json:"checkpoints"`
}

// CheckpointLines is one link of a commit's.
type CheckpointLines struct {
	ID       string                  `json:"id"`
	Found    bool                    `json:"found"`
	Sessions []condense.SessionLines `json:"sessions"`
	Error    string                  `json:"error,omitempty"` // what of it is damaged
}

// Attribution reads whose the lines of a commit, or of a range's commits, are; those without a link are left out. Three processes.
func (e Env) Attribution(ctx context.Context, rev string) ([]CommitLines, error) {
	r, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if _, err := r.catchUp(ctx); err != nil {
		return nil, err
	}
	ids, err := r.repo.RevList(ctx, rev)
	if err != nil {
		return nil, fmt.Errorf("%q names no commits: %w\nhint: a commit, or a range as in main..feature", rev, err)
	}
	commits, err := r.db.Commits(ids...)
	if err != nil {
		return nil, err
	}
	all := []CommitLines{}
	for _, c := range commits {
		subject, _, _ := strings.Cut(string(c.Message), "\n")
		one := CommitLines{Commit: c.ID, Subject: subject, When: c.When}
		for _, id := range message.Links(c.Message) {
			sessions, err := condense.ReadLines(r.db, r.branch, id, c)
			if err != nil && !errors.Is(err, condense.ErrDamaged) {
				return nil, err
			}
			k := CheckpointLines{ID: id, Found: sessions != nil || err != nil, Sessions: sessions}
			if err != nil {
				k.Error = OneLine(err)
			}
			one.Checkpoints = append(one.Checkpoints, k)
		}
		if len(one.Checkpoints) > 0 {
			all = append(all, one)
		}
	}
	return all, nil
}
