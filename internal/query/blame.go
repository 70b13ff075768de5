package query

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/explain"
)

// BlamedLine is one line of a file and whose it is.
type BlamedLine struct {
	Line    int                `json:"line"`
	Commit  gitexec.OID        `json:"commit"` // all zeros: not committed yet
	Path    gitexec.Path       `json:"path"`   // in that commit
	Origin  int                `json:"original_line"`
	Author  string             `json:"author"`
	When    time.Time          `json:"when"`
	Content string             `json:"content"`
	Owner   attribution.Author `json:"owner"`
}

// Committed reports whether the line is in a commit.
func (l BlamedLine) Committed() bool { return !l.Commit.IsZero() }

// Blame tells whose each line of a file is: where git blame finds a commit with a link, what its
// checkpoint says. rev is empty for the worktree's version; ranges are as git blame -L takes them.
// Three processes, four with rev. Lines come with a DamageError that says which checkpoints are
// damaged: the authors of the lines that may be theirs are unknown.
func (e Source) Blame(ctx context.Context, rev, file string, ranges []string) ([]BlamedLine, error) {
	r, err := e.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if !filepath.IsAbs(file) {
		file = filepath.Join(e.Dir, file)
	}
	var at gitexec.OID
	if rev != "" {
		if at, err = r.Repo.Resolve(ctx, rev); err != nil {
			return nil, fmt.Errorf("%w\nhint: a commit, a branch or a tag", err)
		}
	}
	lines, err := r.Repo.Blame(ctx, at, file, ranges...)
	if err != nil {
		return nil, explainBlame(err, file, ranges)
	}
	all := make([]BlamedLine, len(lines))
	for i, l := range lines {
		all[i] = BlamedLine{Line: l.Final, Commit: l.Commit, Path: l.Path, Origin: l.Line, Author: l.Author, When: l.When, Content: l.Content}
	}
	err = r.own(all)
	if damage := (*DamageError)(nil); err != nil && !errors.As(err, &damage) {
		return nil, err
	}
	return all, err
}

// version is a file as a commit has it.
type version struct {
	commit gitexec.OID
	path   gitexec.Path
}

// own finds out who wrote the lines. The error says what of the checkpoints is damaged.
func (r *Reader) own(lines []BlamedLine) error {
	last := map[version]int{}
	for _, l := range lines {
		if l.Committed() {
			v := version{l.Commit, l.Path}
			last[v] = max(last[v], l.Origin)
		}
	}
	authors := r.authors()
	files := map[version]attribution.File{}
	var damage []error
	for i := range lines {
		l := &lines[i]
		if !l.Committed() {
			l.Owner.Kind = attribution.Uncommitted
			continue
		}
		v := version{l.Commit, l.Path}
		file, ok := files[v]
		if !ok {
			commits, err := r.DB.Commits(l.Commit)
			if err != nil {
				return err
			}
			here, err := r.DB.Lookup(commits[0].Tree, l.Path)
			if err != nil {
				return err
			}
			recorded := authors.Commit(commits[0])
			if file, err = recorded.File(l.Path, here[0], last[v]); err != nil {
				return err
			}
			files[v] = file
			if broken := recorded.Damage(); broken != nil && !slices.ContainsFunc(damage, func(err error) bool { return err.Error() == explain.OneLine(broken) }) {
				damage = append(damage, errors.New(explain.OneLine(broken)))
			}
		}
		l.Owner = file.Author(l.Origin)
	}
	if len(damage) == 0 {
		return nil
	}
	return &DamageError{errors.Join(damage...)}
}

// DamageError says what could not be read of what is shown beside it.
type DamageError struct{ Err error }

func (e *DamageError) Error() string { return e.Err.Error() }

// explainBlame says in a line why git blame refused; its own words are many where a range cannot be
// read.
func explainBlame(err error, file string, ranges []string) error {
	var fault *gitexec.Error
	if !errors.As(err, &fault) {
		return err
	}
	said, _, _ := strings.Cut(fault.Stderr, "\n")
	if strings.HasPrefix(said, "usage:") {
		return fmt.Errorf("-L %s is no range of lines\nhint: START,END, each a number, +COUNT or /regexp/", strings.Join(ranges, " -L "))
	}
	hint := "the file must be known to git at that commit: git ls-files lists those of HEAD"
	if len(ranges) > 0 && strings.Contains(said, "has only") {
		hint = "-L 1,9 are its first nine lines"
	}
	return fmt.Errorf("%s: %s\nhint: %s", file, strings.TrimPrefix(said, "fatal: "), hint)
}
