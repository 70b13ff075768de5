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
	"entire-plumb/internal/hunks"
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

// All is the number of new lines.
func (l DiffLines) All() int { return l.Agent + l.Human + l.Unknown + l.Older }

// DiffOwner is whose lines are: a turn, a human, or of no known author. Mark stands for it.
type DiffOwner struct {
	Mark    string           `json:"mark"`
	Kind    attribution.Kind `json:"kind"`
	Session string           `json:"session_id,omitempty"`
	Agent   string           `json:"agent,omitempty"`
	Turn    string           `json:"turn_id,omitempty"`
	Prompt  string           `json:"prompt,omitempty"`
	Author  string           `json:"author,omitempty"` // of a human's; empty: whoever calls
	Reason  string           `json:"reason,omitempty"` // why the author is unknown
	Lines   int              `json:"lines"`
}

// DiffPart is a chapter of a diff: all of it, or what one turn of a session did.
type DiffPart struct {
	Session string      `json:"session_id,omitempty"`
	Turn    string      `json:"turn_id,omitempty"`
	Prompt  string      `json:"prompt,omitempty"`
	Commit  gitexec.OID `json:"commit,omitempty"` // in which the changes are; empty: they are not committed
	Files   []*DiffFile `json:"files"`
	DiffLines

	from, to gitexec.OID // trees
	authors  lineAuthors
	only     func(owners []*DiffOwner) bool // the changes that are shown, by the owners of their new lines; nil: all
}

// lineAuthors passes on the new lines of a file's change with their authors, those of humans with
// their names.
type lineAuthors func(p gitexec.FilePatch, each func(line int, a attribution.Author, human string)) error

// DiffFile is what changes in one file.
type DiffFile struct {
	Path   gitexec.Path `json:"path"`
	Was    gitexec.Path `json:"old_path,omitempty"` // its former name
	Status string       `json:"status"`             // added, deleted, renamed or modified
	Binary bool         `json:"binary,omitempty"`
	DiffLines

	Old     gitexec.Entry  `json:"-"`
	New     gitexec.Entry  `json:"-"`
	Changes []gitexec.Hunk `json:"-"`
	owners  []*DiffOwner   // of the new lines, in order; nil: nobody's
}

// diffing collects a diff.
type diffing struct {
	*Reader
	diff  *OwnedDiff
	paths gitexec.Pathspecs
	broke []string // what is damaged
}

// Diff finds what a name means, and the author of each line that changed: see Resolve, and Range. An
// empty name is what the worktree has and HEAD doesn't. Pathspecs limit the files. The totals are
// those of blame and attribution. One process that compares trees, and for a range one for each
// file. The caller calls done when it has read the hunks. With a DamageError the diff is there.
func (e Source) Diff(ctx context.Context, name string, paths []string) (d *OwnedDiff, done func(), err error) {
	r, err := e.open(ctx, name == "")
	if err != nil {
		return nil, nil, err
	}
	g := &diffing{Reader: r, diff: &OwnedDiff{Name: name, Owners: []*DiffOwner{}, Parts: []*DiffPart{}, db: r.DB, by: map[DiffOwner]*DiffOwner{}},
		paths: Selection{Paths: paths}.pathspecs(e.Dir)}
	if err := g.find(ctx, name); err != nil {
		r.Close()
		return nil, nil, err
	}
	g.diff.number()
	if len(g.broke) > 0 {
		err = &DamageError{errors.New(strings.Join(g.broke, "\n"))}
	}
	return g.diff, r.Close, err
}

func (g *diffing) find(ctx context.Context, name string) error {
	if name == "" {
		return g.ofWorktree(ctx)
	}
	if from, to, ok := cutRange(name); ok {
		return g.ofRange(ctx, from, to, strings.Contains(name, "..."))
	}
	found, err := g.Resolve(ctx, name)
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
	u, err := g.Uncommitted(ctx)
	if err != nil || !u.Any() {
		return err
	}
	g.diff.db = u.DB
	commit := u.commit.Commit(u.Commit)
	g.damaged(commit.Damage())
	part := &DiffPart{from: u.Head.Tree, to: u.Commit.Tree, authors: func(p gitexec.FilePatch, each func(int, attribution.Author, string)) error {
		_, err := commit.Lines(p, func(line int, a attribution.Author) { each(line, u.author(a), "") })
		return err
	}}
	return g.read(ctx, u.Repo, part)
}

