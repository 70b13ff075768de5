package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// Named is what a name means: exactly one of these.
type Named struct {
	Checkpoint string      // the ID of a committed one
	Commit     gitexec.OID // a user's commit, or a checkpoint on a stream
	Session    string
	Turn       *Turn
}

// Turn is one turn of a session.
type Turn struct {
	ID          string
	Checkpoints []string      // committed ones that hold work of it
	OnStreams   []gitexec.OID // checkpoints on streams, oldest first
}

// NotFoundError is a name without a meaning.
type NotFoundError struct {
	Name   string
	Purged string // when a checkpoint of that name was purged; empty: it was not
}

func (e *NotFoundError) Error() string {
	if e.Purged != "" {
		return fmt.Sprintf("checkpoint %s was purged on %s", e.Name, e.Purged)
	}
	return fmt.Sprintf("%q is not a commit, checkpoint, session or turn\n"+
		"hint: list them with entire-plumb log, rewind, checkpoints or sessions", e.Name)
}

const (
	leastPrefix = 4 // digits of an abbreviated checkpoint or turn
	abbreviated = 7 // digits of a commit's ID that git prints
	wholeID     = 12
)

// Resolve finds what a name means. Its errors are NotFoundError, checkpoints.AmbiguousError, and
// read errors. A checkpoint's full ID is never ambiguous. Sessions and turns are searched in all
// checkpoints, which is slow: only if nothing else has the name, and sessions also if the name is
// shorter than the IDs that git prints.
func (r *Reader) Resolve(ctx context.Context, name string) (Named, error) {
	id, err := checkpoints.ResolveID(r.DB, r.Branch, name)
	var several *checkpoints.AmbiguousError
	switch {
	case err == nil && id == name:
		return Named{Checkpoint: id}, nil
	case errors.As(err, &several), err != nil && !errors.Is(err, checkpoints.ErrNoCheckpoint):
		return Named{}, err
	}
	var found []Named
	var all []string // with their kinds, for the user
	add := func(n Named, kind, id string) { found, all = append(found, n), append(all, kind+" "+id) }
	if err == nil {
		add(Named{Checkpoint: id}, "checkpoint", id)
	}
	commits, err := r.commits(ctx, name)
	if err != nil {
		return Named{}, err
	}
	for _, one := range commits {
		add(Named{Commit: gitexec.OID(one)}, "commit", one)
	}
	if len(all) == 0 || isHex(name) && len(name) < abbreviated {
		sessions, err := r.Sessions()
		if err != nil && !errors.Is(err, checkpoints.ErrDamaged) {
			return Named{}, err
		}
		for _, id := range withPrefix(sessions, name) {
			add(Named{Session: id}, "session", id)
		}
	}
	if len(all) == 0 && isHex(name) && len(name) >= leastPrefix && len(name) <= wholeID {
		turns, err := r.turns(ctx, name)
		if err != nil {
			return Named{}, err
		}
		for _, t := range turns {
			add(Named{Turn: t}, "turn", t.ID)
		}
	}
	switch len(all) {
	case 0:
		return Named{}, &NotFoundError{Name: name, Purged: r.Branch.PurgedOn(r.DB, name)}
	case 1:
		return found[0], nil
	}
	return Named{}, &checkpoints.AmbiguousError{Prefix: name, Candidates: all}
}

// commits is the commit that git finds by a name, or all if the name is ambiguous.
func (r *Reader) commits(ctx context.Context, name string) ([]string, error) {
	id, err := r.Repo.Resolve(ctx, name)
	var several *gitexec.AmbiguousError
	switch {
	case err == nil:
		return []string{string(id)}, nil
	case errors.As(err, &several):
		return several.Commits, nil
	}
	return nil, ctx.Err()
}

// Sessions lists the IDs of all sessions with a state on this machine or a checkpoint. It returns
// those that can be read with ErrDamaged.
func (r *Reader) Sessions() ([]string, error) {
	states, err := r.States().All()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, s := range states {
		ids = append(ids, s.SessionID)
	}
	err = checkpoints.EachCommitted(r.DB, r.Branch, func(k checkpoints.CommittedInfo) error {
		for _, m := range k.Sessions {
			ids = append(ids, m.SessionID)
		}
		return nil
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// Session expands an abbreviated session ID: to the equal one, or the only one with that prefix.
// The IDs need not be sorted. Its errors are session.ErrNotFound and checkpoints.AmbiguousError.
func Session(ids []string, prefix string) (string, error) {
	switch found := withPrefix(ids, prefix); len(found) {
	case 0:
		return "", fmt.Errorf("%w: %s\nhint: list the sessions with entire-plumb sessions", session.ErrNotFound, prefix)
	case 1:
		return found[0], nil
	default:
		return "", &checkpoints.AmbiguousError{Prefix: prefix, Candidates: found}
	}
}

// withPrefix lists the IDs with a prefix, sorted, each once; or only the equal one.
func withPrefix(ids []string, prefix string) []string {
	var found []string
	for _, id := range ids {
		if id == prefix {
			return []string{id}
		}
		if prefix != "" && strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// turns lists the turns whose IDs have a prefix, sorted by ID.
func (r *Reader) turns(ctx context.Context, prefix string) ([]*Turn, error) {
	by := map[string]*Turn{}
	turn := func(id string) *Turn {
		if by[id] == nil {
			by[id] = &Turn{ID: id}
		}
		return by[id]
	}
	streams, err := shadow.ListTemporary(ctx, r.Repo, r.DB)
	if err != nil {
		return nil, err
	}
	for _, s := range streams {
		history, err := s.History(r.DB)
		if err != nil {
			continue // the command streams reports it
		}
		for _, k := range history {
			if strings.HasPrefix(k.Turn, prefix) && k.Part == shadow.Agent {
				turn(k.Turn).OnStreams = append(turn(k.Turn).OnStreams, k.ID)
			}
		}
	}
	err = checkpoints.EachTurn(r.DB, r.Branch, func(checkpoint, id string) {
		if strings.HasPrefix(id, prefix) && !slices.Contains(turn(id).Checkpoints, checkpoint) {
			turn(id).Checkpoints = append(turn(id).Checkpoints, checkpoint)
		}
	})
	if err != nil {
		return nil, err
	}
	var all []*Turn
	for id, t := range by {
		if id == prefix {
			return []*Turn{t}, nil
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *Turn) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
