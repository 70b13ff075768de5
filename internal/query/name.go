package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
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
	Reason string // what git says of it beside that it is unknown; mostly empty
	Purged string // when a checkpoint of that name was purged; empty: it was not
	Branch bool   // a branch may have been meant, too
}

func (e *NotFoundError) Error() string {
	if e.Purged != "" {
		return fmt.Sprintf("checkpoint %s was purged on %s", e.Name, e.Purged)
	}
	if e.Reason != "" {
		return fmt.Sprintf("%q names nothing: %s", e.Name, e.Reason)
	}
	kinds := "commit"
	if e.Branch {
		kinds = "branch, commit"
	}
	return fmt.Sprintf("%q is not a %s, checkpoint, session or turn\n"+
		"hint: list them with entire-plumb log, rewind, checkpoints or sessions", e.Name, kinds)
}

const (
	// git takes four digits of a commit's ID, too.
	leastPrefix = 4 // digits of an abbreviated checkpoint or turn
	abbreviated = 7 // digits of a commit's ID that git prints
	wholeID     = 12
)

// Resolve finds what a name means. Its errors are NotFoundError, checkpoints.AmbiguousError, and
// read errors. A checkpoint's full ID is never ambiguous. Sessions and turns are searched in all
// checkpoints, which is slow: only if nothing else has the name, and sessions also if the name is
// shorter than the IDs that git prints.
func (r *Reader) Resolve(ctx context.Context, name string) (Named, error) {
	var all candidates
	id, err := checkpoints.ResolveID(r.DB, r.Branch, name)
	switch {
	case err == nil && id == name:
		return Named{Checkpoint: id}, nil
	case err == nil:
		all.add(Named{Checkpoint: id}, "checkpoint", id)
	case !errors.Is(err, checkpoints.ErrNoCheckpoint):
		return Named{}, err
	}
	// A checkpoint's abbreviated ID may be that of a commit as well: then the name is ambiguous.
	if err := all.addCommits(ctx, r.Repo, name); err != nil {
		return Named{}, err
	}
	for _, search := range []func(context.Context, string, *candidates) error{r.addSessions, r.addTurns} {
		if err := search(ctx, name, &all); err != nil {
			return Named{}, err
		}
	}
	switch len(all.found) {
	case 0:
		// Last: git's own names have such suffixes, too, and git has looked for these.
		if id, err := derived(ctx, r, name); id != "" || err != nil {
			return Named{Commit: id}, err
		}
		return Named{}, &NotFoundError{Name: name, Reason: all.reason, Purged: r.Branch.PurgedOn(r.DB, name)}
	case 1:
		return all.found[0], nil
	}
	return Named{}, &checkpoints.AmbiguousError{Prefix: name, Candidates: all.names}
}

// derived finds the commit of a name of ours with a suffix of git's, such as SESSION^ or
// CHECKPOINT~2; empty: it is no such name. No ID of ours has these characters.
func derived(ctx context.Context, r *Reader, name string) (gitexec.OID, error) {
	at := strings.IndexAny(name, "^~")
	// ^NAME excludes, and names no commit.
	if at <= 0 {
		return "", nil
	}
	of, err := r.Revision(ctx, name[:at])
	if err != nil {
		if errors.As(err, new(*MisnamedError)) {
			err = nil
		}
		return "", err
	}
	// A commit without a parent has no NAME^: then the name means nothing.
	id, err := r.Repo.Resolve(ctx, string(of)+name[at:])
	if err != nil {
		return "", ctx.Err()
	}
	return id, nil
}

// candidates are what a name may mean.
type candidates struct {
	found []Named
	names []string // with their kinds, for the user
	// reason is what git says of the name beside that it is unknown; mostly empty.
	reason string
}

func (c *candidates) add(n Named, kind, id string) {
	c.found, c.names = append(c.found, n), append(c.names, kind+" "+id)
}

// mayBeSession reports whether sessions are searched for a name that means something already.
func (c *candidates) mayBeSession(name string) bool {
	// Whoever copies a commit's ID copies seven digits or more: that is not searched for among
	// sessions.
	return len(c.found) == 0 || isHex(name) && len(name) < abbreviated
}

// mayBeTurn is likewise for turns.
func (c *candidates) mayBeTurn(name string) bool {
	return len(c.found) == 0 && isHex(name) && len(name) >= leastPrefix && len(name) <= wholeID
}

// addCommits adds the commit that git finds by a name, or all if the name is ambiguous.
func (c *candidates) addCommits(ctx context.Context, repo *gitexec.Repo, name string) error {
	id, err := repo.Resolve(ctx, name)
	ids := []string{string(id)}
	if err != nil {
		var several *gitexec.AmbiguousError
		if !errors.As(err, &several) {
			c.reason = gitsReason(err)
			return ctx.Err()
		}
		ids = several.Commits
	}
	for _, id := range ids {
		c.add(Named{Commit: gitexec.OID(id)}, "commit", id)
	}
	return nil
}

func (r *Reader) addSessions(ctx context.Context, name string, to *candidates) error {
	if !to.mayBeSession(name) {
		return nil
	}
	sessions, err := r.Sessions(ctx, name)
	if err != nil && !errors.Is(err, checkpoints.ErrDamaged) {
		return err
	}
	// Where no checkpoint can be read, the sessions of this machine still have their names.
	for _, id := range withPrefix(sessions, name) {
		to.add(Named{Session: id}, "session", id)
	}
	return nil
}

