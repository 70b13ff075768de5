package query

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/repositories"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
)

// Passed is a repository that was not searched.
type Passed struct {
	Repository string `json:"repository"`
	Reason     string `json:"reason"`
}

// SearchAll searches the repositories that the user has enabled, and the one of the source, which
// the list may lack. What was recorded is read as it is there: nothing is finished. Those that are
// gone, or no longer enabled, are passed over; of others that cannot be searched it says why.
func (e Source) SearchAll(ctx context.Context, q TextSearch) (found TextFound, passed []Passed, err error) {
	dirs, err := repositories.List(repositories.File(e.Getenv))
	if err != nil {
		return found, nil, err
	}
	if here, err := gitexec.Discover(ctx, e.Dir, e.Tracer); err == nil {
		dirs = append(dirs, here.Top)
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		one, err := e.searchIn(ctx, q, dir, seen)
		switch {
		case ctx.Err() != nil:
			return found, passed, ctx.Err()
		// The question itself is wrong: no other repository would understand it.
		case errors.As(err, new(*ErrQuery)):
			return found, passed, err
		case errors.Is(err, errPassed):
			continue
		case err != nil:
			passed = append(passed, Passed{dir, explain.OneLine(err)})
			continue
		}
		found.add(one, dir, q.Most)
	}
	return found, passed, nil
}

// errPassed is a directory that is no longer an enabled repository, or that was searched already.
var errPassed = errors.New("passed over")

// patience is how long a directory may take to answer: it may be on a network.
const patience = 2 * time.Second

func (e Source) searchIn(ctx context.Context, q TextSearch, dir string, seen map[string]bool) (TextFound, error) {
	if err := answers(dir); err != nil {
		return TextFound{}, err
	}
	repo, err := gitexec.Discover(ctx, dir, e.Tracer)
	if errors.Is(err, gitexec.ErrNotRepository) {
		err = errPassed
	}
	if err != nil {
		return TextFound{}, err
	}
	// Two worktrees of one repository have the same conversations.
	if _, err := os.Stat(repo.SharedDir()); err != nil || seen[repo.CommonDir] {
		return TextFound{}, errPassed
	}
	if _, err := settings.Load(ctx, repo); workspace.NotRecorded(err) {
		return TextFound{}, errPassed
	}
	seen[repo.CommonDir] = true
	there := e.asItIs()
	there.Dir = dir
	found, err := there.SearchTexts(ctx, q)
	// The session that is asked for is of one repository: the others know nothing of it.
	if errors.Is(err, gitexec.ErrUnborn) || errors.Is(err, session.ErrNotFound) {
		err = errPassed
	}
	return found, err
}

// answers waits for a directory. Its errors are errPassed, where it is none, and that it takes too
// long.
func answers(dir string) error {
	// With room for one: a stat that comes back later must not hang on it.
	got := make(chan error, 1)
	go func() {
		info, err := os.Stat(dir)
		if err == nil && info.IsDir() {
			got <- nil
		} else {
			got <- errPassed
		}
	}()
	select {
	case err := <-got:
		return err
	case <-time.After(patience):
		return errors.New("the directory does not answer")
	}
}

// add adds what was found in a repository.
func (f *TextFound) add(o TextFound, dir string, most int) {
	for i := range o.Matches {
		o.Matches[i].Repository = dir
	}
	f.Matches = append(f.Matches, o.Matches...)
	slices.SortStableFunc(f.Matches, func(a, b TextMatch) int { return b.When.Compare(a.When) })
	f.More = f.More || o.More
	// Each repository has its latest: the latest of all are among these.
	if most > 0 && len(f.Matches) > most {
		f.Matches, f.More = f.Matches[:most], true
	}
	f.Sealed, f.Unread = f.Sealed+o.Sealed, f.Unread+o.Unread
	if f.For == "" {
		f.For = o.For
	}
}
