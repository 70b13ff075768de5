package hooks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pmezard/go-difflib/difflib"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/shadow"
)

// BlamedLine is one line of a file and whose it is.
type BlamedLine struct {
	Line    int           `json:"line"`
	Commit  gitexec.OID   `json:"commit"` // all zeros: not committed yet
	Path    gitexec.Path  `json:"path"`   // in that commit
	Origin  int           `json:"original_line"`
	Author  string        `json:"author"`
	When    time.Time     `json:"when"`
	Content string        `json:"content"`
	Owner   condense.Line `json:"owner"` // empty: the human's
}

// Committed reports whether the line is in a commit.
func (l BlamedLine) Committed() bool { return !l.Commit.IsZero() }

// Blame tells whose each line of a file is: where git blame finds a commit with a link, what its checkpoint says. rev is empty for the
// worktree's version; ranges are as git blame -L takes them. Three processes, four with rev.
// Lines come with an error that says which checkpoints are damaged: theirs are then whosever git says.
func (e Env) Blame(ctx context.Context, rev, file string, ranges []string) ([]BlamedLine, error) {
	r, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if _, err := r.catchUp(ctx); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(e.Dir, file)
	}
	var at gitexec.OID
	if rev != "" {
		if at, err = r.repo.Resolve(ctx, rev); err != nil {
			return nil, fmt.Errorf("%w\nhint: a commit, a branch or a tag", err)
		}
	}
	lines, err := r.repo.Blame(ctx, at, file, ranges...)
	if err != nil {
		return nil, explainBlame(err, file, ranges)
	}
	var damage []error
	b := blamer{db: r.db, branch: r.branch, known: map[origin]owners{}, damaged: func(what string) {
		if !slices.ContainsFunc(damage, func(err error) bool { return err.Error() == what }) {
			damage = append(damage, errors.New(what))
		}
	}}
	all := []BlamedLine{}
	for _, l := range lines {
		one := BlamedLine{Line: l.Final, Commit: l.Commit, Path: l.Path, Origin: l.Line, Author: l.Author, When: l.When, Content: l.Content}
		if one.Committed() {
			if one.Owner, err = b.owner(l); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
	}
	return all, errors.Join(damage...)
}

// blamer looks up what checkpoints say of versions of files, each once.
type blamer struct {
	db     *gitexec.ODB
	branch condense.Branch
	known  map[origin]owners

	damaged func(what string)
}

type origin struct {
	commit gitexec.OID
	path   gitexec.Path
}

// owners are those of one version of a file.
type owners []version

// version is what one checkpoint says. at gives the line there of a line of the commit's version; nil: the same.
type version struct {
	file condense.FileOwners
	at   map[int]int
}

func (b *blamer) owner(l gitexec.BlameLine) (condense.Line, error) {
	from := origin{l.Commit, l.Path}
	found, ok := b.known[from]
	if !ok {
		var err error
		if found, err = b.read(from); err != nil {
			return condense.Line{}, err
		}
		b.known[from] = found
	}
	return found.at(l.Line), nil
}

// at gives the owner of a line of the commit's version.
func (o owners) at(line int) condense.Line {
	for _, v := range o {
		there := line
		if v.at != nil {
			there = v.at[line]
		}
		if owner := v.file.At(there); owner.Session != "" {
			return owner
		}
	}
	return condense.Line{}
}

func (b *blamer) read(from origin) (owners, error) {
	commits, err := b.db.Commits(from.commit)
	if err != nil {
		return nil, err
	}
	var found owners
	for _, id := range message.Links(commits[0].Message) {
		file, ok, err := condense.ReadOwners(b.db, b.branch, id, commits[0], from.path)
		if errors.Is(err, condense.ErrDamaged) {
			b.damaged(OneLine(err))
		} else if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		here, err := b.db.Lookup(commits[0].Tree, from.path)
		if err != nil {
			return nil, err
		}
		v := version{file: file}
		if here[0].ID != file.Blob { // a rebased commit's file differs elsewhere: the lines are looked for
			if v.at, err = b.moved(here[0], file.Blob); err != nil {
				return nil, err
			}
		}
		found = append(found, v)
	}
	return found, nil
}

// moved says where the lines of a version are in another one, which may be gone.
func (b *blamer) moved(here gitexec.Entry, there gitexec.OID) (map[int]int, error) {
	at := map[int]int{}
	info, err := b.db.Info(there)
	if err != nil || info[0].Type != "blob" {
		return at, err
	}
	texts := shadow.Texts{DB: b.db}
	now, ok, err := texts.Lines(here)
	then, ok2, err2 := texts.Lines(gitexec.Entry{Mode: gitexec.ModeFile, ID: there})
	if err != nil || err2 != nil || !ok || !ok2 {
		return at, err
	}
	for _, m := range difflib.NewMatcherWithJunk(now, then, false, nil).GetMatchingBlocks() {
		for i := range m.Size {
			at[m.A+i+1] = m.B + i + 1
		}
	}
	return at, nil
}

// explainBlame says in a line why git blame refused; its own words are many where a range cannot be read.
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
