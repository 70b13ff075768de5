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
func (e Source) Checkpoints(ctx context.Context, q Search, most int) (found Found, err error) {
	r, err := e.Open(ctx)
	if err != nil {
		return found, err
	}
	defer r.Close()
	if q.File != "" {
		q.File = fromTop(r.Repo.Top, e.Dir, q.File)
	}
	if q == (Search{}) && most > 0 && r.Branch.Tip != "" {
		count, err := checkpoints.Count(r.DB, r.Branch)
		if err != nil {
			return found, err
		}
		own, err := checkpoints.Count(r.DB, r.Branch.Own())
		if err != nil {
			return found, err
		}
		if count > mostRead && own == count {
			if latest, err := r.latest(ctx, most); err != nil || len(latest) == most {
				return Found{Checkpoints: latest, Count: count}, err
			}
		}
	}
	if q.Session == "" {
		return r.search(q, most, nil)
	}
	known := map[string]bool{}
	if found, err = r.search(q, most, known); err != nil {
		return found, err
	}
	states, err := r.States().All()
	if err != nil {
		return found, err
	}
	for _, s := range states {
		known[s.SessionID] = true
	}
	id, err := Session(slices.Collect(maps.Keys(known)), q.Session)
	var several *checkpoints.AmbiguousError
	switch {
	case errors.As(err, &several):
		return Found{}, err
	case err != nil: // no such session
		return found, nil
	}
	for other := range known {
		if other != id && strings.HasPrefix(other, q.Session) { // the ID is a prefix of others
			q.only = id
			return r.search(q, most, nil)
		}
	}
	return found, nil
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
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	path, err := filepath.Rel(top, file)
	if err != nil || path == ".." || strings.HasPrefix(path, "../") {
		return file
	}
	return filepath.ToSlash(path)
}

// mostRead is how many checkpoints are read to find the latest. If there are more, the latest
// commits on the branch name them.
const mostRead = 5000

// latest lists the latest checkpoints; fewer, if the branch's last commits don't name as many.
func (r *Reader) latest(ctx context.Context, most int) ([]checkpoints.CommittedInfo, error) {
	ids, err := r.Repo.Latest(ctx, 2*most+100, string(r.Branch.Tip))
	if err != nil {
		return nil, err
	}
	commits, err := r.DB.Commits(ids...)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range commits {
		subject, _, _ := strings.Cut(string(c.Message), "\n")
		if id, ok := strings.CutPrefix(subject, "Checkpoint: "); ok && checkpoints.ValidID(id) {
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