// ofCommit is what a commit changes against its first parent; a checkpoint on a stream is one, too.
func (g *diffing) ofCommit(ctx context.Context, id gitexec.OID) error {
	commits, err := g.DB.Commits(id)
	if err != nil {
		return err
	}
	if on, err := g.onStream(id); on || err != nil {
		if err == nil {
			err = g.ofStreamCheckpoint(ctx, id)
		}
		return err
	}
	g.diff.Kind = "commit"
	part, err := g.partOf(commits[0])
	if err != nil {
		return err
	}
	return g.read(ctx, g.Repo, part)
}

// partOf is what a commit changes against its first parent.
func (g *diffing) partOf(c gitexec.Commit) (*DiffPart, error) {
	parent, err := g.DB.ParentTree(c)
	if missing := new(gitexec.MissingError); errors.As(err, &missing) {
		return nil, fmt.Errorf("the parent of %s is not in this repository, which may be a shallow clone\nhint: git fetch --unshallow brings it", c.ID.Short())
	}
	if err != nil {
		return nil, err
	}
	commit := g.authors().Commit(c)
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
		if ends[i], err = g.Repo.Resolve(ctx, name); err != nil {
			return fmt.Errorf("%w\nhint: name two commits, branches or tags, as in main..feature", err)
		}
	}
	if fromBase {
		base, err := g.Repo.MergeBase(ctx, ends[0], ends[1])
		if err != nil {
			return err
		}
		if base == "" {
			return fmt.Errorf("%s and %s have no commit in common\nhint: two dots compare them with each other", from, to)
		}
		ends[0] = base
	}
	commits, err := g.DB.Commits(ends[:]...)
	if err != nil {
		return err
	}
	part := &DiffPart{from: commits[0].Tree, to: commits[1].Tree, authors: func(p gitexec.FilePatch, each func(int, attribution.Author, string)) error {
		return g.blamed(ctx, ends[1], p, each)
	}}
	return g.read(ctx, g.Repo, part)
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
	found, err := g.DB.Blame(at, p.New, lines)
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
	if err := g.setOwners(ctx, all); err != nil && !errors.As(err, new(*DamageError)) {
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
		g.broke = with(g.broke, explain.OneLine(err))
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
		sides[i] = map[gitexec.Path]gitexec.Change{}
		for _, c := range changes {
			sides[i][c.Path] = c
		}
	}
	selected, err := attribution.Selected(ctx, repo, pairs, g.paths)
	if err != nil || len(pairs) == 0 {
		return err
	}
	err = repo.PatchTrees(ctx, pairs, nil, func(p gitexec.FilePatch) error {
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

// file is a file's change, with the authors of its lines.
func (d *OwnedDiff) file(p gitexec.FilePatch, sides map[gitexec.Path]gitexec.Change, authors lineAuthors) (*DiffFile, error) {
	f := &DiffFile{Path: cmp.Or(p.New, p.Old), Status: "modified", Binary: p.Binary, Changes: p.Hunks, Old: sides[p.Old].Old, New: sides[p.New].New}
	switch {
	case p.Old == "":
		f.Status, f.Old = "added", gitexec.Entry{}
	case p.New == "":
		f.Status, f.New = "deleted", gitexec.Entry{}
	case p.Old != p.New:
		f.Status, f.Was = "renamed", p.Old
	}
	by := map[int]*DiffOwner{}
	if f.hasLines() {
		if err := authors(p, func(line int, a attribution.Author, human string) { by[line] = d.owner(a, human) }); err != nil {
			return nil, err
		}
	}
	for _, h := range p.Hunks {
		for i := range h.NewLines {
			f.owners = append(f.owners, by[h.NewStart+i])
		}
	}
	f.count()
	return f, nil
}

// hasLines reports whether the new version is text. Symlinks and submodules have no lines, and
// those of a deleted file are nobody's any more.
func (f *DiffFile) hasLines() bool {
	return !f.Binary && (f.New.Mode == gitexec.ModeFile || f.New.Mode == gitexec.ModeExec)
}

// count counts the file's lines.
func (f *DiffFile) count() {
	f.DiffLines = DiffLines{}
	isText := f.hasLines() || !f.New.Exists() && (f.Old.Mode == gitexec.ModeFile || f.Old.Mode == gitexec.ModeExec)
	if !isText {
		return
	}
	for _, h := range f.Changes {
		f.Removed += h.OldLines
	}
	for _, o := range f.owners {
		switch {
		case o == nil:
			f.Older++
		case o.Kind == attribution.Agent:
			f.Agent++
		case o.Kind == attribution.Human:
			f.Human++
		default:
			f.Unknown++
		}
	}
}

// owner is the diff's entry for the author of a line.
func (d *OwnedDiff) owner(a attribution.Author, human string) *DiffOwner {
	key := DiffOwner{Kind: a.Kind}
	switch a.Kind {
	case attribution.Agent:
		key.Session, key.Agent, key.Turn, key.Prompt = a.Session, a.Agent, a.Turn, a.Prompt
	case attribution.Human:
		key.Author = human
	default:
		key.Kind, key.Reason = attribution.Unknown, a.Reason
	}
	if d.by[key] == nil {
		one := key
		d.by[key] = &one
	}
	return d.by[key]
}

// limited is the part with the changes alone in which there are lines that it is about; none: it
// has none.
func (part *DiffPart) limited() []*DiffPart {
	if part.only != nil {
		var files []*DiffFile
		for _, f := range part.Files {
			if few := f.limited(part.only); few != nil {
				files = append(files, few)
			}
		}
		if part.Files = files; len(files) == 0 {
			return nil
		}
	}
	for _, f := range part.Files {
		part.Add(f.DiffLines)
	}
	return []*DiffPart{part}
}

// limited is the file with those of its changes that have wanted lines; nil: none has.
func (f *DiffFile) limited(wanted func([]*DiffOwner) bool) *DiffFile {
	few := *f
	few.Changes, few.owners = nil, nil
	at := 0
	for _, h := range f.Changes {
		owners := f.owners[at : at+h.NewLines]
		at += h.NewLines
		if wanted(owners) {
			few.Changes, few.owners = append(few.Changes, h), append(few.owners, owners...)
		}
	}
	if len(few.Changes) == 0 {
		return nil
	}
	few.count()
	return &few
}

// number gives the owners of the lines that are shown their marks, in the order in which they come,
// and sums up.
func (d *OwnedDiff) number() {
	for _, part := range d.Parts {
		d.Add(part.DiffLines)
		for _, f := range part.Files {
			for _, o := range f.owners {
				if o == nil {
					continue
				}
				if o.Lines++; o.Lines == 1 {
					d.Owners = append(d.Owners, o)
				}
			}
		}
	}
	mark(d.Owners)
}

// mark gives owners their marks, each its own, and sorts them by these: a letter for a session and a
// number for its turn, a human's name, or a question mark.
func mark(owners []*DiffOwner) {
	place := map[string]int{}
	for _, o := range owners {
		if _, known := place[o.Session]; !known && o.Kind == attribution.Agent {
			place[o.Session] = len(place)
		}
	}
	slices.SortStableFunc(owners, func(a, b *DiffOwner) int {
		return cmp.Or(cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)), cmp.Compare(place[a.Session], place[b.Session]))
	})
	turns, taken := map[string]int{}, map[string]bool{}
	for _, o := range owners {
		turns[o.Session]++
		o.Mark = o.wanted(place[o.Session], turns[o.Session])
		for n := 2; taken[o.Mark]; n++ {
			o.Mark = fmt.Sprint(o.wanted(place[o.Session], turns[o.Session]), n)
		}
		taken[o.Mark] = true
	}
}

