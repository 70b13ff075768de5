package works

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/divide"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
)

// Evidence is what is known of who wrote in a turn.
type Evidence struct {
	Own    condense.Written
	Others map[gitexec.Path]transcript.Texts // that tools of turns beside it were given
	Told   bool                              // the transcript is there to its end, and has no shell
	Index  gitexec.OID                       // as shadow.Snapshot has it at the turn's end; empty: nothing else is staged
	Apart  map[gitexec.Path]bool             // files that its tools name, and that the user saved last, apart from all that it ran
}

// matters reports whether a file may have lines of others.
func (e Evidence) matters(path gitexec.Path) bool {
	// In turn: another turn's tools wrote it, git may have, or the user, who is found where all
	// else is known.
	return e.Others[path].Known() || e.mayBeBrought() || e.told(path)
}

// told reports whether all is known that the turn's tools wrote for a file, line by line.
func (e Evidence) told(path gitexec.Path) bool {
	texts := e.Own.Texts[path]
	// Vague: a tool's edit isn't known in full.
	return (e.Told || e.Apart[path]) && texts.Known() && !texts.Vague
}

// mayBeBrought reports whether a command of the turn's may have brought lines by git.
// All says that no shell ran, nor another tool that may write any file.
func (e Evidence) mayBeBrought() bool { return !e.Own.All }

// Place is where commits are looked for: a repository, its HEAD, and how that moved.
type Place struct {
	Repo  *gitexec.Repo
	DB    *gitexec.ODB
	Head  gitexec.OID
	Moves func(context.Context) ([]gitexec.HeadMove, error) // HEAD's reflog, newest entry first
	// Elsewhere are the versions of files that other sessions left in other worktrees; nil: none.
	Elsewhere func(*session.State, []gitexec.Path) (map[gitexec.Path][]Source, error)
}

// Division is what of a turn's files isn't its own work: the versions from which that began, and
// the commits from which git brought lines.
type Division struct {
	Began   gitexec.Edits
	Sources []gitexec.OID
}

// mostDivided is how many files of a turn are divided: an agent waits. 200 files of 5,000 lines
// that a shell changed take 0.8 seconds. More are a checkout or a formatter's, and all of it is the
// turn's.
const mostDivided = 200

// Divide finds the lines in a turn's files that others wrote, or git brought, by the texts that
// tools were given. Two processes, if git may have brought some.
func (p Place) Divide(ctx context.Context, s *session.State, e Evidence, changes []gitexec.Change) (Division, error) {
	d := Division{Began: gitexec.Edits{}}
	changes = slices.DeleteFunc(slices.Clone(changes), func(c gitexec.Change) bool { return !e.matters(c.Path) })
	// A checkout of a whole branch changes thousands of files. An agent waits: then all of it is
	// the turn's.
	if len(changes) == 0 || len(changes) > mostDivided {
		return d, nil
	}
	known := slices.DeleteFunc(slices.Clone(changes), func(c gitexec.Change) bool { return !e.knows(c.Path) })
	if err := p.DB.ReadAhead(blobsOf(known)...); err != nil { // each is read twice: many may be large
		return d, err
	}
	var open []int    // in which git may have brought something
	var out someLines // that the user took out of files, and may have put into others
	for i, c := range changes {
		f := p.file(e, c.Path)
		if e.knows(c.Path) {
			if ok, err := p.read(&f, c); err != nil || !ok {
				continue
			}
		}
		if f.Told {
			out.add(f.TakenOut())
		}
		// The first round asks for which files the other commits are worth reading.
		if c.New.Exists() && e.mayBeBrought() && f.Unexplained() {
			open = append(open, i)
		}
	}
	from, err := p.sourcesOf(ctx, s, changes, open)
	if err != nil {
		return d, err
	}
	var tips []gitexec.OID
	reader := &sourceReader{db: p.DB}
	for i, c := range changes {
		f := p.file(e, c.Path)
		if !f.HasTexts() && len(from[i]) == 0 {
			continue
		}
		ok, err := p.read(&f, c)
		if err != nil || !ok {
			continue
		}
		if !c.New.Exists() {
			if f.Told {
				d.Began[c.Path] = gitexec.Entry{} // the user took it away
			}
			continue
		}
		if f.Told {
			// Lines that the user took out of one file and put into another are like lines that
			// another turn was given.
			f.Others.Parts = append(slices.Clip(f.Others.Parts), out.in(f.Now)...)
			// A partial commit leaves lines of the tools in the worktree: they are not gone.
			if there, err := safefile.ReadInside(p.Repo.Top, string(c.Path), largestFresh); err == nil && !bytes.Equal(there, f.Now) {
				f.There = there
			}
		}
		if len(from[i]) > 0 {
			if f.Staged, err = p.staged(e, c); err != nil {
				return d, err
			}
			f.Sources = reader.texts(from[i], &err)
		}
		before, used, ok := f.Before()
		if err != nil {
			return d, err
		}
		if !ok {
			continue
		}
		began := c.New
		if !bytes.Equal(before, f.Now) {
			if began.ID, err = p.DB.WriteBlob(before); err != nil {
				return d, err
			}
		}
		d.Began[c.Path] = began
		for _, b := range used {
			id := from[i][b.Source].Commit
			// A commit with the whole file, of which no new line is open, brought it without a line
			// that counts.
			if tips = sets.With(tips, id); len(b.Lines) > 0 {
				d.Sources = sets.With(d.Sources, id)
			}
		}
	}
	return d, p.deletedIn(&d, changes, tips)
}

