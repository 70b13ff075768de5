package commits

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// sessionWork is the sessions' work that a commit may hold.
type sessionWork struct {
	onStreams []condense.Work
	others    []condense.Work  // of turns in progress, reset commits, or discarded
	sources   []gitexec.OID    // commits from which turns in progress have lines by git
	changes   []gitexec.Change // in which a rename goes from the old file's version
	came      cameHere         // from other worktrees
	states    []*session.State // all that were compared
	matches   []condense.Matched
	overlaps  []condense.Overlap
}

func (w sessionWork) all() []condense.Work { return append(slices.Clone(w.onStreams), w.others...) }

// workQuery asks for the work of sessions that changes, of a commit or staged, may hold.
type workQuery struct {
	parent  gitexec.OID   // the commit's
	base    gitexec.OID   // and its tree
	bases   []gitexec.OID // of streams
	listing shadow.Listing
	states  []*session.State
	changes []gitexec.Change
	agents  []string // the sessions whose agent makes the commit
	head    headRecord
	tree    gitexec.OID // the commit's; empty before it is made
	amended gitexec.OID // the tree of the commit that it replaces: what that has isn't brought; empty: none
	replays bool        // git replays a commit whose lines are known: it brings none of others
}

// findWork collects the sessions' work that changes may hold, compares it with them, and notes for
// the journal what it found.
func findWork(ctx context.Context, run *workspace.Run, q workQuery) (found sessionWork, err error) {
	came, err := comeHere(run, q.changes, q.tree, q.states)
	if err != nil {
		return found, err
	}
	q.states = sets.Union(q.states, came.states)
	if q.agents, err = withoutStart(run.DB, q); err != nil {
		return found, err
	}
	if found, err = worksOf(ctx, run, q, came.works); err != nil {
		return found, err
	}
	found.came, found.states = came, q.states
	found.matches, found.overlaps, err = matchWorks(ctx, run.Repo, run.DB, found)
	run.Entry.Works = journalWorks(found.overlaps)
	return found, err
}

// withoutStart has turns whose first snapshot git has pruned, which no ref keeps, begin with the
// commit's parent, and returns the committing sessions without these: of them what the tools wrote
// is known, and what was there before isn't.
func withoutStart(db *gitexec.ODB, q workQuery) (agents []string, err error) {
	open := slices.DeleteFunc(slices.Clone(q.states), func(s *session.State) bool {
		return s.Phase != session.Active || s.TurnStartTree == ""
	})
	trees := make([]gitexec.OID, len(open))
	for i, s := range open {
		trees[i] = s.TurnStartTree
	}
	info, err := db.Info(trees...)
	if err != nil {
		return nil, err
	}
	agents = slices.Clone(q.agents)
	for i, s := range open {
		if info[i].Type == "" {
			s.StartIsGone(q.base)
		}
		if !s.StartSeen() {
			agents = slices.DeleteFunc(agents, func(id string) bool { return id == s.SessionID })
		}
	}
	return agents, nil
}

