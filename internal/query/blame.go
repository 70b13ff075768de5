package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/sets"
)

// BlamedLine is one line of a file and its author.
type BlamedLine struct {
	Line    int                `json:"line"`
	Commit  gitexec.OID        `json:"commit"` // all zeros: not committed
	Path    gitexec.Path       `json:"path"`   // in that commit
	Origin  int                `json:"original_line"`
	Author  string             `json:"author"`
	When    time.Time          `json:"when"`
	Content string             `json:"content"`
	Owner   attribution.Author `json:"owner"`
	Model   string             `json:"model,omitempty"`        // that wrote it
	Prompt  string             `json:"whole_prompt,omitempty"` // where it is asked for

	Group int    `json:"-"` // see gitexec.BlameLine
	Info  string `json:"-"`
}

// BlameRequest is what blame is asked.
type BlameRequest struct {
	Rev     string               // empty: the worktree's version
	File    string               // required; from the directory, as the user typed it
	Options gitexec.BlameOptions // empty: as git blame without options
	Prompts bool                 // whole prompts and models, too
}

// Committed reports whether the line is in a commit.
func (l BlamedLine) Committed() bool { return !l.Commit.IsZero() }

// Blame finds the author of each line of a file: where git blame finds a linked commit, its
// checkpoint names the author. Three processes, four with a revision, and one for each version from
// which lines are followed that a commit moves or formats. Uncommitted lines, and an untracked
// file, have the authors that they would have in a commit of the worktree: see Uncommitted for what
// that costs. If checkpoints are damaged, it returns the lines with a DamageError; the authors of
// lines that may be theirs are unknown.
func (e Source) Blame(ctx context.Context, q BlameRequest) ([]BlamedLine, error) {
	r, err := e.open(ctx, true)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.blame(ctx, q)
}

func (r *Reader) blame(ctx context.Context, q BlameRequest) ([]BlamedLine, error) {
	dir, rev, o := r.Env.Dir, q.Rev, q.Options
	file := from(filesFrom(r.Repo.Top, dir), q.File)
	// A copy: the caller's request is not to change. git runs at the top of the worktree, and so
	// gets absolute names.
	o.IgnoreRevsFiles = slices.Clone(o.IgnoreRevsFiles)
	for i, name := range o.IgnoreRevsFiles {
		if name != "" { // an empty one forgets those before it
			o.IgnoreRevsFiles[i] = from(dir, name)
		}
	}
	var at gitexec.OID
	var err error
	if rev != "" {
		if at, err = r.Revision(ctx, rev); err != nil {
			return nil, err
		}
	}
	since := o.Since
	o.Since = "" // git gives older lines to a commit that doesn't add them: their authors are found without it
	lines, err := gitBlame(ctx, r, at, file, o)
	if err != nil && strings.Contains(err.Error(), "no such path") {
		err = &MisnamedError{q.File, aFile, err}
	}
	if err != nil {
		return nil, err
	}
	all := blamedLines(lines)
	err = setOwners(ctx, r, r.authors(ctx), all)
	if err != nil && !errors.As(err, new(*DamageError)) {
		return nil, err
	}
	if q.Prompts {
		setPrompts(ctx, r, all)
	}
	if since != "" {
		o.Since = since
		limited, err2 := gitBlame(ctx, r, at, file, o)
		if err2 != nil {
			return nil, err2
		}
		// The second answer is what the user sees, with git's boundary commits; its authors are
		// those of the first.
		all = withOwners(blamedLines(limited), all)
	}
	return all, err
}

// withOwners gives lines the authors that the same lines have in another answer.
func withOwners(lines, from []BlamedLine) []BlamedLine {
	by := map[int]BlamedLine{}
	for _, l := range from {
		by[l.Line] = l
	}
	for i := range lines {
		known := by[lines[i].Line]
		lines[i].Owner, lines[i].Model, lines[i].Prompt = known.Owner, known.Model, known.Prompt
	}
	return lines
}

func blamedLines(lines []gitexec.BlameLine) []BlamedLine {
	all := make([]BlamedLine, len(lines))
	for i, l := range lines {
		all[i] = BlamedLine{Line: l.Final, Commit: l.Commit, Path: l.Path, Origin: l.Line,
			Author: l.Author, When: l.When, Content: l.Content, Group: l.Group, Info: l.Info}
	}
	return all
}

// gitBlame asks git; for a file of the worktree that it refuses since HEAD doesn't have it, as if
// that were committed.
func gitBlame(ctx context.Context, r *Reader, at gitexec.OID, file string, o gitexec.BlameOptions) ([]gitexec.BlameLine, error) {
	lines, err := r.Repo.Blame(ctx, at, file, o)
	if err == nil {
		return lines, nil
	}
	err = blameError(err, file, o.Ranges)
	if at != "" || ctx.Err() != nil {
		return nil, err
	}
	// `git blame` without a revision takes the worktree's version, but fails where HEAD lacks the
	// file, as for one that is new or not tracked.
	u, err2 := r.Uncommitted(ctx)
	if err2 != nil || !u.Any() {
		return nil, err
	}
	if lines, err2 = u.In.Repo.Blame(ctx, u.Commit.ID, file, o); err2 != nil {
		return nil, err
	}
	for i := range lines {
		if l := &lines[i]; l.Commit == u.Commit.ID {
			// The commit was made up in a temporary directory: git shows zeros for what is not
			// committed, and nobody could look that ID up.
			l.Commit, l.Author = r.Repo.Format.Zero(), notCommitted
			if l.Info != "" {
				l.Info = infoOfUncommitted(*l)
			}
		}
	}
	return lines, nil
}