func (r *Reader) addTurns(ctx context.Context, name string, to *candidates) error {
	if !to.mayBeTurn(name) {
		return nil
	}
	turns := turnsNamed{name, map[string]*Turn{}}
	err := Histories(ctx, r.Repo, r.DB, func(history []shadow.Checkpoint) { turns.onStream(history) })
	if err == nil {
		err = r.ask(ctx, func(c *catalogue) error { return c.turns(name, turns.committed) })
	}
	if err == nil && len(turns.by) == 0 {
		err = deletedHistories(ctx, r, time.Time{}, turns.onStream)
	}
	var parts judged
	if err == nil {
		parts, err = judge(ctx, r)
	}
	if err != nil {
		return err
	}
	for _, t := range turns.sorted() {
		t.Checkpoints = parts.without(t.Checkpoints, len(t.OnStreams) > 0)
		to.add(Named{Turn: t}, "turn", t.ID)
	}
	return nil
}

// Sessions lists the IDs that begin so, of sessions with a state on this machine or a checkpoint.
// Where no checkpoint can be read it returns the former with the error.
func (r *Reader) Sessions(ctx context.Context, prefix string) ([]string, error) {
	states, err := r.States().All()
	if err != nil {
		return nil, err
	}
	ids := sessionIDs(states, nil, prefix)
	err = r.ask(ctx, func(c *catalogue) error {
		ids = sessionIDs(states, c, prefix)
		return nil
	})
	return ids, err
}

// sessionIDs lists the IDs that begin so, of states and in the index, if there is one.
func sessionIDs(states []*session.State, c *catalogue, prefix string) (ids []string) {
	for _, s := range states {
		if strings.HasPrefix(s.SessionID, prefix) {
			ids = append(ids, s.SessionID)
		}
	}
	if c != nil {
		for key := range c.Scan(keySession + escaped(prefix)) {
			ids = append(ids, unescaped(strings.TrimPrefix(key, keySession)))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Session expands an abbreviated session ID: to the equal one, or the only one with that prefix.
// The IDs need not be sorted. Its errors are MisnamedError, which is a
// session.ErrNotFound, and checkpoints.AmbiguousError.
func Session(ids []string, prefix string) (string, error) {
	switch found := withPrefix(ids, prefix); len(found) {
	case 0:
		return "", &MisnamedError{prefix, ASession, fmt.Errorf("%w: %s\nhint: list the sessions with entire-plumb sessions", session.ErrNotFound, prefix)}
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
		// The empty name is no abbreviation of everything.
		if prefix != "" && strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Histories passes on the checkpoints of each stream, oldest first. It skips a stream that cannot
// be read: the command streams reports it.
func Histories(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, each func([]shadow.Checkpoint)) error {
	streams, err := shadow.ListTemporary(ctx, repo, db)
	for _, s := range streams {
		if history, err := s.History(db); err == nil {
			each(history)
		}
	}
	return err
}

// LatestOnStream is a session's latest checkpoint on a stream; nil: it has none.
func LatestOnStream(ctx context.Context, r *Reader, session string) (last *shadow.Checkpoint, err error) {
	err = Histories(ctx, r.Repo, r.DB, func(history []shadow.Checkpoint) { last = latestIn(last, history, session) })
	return last, err
}

// latestIn is a session's last checkpoint in a history, or the known one if that is later.
func latestIn(known *shadow.Checkpoint, history []shadow.Checkpoint, session string) *shadow.Checkpoint {
	for _, k := range slices.Backward(history) {
		if k.Session == session && k.Part == shadow.Agent {
			if known != nil && k.When.Before(known.When) {
				break
			}
			return &k
		}
	}
	return known
}

// deletedHistories is Histories for the streams that were deleted since a time and are kept, the
// latest first: a dismissed turn has its ID there.
func deletedHistories(ctx context.Context, r *Reader, since time.Time, each func([]shadow.Checkpoint)) error {
	deleted, err := shadow.Deleted(ctx, r.Repo, r.DB)
	for _, d := range deleted {
		if d.When.Before(since) {
			break
		}
		if history, err := d.History(r.DB); err == nil {
			each(history)
		}
	}
	return err
}

// turnsNamed collects the turns whose IDs have a prefix.
type turnsNamed struct {
	prefix string
	by     map[string]*Turn
}

// turn is the turn of an ID; nil: its ID has another prefix.
func (n turnsNamed) turn(id string) *Turn {
	if !strings.HasPrefix(id, n.prefix) {
		return nil
	}
	if n.by[id] == nil {
		n.by[id] = &Turn{ID: id}
	}
	return n.by[id]
}

func (n turnsNamed) onStream(history []shadow.Checkpoint) {
	for _, k := range history {
		// The human's part before a turn has the turn's ID, and is none of its work.
		if k.Part != shadow.Agent {
			continue
		}
		if t := n.turn(k.Turn); t != nil {
			t.OnStreams = append(t.OnStreams, k.ID)
		}
	}
}

func (n turnsNamed) committed(checkpoint, id string) {
	if t := n.turn(id); t != nil {
		t.Checkpoints = sets.With(t.Checkpoints, checkpoint)
	}
}

// sorted lists them by ID, or only the one whose ID is the prefix.
func (n turnsNamed) sorted() []*Turn {
	if t := n.by[n.prefix]; t != nil {
		return []*Turn{t}
	}
	return slices.SortedFunc(maps.Values(n.by), func(a, b *Turn) int { return strings.Compare(a.ID, b.ID) })
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
