package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// OwnedDiff is changes with the author of each new line.
type OwnedDiff struct {
	Kind   string       `json:"kind"` // worktree, commit, checkpoint, turn, session or range
	Name   string       `json:"name,omitempty"`
	Owners []*DiffOwner `json:"owners"`
	Parts  []*DiffPart  `json:"parts"`
	DiffLines
	Notes []string `json:"notes,omitempty"` // what is missing

	db *gitexec.ODB
	by map[DiffOwner]*DiffOwner
}

// DiffLines counts lines by author.
type DiffLines struct {
	Agent   int `json:"agent_lines"`
	Human   int `json:"human_lines"`
	Unknown int `json:"unknown_lines"`
	// Older are lines that are new against the other side alone: another parent of a merge has
	// them.
	Older   int `json:"older_lines"`
	Removed int `json:"removed_lines"`
}

// Add adds the lines of another one.
func (l *DiffLines) Add(other DiffLines) {
	l.Agent += other.Agent
	l.Human += other.Human
	l.Unknown += other.Unknown
	l.Older += other.Older
	l.Removed += other.Removed
}

// DiffPart is a chapter of a diff: all of it, or what one turn of a session did.
type DiffPart struct {
	Session string      `json:"session_id,omitempty"`
	Turn    string      `json:"turn_id,omitempty"`
	Prompt  string      `json:"prompt,omitempty"`
	Commit  gitexec.OID `json:"commit,omitempty"` // in which the changes are; empty: they are not committed
	Files   []*DiffFile `json:"files"`
	DiffLines

	from, to gitexec.OID       // trees
	last     shadow.Checkpoint // of a part on a stream
	authors  lineAuthors
	only     func(owners []*DiffOwner) bool // the changes that are shown, by the owners of their new lines; nil: all
}

// lineAuthors passes on the new lines of a file's change with their authors, those of humans with
// their names.
type lineAuthors func(p gitexec.FilePatch, each func(line int, a attribution.Author, human string)) error

// diffing collects a diff.
type diffing struct {
	r       *Reader
	diff    *OwnedDiff
	paths   gitexec.Pathspecs
	authors *attribution.Reader // of the lines of a range; nil: not needed yet
	broke   []string            // what is damaged
}

// Diff finds what a name means, and the author of each line that changed: see Resolve, and Range.
// An empty name is what the worktree has and HEAD doesn't. Pathspecs limit the files. The totals
// are those of blame and attribution. One process that compares trees, one that finds the
// generated files, and for a range one for each file. The caller calls done when it has read the
// hunks. With a DamageError the diff is there.
func (e Source) Diff(ctx context.Context, name string, paths []string) (d *OwnedDiff, done func(), err error) {
	r, err := e.open(ctx, name == "")
	if err != nil {
		return nil, nil, err
	}
	if d, err = diffBy(ctx, r, name, paths); d == nil {
		r.Close()
		return nil, nil, err
	}
	return d, r.Close, err
}

// diffBy is Diff in a repository that is open.
func diffBy(ctx context.Context, r *Reader, name string, paths []string) (d *OwnedDiff, err error) {
	g := &diffing{r: r, diff: &OwnedDiff{Name: name, Owners: []*DiffOwner{}, Parts: []*DiffPart{}, db: r.DB, by: map[DiffOwner]*DiffOwner{}},
		paths: Selection{Paths: paths}.pathspecs(r.Env.Dir)}
	if err := g.find(ctx, name); err != nil {
		return nil, err
	}
	g.diff.number()
	if err := g.markGenerated(ctx); err != nil {
		return nil, err
	}
	if len(g.broke) > 0 {
		err = &DamageError{errors.New(strings.Join(g.broke, "; "))}
	}
	return g.diff, err
}

// markGenerated marks the generated and vendored files. One process, if there are files.
func (g *diffing) markGenerated(ctx context.Context) error {
	var paths []gitexec.Path
	for _, part := range g.diff.Parts {
		for _, f := range part.Files {
			paths = append(paths, f.Path)
		}
	}
	apart, err := Generated(ctx, g.r.Repo, sets.Once(paths))
	for _, part := range g.diff.Parts {
		for _, f := range part.Files {
			f.Generated = apart[f.Path]
		}
	}
	return err
}