// WithoutTexts are the new versions of changed files without the lines of some texts. A file that
// has too few of these to be evidence has none.
func WithoutTexts(db *gitexec.ODB, changes []gitexec.Change, texts map[gitexec.Path]transcript.Texts) (gitexec.Edits, error) {
	versions := gitexec.Edits{}
	for _, c := range changes {
		if !c.New.Exists() || !texts[c.Path].Known() {
			continue
		}
		_, others, err := linesOf(db, c, texts[c.Path])
		if err != nil {
			return nil, err
		}
		if others.Exists() {
			versions[c.Path] = others
		}
	}
	return versions, nil
}

// file is what is known of a file without its versions.
func (e Evidence) file(path gitexec.Path) divide.File {
	return divide.File{Own: e.Own.Texts[path], Others: e.Others[path], Named: slices.Contains(e.Own.Files, path), Told: e.told(path)}
}

// file is likewise, with what the last tool found.
func (p Place) file(e Evidence, path gitexec.Path) divide.File {
	f := e.file(path)
	if found := f.Own.Found; found != nil {
		if e.Apart[path] {
			f.Left = found.Left
		}
		f.Found = func() (string, bool) {
			info, err := os.Lstat(filepath.Join(p.Repo.Top, filepath.FromSlash(string(path))))
			if err != nil || !found.Saved(info.ModTime()) {
				return "", false
			}
			return found.Text()
		}
	}
	return f
}

// knows reports whether any tool names a file, or was given a text for it.
func (e Evidence) knows(path gitexec.Path) bool {
	f := e.file(path)
	return f.Named || f.HasTexts()
}

// read reads a file's versions; ok is false where they can't be compared.
func (p Place) read(f *divide.File, c gitexec.Change) (ok bool, err error) {
	texts, ok, err := fileOf(p.DB, c)
	f.Was, f.Now = texts.Was, texts.Now
	return ok, err
}

// staged is the version of a file in the index; nil: none that differs from HEAD's and the
// worktree's, or none with lines.
func (p Place) staged(e Evidence, c gitexec.Change) ([]byte, error) {
	if e.Index == "" {
		return nil, nil
	}
	found, err := filesIn(p.DB, e.Index, []gitexec.Path{c.Path})
	if err != nil || len(found) == 0 || found[0] == c.New {
		return nil, err
	}
	text, ok, err := textOf(p.DB, found[0])
	if !ok {
		text = nil
	}
	return text, err
}

func blobsOf(changes []gitexec.Change) (ids []gitexec.OID) {
	for _, c := range changes {
		for _, e := range []gitexec.Entry{c.Old, c.New} {
			if e.IsFile() {
				ids = append(ids, e.ID)
			}
		}
	}
	return ids
}

// deletedIn adds the files that are gone and that commits from which git brought others don't have.
func (p Place) deletedIn(d *Division, changes []gitexec.Change, tips []gitexec.OID) error {
	trees, err := TreesOf(p.DB, tips)
	if err != nil {
		return err
	}
	for _, tree := range trees {
		for _, c := range changes {
			if c.New.Exists() {
				continue
			}
			found, err := p.DB.Files(tree, c.Path)
			if err != nil {
				return err
			}
			// `git checkout BRANCH` takes files away as well: the branch from which it brought
			// others lacks them.
			if !found[0].Exists() {
				d.Began[c.Path] = gitexec.Entry{}
			}
		}
	}
	return nil
}

// mostVersions is how many versions of a file are looked at for lines that git may have brought,
// and mostSourced how many bytes of all files' together, beside the first version of each: an agent
// waits for this. Without the second, 200 files that twenty commits had changed took 1 GB and 5
// seconds at a stop; with it, 40 MB and 0.8 seconds.
const mostVersions, mostSourced = 40, 64 << 20

// Source is a version of a file in a commit. Of one on a stream only the lines count that Before
// hasn't: what was there when that session's turn began may be from here.
type Source struct {
	Commit gitexec.OID
	Entry  gitexec.Entry
	Before gitexec.Entry // the zero entry: all lines count
}

