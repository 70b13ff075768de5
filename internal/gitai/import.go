package gitai

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ainote"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/query"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// ImportRequest says which notes to read.
type ImportRequest struct {
	Selection query.Selection // the commits; the zero value: all that have a note
	Preview   bool            // only say what would be imported
}

// FromNotes is what became of notes.
type FromNotes struct {
	Commits []Commit  `json:"commits"` // whose notes were imported
	Skipped []Skipped `json:"skipped"` // of which more is known here than the note says
	Refused []Skipped `json:"refused"` // whose notes are not of the format, or don't fit their commits
}

// Commit is a commit whose note says that an agent has lines in it.
type Commit struct {
	Commit     gitexec.OID     `json:"commit"`
	Subject    string          `json:"subject"`
	Checkpoint string          `json:"checkpoint_id"`
	Sessions   []string        `json:"sessions"`
	Lines      attribution.Sum `json:"lines"` // as the note has them
	// Older is how many lines the note names that are in the file, and that the commit did not
	// bring: they don't count.
	Older int `json:"older_lines,omitempty"`

	noted checkpoints.Noted
}

// Skipped is a note that is not imported.
type Skipped struct {
	Commit gitexec.OID `json:"commit"`
	Why    string      `json:"why"` // in words
}

// mostNote is how many bytes a note may have.
const mostNote = 4 << 20

// Import reads notes, and stores what they say beside what is recorded, which outranks it.
func Import(ctx context.Context, e query.Source, q ImportRequest) (done FromNotes, err error) {
	done = FromNotes{Commits: []Commit{}, Skipped: []Skipped{}, Refused: []Skipped{}}
	only, err := q.commits(ctx, e)
	if err != nil {
		return done, err
	}
	w, err := e.Env.Open(ctx, e.Env.Dir)
	if err != nil {
		return done, err
	}
	begun := time.Now()
	err = q.read(ctx, w, only, &done)
	if q.Preview || err != nil {
		return done, errors.Join(err, w.DB.Close())
	}
	if len(done.Commits) > 0 {
		err = w.Locked(ctx, func() error { return store(ctx, w, done.Commits) })
	}
	return done, w.Finish(journal.Entry{Hook: "import", Outcome: "imported notes of " + amount.Of(len(done.Commits), "commit")}, begun, err)
}

// commits are the selected commits; nil: all.
func (q ImportRequest) commits(ctx context.Context, e query.Source) (map[gitexec.OID]bool, error) {
	if len(q.Selection.Names) == 0 {
		return nil, nil
	}
	r, err := e.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	commits, err := r.Select(ctx, q.Selection)
	only := map[gitexec.OID]bool{}
	for _, c := range commits {
		only[c.ID] = true
	}
	return only, err
}

// read reads the notes of commits that are here, and decides what becomes of each.
func (q ImportRequest) read(ctx context.Context, w *workspace.Workspace, only map[gitexec.OID]bool, done *FromNotes) error {
	there, err := readNotes(ctx, w.Repo, w.DB)
	if err != nil {
		return err
	}
	found, err := there.all()
	if err != nil {
		return err
	}
	of := blobsOf(found, only)
	commits, err := w.DB.Readable(slices.Sorted(maps.Keys(of))...)
	if err != nil {
		return err
	}
	branch, err := checkpoints.ReadBranches(ctx, w.Repo, w.DB)
	if err != nil {
		return err
	}
	open := slices.DeleteFunc(commits, func(c gitexec.Commit) bool {
		why := skips(w.DB, branch, c, of[c.ID])
		if why != "" {
			done.Skipped = append(done.Skipped, Skipped{c.ID, why})
		}
		return why != ""
	})
	slices.SortFunc(open, func(a, b gitexec.Commit) int { return a.When.Compare(b.When) })
	counted, err := (&attribution.Reader{DB: w.DB, Branch: branch}).Count(ctx, w.Repo, open, gitexec.Pathspecs{})
	if err != nil {
		return err
	}
	for i, c := range open {
		if err := done.add(w, c, counted[i], of[c.ID]); err != nil {
			return err
		}
	}
	return nil
}

// blobsOf are the notes of commits, of all where only is nil; of several the first.
func blobsOf(found []note, only map[gitexec.OID]bool) map[gitexec.OID]gitexec.OID {
	of := map[gitexec.OID]gitexec.OID{}
	for _, n := range found {
		if (only == nil || only[n.commit]) && of[n.commit] == "" {
			of[n.commit] = n.blob
		}
	}
	return of
}

// skips says why a commit's note is not read; empty: it is.
func skips(db *gitexec.ODB, b checkpoints.Branch, c gitexec.Commit, blob gitexec.OID) string {
	noted := checkpoints.Noted{Commit: c, Note: blob}
	switch links := b.Links(db, c); {
	case b.PurgedOn(db, noted.ID()) != "":
		return "it was imported, and purged on " + b.PurgedOn(db, noted.ID())
	case b.WasUnlinked(db, c.ID):
		return "its link was removed"
	case checkpoints.DecidedHere(db, b, c.ID):
		return "the commit was made here, and what was recorded counts"
	case len(b.Missing(db, links)) < len(links):
		return "the commit is linked to a checkpoint that is here"
	}
	return ""
}

// add reads the note of one commit.
func (d *FromNotes) add(w *workspace.Workspace, c gitexec.Commit, n attribution.Counted, blob gitexec.OID) error {
	refuse := func(why string) { d.Refused = append(d.Refused, Skipped{c.ID, beginning(why)}) }
	data, err := w.DB.Blob(blob, mostNote)
	if err != nil {
		refuse(explain.OneLine(err))
		return w.DB.Canceled()
	}
	parsed, err := ainote.Parse(data)
	if err != nil {
		refuse(err.Error())
		return nil
	}
	if n.NotCounted != "" {
		d.Skipped = append(d.Skipped, Skipped{c.ID, "its lines cannot be counted: " + n.NotCounted})
		return nil
	}
	one := &reading{w: w, note: parsed, Commit: Commit{Commit: c.ID, Sessions: []string{}}}
	one.noted = checkpoints.Noted{Commit: c, Note: blob, Version: w.Version}
	why, err := one.read(n)
	switch {
	case err != nil:
		return err
	case why != "":
		refuse(why)
	case len(one.noted.Sessions) == 0:
		d.Skipped = append(d.Skipped, Skipped{c.ID, "no line of it is an agent's"})
	default:
		d.Commits = append(d.Commits, one.finished())
	}
	return nil
}

// store writes what was read, in one commit of the branch.
func store(ctx context.Context, w *workspace.Workspace, all []Commit) error {
	tip, err := shadow.CheckpointsTip(w.Repo, w.DB)
	if err != nil {
		return err
	}
	branch, err := checkpoints.ReadBranch(w.DB, tip)
	if err != nil {
		return err
	}
	edits := gitexec.Edits{}
	for _, one := range all {
		if err := one.noted.Write(w.DB, branch, edits); err != nil {
			return err
		}
	}
	refs, err := checkpoints.WriteBranch(w.DB, branch, edits, w.Author(nil), "Import notes of Git AI\n")
	if err != nil {
		return err
	}
	return shadow.Apply(ctx, w.DB, w.Store, refs, nil)
}
