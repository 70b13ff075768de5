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
	measure := func(name string, config ...string) (best time.Duration, err error) {
		file := filepath.Join(temp.Dir, name)
		if err := safefile.Write(file, index, 0o600); err != nil {
			return 0, err
		}
		for round := range 3 { // the first one fills caches
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
	now, err := measure("plain")
	if err != nil {
		return nil, err
	}
	cached, err := measure("cached", "core.untrackedCache=true")
	if err != nil {
		return nil, err
	}
	advice := Advice{What: fmt.Sprintf("git status: %d ms; with core.untrackedCache: %d ms", now.Milliseconds(), cached.Milliseconds())}
	if float64(cached) < worthwhile*float64(now) && now-cached > worthwhileTime {
		advice.Hint = "git config core.untrackedCache true"
	}
	return []Advice{advice}, nil
}
