package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
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
	// Paths without a name ask for the commits that changed them, and not whether the one at HEAD
	// did.
	alone := len(s.Names) > 0 || len(s.Paths) == 0
	return gitexec.History{Revs: commitish(s.Names), NoWalk: alone && !s.Walk && !s.limited(), Since: s.Since, Until: s.Until, Author: s.Author,
		Paths: s.pathspecs(dir), Most: s.Most}
}

// commitish makes revisions of names that git doesn't take for trees and files: of those it would
// list no commit. A checkpoint's ID may begin as that of a blob.
func commitish(names []string) []string {
	revs := slices.Clone(names)
	for i, name := range names {
		// What follows a colon at the beginning is a text or a path to its end.
		if !isRange(name) && !strings.HasPrefix(name, ":") {
			revs[i] += "^{commit}"
		}
	}
	return revs
}

func (s Selection) pathspecs(dir string) gitexec.Pathspecs {
	if len(s.Paths) == 0 {
		return gitexec.Pathspecs{}
	}
	return gitexec.Pathspecs{All: s.Paths, Dir: dir}
}

// Select lists the selected commits, newest first.
func (r *Reader) Select(ctx context.Context, s Selection) ([]gitexec.Commit, error) {
	if s.None(r.Repo) {
		return nil, nil
	}
	ids, err := r.Repo.History(ctx, s.history(r.Env.Dir))
	if err != nil {
		if ids, err = r.commitsOfNames(ctx, s, err); err != nil {
			return nil, err
		}
	}
	commits, err := r.DB.Commits(ids...)
	checkpoints.BringLinks(r.DB, r.Branch, commits)
	return commits, err
}

// SelectCommitted is Select for what counts lines by author: of one checkpoint on a stream, which
// git takes for a commit, all would count as the committer's. It refuses that.
func SelectCommitted(ctx context.Context, r *Reader, s Selection) ([]gitexec.Commit, error) {
	commits, err := r.Select(ctx, s)
	if err != nil || len(s.Names) != 1 || len(commits) != 1 {
		return commits, err
	}
	// One name and one commit: of a range or a session's commits none is a stream's.
	if _, ours, err := shadow.ReadCheckpoint(r.DB, commits[0].ID); ours && err == nil {
		return nil, &NotCommittedError{s.Names[0]}
	}
	return commits, nil
}

// NotCommittedError is the error of a name that means work of which no commit has anything.
type NotCommittedError struct{ Name string }

func (e *NotCommittedError) Error() string {
	return fmt.Sprintf("nothing of %q is committed\nhint: entire-plumb show %[1]s", e.Name)
}

// None reports whether a selection is about HEAD's history, which has no commit yet.
func (s Selection) None(repo *gitexec.Repo) bool { return len(s.Names) == 0 && repo.Born() != nil }

// commitsOfNames lists the commits of names that are not all git's. fault is what git says of them.
// What a name excludes, as ^main, is left out of the commits of every other.
func (r *Reader) commitsOfNames(ctx context.Context, s Selection, fault error) ([]gitexec.OID, error) {
	if len(s.Names) == 0 {
		return nil, fault
	}
	names, excluded, err := exclusions(ctx, r, s.Names, fault)
	if err != nil {
		return nil, err
	}
	var all []gitexec.OID
	for _, name := range names {
		one := s
		// Each by itself: git refuses all of them for one that it doesn't know.
		one.Names = append([]string{name}, excluded...)
		ids, err := r.Repo.History(ctx, one.history(r.Env.Dir))
		switch {
		case err == nil:
		case isRange(name):
			if ids, err = r.commitsOfRange(ctx, one, err); errors.As(err, new(*MisnamedError)) {
				// Only where it is no range of anything.
				if linking, err2 := commitsNamed(ctx, r, one, err); err2 == nil { // a session's ID may have dots
					ids, err = linking, nil
				}
			}
		default:
			ids, err = commitsNamed(ctx, r, one, err)
		}
		if err != nil {
			return nil, err
		}
		all = sets.With(all, ids...)
	}
	if len(all) == 0 || !s.limited() {
		return all, nil
	}
	// The limits are for all names together: the newest of what all of them mean.
	named := gitexec.History{Revs: revisions(all), NoWalk: true, Since: s.Since, Until: s.Until, Author: s.Author, Most: s.Most}
	return r.Repo.History(ctx, named)
}

