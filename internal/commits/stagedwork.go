package commits

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// stagedWork is the staged changes, and the sessions' work in them.
type stagedWork struct {
	base    gitexec.OID   // the tree to compare with: that of the commit's parent
	since   gitexec.OID   // of an amend of which only what it adds is compared: the amended commit's tree
	sides   []gitexec.OID // trees of which a merge, a pick, a squash or a revert puts it together; nil: it is none
	changes []gitexec.Change
	matches []condense.Matched
	head    headRecord
	amends  gitexec.OID // the tree of the commit that it replaces: what that has isn't brought; empty: none
	replays bool        // git replays a commit whose lines are known: it brings none back
}

// linkStaged adds a link to the message if the staged changes hold the sessions' work.
func linkStaged(ctx context.Context, run *workspace.Run, d draft, found stagedWork) (string, error) {
	if lost, err := run.Store.LostState(); err == nil && lost {
		if err := run.Locked(ctx, func() error { return restoreLost(run, run.Head.ID) }); err != nil {
			run.WarnLater(explain.OneLine(err))
		}
	}
	mine, err := run.Sessions()
	if err != nil {
		return "", err
	}
	if found.head, mine, err = updateHeadRecord(ctx, run, mine); err != nil {
		return "", err
	}
	states := slices.DeleteFunc(mine, func(s *session.State) bool {
		return !condense.MayHaveWork(s, found.head.Streams, found.head.wasReset, run.Now())
	})
	from, err := mayComeHere(run.Repo, run.Store)
	if err != nil {
		return "", err
	}
	if len(states)+len(from) == 0 && len(d.keep) == 0 {
		return journal.NoWork, nil
	}
	if d.amend && found.since == "" {
		reflog, err := run.HeadMoves(ctx)
		if err != nil {
			return "", err
		}
		if moves.Replayed(reflog, run.Head.ID) {
			found.since = run.Head.Tree
		}
	}
	if d.amend {
		found.amends = run.Head.Tree
	}
	style := gitexec.InBackground(func() (message.Style, error) { return style(ctx, run) })
	agents := committers(run, states)
	pending, err := chooseLink(ctx, run, states, agents, &found)
	chosen, err2 := style() // always: no process may outlive the hook
	if err = errors.Join(err, err2); err != nil {
		return "", err
	}
	pending.Amends, pending.Since = d.amend, found.since
	ids := d.keep
	if pending.ID != "" {
		ids = union([]string{pending.ID}, union(pending.replacedLinks(), d.keep))
	}
	if len(ids) == 0 {
		return "nothing staged is a session's", nil
	}
	if d.source == "template" {
		chosen.Template = d.text
	}
	share := ""
	if run.Settings.StrategyOptions.AttributionTrailer && pending.ID != "" {
		if share, err = stagedShare(ctx, run.Repo, run.DB, found); err != nil {
			run.WarnLater(explain.OneLine(err)) // the link is added all the same
		}
	}
	if len(d.replaces) > 0 {
		pending.ID = cmp.Or(pending.ID, ids[0])
		pending.Replaces = append(d.replaces, pending.Replaces...)
	}
	return addLink(ctx, run, d, ids, share, chosen, pending)
}

// chooseLink finds the sessions whose work is staged, and chooses the link: a new one, or the first
// link of the replaced commits where the commit holds nothing else.
func chooseLink(ctx context.Context, run *workspace.Run, states []*session.State, agents []string, found *stagedWork) (PendingLink, error) {
	pending := PendingLink{Head: run.Head.ID, Agents: agents, Partial: onlyPaths(run.Repo)}
	run.Entry.MadeBy = agents
	if err := matchStaged(ctx, run, states, agents, found); err != nil {
		return pending, err
	}
	links := condense.LinksFor(found.matches)
	pending.Sessions, pending.Replaces = links.Sessions, links.Replaces
	switch taken := pending.replacedLinks(); {
	case len(pending.Sessions) > 0:
		pending.ID = run.NewID()
	case len(taken) > 0:
		pending.ID = taken[0]
	}
	return pending, nil
}

