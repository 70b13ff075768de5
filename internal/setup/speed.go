package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// Advice is a measurement, and what follows from it.
type Advice struct {
	What string `json:"what"`
	Hint string `json:"hint,omitempty"` // empty: nothing
}

// worthwhile is what a setting must save at least: of the time, and in all.
const worthwhile, worthwhileTime = 0.8, 5 * time.Millisecond

// mostIndex is the most bytes of an index that is measured: of some ten million files.
const mostIndex = 1 << 30

// Speed measures how long git takes to look at the worktree, which is most of what a turn's hooks
// do, and how long with git's untracked cache, in a copy of the index. Six processes.
func Speed(ctx context.Context, repo *gitexec.Repo) ([]Advice, error) {
	temp, err := repo.TempDir()
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	index, err := safefile.Read(repo.IndexFile, mostIndex)
	if err != nil {
		return nil, nil // nothing was ever staged
	}
	now, err := measure(ctx, repo, filepath.Join(temp.Dir, "plain"), index)
	if err != nil {
		return nil, err
	}
	cached, err := measure(ctx, repo, filepath.Join(temp.Dir, "cached"), index, "core.untrackedCache=true")
	if err != nil {
		return nil, err
	}
	return []Advice{compared(now, cached)}, nil
}

// measure is the best time of some rounds after the first, which fills caches.
func measure(ctx context.Context, repo *gitexec.Repo, file string, index []byte, config ...string) (best time.Duration, err error) {
	if err := safefile.Write(file, index, 0o600); err != nil {
		return 0, err
	}
	for round := range 3 {
		took, err := repo.StatusTime(ctx, file, config...)
		if err != nil {
			return 0, err
		}
		if round == 1 || round > 1 && took < best {
			best = took
		}
	}
	return best, nil
}

// compared decides whether the untracked cache is worth its while.
func compared(now, cached time.Duration) Advice {
	advice := Advice{What: fmt.Sprintf("git status: %d ms; with core.untrackedCache: %d ms", now.Milliseconds(), cached.Milliseconds())}
	if float64(cached) < worthwhile*float64(now) && now-cached > worthwhileTime {
		advice.Hint = "git config core.untrackedCache true"
	}
	return advice
}
