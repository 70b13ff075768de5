package commits

import (
	"errors"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
)

// SessionNamed finds a session by its ID, or by what only its ID begins with. Its errors are those
// of query.Session, with the sessions that there are to choose from.
func SessionNamed(repo *gitexec.Repo, store session.Store, id string) (*session.State, error) {
	known, err := store.Load(id)
	if err == nil {
		known.In(repo.WorktreeID())
	}
	if errors.Is(err, session.ErrBadID) {
		return nil, &query.MisnamedError{Name: id, Wanted: query.ASession, Err: err}
	}
	if !errors.Is(err, session.ErrNotFound) {
		return known, err
	}
	all, err := store.All()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, s := range all {
		ids = append(ids, s.SessionID)
	}
	if id, err = query.Session(ids, id); err != nil {
		return nil, err
	}
	found := all[slices.Index(ids, id)]
	found.In(repo.WorktreeID())
	return found, nil
}