// worksOf collects the sessions' work. came is that from other worktrees.
func worksOf(ctx context.Context, run *workspace.Run, q workQuery, came []condense.Work) (sessionWork, error) {
	var w sessionWork
	var troubles []error
	var err error
	w.onStreams, troubles, err = works.OnStreams(run.DB, q.bases, q.states, func(base gitexec.OID) ([]shadow.Stream, error) {
		return q.listing.Streams(run.DB, base, run.Repo.WorktreeID())
	})
	if err != nil {
		return w, err
	}
	run.WarnOf(troubles...)
	condense.MarkElsewhere(w.onStreams, q.parent, func(base gitexec.OID) bool { return condense.Left(lineOf(run.DB, q.parent), lineOf(run.DB, base)) })
	err = condense.MarkSince(w.onStreams, q.parent, q.changes, func(s *shadow.Stream, paths []gitexec.Path) ([]gitexec.Entry, error) {
		return works.AtBase(run.DB, *s, paths)
	})
	if err != nil {
		return w, err
	}
	wrote := writtenBeside(ctx, run, q, w.onStreams)
	var began map[string]gitexec.Edits
	if began, w.sources, err = divideTurns(ctx, run, q, wrote); err != nil {
		return w, err
	}
	w.others, err = works.OfTurns(run.DB, works.Turns{States: q.states, Changes: q.changes, Agents: q.agents, Began: began,
		Wrote: wrote, Streams: w.onStreams})
	if err != nil {
		return w, err
	}
	ignored, err := works.OfIgnored(run.DB, q.states, q.changes, func(s *session.State) map[gitexec.Path]transcript.Texts {
		wrote, err := transcript.WrittenEver(ctx, s.TranscriptPath, s.Recorded.Copied)
		if err != nil {
			return nil // an unreadable transcript is no evidence
		}
		return TextsIn(run.Repo, wrote.Texts)
	})
	if err != nil {
		return w, err
	}
	w.others = append(w.others, ignored...)
	if q, w.sources, err = withSources(run.Workspace, q, w); err != nil {
		return w, err
	}
	kept, err := workOffStreams(run.DB, q.states, q.parent, q.head, q.changes)
	if err != nil {
		return w, err
	}
	changed := sets.Of(gitexec.PathsOf(q.changes))
	matters := func(path gitexec.Path) bool { return changed[path] || NotInWorktree(run.Repo, path) }
	if kept, err = ownWork(run.DB, kept, w.sources, matters); err != nil {
		return w, err
	}
	w.others = append(append(w.others, kept...), came...)
	added, err := works.Added(run.DB, w.onStreams, q.changes, func(path gitexec.Path) bool { return NotInWorktree(run.Repo, path) })
	if err != nil {
		return w, err
	}
	all, changes, err := condense.FollowRenames(w.all(), suffix.Renaming{
		Version: q.changes, Since: added, Gone: func(path gitexec.Path) bool { return NotInWorktree(run.Repo, path) }, Texts: &shadow.Texts{DB: run.DB},
		Back: func(path gitexec.Path, version gitexec.Entry) bool {
			return isBack(run.DB, run.Repo.Top, path, version)
		}})
	w.onStreams, w.others, w.changes = all[:len(w.onStreams)], all[len(w.onStreams):], changes
	return w, err
}

// ownWork leaves of linked commits the sessions' own lines, where lines are brought from these, or
// where several sessions were in one: a file that both changed may have lines of one alone.
func ownWork(
	db *gitexec.ODB, kept []condense.Work, sources []gitexec.OID, matters func(gitexec.Path) bool,
) ([]condense.Work, error) {
	own := slices.Clone(kept)
	for i, of := range kept {
		if of.Link == nil {
			continue
		}
		shared := slices.ContainsFunc(kept, func(w condense.Work) bool {
			return w.Link != nil && w.Link.Commit == of.Link.Commit && w.Session.SessionID != of.Session.SessionID
		})
		var err error
		if of.Brought = slices.Contains(sources, of.Link.Commit); of.Brought || shared {
			if of, err = works.OwnLines(db, of, matters); err != nil {
				return nil, err
			}
		}
		own[i] = of
	}
	return slices.DeleteFunc(own, func(w condense.Work) bool { return w.Link != nil && len(w.Changes) == 0 }), nil
}

// withSources adds the linked commits from which lines come here, by commands of agents or by
// whatever else: what they hold of sessions' work is compared as that of a commit that was reset.
// It returns them.
func withSources(p *workspace.Workspace, q workQuery, w sessionWork) (workQuery, []gitexec.OID, error) {
	states, err := p.Sessions()
	if err != nil {
		return q, nil, err
	}
	sources := slices.Clone(w.sources)
	for _, s := range q.states {
		sources = append(sources, s.Sources...)
	}
	// Lines may come from a commit of a session that is at rest by now.
	if len(sources) > 0 {
		if states, err = p.RecentSessions(); err != nil {
			return q, nil, err
		}
	}
	brought, err := q.brought(p.DB, states, w.onStreams)
	if err != nil {
		return q, nil, err
	}
	for _, id := range brought {
		if !q.head.wasReset(id) && !slices.Contains(sources, id) {
			sources = append(sources, id)
		}
	}
	return q.from(sources, states), sources, nil
}

