package query

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
	"entire-plumb/internal/session"
)

// Search selects checkpoints; an empty field selects all.
type Search struct {
	File    string // a file that it changed, or a directory
	Session string // the beginning of a session's ID
	Text    string // in a prompt, ignoring case

	only string // the session's full ID, if it is a prefix of others
}

// Found is the result of a search.
type Found struct {
	Checkpoints []checkpoints.CommittedInfo // latest first
	Count       int                         // of all matches
	Damaged     []checkpoints.CommittedInfo // that may match, too
	Sealed      int                         // whose prompts were not searched for the text: no identity here opens them
	For         string                      // for whom one of these is encrypted
}

// Checkpoints lists the committed checkpoints that match, at most `most`, or all with 0. An
// ambiguous session ID is an error.
func (e Source) Checkpoints(ctx context.Context, q Search, most int) (Found, error) {
	r, err := e.Open(ctx)
	if err != nil {
		return Found{}, err
	}
	defer r.Close()
	if q.File != "" {
		q.File = fromTop(r.Repo.Top, e.Dir, q.File)
	}
	var found Found
	err = r.ask(ctx, func(c *catalogue) (err error) {
		if q.only, err = sessionMeant(r.States(), c, q.Session); err == nil {
			found, err = c.search(q, most)
		}
		return err
	})
	if err == nil && q.Session != "" && found.Count+len(found.Damaged) == 0 {
		err = r.knows(ctx, q.Session)
	}
	return found, err
}

// knows is MisnamedError where no session's ID begins so.
func (r *Reader) knows(ctx context.Context, session string) error {
	ids, err := r.Sessions(ctx)
	if err != nil || len(withPrefix(ids, session)) > 0 {
		return nil // what cannot be read may have it
	}
	_, err = Session(ids, session)
	return err
}

// sessionMeant is the session whose ID is given, where that is the beginning of others' IDs, too;
// else empty. Its error is AmbiguousError.
func sessionMeant(store session.Store, c *catalogue, prefix string) (string, error) {
	if prefix == "" {
		return "", nil
	}
	states, err := store.All()
	if err != nil {
		return "", err
	}
	ids := map[string]bool{}
	for _, s := range states {
		ids[s.SessionID] = true
	}
	for key := range c.Scan(keySession + escaped(prefix)) {
		ids[unescaped(strings.TrimPrefix(key, keySession))] = true
	}
	return prefixOfOthers(slices.Collect(maps.Keys(ids)), prefix)
}

// prefixOfOthers is the ID that equals a prefix, where other IDs have the prefix, too; else empty.
// Its error is AmbiguousError.
func prefixOfOthers(ids []string, prefix string) (string, error) {
	id, err := Session(ids, prefix)
	if err != nil {
		if !errors.As(err, new(*checkpoints.AmbiguousError)) {
			err = nil // no such session
		}
		return "", err
	}
	if slices.ContainsFunc(ids, func(other string) bool { return other != id && strings.HasPrefix(other, prefix) }) {
		return id, nil
	}
	return "", nil
}

// search lists the checkpoints that match, and reads those that are shown.
func (c *catalogue) search(q Search, most int) (found Found, err error) {
	var matching map[string]bool // nil: all
	var faults []checkpoints.CommittedInfo
	if q == (Search{}) {
		faults, err = c.damagedDirectories()
		found.Count = c.count() + len(faults)
	} else {
		matching, err = c.matching(q, &found)
		found.Count = len(matching)
	}
	if err != nil {
		return found, err
	}
	latest, err := c.latest(most, matching)
	if err != nil {
		return found, err
	}
	err = c.describe(latest, func(info checkpoints.CommittedInfo) error {
		found.Checkpoints = append(found.Checkpoints, info)
		return nil
	})
	for _, k := range faults { // their times are not known
		if most == 0 || len(found.Checkpoints) < most {
			found.Checkpoints = append(found.Checkpoints, k)
		}
	}
	return found, err
}