// infoOfUncommitted is what git prints before an uncommitted line.
func infoOfUncommitted(l gitexec.BlameLine) string {
	who := fmt.Sprintf("%s\nROLE-mail <not.committed.yet>\nROLE-time %d\nROLE-tz +0000\n", notCommitted, l.When.Unix())
	name := l.Path.Display()
	return strings.ReplaceAll("author "+who, "ROLE", "author") + strings.ReplaceAll("committer "+who, "ROLE", "committer") +
		"summary Version of " + name + " from " + name + "\nfilename " + name + "\n"
}

// notCommitted is git's name for the author of an uncommitted line.
const notCommitted = "Not Committed Yet"

// version is a file as a commit has it.
type version struct {
	commit gitexec.OID
	path   gitexec.Path
}

// setOwners fills in the lines' authors. A DamageError names damaged checkpoints.
func setOwners(ctx context.Context, r *Reader, authors *attribution.Reader, lines []BlamedLine) error {
	// The lines of a version are asked for together: each version is read once, and followed once.
	wanted := map[version][]int{}
	for _, l := range lines {
		v := version{l.Commit, l.Path}
		wanted[v] = append(wanted[v], l.Origin)
	}
	authors.AheadOf(commitsOf(lines), r.transcripts)
	files := map[version]attribution.File{}
	var damage []string
	for i := range lines {
		l := &lines[i]
		v := version{l.Commit, l.Path}
		file, ok := files[v]
		if !ok {
			var broken, err error
			if l.Committed() {
				file, broken, err = recorded(r, authors, v, wanted[v])
			} else {
				file, broken, err = uncommittedOf(ctx, r, v.path, wanted[v])
			}
			if err != nil {
				return err
			}
			files[v] = file
			if broken != nil {
				// One checkpoint may be damaged for hundreds of lines. It is named once.
				damage = sets.With(damage, explain.OneLine(broken))
			}
		}
		if l.Owner = file.Author(l.Origin); !l.Committed() && r.ahead != nil {
			l.Owner = r.ahead.author(l.Owner)
		}
	}
	if len(damage) == 0 {
		return nil
	}
	return &DamageError{errors.New(strings.Join(damage, "; "))}
}

// commitsOf are the commits of lines, each once.
func commitsOf(lines []BlamedLine) (ids []gitexec.OID) {
	for _, l := range lines {
		if l.Committed() {
			ids = append(ids, l.Commit)
		}
	}
	return sets.Once(ids)
}

// uncommittedOf reads the authors of uncommitted lines of a file.
func uncommittedOf(ctx context.Context, r *Reader, path gitexec.Path, lines []int) (file attribution.File, damage, err error) {
	u, err := r.Uncommitted(ctx)
	switch {
	case ctx.Err() != nil:
		return file, nil, err
	case err != nil:
		return attribution.Doubtful("the worktree cannot be compared with what was recorded: " + explain.OneLine(err)), nil, nil
	case !u.Any(): // the file was changed back meanwhile
		return attribution.Doubtful("the file has changed meanwhile"), nil, nil
	}
	return recorded(u.In, u.commit, version{u.Commit.ID, path}, lines)
}

// recorded reads the authors of lines of a version. damage is what cannot be read of the commit's
// checkpoints.
func recorded(r *Reader, authors *attribution.Reader, v version, lines []int) (file attribution.File, damage, err error) {
	c, err := r.DB.Commit(v.commit)
	if err != nil {
		return file, nil, err
	}
	// Lookup has an answer for each path, also for one that is missing.
	here, err := r.DB.Lookup(c.Tree, v.path)
	if err != nil {
		return file, nil, err
	}
	commit := authors.Commit(c)
	file, err = commit.File(v.path, here[0], lines)
	return file, commit.Damage(), err
}

// DamageError names damaged data. It is returned with everything that could be read.
type DamageError struct{ Err error }

func (e *DamageError) Error() string { return e.Err.Error() }

// blameError is git blame's error in one line. Git prints its usage if it cannot parse a range.
func blameError(err error, file string, ranges []string) error {
	var fault *gitexec.Error
	// Before git's own words, which name an object that says nothing to users.
	if errors.As(err, new(*gitexec.UnfetchedError)) {
		return fmt.Errorf("%s: this partial clone lacks earlier versions of it\nhint: run it again once the remote can be reached", file)
	}
	if !errors.As(err, &fault) {
		return err
	}
	said, _, _ := strings.Cut(fault.Stderr, "\n")
	if strings.HasPrefix(said, "usage:") {
		return fmt.Errorf("-L %s is not a range of lines\nhint: give START,END, each a number, +COUNT or /regexp/",
			strings.Join(ranges, " -L "))
	}
	// What follows is git's wording, with LC_ALL=C: where another git words it differently, its
	// first line is shown with the general hint.
	hint := "git ls-files lists the files that git tracks"
	if strings.Contains(said, "ignore") || strings.Contains(said, "object name list") {
		return fmt.Errorf("%s\nhint: name commits, or a file that lists them by their full names, as in git blame", strings.TrimPrefix(said, "fatal: "))
	}
	if strings.Contains(said, "no such ref: HEAD") {
		return fmt.Errorf("%s: git does not track it, and there is no commit yet\nhint: %s", file, hint)
	}
	if strings.Contains(said, "-L ") {
		hint = "give START,END, each a number, +COUNT or /regexp/"
	}
	if len(ranges) > 0 && strings.Contains(said, "has only") {
		hint = "-L 1,9 means the first nine lines"
		if first, last, _ := strings.Cut(ranges[0], ","); first == last { // as why asks
			hint = "entire-plumb blame shows them"
		}
	}
	return fmt.Errorf("%s: %s\nhint: %s", file, strings.TrimPrefix(said, "fatal: "), hint)
}