func (g *diffing) find(ctx context.Context, name string) error {
	if name == "" {
		return g.ofWorktree(ctx)
	}
	// Before the name is resolved: no ID of ours has dots but a session's, and with two of them
	// git's meaning comes first.
	if from, to, ok := cutRange(name); ok {
		return g.ofRange(ctx, from, to, strings.Contains(name, "..."))
	}
	// To git, too, these are a commit against one of its parents.
	switch of, suffix := cutParents(name); suffix {
	case "^!", "^-", "^-1":
		name = of
	case "", "^@":
	default: // ^-2
		return g.ofRange(ctx, of+"^"+suffix[len("^-"):], of, false)
	}
	found, err := g.r.Resolve(ctx, name)
	if err != nil {
		return err
	}
	switch {
	case found.Checkpoint != "":
		return g.ofCheckpoint(ctx, found.Checkpoint)
	case found.Session != "":
		return g.ofSession(ctx, found.Session)
	case found.Turn != nil:
		return g.ofTurn(ctx, found.Turn)
	}
	return g.ofCommit(ctx, found.Commit)
}

// cutRange cuts a range at its dots; an empty side is HEAD.
func cutRange(name string) (from, to string, ok bool) {
	from, to, ok = strings.Cut(name, "..")
	return cmp.Or(from, "HEAD"), cmp.Or(strings.TrimPrefix(to, "."), "HEAD"), ok
}

// ofWorktree is what is not committed.
func (g *diffing) ofWorktree(ctx context.Context) error {
	g.diff.Kind = "worktree"
	u, err := g.r.Uncommitted(ctx)
	if err != nil {
		return err
	}
	for _, l := range u.LeftOut {
		g.diff.Notes = append(g.diff.Notes, fmt.Sprintf("%s is not compared: %s", l.Path.Display(), l.Reason))
	}
	if !u.Any() {
		return nil
	}
	g.diff.db = u.In.DB
	commit := u.commit.Commit(u.Commit)
	g.damaged(commit.Damage())
	// Humans' lines get no name here: whoever asks has written them, as far as is known.
	part := &DiffPart{from: u.Head.Tree, to: u.Commit.Tree, authors: func(p gitexec.FilePatch, each func(int, attribution.Author, string)) error {
		_, err := commit.Lines(p, func(line int, a attribution.Author) { each(line, u.author(a), "") })
		return err
	}}
	return g.read(ctx, u.In.Repo, part)
}

// ofCommit is what a commit changes against its first parent; a checkpoint on a stream is one, too.
func (g *diffing) ofCommit(ctx context.Context, id gitexec.OID) error {
	c, err := g.r.DB.Commit(id)
	if err != nil {
		return err
	}
	// git takes it for a commit like others, but no link says whose its lines are: its stream does.
	k, ours, err := shadow.ReadCheckpoint(g.r.DB, id)
	if err != nil {
		return err
	}
	if ours {
		return g.ofStreamCheckpoint(ctx, k)
	}
	g.diff.Kind = "commit"
	part, err := g.partOf(ctx, c)
	if err != nil {
		return err
	}
	return g.read(ctx, g.r.Repo, part)
}

// partOf is what a commit changes against its first parent.
func (g *diffing) partOf(ctx context.Context, c gitexec.Commit) (*DiffPart, error) {
	parent, err := g.r.DB.ParentTree(c)
	if gitexec.IsMissing(err) {
		return nil, fmt.Errorf("the parent of %s is not in this repository, which may be a shallow clone\nhint: %s brings it", c.ID.Short(),
			g.r.Repo.Unshallow(ctx))
	}
	if err != nil {
		return nil, err
	}
	commit := g.r.authors(ctx).Commit(c)
	g.damaged(commit.Damage())
	human := nameOf(c.Author)
	return &DiffPart{Commit: c.ID, from: parent, to: c.Tree, authors: func(p gitexec.FilePatch, each func(int, attribution.Author, string)) error {
		_, err := commit.Lines(p, func(line int, a attribution.Author) { each(line, a, human) })
		return err
	}}, nil
}

// nameOf is the name in "name <email>".
func nameOf(author string) string {
	name, _, _ := strings.Cut(author, " <")
	return cmp.Or(strings.TrimSpace(name), "?")
}

// ofRange compares two commits, or the second one with their merge base. A line is whose blame says
// it is at the second.
func (g *diffing) ofRange(ctx context.Context, from, to string, fromBase bool) error {
	g.diff.Kind = "range"
	ends := [2]gitexec.OID{}
	for i, name := range []string{from, to} {
		var err error
		if ends[i], err = g.r.Revision(ctx, name); err != nil {
			return err
		}
	}
	if fromBase {
		base, err := g.r.Repo.MergeBase(ctx, ends[0], ends[1])
		if err != nil {
			return err
		}
		if base == "" {
			return fmt.Errorf("%s and %s have no commit in common\nhint: two dots compare them with each other", from, to)
		}
		ends[0] = base
	}
	commits, err := g.r.DB.Commits(ends[:]...)
	if err != nil {
		return err
	}
	// What one commit changes has its authors: no file is blamed for them.
	if slices.Equal(commits[1].Parents, ends[:1]) {
		part, err := g.partOf(ctx, commits[1])
		if err != nil {
			return err
		}
		part.Commit = ""
		return g.read(ctx, g.r.Repo, part)
	}
	g.ahead(ctx, ends)
	tell, files := progress(g.r.Env, "blaming the changed files"), 0
	part := &DiffPart{from: commits[0].Tree, to: commits[1].Tree, authors: func(p gitexec.FilePatch, each func(int, attribution.Author, string)) error {
		files++
		tell(files, 0)
		// Between the ends there may be many commits: what each of them adds may be gone, or of
		// another one's by the second end.
		return g.blamed(ctx, ends[1], p, each)
	}}
	return g.read(ctx, g.r.Repo, part)
}

