package query

import (
	"bytes"
	"context"
	"errors"
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
	r, err := e.open(ctx, true)
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
	for i, k := range found.Checkpoints {
		if k.Elsewhere && len(k.Sessions) > 0 && k.IsAdded(0) {
			found.Checkpoints[i].Source = whoseAdded(ctx, r, k.ID)
		}
	}
	// Nothing was found: a session that doesn't exist is a mistake, and one without checkpoints is
	// not.
	if err == nil && q.Session != "" && found.Count+len(found.Damaged) == 0 {
		err = r.knows(ctx, q.Session)
	}
	return found, err
}

// knows is MisnamedError where no session's ID begins so.
func (r *Reader) knows(ctx context.Context, session string) error {
	ids, err := r.Sessions(ctx, session)
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
	return prefixOfOthers(sessionIDs(states, c, prefix), prefix)
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
	var matching []string // nil: all
	var faults []checkpoints.CommittedInfo
	// All of them are counted, and only those that are shown are read.
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

// matching are the checkpoints that match a search of something, sorted.
func (c *catalogue) matching(q Search, found *Found) ([]string, error) {
	var by []string // nil: all
	keep := func(some []string) {
		if by == nil {
			by = some
		} else {
			by = slices.DeleteFunc(by, func(id string) bool { return !hasSorted(some, id) })
		}
	}
	if q.Session != "" {
		// The cheapest lists come first: what is left of them limits the reading of texts.
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
		// A damaged checkpoint is found by what could be read of it. What could not may match, too.
		if !hasSorted(by, k.ID) {
			found.Damaged = append(found.Damaged, k)
		}
	}
	return by, nil
}

// hasSorted reports whether a sorted list has an ID. There may be very many: a map of them takes
// several times as long to make.
func hasSorted(all []string, id string) bool {
	_, found := slices.BinarySearch(all, id)
	return found
}

// ofSession are the checkpoints with a part of a session whose ID begins so, or is the only one
// meant, sorted.
func (c *catalogue) ofSession(q Search) []string {
	prefix := keyPart + escaped(q.Session)
	if q.only != "" {
		prefix = keyPart + escaped(q.only) + end
	}
	by := []string{}
	for _, value := range c.Scan(prefix) {
		// A part begins with its checkpoint: the rest needs no reading.
		id, _ := unpack(value, str[string])
		by = append(by, id)
	}
	slices.Sort(by)
	return slices.Compact(by)
}

// ofFile are the checkpoints that changed a file, or one in a directory of that name, sorted.
func (c *catalogue) ofFile(file string) []string {
	lists := [][]string{{}} // of each path one, sorted
	var path, ids []byte    // that of the last keys, and their IDs, one after the other
	var ends []int
	put := func() {
		text, at, list := string(ids), 0, make([]string, 0, len(ends))
		for _, to := range ends {
			list, at = append(list, text[at:to]), to
		}
		lists, ids, ends = append(lists, list), ids[:0], ends[:0]
	}
	// The file of that name, and those in a directory of it: a path in an old checkpoint may have
	// been either.
	for _, prefix := range []string{escaped(file) + end, escaped(strings.TrimSuffix(file, "/")) + "/"} {
		for key := range c.Keys(keyPath + prefix) {
			if len(path) == 0 || !bytes.HasPrefix(key, path) {
				put()
				path = append(path[:0], key[:bytes.LastIndex(key, []byte(end))+len(end)]...)
			}
			ids = append(ids, key[len(path):]...)
			ends = append(ends, len(ids))
		}
	}
	put()
	for len(lists) > 1 {
		var fewer [][]string
		// By pairs: a directory may have tens of thousands of files, and one list after the other
		// would copy the first ones each time.
		for pair := range slices.Chunk(lists, 2) {
			fewer = append(fewer, unionSorted(pair[0], pair[len(pair)-1]))
		}
		lists = fewer
	}
	return lists[0]
}

// unionSorted has the values of two sorted lists, each once.
func unionSorted(a, b []string) []string {
	all := make([]string, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		c := strings.Compare(a[0], b[0])
		if c <= 0 {
			all = append(all, a[0])
			a = a[1:]
		} else {
			all = append(all, b[0])
		}
		if c >= 0 {
			b = b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// withText are the checkpoints whose own prompts have the text, of those given, or of all, with
// nil, sorted. What is encrypted is opened, where an identity here does.
func (c *catalogue) withText(q Search, among []string, found *Found) ([]string, error) {
	by, dark := []string{}, []string{}
	text := []byte(strings.ToLower(q.Text))
	for key, value := range c.Scan(keyText) {
		id := strings.TrimPrefix(key, keyText)
		if among != nil && !hasSorted(among, id) {
			continue
		}
		own, _ := unpack(value, ownFields)
		if own.dark {
			dark = append(dark, id)
		} else if bytes.Contains(own.texts, text) {
			by = append(by, id)
		}
	}
	rows, err := c.rows(slices.Values(dark))
	if err != nil {
		return nil, err
	}
	err = c.describe(rows, func(info checkpoints.CommittedInfo) error {
		if q.textIn(info) {
			by = append(by, info.ID)
		} else if info.Sealed != "" {
			found.Sealed, found.For = found.Sealed+1, info.Sealed
		}
		return nil
	})
	slices.Sort(by)
	return by, err
}

// ownPrompts lists the prompts of a checkpoint without those of the session's earlier ones; all, if
// it doesn't record where its own begin.
func ownPrompts(c checkpoints.CommittedInfo) []string {
	var own []string
	for i, text := range c.Prompts {
		all := conversation.Split(text)
		if i < len(c.Sessions) {
			// Others may write any number there. The last prompt always counts: a turn was recorded
			// with one.
			all = all[min(c.Sessions[i].CheckpointPromptStart, max(0, len(all)-1)):]
		}
		own = append(own, all...)
	}
	return own
}

// fromTop makes a path relative to the top of the worktree; a path outside is unchanged.
func fromTop(top, dir, file string) string {
	file = from(filesFrom(top, dir), file)
	path, within := below(top, file)
	if !within {
		return file
	}
	return filepath.ToSlash(path)
}

// filesFrom is the directory from which files are named: dir, or, outside of the worktree as with
// GIT_WORK_TREE, the worktree's top.
func filesFrom(top, dir string) string {
	// git names the top of a worktree by its real path.
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if _, within := below(top, dir); !within {
		return top
	}
	return dir
}

// below is a file's name from a directory, and whether it is in there.
func below(dir, file string) (string, bool) {
	path, err := filepath.Rel(dir, file)
	return path, err == nil && path != ".." && !strings.HasPrefix(path, ".."+string(filepath.Separator))
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