// matching are the checkpoints that match a search of something.
func (c *catalogue) matching(q Search, found *Found) (map[string]bool, error) {
	var by map[string]bool // nil: all
	keep := func(some map[string]bool) {
		if by == nil {
			by = some
		}
		maps.DeleteFunc(by, func(id string, _ bool) bool { return !some[id] })
	}
	if q.Session != "" {
		keep(c.ofSession(q))
	}
	if q.File != "" {
		keep(c.ofFile(q.File))
	}
	if q.Text != "" {
		some, err := c.withText(q, by, found)
		if err != nil {
			return nil, err
		}
		keep(some)
	}
	faults, err := c.damaged()
	if err != nil {
		return nil, err
	}
	for _, k := range faults {
		if !by[k.ID] {
			found.Damaged = append(found.Damaged, k)
		}
	}
	return by, nil
}

// ofSession are the checkpoints with a part of a session whose ID begins so, or is the only one
// meant.
func (c *catalogue) ofSession(q Search) map[string]bool {
	prefix := keyPart + escaped(q.Session)
	if q.only != "" {
		prefix = keyPart + escaped(q.only) + end
	}
	by := map[string]bool{}
	for _, value := range c.Scan(prefix) {
		id, _ := unpack(value, str[string])
		by[id] = true
	}
	return by
}

// ofFile are the checkpoints that changed a file, or one in a directory of that name.
func (c *catalogue) ofFile(file string) map[string]bool {
	by := map[string]bool{}
	for _, prefix := range []string{escaped(file) + end, escaped(strings.TrimSuffix(file, "/")) + "/"} {
		for key := range c.Scan(keyPath + prefix) {
			by[key[strings.LastIndex(key, end)+len(end):]] = true
		}
	}
	return by
}

// withText are the checkpoints whose own prompts have the text, of those given, or of all, with
// nil. What is encrypted is opened, where an identity here does.
func (c *catalogue) withText(q Search, among map[string]bool, found *Found) (map[string]bool, error) {
	by, dark := map[string]bool{}, map[string]bool{}
	text := []byte(strings.ToLower(q.Text))
	for key, value := range c.Scan(keyText) {
		id := strings.TrimPrefix(key, keyText)
		if among != nil && !among[id] {
			continue
		}
		own, _ := unpack(value, ownFields)
		if own.dark {
			dark[id] = true
		} else if bytes.Contains(own.texts, text) {
			by[id] = true
		}
	}
	rows, err := c.rows(maps.Keys(dark))
	if err != nil {
		return nil, err
	}
	err = c.describe(rows, func(info checkpoints.CommittedInfo) error {
		if q.textIn(info) {
			by[info.ID] = true
		} else if info.Sealed != "" {
			found.Sealed, found.For = found.Sealed+1, info.Sealed
		}
		return nil
	})
	return by, err
}

// ownPrompts lists the prompts of a checkpoint without those of the session's earlier ones; all, if
// it doesn't record where its own begin.
func ownPrompts(c checkpoints.CommittedInfo) []string {
	var own []string
	for i, text := range c.Prompts {
		all := conversation.Split(text)
		if i < len(c.Sessions) {
			all = all[min(c.Sessions[i].CheckpointPromptStart, max(0, len(all)-1)):]
		}
		own = append(own, all...)
	}
	return own
}

// fromTop makes a path relative to the top of the worktree; a path outside is unchanged.
func fromTop(top, dir, file string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	file = from(dir, file)
	path, err := filepath.Rel(top, file)
	if err != nil || path == ".." || strings.HasPrefix(path, "../") {
		return file
	}
	return filepath.ToSlash(path)
}

// from makes a file's name that is relative to a directory absolute.
func from(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// textIn reports whether the checkpoint's own prompts have the text, ignoring case.
func (q Search) textIn(c checkpoints.CommittedInfo) bool {
	return slices.ContainsFunc(ownPrompts(c), func(text string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text))
	})
}
