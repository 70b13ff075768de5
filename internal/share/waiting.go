package share

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
)

// Waiting is that pushes did not bring the checkpoints to their target lately.
type Waiting struct {
	Remote   string    `json:"remote"`   // the remote or the address
	Commits  int       `json:"commits"`  // of the branch that wait
	Since    time.Time `json:"since"`    // the first push of these
	Failures int       `json:"failures"` // pushes in a row
	Fault    Fault     `json:"fault"`    // timeout, authentication, refused, no_repository, unreachable or other
	Words    string    `json:"words"`    // git's of the last one
	Next     time.Time `json:"next_try"` // pushes before it do not try
}

// WaitingFor says what waits for the target of a repository's checkpoints; nil: nothing, or no push
// has failed. No process where no push has failed.
func (r Remotes) WaitingFor(ctx context.Context, repo *gitexec.Repo, chosen settings.Settings) (*Waiting, error) {
	s := &Sharing{View: View{w: &workspace.Workspace{Repo: repo, Settings: chosen, DB: repo.ODB(ctx)}, remotes: r}}
	defer s.View.w.DB.Close()
	target := r.Target(chosen, strings.TrimPrefix(repo.Branch, "refs/heads/"))
	for _, s.View.Target = range r.each(target) {
		if w, err := waiting(ctx, s); w != nil || err != nil {
			return w, err
		}
	}
	return nil, nil
}

func waiting(ctx context.Context, s *Sharing) (*Waiting, error) {
	a := MemoryOf(s)
	if s.View.Target.Why != "" || a.Failures == 0 {
		return nil, nil
	}
	if err := s.View.readRefs(ctx); err != nil {
		return nil, err
	}
	if err := s.choose(ctx, false); err != nil || s.report.New == 0 {
		return nil, err
	}
	return &Waiting{Remote: s.View.Shown(), Commits: s.report.New, Since: a.Since, Failures: a.Failures, Fault: a.Fault, Words: firstBytes(a.Words, mostWords),
		Next: a.Next()}, nil
}

// Text says it in a line.
func (w Waiting) Text() string {
	wait := amount.Of(w.Commits, "commit") + " " + amount.ByNumber(w.Commits, "waits", "wait")
	return fmt.Sprintf("checkpoints are not on %s since %s: %s; %s", w.Remote, w.Since.Local().Format("2006-01-02 15:04"), w.Words, wait)
}