// resetStaged finds the reset commits that an amend takes into the amended one: git reset --soft,
// then git commit --amend, is a squash by hand.
func resetStaged(ctx context.Context, run *workspace.Run, states []*session.State, agents []string) ([]lineage.Predecessor, error) {
	matches, err := matchReset(ctx, run, states, agents)
	return condense.ResetsIn(matches), err
}

// matchReset compares what is staged with the sessions' work, if any commit was reset.
func matchReset(ctx context.Context, run *workspace.Run, states []*session.State, agents []string) ([]condense.Matched, error) {
	found := stagedWork{base: run.Head.Tree}
	var err error
	if found.head, states, err = updateHeadRecord(ctx, run, states); err != nil || len(found.head.Reset) == 0 {
		return nil, err
	}
	err = matchStaged(ctx, run, states, agents, &found)
	return found.matches, err
}

// withStates adds the states that are not among others.
func withStates(states, more []*session.State) []*session.State {
	states = slices.Clone(states)
	for _, s := range more {
		if !slices.Contains(states, s) {
			states = append(states, s)
		}
	}
	return states
}

// matchStaged compares the staged changes with the sessions' work.
func matchStaged(ctx context.Context, run *workspace.Run, states []*session.State, agents []string, found *stagedWork) error {
	diff := gitexec.InBackground(func() ([]gitexec.Change, error) { return run.Repo.DiffStaged(ctx, run.Repo.IndexFile, found.base) })
	defer diff() // no process may outlive the hook
	if err := run.DB.Objects.Warm(); err != nil {
		return err
	}
	var err error
	if found.changes, err = diff(); err != nil || len(found.changes) == 0 {
		return err
	}
	if len(found.sides) > 0 {
		if found.changes, err = works.Fresh(run.DB, found.changes, found.sides); err != nil || len(found.changes) == 0 {
			return err
		}
	}
	judged := found.changes
	if found.since != "" {
		amend, err := run.Repo.DiffStaged(ctx, run.Repo.IndexFile, found.since)
		if err != nil {
			return err
		}
		if judged = addedBy(amend, found.changes); len(judged) == 0 {
			return nil
		}
	}
	came, err := comeHere(run, judged, "", states)
	if err != nil {
		return err
	}
	states = withStates(states, came.states)
	bases := condense.Bases(run.Head.ID, states)
	listing, err := shadow.Probe(run.Repo, run.DB, bases...)
	if err == nil && listing.HasLegacy() {
		err = run.Locked(ctx, func() (err error) {
			listing, err = RenameLegacy(ctx, run, listing, states...)
			return err
		})
	}
	if err != nil {
		return err
	}
	var brings []gitexec.Change
	if !found.replays {
		if brings, err = works.BroughtSince(run.DB, found.amends, judged); err != nil {
			return err
		}
	}
	of, err := worksOf(ctx, run, workQuery{run.Head.ID, bases, listing, states, judged, agents, found.head, came.works, brings})
	if err != nil {
		return err
	}
	var overlaps []condense.Overlap
	found.matches, overlaps, err = matchWorks(ctx, run.Repo, run.DB, of)
	run.Entry.Works = journalWorks(overlaps)
	return err
}

// addedBy lists the changes of an amend in files that the new commit changes: what it takes back is
// not in that.
func addedBy(amend, commit []gitexec.Change) []gitexec.Change {
	return slices.DeleteFunc(slices.Clone(amend), func(a gitexec.Change) bool {
		return !slices.ContainsFunc(commit, func(c gitexec.Change) bool { return c.Path == a.Path })
	})
}

// onlyPaths reports whether git commits given paths only: then the hook's index is a temporary one
// of git's.
func onlyPaths(repo *gitexec.Repo) bool {
	return strings.HasPrefix(filepath.Base(repo.IndexFile), "next-index-")
}

// sessionWork is the sessions' work that a commit may hold.
type sessionWork struct {
	onStreams []condense.Work
	others    []condense.Work  // of turns in progress, reset commits, or discarded
	sources   []gitexec.OID    // commits from which turns in progress have lines by git
	changes   []gitexec.Change // in which a rename goes from the old file's version
}

