package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire-plumb/gitexec"
)

// Selection is the commits that a question is about. Its zero value is the commit at HEAD.
type Selection struct {
	// Names are revisions, ranges, or the names of checkpoints, sessions and turns, which stand for
	// the commits that link them; see Resolve.
	Names  []string
	Since  string // as git understands dates; empty: no limit
	Until  string
	Author string   // of the commits, a regular expression
	Paths  []string // pathspecs, relative to the reader's directory: only commits that change these, and only these files
	Most   int      // 0: all
	Walk   bool     // a revision means its history, also without a limit
}

// limited reports whether the selection is by more than names and paths.
func (s Selection) limited() bool {
	return s.Since != "" || s.Until != "" || s.Author != "" || s.Most > 0
}

// history is the selection where all names are git's. dir is what its paths are relative to.
func (s Selection) history(dir string) gitexec.History {
	alone := len(s.Names) > 0 || len(s.Paths) == 0
	return gitexec.History{Revs: s.Names, NoWalk: alone && !s.Walk && !s.limited(), Since: s.Since, Until: s.Until, Author: s.Author,
		Paths: s.pathspecs(dir), Most: s.Most}
}

func (s Selection) pathspecs(dir string) gitexec.Pathspecs {
	if len(s.Paths) == 0 {
		return gitexec.Pathspecs{}
	}
	return gitexec.Pathspecs{All: s.Paths, Dir: dir}
}

// Select lists the selected commits, newest first.
func (r *Reader) Select(ctx context.Context, s Selection) ([]gitexec.Commit, error) {
	ids, err := r.Repo.History(ctx, s.history(r.Env.Dir))
	if err != nil {
		if ids, err = r.commitsOfNames(ctx, s, err); err != nil {
			return nil, err
		}
	}
	return r.DB.Commits(ids...)
}

// commitsOfNames lists the commits of names that are not all git's. fault is what git says of them.
func (r *Reader) commitsOfNames(ctx context.Context, s Selection, fault error) ([]gitexec.OID, error) {
	var all []gitexec.OID
	for _, name := range s.Names {
		one := s
		one.Names = []string{name}
		ids, err := r.Repo.History(ctx, one.history(r.Env.Dir))
		if err != nil {
			ids, err = r.commitsLinking(ctx, name, err)
		}
		if err != nil {
			return nil, err
		}
		all = with(all, ids...)
	}
	if len(s.Names) == 0 {
		return nil, fault
	}
	named := gitexec.History{NoWalk: true, Since: s.Since, Until: s.Until, Author: s.Author, Most: s.Most}
	for _, id := range all {
		named.Revs = append(named.Revs, string(id))
	}
	if len(all) == 0 || !s.limited() {
		return all, nil
	}
	return r.Repo.History(ctx, named)
}

// commitsLinking lists the commits that link the checkpoint, session or turn of a name, newest
// first. fault is what git says of the name.
func (r *Reader) commitsLinking(ctx context.Context, name string, fault error) ([]gitexec.OID, error) {
	fault = fmt.Errorf("%q names no commits: %w\nhint: give a commit, checkpoint, session or turn, or a range such as main..feature",
		name, fault)
	found, err := r.Resolve(ctx, name)
	switch {
	case errors.As(err, new(*NotFoundError)):
		return nil, fault
	case err != nil:
		return nil, err
	case found.Commit != "":
		return []gitexec.OID{found.Commit}, nil
	}
	checkpoints, err := r.checkpointsOf(ctx, found)
	if err != nil {
		return nil, err
	}
	if len(checkpoints) == 0 {
		return nil, fault
	}
	commits, err := r.Linking(ctx, checkpoints...)
	return idsOf(commits), err
}

func idsOf(commits []gitexec.Commit) []gitexec.OID {
	ids := make([]gitexec.OID, len(commits))
	for i, c := range commits {
		ids[i] = c.ID
	}
	return ids
}

// with appends the values that a list doesn't have yet.
func with[T comparable](list []T, values ...T) []T {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// SinceDefaultBranch is a selection; one without names is what HEAD has and the default branch, of
// origin or here, doesn't have, or HEAD's upstream. Where none of them differs, it is HEAD's
// commit.
func (e Source) SinceDefaultBranch(ctx context.Context, s Selection) (Selection, error) {
	if len(s.Names) > 0 || s.limited() {
		return s, nil
	}
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return s, err
	}
	name, err := repo.DefaultBranch(ctx)
	if err != nil {
		return s, err
	}
	for _, base := range []string{"origin/" + name, name, "@{upstream}"} {
		if base == "" {
			continue
		}
		if id, err := repo.Resolve(ctx, base); err == nil && id != repo.Head.ID {
			s.Names = []string{base + "..HEAD"}
			return s, nil
		}
	}
	s.Names = []string{"HEAD"}
	return s, nil
}