// wanted is the mark of an owner, unless another one has it.
func (o *DiffOwner) wanted(session, turn int) string {
	switch o.Kind {
	case attribution.Agent:
		return fmt.Sprint(letters(session), turn)
	case attribution.Human:
		name, _, _ := strings.Cut(o.Author, " ")
		few := []rune(name)
		return cmp.Or(string(few[:min(longestMark, len(few))]), "you")
	}
	return "?"
}

// kindRank has the agents before the human.
func kindRank(kind attribution.Kind) int {
	return slices.Index([]attribution.Kind{attribution.Agent, attribution.Human, attribution.Unknown}, kind)
}

// longestMark is how many characters of a human's name are a mark.
const longestMark = 8

// letters are A to Z, then AA, AB and so on.
func letters(n int) string {
	text := string(rune('A' + n%26))
	if n < 26 {
		return text
	}
	return letters(n/26-1) + text
}

// OwnedLine is a line of a hunk with its author; nil: nobody's, or it is not new.
type OwnedLine struct {
	hunks.Line
	Owner *DiffOwner
}

// OwnedHunk is a hunk of a file.
type OwnedHunk struct {
	hunks.Hunk
	Lines []OwnedLine
}

// largestDiffed is how many bytes of a version are read to show its lines.
const largestDiffed = 64 << 20

