package query

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
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
	switch {
	case q == (Search{}) && most > 0 && r.Branch.Tip != "":
		if found, enough, err := r.recent(ctx, most); enough || err != nil {
			return found, err
		}
	case q.File != "":
		q.File = fromTop(r.Repo.Top, e.Dir, q.File)
	}
	if q.Session != "" {
		return r.searchSession(q, most)
	}
	return r.search(q, most, nil)
}

// recent lists the latest checkpoints where there are too many to read all, and the branch's last
// commits name as many as are asked for.
func (r *Reader) recent(ctx context.Context, most int) (found Found, enough bool, err error) {
	count, err := checkpoints.Count(r.DB, r.Branch)
	if err != nil {
		return found, false, err
	}
	own, err := checkpoints.Count(r.DB, r.Branch.Own())
	if err != nil || count <= mostRead || own != count {
		return found, false, err
	}
	latest, err := r.latest(ctx, most)
	return Found{Checkpoints: latest, Count: count}, len(latest) == most, err
}

// searchSession searches the checkpoints of the session that a prefix names.
func (r *Reader) searchSession(q Search, most int) (Found, error) {
	known := map[string]bool{}
	found, err := r.search(q, most, known)
	if err != nil {
		return found, err
	}
	states, err := r.States().All()
	if err != nil {
		return found, err
	}
	for _, s := range states {
		known[s.SessionID] = true
	}
	if q.only, err = prefixOfOthers(slices.Collect(maps.Keys(known)), q.Session); err != nil {
		return Found{}, err
	}
	if q.only == "" {
		return found, nil
	}
	return r.search(q, most, nil)
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

// search reads all checkpoints, and adds their sessions to known, unless it is nil.
func (r *Reader) search(q Search, most int, known map[string]bool) (found Found, err error) {
	found.Checkpoints, found.Count, err = checkpoints.ListCommitted(r.DB, r.Branch, most, func(k checkpoints.CommittedInfo) bool {
		for _, m := range k.Sessions {
			if known != nil {
				known[m.SessionID] = true
			}
		}
		matches := q.matches(k)
		if !matches && q.Text != "" && k.Sealed != "" {
			if others := (Search{File: q.File, Session: q.Session, only: q.only}); others.matches(k) {
				found.Sealed, found.For = found.Sealed+1, k.Sealed
			}
		}
		if !matches && k.Error != "" {
			found.Damaged = append(found.Damaged, k)
		}
		return matches
	})
	return found, err
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

// mostRead is how many checkpoints are read to find the latest. If there are more, the latest
// commits on the branch name them.
const mostRead = 5000

// latest lists the latest checkpoints; fewer, if the branch's last commits don't name as many.
func (r *Reader) latest(ctx context.Context, most int) ([]checkpoints.CommittedInfo, error) {
	commits, err := r.last(ctx, 2*most+100, string(r.Branch.Tip))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range commits {
		if id, ok := strings.CutPrefix(subject(c), "Checkpoint: "); ok && checkpoints.ValidID(id) {
			names = append(names, id)
		}
	}
	all, err := checkpoints.Describe(r.DB, r.Branch, names)
	return all[:min(most, len(all))], err
}

func (q Search) matches(c checkpoints.CommittedInfo) bool {
	dir := strings.TrimSuffix(q.File, "/") + "/"
	byFile := func(p gitexec.Path) bool { return string(p) == q.File || strings.HasPrefix(string(p), dir) }
	bySession := func(m checkpoints.SessionMetadata) bool {
		return strings.HasPrefix(m.SessionID, q.Session) && (q.only == "" || m.SessionID == q.only)
	}
	byText := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) }
	return (q.File == "" || slices.ContainsFunc(c.Files, byFile)) &&
		(q.Session == "" || slices.ContainsFunc(c.Sessions, bySession)) &&
		(q.Text == "" || slices.ContainsFunc(ownPrompts(c), byText))
}