// sourcesOf are the versions in other commits from which git may have brought lines, by change.
func (p Place) sourcesOf(ctx context.Context, s *session.State, changes []gitexec.Change, open []int) (from [][]Source, err error) {
	from = make([][]Source, len(changes))
	if len(open) == 0 {
		return from, nil
	}
	commits, err := p.NearCommits(ctx, s)
	if err != nil {
		return nil, err
	}
	// known begins with the version of the turn's start, from which nothing can be brought: so at
	// most mostVersions others are looked at, which is why the count may be equal to it.
	sought := make([]gitexec.Path, len(open))
	known := make([]map[gitexec.OID]bool, len(open))
	for k, i := range open {
		sought[k], known[k] = changes[i].Path, map[gitexec.OID]bool{changes[i].Old.ID: true}
	}
	add := func(k int, of Source) {
		if i := open[k]; of.Entry.IsFile() && !known[k][of.Entry.ID] && len(known[k]) <= mostVersions {
			known[k][of.Entry.ID] = true
			from[i] = append(from[i], of)
		}
	}
	former := p.underFormerNames()
	for _, c := range commits {
		found, err := filesIn(p.DB, c.Tree, sought)
		if err != nil {
			return nil, err
		}
		for k, e := range found {
			if !e.Exists() {
				if e, err = former(c.Tree, sought[k]); err != nil {
					return nil, err
				}
			}
			add(k, Source{Commit: c.ID, Entry: e})
		}
	}
	if p.Elsewhere == nil {
		return from, nil
	}
	elsewhere, err := p.Elsewhere(s, sought)
	// After the commits: a stream's version has what these have, too.
	for k, path := range sought {
		for _, of := range elsewhere[path] {
			add(k, of)
		}
	}
	return from, err
}

// underFormerNames finds the version of a file in a tree that has it under a name that it had
// before a rename in HEAD's history.
func (p Place) underFormerNames() func(tree gitexec.OID, path gitexec.Path) (gitexec.Entry, error) {
	known := map[gitexec.Path][]gitexec.Path{}
	return func(tree gitexec.OID, path gitexec.Path) (gitexec.Entry, error) {
		names, ok := known[path]
		if !ok && len(known) < checkpoints.MostNamed {
			var err error
			if names, err = checkpoints.FormerNames(p.DB, p.Head, path); err != nil {
				return gitexec.Entry{}, err
			}
			known[path] = names
		}
		found, err := filesIn(p.DB, tree, names)
		if i := slices.IndexFunc(found, gitexec.Entry.Exists); i >= 0 {
			return found[i], err
		}
		return gitexec.Entry{}, err
	}
}

// sourceReader reads versions until it has read enough.
type sourceReader struct {
	db   *gitexec.ODB
	read int // bytes
}

// texts are the texts of versions, by their numbers. They end at an error.
func (r *sourceReader) texts(sources []Source, failed *error) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i, s := range sources {
			if i > 0 && r.read > mostSourced {
				return
			}
			data, ok, err := textOf(r.db, s.Entry)
			r.read += len(data)
			if ok && s.Before.Exists() {
				data, err = r.since(s.Before, data)
			}
			// An iterator can't return an error: the caller looks at it after the loop.
			if *failed = err; err != nil || ok && !yield(i, data) {
				return
			}
		}
	}
}

// since leaves of a text the lines that a version before it hasn't.
func (r *sourceReader) since(before gitexec.Entry, data []byte) (rest []byte, err error) {
	old, _, err := textOf(r.db, before)
	r.read += len(old)
	book := ledger.New()
	at, n := ledger.Match(book.Text(old), book.Text(data)), 0
	for line := range bytes.Lines(data) {
		if at[n] < 0 {
			rest = append(rest, line...)
		}
		n++
	}
	return rest, err
}

// mostTips is how many branches, how many of HEAD's ancestors, and how many commits that HEAD was
// before, may have what git brings, the latest first. Each is looked up for each file that no tool
// explains: 150 commits by 200 files are some 30,000 look-ups. It is not measured by itself.
const mostTips = 50