// ErrTooLarge says that the lines of a file are not shown.
var ErrTooLarge = errors.New("too large to show")

// Hunks are the hunks of a file, with so many lines of context. It fails with ErrTooLarge.
func (d *OwnedDiff) Hunks(f *DiffFile, around int) ([]OwnedHunk, error) {
	if f.Binary || len(f.Changes) == 0 {
		return nil, nil
	}
	var texts [2][]string
	for i, e := range []gitexec.Entry{f.Old, f.New} {
		text, err := d.text(e)
		if err != nil {
			return nil, err
		}
		texts[i] = hunks.Split(text)
	}
	var all []OwnedHunk
	next := 0
	for _, h := range hunks.Of(f.Changes, texts[0], texts[1], around) {
		one := OwnedHunk{Hunk: h}
		for _, l := range h.Lines {
			owned := OwnedLine{Line: l}
			if l.Sign == hunks.Added && next < len(f.owners) {
				owned.Owner = f.owners[next]
				next++
			}
			one.Lines = append(one.Lines, owned)
		}
		all = append(all, one)
	}
	return all, nil
}

// text is a version's content, as git compares it.
func (d *OwnedDiff) text(e gitexec.Entry) (string, error) {
	switch {
	case !e.Exists():
		return "", nil
	case e.Mode == gitexec.ModeGitlink:
		return fmt.Sprintf("Subproject commit %s\n", e.ID), nil
	}
	data, err := d.db.Blob(e.ID, largestDiffed)
	if large := new(gitexec.TooLargeError); errors.As(err, &large) {
		return "", ErrTooLarge
	}
	return string(data), err
}

// ofCheckpoint is what the newest commit that links a checkpoint changes.
func (g *diffing) ofCheckpoint(ctx context.Context, id string) error {
	g.diff.Kind = "checkpoint"
	commits, err := g.Linking(ctx, id)
	if err != nil {
		return err
	}
	if len(commits) == 0 {
		return noCommitLinks(id)
	}
	part, err := g.partOf(commits[0])
	if err != nil {
		return err
	}
	return g.read(ctx, g.Repo, part)
}

func noCommitLinks(id string) error {
	return fmt.Errorf("no commit on a branch or a tag links checkpoint %s any more\nhint: entire-plumb show %[1]s shows what it has", id)
}

// haveLinesOf reports whether a change has lines of a session's turn; with an empty name of any.
func haveLinesOf(session, turn string) func([]*DiffOwner) bool {
	return func(owners []*DiffOwner) bool {
		return slices.ContainsFunc(owners, func(o *DiffOwner) bool {
			return o != nil && o.Kind == attribution.Agent && (session == "" || o.Session == session) && (turn == "" || o.Turn == turn)
		})
	}
}
