package hooks

import (
	"context"
	"errors"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
)

// candidates are what a name stands for: a committed checkpoint, whose ID may be abbreviated, or a commit. A checkpoint's whole ID is nothing else's.
type candidates struct {
	checkpoint string      // empty: it is none's
	commit     gitexec.OID // likewise
	all        []string    // as they are told to the user
}

// candidatesOf finds out what a name stands for. Its errors are those of reading the branch; several candidates are none.
func candidatesOf(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, b condense.Branch, name string) (c candidates, err error) {
	id, err := condense.ResolveID(db, b, name)
	if err != nil && !errors.Is(err, condense.ErrNoCheckpoint) {
		return c, err
	}
	if err == nil {
		c.checkpoint, c.all = id, []string{"checkpoint " + id}
	}
	if id == name && err == nil {
		return c, nil
	}
	commit, err := repo.Resolve(ctx, name)
	var several *gitexec.AmbiguousError
	switch {
	case err == nil:
		c.commit, c.all = commit, append(c.all, "commit "+string(commit))
	case errors.As(err, &several):
		for _, one := range several.Commits {
			c.all = append(c.all, "commit "+one)
		}
	}
	return c, nil
}

// several is the error of a name that stands for more than one; nil: it doesn't.
func (c candidates) several(name string) error {
	if len(c.all) < 2 {
		return nil
	}
	return &condense.AmbiguousError{Prefix: name, Candidates: c.all}
}