// NearCommits are those from which a command may have brought lines: the stash when the turn began,
// what git is in the middle of, the branches that changed last, HEAD's ancestors, and what else
// HEAD was: what an amend replaces, or a reset drops, is in no branch. None that was made since,
// but by git am of another's patch. Two processes.
func (p Place) NearCommits(ctx context.Context, s *session.State) ([]gitexec.Commit, error) {
	if s.LastInteractionTime == nil {
		return nil, nil
	}
	stashes, err := p.stashed(s)
	if err != nil {
		return nil, err
	}
	ids, err := p.brought(ctx)
	if err != nil {
		return nil, err
	}
	since, before, err := p.heads(ctx, s.TurnStartCommit)
	if err != nil {
		return nil, err
	}
	commits, err := p.DB.Readable(slices.AppendSeq(ids, maps.Keys(since))...)
	if err != nil {
		return nil, err
	}
	if !p.Head.IsZero() {
		past, err := p.DB.Ancestors(p.Head, mostTips)
		if err != nil && !gitexec.IsMissing(err) { // else of a shallow clone
			return nil, err
		}
		// Those that HEAD became in the turn are in commits already.
		past = slices.DeleteFunc(past, func(c gitexec.Commit) bool { return since[c.ID] != "" })
		commits = append(commits, past...)
	}
	dropped := slices.DeleteFunc(slices.Clone(before), func(id gitexec.OID) bool {
		return slices.ContainsFunc(commits, func(c gitexec.Commit) bool { return c.ID == id })
	})
	found, err := p.DB.Readable(dropped[:min(len(dropped), mostTips)]...)
	if err != nil {
		return nil, err
	}
	commits = append(commits, found...)
	// Commits have seconds. One of the second in which the turn began may be older or younger than
	// the turn.
	began := s.LastInteractionTime.Truncate(time.Second)
	commits = slices.DeleteFunc(commits, func(c gitexec.Commit) bool {
		how := since[c.ID]
		// git am sets the committer's date anew, so that another's patch looks as if it were made
		// in the turn.
		if !c.When.Equal(began) || how == "am" {
			return c.When.After(began) && how != "am"
		}
		// HEAD came to it by a pull, a checkout or a reset: then it was there before. A rebase or a
		// cherry-pick makes commits, as git commit does.
		if slices.Contains(arrivals, how) {
			return false
		}
		// Else it counts as older only if HEAD was there before the turn's start.
		return !slices.Contains(before, c.ID)
	})
	return append(stashes, commits...), nil
}

// arrivals are git's actions, as HEAD's reflog has them, that bring HEAD to a commit that is there.
var arrivals = []string{"checkout", "reset", "pull", "merge"}

// stashed are the stash's entries when the turn began, and the files in them that git didn't track.
func (p Place) stashed(s *session.State) ([]gitexec.Commit, error) {
	stashes, err := p.DB.Readable(s.TurnStartStashes...)
	if err != nil {
		return nil, err
	}
	for _, stash := range slices.Clone(stashes) {
		// The third parent of a stash entry has the untracked files, of `git stash -u`.
		if len(stash.Parents) > 2 {
			untracked, err := p.DB.Readable(stash.Parents[2])
			if err != nil {
				return nil, err
			}
			stashes = append(stashes, untracked...)
		}
	}
	return stashes, nil
}

// brought are the commits that git is in the middle of bringing, and the branches that changed
// last.
func (p Place) brought(ctx context.Context) ([]gitexec.OID, error) {
	ids := p.Repo.Operation().Brings()
	tips, err := p.Repo.LatestBranches(ctx, mostTips)
	for _, tip := range tips {
		// Streams hold what the turns themselves did, and HEAD's ancestors are read apart.
		if !strings.HasPrefix(tip.Name, "refs/heads/entire/") && tip.ID != p.Head {
			ids = append(ids, tip.ID)
		}
	}
	return ids, err
}

// heads are the commits that HEAD became since it was one for the last time, and by which of git's
// actions it first did: "commit", "pull", "am"; and those that it was until then, newest first. One
// process.
func (p Place) heads(ctx context.Context, last gitexec.OID) (since map[gitexec.OID]string, before []gitexec.OID, err error) {
	if last.IsZero() {
		return nil, nil, nil
	}
	reflog, err := p.Moves(ctx) // newest first
	at := movesUntil(reflog, last)
	if err != nil || at < 0 {
		return nil, nil, err
	}
	since = map[gitexec.OID]string{}
	for _, m := range reflog[:at] {
		// `commit (amend): Subject` is "commit", `pull --rebase: …` is "pull". A later entry of
		// this loop is an older move, so that the first move that led there remains.
		action, _, _ := strings.Cut(m.Why, ":")
		since[m.To], _, _ = strings.Cut(action, " ")
	}
	for _, m := range reflog[at:] {
		before = sets.With(before, m.To)
	}
	return since, before, nil
}

// movesUntil is the place of the newest entry of HEAD's reflog that ends at a commit; -1: none.
func movesUntil(reflog []gitexec.HeadMove, last gitexec.OID) int {
	return slices.IndexFunc(reflog, func(m gitexec.HeadMove) bool { return m.To == last })
}

// TreesOf are the trees of commits, in their order; those that git has pruned are omitted.
func TreesOf(db *gitexec.ODB, commits []gitexec.OID) (trees []gitexec.OID, err error) {
	found, err := db.Readable(commits...)
	for _, c := range found {
		trees = append(trees, c.Tree)
	}
	return trees, err
}