func (w sessionWork) all() []condense.Work { return append(slices.Clone(w.onStreams), w.others...) }

// workQuery asks for the work of sessions that changes, of a commit or staged, may hold.
type workQuery struct {
	parent  gitexec.OID   // the commit's
	bases   []gitexec.OID // of streams
	listing shadow.Listing
	states  []*session.State
	changes []gitexec.Change
	agents  []string // the sessions whose agent makes the commit
	head    headRecord
	came    []condense.Work  // from other worktrees
	brings  []gitexec.Change // of these: what may bring lines of older commits
}

// worksOf collects the sessions' work.
func worksOf(ctx context.Context, run *workspace.Run, q workQuery) (sessionWork, error) {
	var w sessionWork
	var troubles []error
	var err error
	w.onStreams, troubles, err = works.OnStreams(run.DB, q.bases, q.states, func(base gitexec.OID) ([]shadow.Stream, error) {
		return q.listing.Streams(run.DB, base, run.Repo.WorktreeID())
	})
	if err != nil {
		return w, err
	}
	run.WarnLaterAll(troubles)
	condense.MarkElsewhere(w.onStreams, q.parent, func(base gitexec.OID) bool { return condense.Left(lineOf(run.DB, q.parent), lineOf(run.DB, base)) })
	err = condense.MarkSince(w.onStreams, q.parent, q.changes, func(s *shadow.Stream, paths []gitexec.Path) ([]gitexec.Entry, error) {
		return works.AtBase(run.DB, *s, paths)
	})
	if err != nil {
		return w, err
	}
	wrote := writtenBeside(ctx, run, q)
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
		return TextsIn(wrote.Texts, func(file string) (gitexec.Path, bool) { return PathInWorktree(run.Repo, file) })
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
	changed := map[gitexec.Path]bool{}
	for _, c := range q.changes {
		changed[c.Path] = true
	}
	matters := func(path gitexec.Path) bool { return changed[path] || NotInWorktree(run.Repo, path) }
	if kept, err = ownWork(run.DB, kept, w.sources, matters); err != nil {
		return w, err
	}
	w.others = append(append(w.others, kept...), q.came...)
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
		if of.Brought = slices.Contains(sources, of.Link.Commit); of.Brought || shared {
			var err error
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
	if len(sources) > 0 {
		if states, err = p.RecentSessions(); err != nil {
			return q, nil, err
		}
	}
	brought, err := works.Brought(p.DB, states, q.brings, w.onStreams)
	if err != nil {
		return q, nil, err
	}
	for _, id := range brought {
		if !q.head.wasReset(id) && !slices.Contains(sources, id) {
			sources = append(sources, id)
		}
	}
	if len(sources) == 0 {
		return q, nil, nil
	}
	q.states = withStates(q.states, slices.DeleteFunc(states, func(s *session.State) bool {
		return slices.ContainsFunc(q.states, func(known *session.State) bool { return known.SessionID == s.SessionID }) ||
			!slices.ContainsFunc(s.Linked, func(l session.Link) bool { return slices.Contains(sources, l.Commit) })
	}))
	q.head.Reset = append(slices.Clone(q.head.Reset), sources...)
	return q, sources, nil
}

// lineOf lists a commit and the nearest of its first-parent history, newest first.
func lineOf(db *gitexec.ODB, commit gitexec.OID) []gitexec.OID {
	const near = 32
	if commit == "" || commit.IsZero() {
		return nil
	}
	line, err := db.Ancestors(commit, near)
	if err != nil {
		return nil // it is missing, which tells nothing
	}
	ids := make([]gitexec.OID, len(line))
	for i, c := range line {
		ids[i] = c.ID
	}
	return ids
}

// NotInWorktree reports whether the worktree lacks a file. What can't be looked at is there.
func NotInWorktree(repo *gitexec.Repo, path gitexec.Path) bool {
	_, err := os.Lstat(filepath.Join(repo.Top, filepath.FromSlash(string(path))))
	return errors.Is(err, fs.ErrNotExist)
}

// largestBack is the size in bytes up to which a file of the worktree is compared with a version.
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