// ahead brings to a partial clone what it lacks of what tells who wrote the lines of a range.
func (g *diffing) ahead(ctx context.Context, ends [2]gitexec.OID) {
	if !g.r.Repo.Partial() {
		return
	}
	ids, err := g.r.Repo.History(ctx, gitexec.History{Revs: []string{string(ends[1]), "^" + string(ends[0])}})
	if err == nil {
		g.r.authors(ctx).AheadOf(ids, false)
	}
}

// blamed gives new lines the authors that blame has at a commit.
func (g *diffing) blamed(ctx context.Context, at gitexec.OID, p gitexec.FilePatch, each func(int, attribution.Author, string)) error {
	var lines []int
	for _, h := range p.Hunks {
		for i := range h.NewLines {
			lines = append(lines, h.NewStart+i)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	found, err := g.r.DB.Blame(at, p.New, lines)
	// A file that blame fails on, as in a partial clone that lacks its earlier versions, doesn't
	// keep the others from being shown.
	if fault := new(gitexec.Error); errors.As(err, &fault) && ctx.Err() == nil {
		for _, line := range lines {
			each(line, attribution.Author{Kind: attribution.Unknown, Reason: "git blame cannot tell: " + explain.OneLine(err)}, "")
		}
		return nil
	}
	if err != nil {
		return err
	}
	all := blamedLines(found)
	if g.authors == nil {
		g.authors = g.r.authors(ctx) // of all files: each checkpoint is read once
	}
	if err := setOwners(ctx, g.r, g.authors, all); err != nil && !errors.As(err, new(*DamageError)) {
		return err
	} else if err != nil {
		g.damaged(err)
	}
	for _, l := range all {
		each(l.Line, l.Owner, l.Author)
	}
	return nil
}

func (g *diffing) damaged(err error) {
	if err != nil {
		g.broke = sets.With(g.broke, explain.OneLine(err))
	}
}

// read compares the trees of parts, and finds the authors of their lines.
func (g *diffing) read(ctx context.Context, repo *gitexec.Repo, parts ...*DiffPart) error {
	pairs := make([][2]gitexec.OID, len(parts))
	sides := make([]map[gitexec.Path]gitexec.Change, len(parts))
	for i, part := range parts {
		pairs[i], part.Files = [2]gitexec.OID{part.from, part.to}, []*DiffFile{}
		changes, err := g.diff.db.DiffTrees(part.from, part.to)
		if err != nil {
			return err
		}
		// A patch doesn't say which objects it compares: they are looked up here.
		sides[i] = gitexec.ByPath(changes)
	}
	selected, err := attribution.Selected(ctx, repo, pairs, g.paths)
	if err != nil || len(pairs) == 0 {
		return err
	}
	err = repo.PatchTrees(ctx, pairs, nil, func(p gitexec.FilePatch) error {
		// The pair is what git printed: it must not be trusted as an index.
		if p.Pair < 0 || p.Pair >= len(parts) {
			return errors.New("git printed more than expected")
		}
		if !selected(p) {
			return nil
		}
		f, err := g.diff.file(p, sides[p.Pair], parts[p.Pair].authors)
		if err == nil {
			parts[p.Pair].Files = append(parts[p.Pair].Files, f)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, part := range parts {
		g.diff.Parts = append(g.diff.Parts, part.limited()...)
	}
	return nil
}

// ofCheckpoint is what the newest commit that links a checkpoint changes.
func (g *diffing) ofCheckpoint(ctx context.Context, id string) error {
	g.diff.Kind = "checkpoint"
	commits, err := g.r.Linking(ctx, id)
	if err != nil {
		return err
	}
	if len(commits) == 0 {
		return fmt.Errorf("no commit on a branch or a tag links checkpoint %s any more\nhint: entire-plumb show %[1]s shows what it has", id)
	}
	part, err := g.partOf(ctx, commits[0])
	if err != nil {
		return err
	}
	return g.read(ctx, g.r.Repo, part)
}