// commitsNamed lists the commits of what the selection's first name means, without those that the
// other names exclude, and that don't change its paths. fault is what git says of the name. With
// either, one process.
func commitsNamed(ctx context.Context, r *Reader, s Selection, fault error) ([]gitexec.OID, error) {
	ids, err := r.commitsLinking(ctx, s.Names[0], fault)
	excluded := s.Names[1:]
	if err != nil || len(ids) == 0 || len(excluded)+len(s.Paths) == 0 {
		return ids, err
	}
	left, err := r.Repo.History(ctx, gitexec.History{Revs: append(revisions(ids), excluded...), NoWalk: true, Paths: s.pathspecs(r.Env.Dir)})
	return slices.DeleteFunc(ids, func(id gitexec.OID) bool { return !slices.Contains(left, id) }), err
}

// exclusions tells the names that exclude commits from the others. They are as git understands
// them.
func exclusions(ctx context.Context, r *Reader, all []string, fault error) (names, excluded []string, err error) {
	for _, name := range all {
		of, excludes := strings.CutPrefix(name, "^")
		if !excludes {
			names = append(names, name)
			continue
		}
		id, err := r.Revision(ctx, of)
		// The error names what the user typed, with the ^.
		if errors.As(err, new(*MisnamedError)) {
			err = noCommits(of, name, fault)
		}
		if err != nil {
			return nil, nil, err
		}
		excluded = append(excluded, "^"+string(id))
	}
	return names, excluded, nil
}

func revisions(ids []gitexec.OID) []string {
	revs := make([]string, len(ids))
	for i, id := range ids {
		revs[i] = string(id)
	}
	return revs
}

// commitsOfRange lists the commits of a range whose ends are not both git's names.
func (r *Reader) commitsOfRange(ctx context.Context, s Selection, fault error) ([]gitexec.OID, error) {
	named, err := rangeNamed(ctx, r, s.Names[0])
	if unknown := new(MisnamedError); errors.As(err, &unknown) {
		return nil, noCommits(unknown.Name, s.Names[0], fault)
	}
	if err != nil {
		return nil, err
	}
	s.Names = append([]string{named}, s.Names[1:]...)
	return r.Repo.History(ctx, s.history(r.Env.Dir))
}

// noCommits is the error of a selection: a name means no commits, and stands in a range or alone.
// fault is what git says of it.
func noCommits(name, within string, fault error) error {
	const hint = "\nhint: give a commit, checkpoint, session or turn, or a range such as main..feature"
	text := fmt.Errorf("%q names no commits%s", within, hint)
	if name != within {
		text = fmt.Errorf("%q names no commits: %q is not one%s", within, name, hint)
	}
	if reason := gitsReason(fault); reason != "" {
		text = fmt.Errorf("%q names no commits: %s%s", within, reason, hint)
	}
	return &MisnamedError{name, AnyKind, text}
}

// gitsReason is what git says of a name, as that a branch has no upstream, or a date is bad; empty:
// only that it is unknown, which says nothing more.
func gitsReason(fault error) string {
	said := new(gitexec.Error)
	if !errors.As(fault, &said) {
		return ""
	}
	for _, unknown := range []string{"bad revision", "unknown revision", "Needed a single revision"} {
		if strings.Contains(said.Stderr, unknown) {
			return ""
		}
	}
	if said.Stderr == "" { // it did not start, or was ended
		return explain.OneLine(said)
	}
	return strings.TrimPrefix(strings.ReplaceAll(said.Stderr, "\n", "; "), "fatal: ")
}

// commitsLinking lists the commits that hold the checkpoint, session or turn of a name, newest
// first, each checkpoint's once. fault is what git says of the name.
func (r *Reader) commitsLinking(ctx context.Context, name string, fault error) ([]gitexec.OID, error) {
	found, err := r.Resolve(ctx, name)
	switch {
	case errors.As(err, new(*NotFoundError)):
		return nil, noCommits(name, name, fault)
	case err != nil:
		return nil, err
	case found.Commit != "":
		return []gitexec.OID{found.Commit}, nil
	}
	ids, err := r.checkpointsOf(ctx, found)
	if err == nil && len(ids) == 0 {
		err = &NotCommittedError{name}
	}
	if err != nil {
		return nil, err
	}
	commits, err := heldBy(ctx, r, ids)
	return gitexec.IDsOf(commits), err
}

// SinceDefaultBranch is a selection; one without names is what HEAD has and the default branch, of
// origin or here, doesn't have, or HEAD's upstream. Where none of them differs, it is HEAD's
// commit, if there is one.
func (e Source) SinceDefaultBranch(ctx context.Context, s Selection) (Selection, error) {
	if len(s.Names) > 0 || s.limited() {
		return s, nil
	}
	// Nothing was named or limited. Dates, authors and numbers, which are of the whole history,
	// were left alone above.
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err != nil {
		return s, err
	}
	if repo.Born() != nil {
		return s, nil
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