// from is the query for what the sources hold of sessions' work, too, as for reset commits. all are
// the sessions, of which those that have one of the sources are added.
func (q workQuery) from(sources []gitexec.OID, all []*session.State) workQuery {
	if len(sources) == 0 {
		return q
	}
	q.states = sets.Union(q.states, slices.DeleteFunc(all, func(s *session.State) bool {
		return slices.ContainsFunc(q.states, func(known *session.State) bool { return known.SessionID == s.SessionID }) ||
			!slices.ContainsFunc(s.Linked, func(l session.Link) bool { return slices.Contains(sources, l.Commit) })
	}))
	q.head.Reset = append(slices.Clone(q.head.Reset), sources...)
	return q
}

// brought lists the linked commits from which the changes may bring lines.
func (q workQuery) brought(db *gitexec.ODB, states []*session.State, onStreams []condense.Work) ([]gitexec.OID, error) {
	if q.replays {
		return nil, nil
	}
	brings, err := works.BroughtSince(db, q.amended, q.changes)
	if err != nil {
		return nil, err
	}
	return works.Brought(db, q.parent, states, brings, onStreams)
}

// lineOf lists a commit and the nearest of its first-parent history, newest first.
func lineOf(db *gitexec.ODB, commit gitexec.OID) []gitexec.OID {
	// Where one of two lines parts from the other further back, Left can't tell, and the stream
	// counts as not left: its work then needs no more evidence than usual. Each commit is read, for
	// the base of each session.
	const near = 32
	if commit == "" || commit.IsZero() {
		return nil
	}
	line, err := db.Ancestors(commit, near)
	if err != nil {
		return nil // it is missing, which tells nothing
	}
	return gitexec.IDsOf(line)
}

// NotInWorktree reports whether the worktree lacks a file. What can't be looked at is there.
func NotInWorktree(repo *gitexec.Repo, path gitexec.Path) bool {
	_, err := os.Lstat(filepath.Join(repo.Top, filepath.FromSlash(string(path))))
	return errors.Is(err, fs.ErrNotExist)
}

// largestBack is the size in bytes up to which a file of the worktree is compared with a version,
// or read for its lines: suffix asks for up to 50 of them (mostBack), and a commit waits. A larger
// one counts as not back, and its lines as not known.
const largestBack = 1 << 20

// isBack reports whether a worktree has a file in a version. It compares the bytes, except for the
// ends of lines: what a filter changes is another version.
func isBack(db *gitexec.ODB, top string, path gitexec.Path, version gitexec.Entry) bool {
	now, err := safefile.ReadInside(top, string(path), largestBack)
	if err != nil {
		return false
	}
	was, err := db.Blob(version.ID, largestBack)
	ends := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }
	return err == nil && bytes.Equal(ends(now), ends(was))
}

// matchWorks compares what a commit changes with the sessions' work. One process, if a stash entry
// may have what the evidence is about.
func matchWorks(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, of sessionWork) ([]condense.Matched, []condense.Overlap, error) {
	texts := &shadow.Texts{DB: db}
	var stashed condense.Stashed
	if shadow.MayHaveStashes(repo) {
		var stashes []shadow.Stash
		read := false
		stashed = func(own []suffix.Change, committed gitexec.Entry) (held bool, err error) {
			if !read {
				stashes, err = shadow.Stashes(ctx, repo, db)
				read = true
			}
			for _, s := range stashes {
				if held || err != nil {
					break
				}
				held, err = inStash(db, s, own, committed, texts)
			}
			return held, err
		}
	}
	return condense.Match(of.changes, of.all(), texts, stashed, func(path gitexec.Path) ([]string, bool) { return linesInWorktree(repo, path) })
}

// linesInWorktree is condense.Worktree.
func linesInWorktree(repo *gitexec.Repo, path gitexec.Path) ([]string, bool) {
	data, err := safefile.ReadInside(repo.Top, string(path), largestBack)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true
	}
	return strings.Split(string(data), "\n"), err == nil
}

// inStash is condense.Stashed for one entry.
func inStash(db *gitexec.ODB, s shadow.Stash, own []suffix.Change, committed gitexec.Entry, texts suffix.Texts) (bool, error) {
	found, err := works.InStash(db, s, [][]suffix.Change{own}, texts)
	if err != nil || found[0].Old == found[0].New || found[0].New == own[0].Before || found[0].New == committed {
		return false, err
	}
	change := gitexec.Change{Path: own[0].Path, Old: own[0].Before, New: found[0].New}
	return suffix.InEffect(own, change, texts)
}
